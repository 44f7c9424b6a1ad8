package seal_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/seal"
)

// A seal of several phases has a protocol and a plan for each, by its name, and their order.
func TestSealOfSeveralPhases(t *testing.T) {
	lines := []seal.Line{
		{Kind: seal.KindProtocol, Label: "one", SHA256: hex64("1")},
		{Kind: seal.KindPlan, Label: "two", SHA256: hex64("2"), Note: "phase 1 of 2"},
		{Kind: seal.KindProtocol, Label: "two", SHA256: hex64("3")},
		{Kind: seal.KindPlan, Label: "one", SHA256: hex64("4"), Note: "phase 2 of 2"},
	}
	s, err := seal.New("phaselock", lines)
	if err != nil {
		t.Fatal(err)
	}
	want := "phaselock seal 1\ntool phaselock\n" +
		"sha256 " + hex64("1") + "  protocol  one  (flat form)\n" +
		"sha256 " + hex64("3") + "  protocol  two  (flat form)\n" +
		"sha256 " + hex64("4") + "  plan      one  (every run, in order)  phase 2 of 2\n" +
		"sha256 " + hex64("2") + "  plan      two  (every run, in order)  phase 1 of 2\n"
	if d := cmp.Diff(want+"seal   "+s.Digest()+"\n", string(s.Text())); d != "" {
		t.Error(d)
	}
	again, err := seal.Parse(s.Text())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(s.Lines(), again.Lines()); d != "" {
		t.Error(d)
	}
	lines[1].Note, lines[3].Note = "phase 2 of 2", "phase 1 of 2"
	swapped, err := seal.New("phaselock", lines)
	if err != nil {
		t.Fatal(err)
	}
	var changed []string
	for _, o := range s.Check(seal.Known(swapped)) {
		if !o.Holds() {
			changed = append(changed, o.Line.Name())
		}
	}
	if d := cmp.Diff([]string{"plan of one", "plan of two"}, changed); d != "" {
		t.Errorf("phases in another order: %s", d)
	}
	lines[1].Label = ""
	if _, err := seal.New("phaselock", lines); err == nil || !strings.Contains(err.Error(), "without a label") {
		t.Errorf("a plan without a phase beside one with: %v", err)
	}
}

func TestBeside(t *testing.T) {
	s, err := seal.New("phaselock", []seal.Line{{Kind: seal.KindInput, Label: "a", SHA256: abc}})
	if err != nil {
		t.Fatal(err)
	}
	now, err := seal.New("phaselock", []seal.Line{
		{Kind: seal.KindInput, Label: "a", SHA256: hex64("0")}, {Kind: seal.KindInput, Label: "b", SHA256: abc}, {Kind: seal.KindBinary, Label: "a", SHA256: abc},
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]seal.Line{{Kind: seal.KindBinary, Label: "a", SHA256: abc}, {Kind: seal.KindInput, Label: "b", SHA256: abc}}, s.Beside(now)); d != "" {
		t.Error(d)
	}
}

// What is found on a disk, each kind where it lies: an interpreter is what runs the script now, be it a binary of the phase or a program.
func TestOnDisk(t *testing.T) {
	root, bin := t.TempDir(), t.TempDir()
	write(t, filepath.Join(bin, "lisp"), "abc", 0o755)
	write(t, filepath.Join(bin, "tool"), "#!/usr/bin/env lisp\n", 0o755)
	write(t, filepath.Join(root, "tool.sh"), "#!"+filepath.Join(bin, "lisp")+"\n", 0o755)
	write(t, filepath.Join(root, "plain"), "abc", 0o755)
	if err := os.Mkdir(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "sub", "tool"), "abc", 0o755)
	var lines []seal.Line
	for _, name := range []string{"program lisp", "program sub/tool", "program none", "program tool", "interpreter tool", "interpreter tool.sh", "interpreter plain", "binary tool.sh", "binary plain", "harness "} {
		kind, label, _ := strings.Cut(name, " ")
		lines = append(lines, seal.Line{Kind: kind, Label: label, SHA256: abc})
	}
	s, err := seal.New("phaselock", lines)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, o := range s.Check(s.OnDisk(root, bin)) {
		switch {
		case o.Holds():
			got[o.Line.Name()] = "holds"
		case errors.Is(o.Err, seal.ErrElsewhere), errors.Is(o.Err, fs.ErrNotExist):
			got[o.Line.Name()] = "nowhere"
		case o.Err != nil:
			got[o.Line.Name()] = o.Err.Error()
		default:
			got[o.Line.Name()] = "changed"
		}
	}
	want := map[string]string{
		"program lisp": "holds", "program sub/tool": "holds", "program tool": "changed", "interpreter of tool": "holds", "interpreter of tool.sh": "holds",
		"binary tool.sh": "changed", "binary plain": "holds", "interpreter of plain": "it is no #! script", "harness": "nowhere",
		"program none": `no program "none" in ` + bin + ", the PATH of every run; name it by its path, or copy it beside the script",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if sums := string(s.Sums()); sums != abc+"  plain\n"+abc+"  tool.sh\n"+abc+"  sub/tool\n" {
		t.Errorf("sums:\n%s", sums)
	}
}
