package campaign_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/lib/seal"
)

// sealedScript is a phase of four runs, a b b a, sealed: each arm runs a script of the phase's own with a line of shell in it, and has
// in.txt as its first argument. In the folder, in.txt is a link to real.txt.
func sealedScript(t *testing.T, a, b string) (campaign.Script, *campaign.Sealed) {
	t.Helper()
	p := phase(2, "", "")
	p.Design = protocol.Design{
		Kind: protocol.DesignFixed, Blocks: 2, Nesting: protocol.NestBlocks, Order: protocol.OrderCase,
		Orders: []protocol.CaseOrders{{Blocks: [][]string{{"a", "b"}, {"b", "a"}}}},
	}
	p.Files = []protocol.File{
		{Label: "a.sh", Kind: protocol.KindBinary}, {Label: "b.sh", Kind: protocol.KindBinary}, {Label: "in.txt", Kind: protocol.KindInput},
	}
	for _, arm := range []string{"a", "b"} {
		p.Cases[0].Commands[arm] = protocol.Command{Argv: []protocol.Arg{{File: arm + ".sh"}, {File: "in.txt"}}, Format: protocol.FormatJSON}
	}
	s := script(t, p)
	s.Entry, s.Plan.ProtocolDigest = "//tiny.star", seal.DigestOf(s.Flat)
	for name, line := range map[string]string{"a.sh": ": a; " + a, "b.sh": b} {
		write(t, []byte("#!/bin/sh\n"+line+"\n"), 0o755, s.Root, name)
	}
	write(t, []byte("1"), 0o644, s.Root, "real.txt")
	if err := os.Symlink("real.txt", filepath.Join(s.Root, "in.txt")); err != nil {
		t.Fatal(err)
	}
	made, err := campaign.Seal(context.Background(), []campaign.Script{s}, campaign.Options{Tool: "phaselock test"})
	if err != nil {
		t.Fatal(err)
	}
	return s, &campaign.Sealed{Name: "tiny.seal", Seal: made, Text: made.Text()}
}

// replaced puts other bytes in the place of a file, under another inode.
func replaced(t *testing.T, path, content string) {
	t.Helper()
	write(t, []byte(content), 0o755, path+".other")
	if err := os.Rename(path+".other", path); err != nil {
		t.Fatal(err)
	}
}

// privateCopy returns where the copy of b.sh lies in a folder.
func privateCopy(t *testing.T, s campaign.Script, dir string) string {
	t.Helper()
	digest, _, err := seal.Digest(filepath.Join(s.Root, "b.sh"))
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "bin", digest)
}

const (
	evil      = "#!/bin/sh\necho '{\"x/op\": 1}'\n"
	swapsBack = `mv "$0" "$0.kept"; printf '#!/bin/sh\n' > "$0"; rm "$0"; mv "$0.kept" "$0"; `
	writeBack = `printf 2 > "$1"; printf 1 > "$1"; `
)

