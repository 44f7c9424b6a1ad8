package check

import (
	"fmt"
	"maps"

	"github.com/phaselock/phaselock/lib/plan"
)

// identicalArms notes arms that run one file with one argv, environment, input and set of CPUs: whatever differs
// between them is noise. Arms that are so in all their common cases are named once.
func identicalArms(in *Input) []Finding {
	var out []Finding
	p := in.phase()
	for i := range p.Arms {
		for j := i + 1; j < len(p.Arms); j++ {
			a, b := p.Arms[i].Name, p.Arms[j].Name
			var same []string
			common, file := 0, ""
			for k := range p.Cases {
				name := p.Cases[k].Name
				x, y := in.Grid.Cell(name, a, 1), in.Grid.Cell(name, b, 1)
				if x == nil || y == nil {
					continue
				}
				common++
				if what := sameRun(&in.Facts, x.Run, y.Run); what != "" {
					same, file = append(same, name), what
				}
			}
			switch {
			case len(same) == 0:
			case len(same) == common:
				out = append(out, Finding{Arm: b, Message: identical(a, b, file)})
			default:
				for _, name := range same {
					out = append(out, Finding{Case: name, Arm: b, Message: identical(a, b, file)})
				}
			}
		}
	}
	return out
}

func identical(a, b, file string) string {
	return fmt.Sprintf("%s and %s are one program with one argv (%s): any difference between them is noise", a, b, file)
}

// sameRun returns what two runs both execute if they are the same but for their arm, else "".
func sameRun(f *Facts, x, y *plan.Run) string {
	if len(x.Argv) == 0 || len(x.Argv) != len(y.Argv) || x.CPUs != y.CPUs || x.Dir != y.Dir || !maps.Equal(x.Env, y.Env) {
		return ""
	}
	for i := range x.Argv {
		if !f.sameArg(x.Argv[i], y.Argv[i]) {
			return ""
		}
	}
	if (x.Stdin == nil) != (y.Stdin == nil) || (x.Stdin != nil && !f.sameArg(*x.Stdin, *y.Stdin)) {
		return ""
	}
	if d := f.Digests[x.Argv[0].String()]; len(d) >= 12 {
		return "sha256 " + d[:12] + "…"
	}
	return x.Argv[0].String()
}

// sameArg reports whether two arguments are one text, one file, or two files of one digest.
func (f *Facts) sameArg(x, y plan.Arg) bool {
	if x == y {
		return true
	}
	dx, dy := f.Digests[x.String()], f.Digests[y.String()]
	return x.File != "" && y.File != "" && dx != "" && dx == dy
}
