package seal_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/seal"
)

func hex64(c string) string { return strings.Repeat(c, 64) }

// oneOfEach is a line of each kind, in no order.
func oneOfEach() []seal.Line {
	return []seal.Line{
		{Kind: seal.KindPlan, SHA256: hex64("7")},
		{Kind: seal.KindProtocol, SHA256: hex64("3")},
		{Kind: seal.KindParam, Label: "quick", Note: "false"},
		{Kind: seal.KindParam, Label: "name", Note: `"a  b"`},
		{Kind: seal.KindHarness, SHA256: hex64("a"), Note: "phaselock, commit d94b4c61377d"},
		{Kind: seal.KindInterpreter, Label: "bin/plot.py", SHA256: hex64("5")},
		{Kind: seal.KindProgram, Label: "sleep", SHA256: hex64("6")},
		{Kind: seal.KindBuilt, Label: "bin/planskip-final", SHA256: hex64("0"), Note: `go1.26.8 commit 267a41434a81 tree clean flags "-trimpath"`},
		{Kind: seal.KindInput, Label: "data/a b.bin", SHA256: hex64("9")},
		{Kind: seal.KindBinary, Label: "bin/fetch-final", SHA256: hex64("5")},
		{Kind: seal.KindScript, Label: "@std//go.star", SHA256: hex64("e")},
		{Kind: seal.KindScript, Label: "//c2.star", SHA256: hex64("c")},
	}
}

// The text, to the letter: what a person reads and another program checks.
func TestSealText(t *testing.T) {
	s, err := seal.New("phaselock v0.1.0 go1.26.8", oneOfEach())
	if err != nil {
		t.Fatal(err)
	}
	body := "phaselock seal 1\n" +
		"tool phaselock v0.1.0 go1.26.8\n" +
		"sha256 " + hex64("c") + "  script    //c2.star\n" +
		"sha256 " + hex64("e") + "  script    @std//go.star\n" +
		"sha256 " + hex64("5") + "  binary    bin/fetch-final\n" +
		"sha256 " + hex64("9") + "  input     \"data/a b.bin\"\n" +
		"sha256 " + hex64("0") + "  built     bin/planskip-final  go1.26.8 commit 267a41434a81 tree clean flags \"-trimpath\"\n" +
		"sha256 " + hex64("6") + "  program   sleep\n" +
		"sha256 " + hex64("5") + "  interpreter  bin/plot.py\n" +
		"sha256 " + hex64("a") + "  harness   phaselock, commit d94b4c61377d\n" +
		"param  name \"a  b\"\n" +
		"param  quick false\n" +
		"sha256 " + hex64("3") + "  protocol  (flat form)\n" +
		"sha256 " + hex64("7") + "  plan      (every run, in order)\n"
	if d := cmp.Diff(body+"seal   "+s.Digest()+"\n", string(s.Text())); d != "" {
		t.Error(d)
	}
	cmd := exec.Command("sha256sum")
	cmd.Stdin = strings.NewReader(body)
	if out, err := cmd.Output(); err != nil || strings.Fields(string(out))[0] != s.Digest() {
		t.Errorf("sha256sum says %s (%v), the seal %s", out, err, s.Digest())
	}
	again, err := seal.Parse(s.Text())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(s.Lines(), again.Lines()); d != "" || again.Digest() != s.Digest() || again.Tool() != s.Tool() {
		t.Error(d, again.Tool())
	}
	if l, ok := again.Line(seal.KindParam, "name"); !ok || l.Note != `"a  b"` {
		t.Errorf("%+v, %v", l, ok)
	}
}

func TestNewRefuses(t *testing.T) {
	good := seal.Line{Kind: seal.KindInput, Label: "x", SHA256: hex64("1")}
	for _, tc := range []struct {
		name  string
		alter func(*seal.Line)
		want  string
	}{
		{"a kind that there is not", func(l *seal.Line) { l.Kind = "blob" }, `no kind "blob"`},
		{"no label", func(l *seal.Line) { l.Label = "" }, "label"},
		{"a short digest", func(l *seal.Line) { l.SHA256 = "1234" }, "64 lower-case"},
		{"capitals", func(l *seal.Line) { l.SHA256 = hex64("A") }, "64 lower-case"},
		{"two lines in a note", func(l *seal.Line) { l.Note = "a\nb" }, "does not show"},
		{"a note that turns the text around", func(l *seal.Line) { l.Note = "a\u202eb" }, "does not show"},
		{"space around a note", func(l *seal.Line) { l.Note = " a" }, "space around it"},
		{"a param with a digest", func(l *seal.Line) { l.Kind, l.Note = seal.KindParam, "1" }, "no digest"},
		{"a param without a value", func(l *seal.Line) { l.Kind, l.SHA256 = seal.KindParam, "" }, "want a value"},
		{"a harness with a label", func(l *seal.Line) { l.Kind = seal.KindHarness }, "label"},
	} {
		l := good
		tc.alter(&l)
		if _, err := seal.New("phaselock", []seal.Line{l}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v", tc.name, err)
		}
	}
	if _, err := seal.New("phaselock", []seal.Line{good, good}); err == nil || !strings.Contains(err.Error(), "two lines for input x") {
		t.Errorf("error %v", err)
	}
	if _, err := seal.New("", nil); err == nil {
		t.Error("a seal without a tool")
	}
}

