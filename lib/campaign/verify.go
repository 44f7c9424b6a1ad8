package campaign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/lib/seal"
)

// What became of a sealed line.
const (
	StatusHolds     = "holds"
	StatusChanged   = "changed"
	StatusMissing   = "missing"    // it cannot be found or read
	StatusNotSealed = "not sealed" // it is used, and the seal has no line for it
	StatusUnchecked = "not checked here"
)

// Verification is what a seal came to on a machine: one entry a line, in the seal's order, then what is used and was not sealed.
type Verification struct {
	Seal      string             `json:"seal"` // its digest
	Tool      string             `json:"tool"` // what made it
	Holds     bool               `json:"holds"`
	Lines     []VerifiedLine     `json:"lines"`
	Signature *VerifiedSignature `json:"signature"` // null: there is none
}

// VerifiedLine is one line.
type VerifiedLine struct {
	Kind   string `json:"kind"`
	Label  string `json:"label"`
	Status string `json:"status"`
	Sealed string `json:"sealed"` // a digest, or a param's value; "" if it was not sealed
	Now    string `json:"now"`    // "" if nothing was found
	Why    string `json:"why,omitempty"`

	name string
}

// Name is how messages call the line.
func (l VerifiedLine) Name() string { return l.name }

// VerifiedSignature is what is known of who signed the seal.
type VerifiedSignature struct {
	Key      string `json:"key"`      // "SHA256:…"; "" if it is no signature of this seal
	Identity string `json:"identity"` // who signed, by the allowed signers; "" if that was not asked, or it is nobody they allow
	Holds    bool   `json:"holds"`    // false: it is no signature of this seal, or not by who was asked for
	Why      string `json:"why,omitempty"`
}

// VerifyOptions say what a seal is held to. The phases are the script evaluated with the seal's parameters; where it does not
// evaluate, NotEvaluated says why.
type VerifyOptions struct {
	Root         string // where labels are found
	Script       string // the file of the entry script; "" is where its label lies under the root
	Phases       []Script
	NotEvaluated error
	Library      fs.FS  // of the @std scripts
	Harness      string // the executable of phaselock to check; "" is this one
	Rebuild      bool   // build the built binaries again, with the go tool; else they are not checked

	Allowed  *seal.AllowedSigners // nil: whose signature it is is not asked
	Identity string
	Now      time.Time // of the signature's check
}

// Verify says of every line of a seal whether it holds here. It reads files; nothing is run, and nothing is built without Rebuild. The
// error is of what kept it from looking at all.
func Verify(ctx context.Context, s *Sealed, o VerifyOptions) (*Verification, error) {
	here := &verifier{VerifyOptions: o, seal: s.Seal}
	here.entry, _ = Entry(s.Seal) // of a seal that does not say, Script is the only name
	sources, now, err := here.sources(ctx)
	if err != nil {
		return nil, err
	}
	v := &Verification{Seal: s.Seal.Digest(), Tool: s.Seal.Tool(), Signature: here.signature(s)}
	outcomes := s.Seal.Check(sources...)
	same := protocolsHold(outcomes)
	for _, oc := range outcomes {
		v.Lines = append(v.Lines, here.line(oc, same))
	}
	for _, l := range append(s.Seal.Beside(now), here.notSealed()...) {
		v.Lines = append(v.Lines, VerifiedLine{Kind: l.Kind, Label: l.Label, Status: StatusNotSealed, Now: l.Value(), name: l.Name()})
	}
	v.Holds = v.Signature == nil || v.Signature.Holds
	for _, l := range v.Lines {
		v.Holds = v.Holds && (l.Status == StatusHolds || l.Status == StatusUnchecked)
	}
	return v, nil
}

// verifier is one verification.
type verifier struct {
	VerifyOptions
	seal  *seal.Seal
	entry string // the label of the entry script; "" if the seal does not say
}

// sources returns where each kind of line is looked for, and what the script says now.
func (v *verifier) sources(ctx context.Context) ([]seal.Source, *seal.Seal, error) {
	now, err := v.evaluated()
	if err != nil {
		return nil, nil, err
	}
	built, err := v.built(ctx)
	if err != nil {
		return nil, nil, err
	}
	return []seal.Source{v.script, v.library, v.harness, v.seal.OnDisk(v.Root, plan.FixedPath), built, seal.Known(now), v.notEvaluated}, now, nil
}