// A sealed run, while somebody changes what it runs and reads: the numbers are those of what was sealed, or the phase stops and says
// what was changed; and what was changed and changed back is told.
func TestSwapping(t *testing.T) {
	for name, c := range map[string]struct {
		line   string                                            // what arm b does, before its sample
		spoil  func(t *testing.T, s campaign.Script, dir string) // after run 1
		code   int
		broken []string // label and when
		moved  []string
	}{
		"nothing": {},
		"the binary is swapped between runs": {
			spoil: func(t *testing.T, s campaign.Script, _ string) { replaced(t, filepath.Join(s.Root, "b.sh"), evil) },
		},
		"the binary is written over between runs": {
			spoil: func(t *testing.T, s campaign.Script, _ string) {
				write(t, []byte(evil), 0o755, s.Root, "b.sh")
			},
		},
		"its private copy is swapped between runs": {
			spoil: func(t *testing.T, s campaign.Script, dir string) { replaced(t, privateCopy(t, s, dir), evil) },
			code:  campaign.ExitInvalid, broken: []string{"b.sh before run 2", "b.sh closing"},
		},
		"its private copy is swapped between runs and back": {
			spoil: func(t *testing.T, s campaign.Script, dir string) {
				path := privateCopy(t, s, dir)
				kept := read(t, path)
				replaced(t, path, evil)
				replaced(t, path, string(kept))
			},
		},
		"its private copy is swapped during a run": {
			line: `mv "$0" "$0.kept"; printf '#!/bin/sh\n' > "$0"; `,
			code: campaign.ExitInvalid, broken: []string{"b.sh after run 2", "b.sh closing"},
		},
		"its private copy is swapped during a run and back": {
			line: swapsBack, moved: []string{"after run 2: b.sh", "after run 3: b.sh"},
		},
		"the input is touched between runs": {
			spoil: func(t *testing.T, s campaign.Script, _ string) { write(t, []byte("1"), 0o644, s.Root, "real.txt") },
		},
		"the input is touched during a run": {
			line: `touch "$1"; `, moved: []string{"after run 2: in.txt", "after run 3: in.txt"},
		},
		"the input is changed during a run and back": {
			line: writeBack, moved: []string{"after run 2: in.txt", "after run 3: in.txt"},
		},
		"the input is changed through its link": {
			spoil: func(t *testing.T, s campaign.Script, _ string) { write(t, []byte("2"), 0o644, s.Root, "in.txt") },
			code:  campaign.ExitInvalid, broken: []string{"in.txt before run 2", "in.txt closing", "in.txt closing"},
		},
		"the link leads elsewhere": {
			spoil: func(t *testing.T, s campaign.Script, _ string) {
				write(t, []byte("2"), 0o644, s.Root, "other.txt")
				link := filepath.Join(s.Root, "in.txt")
				if err := os.Remove(link); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink("other.txt", link); err != nil {
					t.Fatal(err)
				}
			},
			code: campaign.ExitInvalid, broken: []string{"in.txt before run 2", "in.txt closing", "in.txt closing"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, sealed := sealedScript(t, prints, c.line+prints)
			dir := filepath.Join(t.TempDir(), "results")
			o, err := campaign.Run(context.Background(), s, campaign.Options{
				Out: dir, Tool: "phaselock test", Sealed: sealed,
				Progress: func(p engine.Progress) {
					if c.spoil != nil && p.Finished && p.Run.Number == 1 {
						c.spoil(t, s, dir)
					}
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			if o.Code != c.code {
				t.Errorf("exit %d, want %d", o.Code, c.code)
			}
			var broken, moved []string
			for _, e := range o.Folder.Log.Entries {
				switch b := e.Body.(type) {
				case *ledger.PinBroken:
					broken = append(broken, b.Label+" "+b.When)
				case *ledger.PinVerified:
					for _, label := range b.Moved {
						moved = append(moved, b.When+": "+label)
					}
				}
			}
			slices.Sort(broken)
			want := slices.Clone(c.broken)
			slices.Sort(want)
			if d := cmp.Diff(slices.Compact(want), slices.Compact(broken)); d != "" {
				t.Errorf("broken: %s", d)
			}
			if d := cmp.Diff(c.moved, moved); d != "" {
				t.Errorf("moved: %s", d)
			}
			for _, p := range o.Folder.Processes {
				for _, sample := range p.Samples {
					if sample.Values["x/op"] != 7 {
						t.Errorf("run %d measured %v, which is not what was sealed", p.Run.Number, sample.Values)
					}
				}
			}
			if report := string(read(t, dir, "report.md")); strings.Contains(report, "What the run read of it") != (moved != nil) {
				t.Errorf("moved %v, and the report:\n%s", moved, report)
			}
			for _, line := range lines(t, dir) {
				if err := validate(t, schema(t, "ledger"), line); err != nil {
					t.Errorf("%v\n%s", err, line)
				}
			}
		})
	}
}

// A change between sealing and running is refused, whatever it is, and there is no folder.
func TestSealedRunRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		alter func(t *testing.T, s *campaign.Script)
		want  string
	}{
		"a binary": {func(t *testing.T, s *campaign.Script) { replaced(t, filepath.Join(s.Root, "b.sh"), evil) }, "binary b.sh: sealed as "},
		"a binary, swapped and back": {func(t *testing.T, s *campaign.Script) {
			kept := read(t, s.Root, "b.sh")
			replaced(t, filepath.Join(s.Root, "b.sh"), evil)
			replaced(t, filepath.Join(s.Root, "b.sh"), string(kept))
		}, ""},
		"an input, through its link": {func(t *testing.T, s *campaign.Script) { write(t, []byte("2"), 0o644, s.Root, "in.txt") }, "input in.txt: sealed as "},
		"a script of the closure":    {func(t *testing.T, s *campaign.Script) { s.Sources[1].Bytes = []byte("# other\n") }, "script @std//go.star: sealed as "},
		"one more": {func(t *testing.T, s *campaign.Script) {
			s.Sources = append(s.Sources, campaign.Source{Label: "//x.star"})
		}, "script //x.star: not sealed, now "},
		"one fewer":    {func(t *testing.T, s *campaign.Script) { s.Sources = s.Sources[:1] }, "script @std//go.star: sealed as "},
		"the plan":     {func(t *testing.T, s *campaign.Script) { s.Plan.Digest = strings.Repeat("1", 64) }, "plan: sealed as "},
		"the protocol": {func(t *testing.T, s *campaign.Script) { s.Plan.ProtocolDigest = strings.Repeat("1", 64) }, "protocol: sealed as "},
		"a parameter": {func(t *testing.T, s *campaign.Script) {
			s.Plan.Phase.Params = []protocol.Parameter{{Name: "n", Value: protocol.Int(1)}}
		}, "param n: not sealed, now 1"},
	} {
		s, sealed := sealedScript(t, prints, prints)
		c.alter(t, &s)
		dir := filepath.Join(t.TempDir(), "results")
		_, err := campaign.Run(context.Background(), s, campaign.Options{Out: dir, Tool: "phaselock test", Sealed: sealed})
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if campaign.Code(err) != campaign.ExitInvalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: exit %d, %v; want %q", name, campaign.Code(err), err, c.want)
		}
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s: there is a folder: %v", name, err)
		}
	}
}
