package campaign

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/phaselock/phaselock/lib/build"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/lib/seal"
)

// entryNote marks the script that declares the phases, where others of the seal lie under the root too.
const entryNote = "entry"

// Seal builds, finds and pins everything that decides on the results of a script's phases, and names it in a seal: what Run would run
// and read, the scripts, the parameters, the protocols and the plans. Nothing is run. Several phases have one seal, with their order.
func Seal(ctx context.Context, phases []Script, o Options) (*seal.Seal, error) {
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	for i := range phases {
		if err := needs(phases[i].Plan.Phase, true); err != nil {
			return nil, err
		}
	}
	scratch, err := scratch()
	if err != nil {
		return nil, &Error{ExitMachine, err}
	}
	defer os.RemoveAll(scratch)
	c := newSealing()
	for i := range phases {
		o.Say("building and pinning what %s runs", phases[i].Plan.Phase.Name)
		files, cleanup, err := find(ctx, phases[i].Plan, phases[i].Root, scratch)
		if err == nil {
			err = c.files(files)
		}
		cleanup()
		if err != nil {
			return nil, interruptedOr(ctx, err)
		}
	}
	if err := c.declared(phases); err != nil {
		return nil, err
	}
	harness, err := harnessLine("")
	if err != nil {
		return nil, &Error{ExitMachine, err}
	}
	c.lines = append(c.lines, harness)
	s, err := seal.New(o.Tool, c.lines)
	if err != nil {
		return nil, &Error{ExitUsage, err}
	}
	return s, nil
}

// sealing collects the lines of a seal.
type sealing struct {
	lines []seal.Line
	seen  map[string]string // digests by kind and label
}

func newSealing() *sealing {
	return &sealing{seen: map[string]string{}}
}

// add adds a line, once: phases share scripts and files.
func (c *sealing) add(l seal.Line) error {
	key := l.Kind + "\x00" + l.Label
	before, there := c.seen[key]
	if there && before != l.SHA256 {
		return invalid("%s changed while it was sealed: %s, then %s", l.Name(), before, l.SHA256)
	}
	if !there {
		c.seen[key] = l.SHA256
		c.lines = append(c.lines, l)
	}
	return nil
}

// files adds what was found for a phase.
func (c *sealing) files(files []*found) error {
	for _, f := range files {
		if err := c.add(f.line()); err != nil {
			return err
		}
	}
	return nil
}

// line is how a seal names a file: by its label, so that no path of this machine is in it.
func (f *found) line() seal.Line {
	l := seal.Line{Label: f.name, SHA256: f.pin.SHA256}
	switch {
	case f.kind == protocol.KindGoTest, f.kind == protocol.KindGoBuild:
		l.Kind, l.Note = seal.KindBuilt, builtNote(f.build, f.patch)
	case f.user != "":
		l.Kind, l.Label = seal.KindInterpreter, f.user
	case f.kind == protocol.KindInput:
		l.Kind = seal.KindInput
	case f.kind == protocol.KindBinary:
		l.Kind, l.Note = seal.KindBinary, binaryNote(f.pin.BuildInfo)
	default:
		l.Kind = seal.KindProgram
	}
	return l
}

// builtNote says what a binary was made from: go1.26.8 linux/amd64 commit 267a… tree clean flags "-trimpath -buildvcs=false".
func builtNote(info map[string]string, patch []byte) string {
	words := []string{info["go"]}
	if system := info["setting GOOS"]; system != "" {
		words = append(words, system+"/"+info["setting GOARCH"])
	}
	if commit := info["commit"]; commit != "" {
		words = append(words, "commit "+commit)
	}
	if tree := info["tree"]; tree != "" {
		words = append(words, "tree "+tree)
	}
	if len(patch) > 0 && info["tree"] == build.TreeDirty {
		words = append(words, "patch "+seal.DigestOf(patch))
	}
	words = append(words, "flags "+strconv.QuoteToASCII(info["flags"]))
	for _, name := range sortedKeys(info) {
		if name == "tags" || strings.HasPrefix(name, "env ") {
			words = append(words, name+" "+strconv.QuoteToASCII(info[name]))
		}
	}
	return strings.Join(words, " ")
}

