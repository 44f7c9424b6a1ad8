package plan

import (
	"fmt"
	"maps"

	"github.com/phaselock/phaselock/lib/design"
	"github.com/phaselock/phaselock/lib/protocol"
)

// fixedEnv is what every process gets on every machine, before what the phase declares.
var fixedEnv = map[string]string{
	"PATH":   FixedPath,
	"HOME":   RunFolder,
	"TMPDIR": RunFolder,
	"LANG":   "C",
	AuditEnv: RunFolder + "/audit",
}

// FixedPath is the PATH of every run, and where programs named without a slash are looked up.
const FixedPath = "/usr/local/bin:/usr/bin:/bin"

// AuditEnv names the file to which a benchmark writes its audit lines, outside its timing.
const AuditEnv = "PHASELOCK_AUDIT"

// PadEnv is the variable with which the harness brings all arms of a case to one length.
const PadEnv = "PHASELOCK_PAD"

// MaxRuns bounds a plan: more processes than that are a mistake in a script, not an experiment.
const MaxRuns = 1_000_000

// New plans every run of a phase, in order. It fails with protocol.Problems when the phase does not validate
// or its design cannot be balanced.
func New(p *protocol.Phase, protocolDigest string) (*Plan, error) {
	if err := protocol.Validate(p).Err(); err != nil {
		return nil, err
	}
	if n := processes(p); n > MaxRuns {
		return nil, protocol.Problems{{
			At: p.Design.At, What: p.Design.Kind,
			Message: fmt.Sprintf("%d processes are more than the %d that a phase may have", n, MaxRuns),
		}}
	}
	orders, err := allOrders(p)
	if err != nil {
		return nil, err
	}
	pl := &Plan{Version: Version, ProtocolDigest: protocolDigest, Phase: p}
	for _, cell := range cells(p) {
		c := p.Case(cell.name)
		for pos, arm := range orders[cell.name][cell.block-1] {
			pl.Runs = append(pl.Runs, run(p, c, arm, cell.block, pos+1, len(pl.Runs)+1))
		}
	}
	pl.Digest = pl.computeDigest()
	return pl, nil
}

func processes(p *protocol.Phase) int {
	n := 0
	for i := range p.Cases {
		n += len(p.Cases[i].Arms) * p.Design.Blocks
	}
	return n
}

// allOrders returns, by case, the arms in run order for each block.
func allOrders(p *protocol.Phase) (map[string][][]string, error) {
	orders := map[string][][]string{}
	var problems protocol.Problems
	for i := range p.Cases {
		c := &p.Cases[i]
		o, ps := design.Orders(p.Design, c.Name, c.Arms)
		problems = append(problems, ps...)
		orders[c.Name] = o
	}
	return orders, unique(problems).Err()
}

// unique drops repeated problems: one design that fits no case is one mistake.
func unique(ps protocol.Problems) protocol.Problems {
	seen := map[string]bool{}
	var out protocol.Problems
	for _, p := range ps {
		if !seen[p.Error()] {
			seen[p.Error()] = true
			out = append(out, p)
		}
	}
	return out
}

// cell is one case in one block.
type cell struct {
	name  string
	block int
}

// cells returns every case and block in the order of execution: blocks outer, in an order of cases that is drawn
// anew for each block, or case after case.
func cells(p *protocol.Phase) []cell {
	names := make([]string, len(p.Cases))
	for i := range p.Cases {
		names[i] = p.Cases[i].Name
	}
	var out []cell
	if p.Design.Nesting == protocol.NestCases {
		for _, name := range names {
			for b := 1; b <= p.Design.Blocks; b++ {
				out = append(out, cell{name, b})
			}
		}
		return out
	}
	for b, order := range design.CaseOrder(p.Design, names) {
		for _, name := range order {
			out = append(out, cell{name, b + 1})
		}
	}
	return out
}

func run(p *protocol.Phase, c *protocol.Case, arm string, block, position, number int) Run {
	cmd := c.Commands[arm]
	a := p.Arm(arm)
	cpus := p.Process.CPUs
	if a.CPUs != "" {
		cpus = a.CPUs
	}
	repeats := p.Repeats
	if cmd.Format == protocol.FormatProcess || cmd.Format == protocol.FormatNone {
		repeats = 1
	}
	return Run{
		Number: number, Case: c.Name, Arm: arm, Block: block, Position: position,
		Argv: cmd.Argv, Env: environment(p, a, cmd), CPUs: cpus, Stdin: cmd.Stdin, Dir: cmd.Dir,
		Format: cmd.Format, Names: cmd.Names, Repeats: repeats, Timeout: p.Process.Timeout,
	}
}

func environment(p *protocol.Phase, a *protocol.Arm, cmd protocol.Command) map[string]string {
	env := maps.Clone(fixedEnv)
	maps.Copy(env, p.Process.Env)
	maps.Copy(env, a.Env)
	maps.Copy(env, cmd.Env)
	return env
}