// Any byte changed in any way is refused, and so are texts of the right digest that no Text writes.
func TestParseRefuses(t *testing.T) {
	s, err := seal.New("phaselock v0.1.0", oneOfEach())
	if err != nil {
		t.Fatal(err)
	}
	text := s.Text()
	for i := range text {
		for _, flip := range []byte{0x01, 0x20, 0x80} {
			changed := bytes.Clone(text)
			changed[i] ^= flip
			if _, err := seal.Parse(changed); err == nil || !strings.HasPrefix(err.Error(), "seal:") {
				t.Fatalf("byte %d (%q became %q): %v", i, text[i], changed[i], err)
			}
		}
		if _, err := seal.Parse(text[:i]); err == nil {
			t.Fatalf("%d bytes of the text are a seal", i)
		}
	}
	if _, err := seal.Parse(bytes.Replace(text, []byte("quick false"), []byte("quick true"), 1)); err == nil || !strings.Contains(err.Error(), "one of them was changed") {
		t.Errorf("error %v", err)
	}
	resealed := func(old, new string) []byte {
		lines := strings.SplitAfter(string(text), "\n")
		body := strings.Replace(strings.Join(lines[:len(lines)-2], ""), old, new, 1)
		cmd := exec.Command("sha256sum")
		cmd.Stdin = strings.NewReader(body)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return []byte(body + "seal   " + string(out[:64]) + "\n")
	}
	if _, err := seal.Parse(resealed("x", "x")); err != nil {
		t.Fatalf("the text sealed again: %v", err)
	}
	input := "sha256 " + hex64("9") + "  input     \"data/a b.bin\"\n"
	for _, tc := range []struct{ name, old, new, want string }{
		{"a newer version", "phaselock seal 1", "phaselock seal 2", "seal:1: version \"2\""},
		{"no seal", "phaselock seal 1", "something else", "seal:1: this is no seal"},
		{"no tool", "tool phaselock v0.1.0", "phaselock", "seal:2: want \"tool \""},
		{"another kind", "  input   ", "  lemon   ", "seal:6: no kind \"lemon\""},
		{"more space", "  input   ", "  input    ", "seal:6: want"},
		{"not sorted", input, "", ""},
		{"the same line twice", input, input + input, "two lines for input \"data/a b.bin\""},
		{"a label quoted for nothing", "bin/fetch-final", `"bin/fetch-final"`, "seal:5: want"},
		{"an open quote", `"data/a b.bin"`, `"data/a b.bin`, "seal:6: a label that begins"},
		{"a carriage return", "  program   sleep\n", "  program   sleep\r\n", "seal:8: a carriage return"},
		{"an empty line", "param  quick", "\nparam  quick", "seal:12: want"},
	} {
		changed := resealed(tc.old, tc.new)
		if tc.want == "" { // the input's line behind the plan's
			changed = resealed("(every run, in order)\n", "(every run, in order)\n"+strings.Replace(input, "a b", "a", 1))
			tc.want = "seal:7: want"
		}
		if _, err := seal.Parse(changed); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v; want %q", tc.name, err, tc.want)
		}
	}
}