// evaluated returns the lines of what the script says now: its closure, parameters, protocols and plans.
func (v *verifier) evaluated() (*seal.Seal, error) {
	c := newSealing()
	if err := c.declared(v.Phases); err != nil {
		return nil, err
	}
	for i := range c.lines {
		l := &c.lines[i]
		if l.Kind == seal.KindScript && v.entry != "" && l.Label == v.Phases[0].Entry {
			l.Label = v.entry // whatever it is called now
		}
	}
	return seal.New("now", c.lines)
}

// line is what became of a sealed line.
func (v *verifier) line(o seal.Outcome, same bool) VerifiedLine {
	l := VerifiedLine{Kind: o.Line.Kind, Label: o.Line.Label, Status: StatusHolds, Sealed: o.Line.Value(), Now: o.Got, name: o.Line.Name()}
	switch {
	case o.Holds():
	case errors.Is(o.Err, errUnchecked):
		l.Status, l.Why = StatusUnchecked, o.Err.Error()
	case errors.Is(o.Err, seal.ErrElsewhere):
		l.Status, l.Why = StatusMissing, "the script does not use it now"
	case o.Err != nil:
		l.Status, l.Why = StatusMissing, strings.Join(strings.Fields(o.Err.Error()), " ") // a compiler's words have lines
	default:
		l.Status = StatusChanged
		switch {
		case l.Kind == seal.KindScript && same:
			l.Why = textOnly
		case l.Kind == seal.KindHarness:
			l.Why = "another phaselock than the sealed one; --harness FILE checks one that is not running"
		}
	}
	return l
}

// notSealed returns the files that the script uses now and for which the seal has no line, with their digests where they can be read.
func (v *verifier) notSealed() []seal.Line {
	var out []seal.Line
	seen := map[string]bool{}
	for i := range v.Phases {
		for _, l := range usedBy(v.Phases[i].Plan, v.Root) {
			if _, sealed := v.seal.Line(l.Kind, l.Label); sealed || seen[l.Name()] {
				continue
			}
			seen[l.Name()] = true
			l.SHA256, _ = v.seal.OnDisk(v.Root, plan.FixedPath)(l) // that it is not sealed is what counts
			out = append(out, l)
		}
	}
	return out
}

// usedBy returns what a plan's runs execute and read, by kind and label. A pattern that matches nothing has no files: those that it
// matched are missing by their own lines.
func usedBy(pl *plan.Plan, root string) []seal.Line {
	var out []seal.Line
	for i := range pl.Phase.Files {
		f := &pl.Phase.Files[i]
		switch {
		case f.Build != nil:
			out = append(out, seal.Line{Kind: seal.KindBuilt, Label: f.Label})
		case f.Kind == protocol.KindInput && seal.IsPattern(f.Label):
			labels, _ := seal.ExpandInput(root, f.Label)
			for _, label := range labels {
				out = append(out, seal.Line{Kind: seal.KindInput, Label: label})
			}
		case f.Kind == protocol.KindInput:
			out = append(out, seal.Line{Kind: seal.KindInput, Label: f.Label})
		default:
			out = append(out, seal.Line{Kind: seal.KindBinary, Label: f.Label})
		}
	}
	for i := range pl.Runs {
		if program := pl.Runs[i].Argv[0]; program.File == "" {
			out = append(out, seal.Line{Kind: seal.KindProgram, Label: program.Text})
		}
	}
	return out
}

// signature says who signed the seal, as far as that was asked.
func (v *verifier) signature(s *Sealed) *VerifiedSignature {
	sig, err := s.CheckSignature()
	got := vouched(sig, err, v.Allowed, v.Identity, v.Now)
	if sig == nil && err == nil && got != nil {
		got.Why = fmt.Sprintf("there is no %s%s: the seal is not signed", s.Name, SignatureSuffix)
	}
	return got
}

// RootOf returns the root from which a seal's labels count, given where its file lies: the nearest folder, from its own upwards, in
// which the entry script is where its label says; the file's own if there is none. A seal lies beside its script, or in the root.
func RootOf(s *seal.Seal, sealFile string) string {
	own := filepath.Dir(sealFile)
	entry, err := Entry(s)
	if err != nil {
		return own
	}
	local := filepath.FromSlash(strings.TrimPrefix(entry, "//"))
	dir := own
	for range strings.Count(entry, "/") - 1 {
		if info, err := os.Stat(filepath.Join(dir, local)); err == nil && info.Mode().IsRegular() {
			return dir
		}
		dir = filepath.Join(dir, "..")
	}
	return own
}