// binaryNote says what a Go binary says of itself; "" for any other.
func binaryNote(info map[string]string) string {
	if info == nil {
		return ""
	}
	words := []string{info["go"]}
	for _, name := range []string{"path", "version", "vcs.revision", "vcs.modified"} {
		if info[name] != "" {
			words = append(words, strings.TrimPrefix(name, "vcs.")+" "+strconv.QuoteToASCII(info[name]))
		}
	}
	return strings.Join(words, " ")
}

// declared adds what was evaluated and planned.
func (c *sealing) declared(phases []Script) error {
	for i := range phases {
		s := &phases[i]
		for _, src := range s.Sources {
			l := seal.Line{Kind: seal.KindScript, Label: src.Label, SHA256: seal.DigestOf(src.Bytes), Note: s.noteOf(src.Label)}
			if err := c.add(l); err != nil {
				return err
			}
		}
		for _, p := range s.Plan.Phase.Params {
			if key := seal.KindParam + "\x00" + p.Name; c.seen[key] == "" {
				c.seen[key] = p.Name
				c.lines = append(c.lines, seal.Line{Kind: seal.KindParam, Label: p.Name, Note: paramText(p.Value)})
			}
		}
		protocolLine := seal.Line{Kind: seal.KindProtocol, SHA256: s.Plan.ProtocolDigest}
		planLine := seal.Line{Kind: seal.KindPlan, SHA256: s.Plan.Digest}
		if len(phases) > 1 {
			protocolLine.Label, planLine.Label = s.Plan.Phase.Name, s.Plan.Phase.Name
			planLine.Note = fmt.Sprintf("phase %d of %d", i+1, len(phases))
		}
		c.lines = append(c.lines, protocolLine, planLine)
	}
	return nil
}

// noteOf marks the entry, where other scripts lie under the root.
func (s *Script) noteOf(label string) string {
	own := 0
	for _, src := range s.Sources {
		if strings.HasPrefix(src.Label, "//") {
			own++
		}
	}
	if own > 1 && label == s.Entry {
		return entryNote
	}
	return ""
}

// Entry returns the label of the script that declares a seal's phases.
func Entry(s *seal.Seal) (string, error) {
	var own []string
	for _, l := range s.Lines() {
		if l.Kind != seal.KindScript || !strings.HasPrefix(l.Label, "//") {
			continue
		}
		if l.Note == entryNote {
			return l.Label, nil
		}
		own = append(own, l.Label)
	}
	if len(own) != 1 {
		return "", invalid("the seal has %d scripts and does not say which of them declares the phases: name it with --script", len(own))
	}
	return own[0], nil
}

// paramText is a parameter's value as plan.json writes it, in characters that show.
func paramText(v protocol.Value) string {
	if text, ok := v.V.(string); ok {
		return strconv.QuoteToASCII(text)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return strconv.QuoteToASCII(fmt.Sprint(v.V)) // no parameter has such a value
	}
	return string(data)
}

// Settings returns the parameters of a seal as --set takes them.
func Settings(s *seal.Seal) map[string]string {
	out := map[string]string{}
	for _, l := range s.Lines() {
		if l.Kind != seal.KindParam {
			continue
		}
		out[l.Label] = l.Note
		if text, err := strconv.Unquote(l.Note); err == nil {
			out[l.Label] = text
		}
	}
	return out
}

// harnessLine seals an executable of phaselock; "" is this one, as it runs, whatever lies in its place by now.
func harnessLine(path string) (seal.Line, error) {
	if path == "" {
		var err error
		if path, err = self(); err != nil {
			return seal.Line{}, err
		}
	}
	pin, err := seal.PinFile(path)
	if err != nil {
		return seal.Line{}, err
	}
	note := "phaselock"
	if commit := pin.BuildInfo["vcs.revision"]; commit != "" {
		note += ", commit " + commit
		if pin.BuildInfo["vcs.modified"] == "true" {
			note += " modified"
		}
	}
	return seal.Line{Kind: seal.KindHarness, SHA256: pin.SHA256, Note: note}, nil
}

func self() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}