// Whatever the labels and notes: what New takes, Parse reads back.
func TestSealReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := []string{seal.KindScript, seal.KindBinary, seal.KindInput, seal.KindBuilt, seal.KindParam, seal.KindHarness, seal.KindProtocol, seal.KindPlan}
		lines := rapid.SliceOf(rapid.Custom(func(t *rapid.T) seal.Line {
			l := seal.Line{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), SHA256: rapid.StringMatching(`[0-9a-f]{64}`).Draw(t, "digest")}
			if rapid.Bool().Draw(t, "labelled") {
				l.Label = string(rapid.SliceOfN(rapid.Byte(), 1, 12).Draw(t, "label"))
			}
			if rapid.Bool().Draw(t, "noted") {
				l.Note = rapid.StringMatching(`[ -~é()]{1,12}`).Draw(t, "note")
			}
			if l.Kind == seal.KindParam {
				l.SHA256 = ""
			}
			return l
		})).Draw(t, "lines")
		s, err := seal.New("phaselock", lines)
		if err != nil {
			t.Skip()
		}
		again, err := seal.Parse(s.Text())
		if err != nil {
			t.Fatalf("%v\n%s", err, s.Text())
		}
		if d := cmp.Diff(s.Lines(), again.Lines()); d != "" && len(lines) > 0 {
			t.Fatal(d)
		}
	})
}

func FuzzParse(f *testing.F) {
	s, err := seal.New("phaselock v0.1.0", oneOfEach())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(s.Text())
	f.Add([]byte("phaselock seal 1\n\n\nseal   \n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if s, err := seal.Parse(text); err == nil && !bytes.Equal(s.Text(), text) {
			t.Errorf("%q was read, and is written as %q", text, s.Text())
		}
	})
}

func TestCheck(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"c2.star", "same.bin", "changed.bin", "odd\nname\\.bin"} {
		write(t, filepath.Join(root, name), "abc", 0o644)
	}
	lines := []seal.Line{
		{Kind: seal.KindScript, Label: "//c2.star", SHA256: abc},
		{Kind: seal.KindScript, Label: "@std//go.star", SHA256: hex64("e")},
		{Kind: seal.KindInput, Label: "same.bin", SHA256: abc},
		{Kind: seal.KindInput, Label: "changed.bin", SHA256: abc},
		{Kind: seal.KindInput, Label: "gone.bin", SHA256: abc},
		{Kind: seal.KindInput, Label: "odd\nname\\.bin", SHA256: abc},
		{Kind: seal.KindParam, Label: "quick", Note: "False"},
		{Kind: seal.KindProtocol, SHA256: hex64("3")},
		{Kind: seal.KindPlan, SHA256: hex64("7")},
	}
	s, err := seal.New("phaselock", lines)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "changed.bin"), "abd", 0o644)
	now, err := seal.New("phaselock", []seal.Line{
		{Kind: seal.KindParam, Label: "quick", Note: "True"},
		{Kind: seal.KindProtocol, SHA256: hex64("3")},
		{Kind: seal.KindInput, Label: "same.bin", SHA256: hex64("0")}, // the disk is asked first
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, o := range s.Check(s.OnDisk(root, plan.FixedPath), seal.Known(now)) {
		name := o.Line.Kind + " " + o.Line.Label
		switch {
		case o.Holds():
			got[name] = "holds"
		case errors.Is(o.Err, seal.ErrElsewhere):
			got[name] = "elsewhere"
		case errors.Is(o.Err, fs.ErrNotExist):
			got[name] = "gone"
		default:
			got[name] = "changed"
		}
		if text := o.String(); !strings.HasPrefix(text, o.Line.Kind) || strings.Contains(text, "\n") || o.Holds() != strings.HasSuffix(text, ": as sealed") {
			t.Errorf("%s: %q", name, text)
		}
	}
	want := map[string]string{
		"script //c2.star": "holds", "script @std//go.star": "elsewhere", "input same.bin": "holds", "input changed.bin": "changed",
		"input gone.bin": "gone", "input odd\nname\\.bin": "holds", "param quick": "changed", "protocol ": "holds", "plan ": "elsewhere",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}

	if err := os.Remove(filepath.Join(root, "changed.bin")); err != nil {
		t.Fatal(err)
	}
	for _, alter := range []func(){func() {}, func() {
		write(t, filepath.Join(root, "changed.bin"), "abc", 0o644)
		write(t, filepath.Join(root, "gone.bin"), "abc", 0o644)
	}} {
		alter()
		cmd := exec.Command("sha256sum", "-c", "--strict", "-")
		cmd.Dir, cmd.Stdin = root, bytes.NewReader(s.Sums())
		out, err := cmd.CombinedOutput()
		ok := bytes.Count(out, []byte(": OK\n"))
		if _, gone := os.Stat(filepath.Join(root, "gone.bin")); (err == nil) != (gone == nil) || ok != map[bool]int{true: 5, false: 3}[gone == nil] {
			t.Errorf("sha256sum -c: %v\n%s", err, out)
		}
	}
}
