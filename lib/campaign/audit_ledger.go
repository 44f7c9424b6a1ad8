package campaign

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
)

// chain holds every line of the ledger to the digest that the next one, or the closing, names.
func (a *audited) chain() []Difference {
	var tampered *ledger.TamperError
	switch {
	case errors.As(a.chainErr, &tampered):
		return []Difference{{File: fmt.Sprintf("%s:%d", ledger.Name, tampered.Line), Field: "line", Have: tampered.Got, Want: tampered.Want}}
	case a.chainErr != nil:
		return []Difference{{File: ledger.Name, Have: a.chainErr.Error(), Want: "a ledger"}}
	case a.Log.Lost > 0:
		return []Difference{{
			File: ledger.Name, Field: "lines", Have: fmt.Sprint(len(a.Log.Entries)), Want: fmt.Sprint(len(a.Log.Entries) + a.Log.Lost),
		}}
	case a.opened == nil:
		return []Difference{{File: ledger.Name + ":1", Field: "event", Have: "none or another", Want: `"opened"`}}
	}
	if a.Log.Torn > 0 {
		a.note("the ledger ends with %d bytes of a line that was never finished, as a crash leaves them", a.Log.Torn)
	}
	return nil
}

// closing holds the lock file, which covers the ledger's last line, to the ledger.
func (a *audited) closing() []Difference {
	if a.Log == nil {
		return nil
	}
	said, err := os.ReadFile(filepath.Join(a.Dir, ledger.LockName))
	switch {
	case errors.Is(err, os.ErrNotExist):
		a.note("there is no file lock, so that nothing in the folder vouches for the ledger's last line")
	case err != nil:
		return []Difference{{File: ledger.LockName, Have: err.Error(), Want: "the closing"}}
	case len(said) == 0 || strings.HasPrefix(string(said), "pid "):
		a.note("the ledger was not closed (%s), so that nothing in the folder vouches for its last line", strings.TrimSpace("lock: "+string(said)))
	case string(said) != a.Log.Closing():
		return []Difference{{File: ledger.LockName, Field: "closing", Have: fmt.Sprintf("%q", said), Want: fmt.Sprintf("%q", a.Log.Closing())}}
	}
	return nil
}

// stored holds plan, protocol and scripts to what the opening event says of them.
func (a *audited) stored() []Difference {
	if a.opened == nil {
		return nil
	}
	var out []Difference
	if a.planErr != nil {
		out = append(out, Difference{File: "plan.json", Have: a.planErr.Error(), Want: "the plan"})
	} else if a.Plan.Digest != a.opened.PlanDigest {
		out = append(out, Difference{File: "plan.json", Field: "digest", Have: a.Plan.Digest, Want: a.opened.PlanDigest})
	}
	for _, name := range sortedKeys(a.opened.Stored) {
		out = append(out, a.sum(name, a.opened.Stored[name])...)
	}
	if a.opened.Stored == nil {
		a.note("an earlier phaselock opened the folder: the scripts in phase/ and the declarations in plan.json have no digest in the ledger")
	}
	return out
}

// labels holds every run as it was started to the plan.
func (a *audited) labels() []Difference {
	if a.Log == nil || a.Plan == nil {
		return nil
	}
	var out []Difference
	for i := range a.Log.Entries {
		e := &a.Log.Entries[i]
		b, ok := e.Body.(*ledger.RunStarted)
		if !ok {
			continue
		}
		file := fmt.Sprintf("%s:%d", ledger.Name, e.Line)
		if b.Run < 1 || b.Run > len(a.Plan.Runs) {
			out = append(out, Difference{File: file, Run: b.Run, Field: "run", Have: fmt.Sprint(b.Run), Want: fmt.Sprintf("1 to %d", len(a.Plan.Runs))})
			continue
		}
		for _, l := range labelsOf(b, &a.Plan.Runs[b.Run-1]) {
			if l.have != l.want {
				out = append(out, Difference{File: file, Run: b.Run, Field: l.field, Have: l.have, Want: l.want})
			}
		}
	}
	return out
}

type labelled struct{ field, have, want string }

// labelsOf returns what a started run is called, and what the plan calls it; of its command, what is the same on every machine.
func labelsOf(b *ledger.RunStarted, r *plan.Run) []labelled {
	out := []labelled{
		{"case", fmt.Sprintf("%q", b.Case), fmt.Sprintf("%q", r.Case)},
		{"arm", fmt.Sprintf("%q", b.Arm), fmt.Sprintf("%q", r.Arm)},
		{"block", fmt.Sprint(b.Block), fmt.Sprint(r.Block)},
		{"position", fmt.Sprint(b.Position), fmt.Sprint(r.Position)},
	}
	if len(b.Argv) > 0 {
		out = append(out, labelled{"argv[0]", fmt.Sprintf("%q", b.Argv[0]), fmt.Sprintf("%q", r.Argv[0].String())})
	}
	if len(b.Argv) == len(r.Argv) { // patterns stand for several
		for i, arg := range r.Argv[1:] {
			if arg.File == "" {
				out = append(out, labelled{fmt.Sprintf("argv[%d]", i+1), fmt.Sprintf("%q", b.Argv[i+1]), fmt.Sprintf("%q", arg.Text)})
			}
		}
	}
	for _, name := range sortedKeys(r.Env) {
		have, there := b.Env[name]
		switch {
		case !there:
			out = append(out, labelled{"env " + name, "none", fmt.Sprintf("%q", r.Env[name])})
		case !strings.Contains(r.Env[name], plan.RunFolder):
			out = append(out, labelled{"env " + name, fmt.Sprintf("%q", have), fmt.Sprintf("%q", r.Env[name])})
		}
	}
	return out
}

// counts holds the ledger's runs to each other: each attempt is started once and ends at most once, and the closing counts them.
func (a *audited) counts() []Difference {
	if a.Log == nil {
		return nil
	}
	var out []Difference
	state := map[[2]int]string{}
	finished, failed := 0, 0
	step := func(e *ledger.Entry, run, attempt int, from, to string) {
		key := [2]int{run, attempt}
		if was := state[key]; was != from {
			out = append(out, Difference{
				File: fmt.Sprintf("%s:%d", ledger.Name, e.Line), Run: run, Field: fmt.Sprintf("attempt %d", attempt),
				Have: e.Event + " after " + orNothing(was), Want: e.Event + " after " + orNothing(from),
			})
		}
		state[key] = to
	}
	for i := range a.Log.Entries {
		e := &a.Log.Entries[i]
		switch b := e.Body.(type) {
		case *ledger.RunStarted:
			step(e, b.Run, b.Attempt, "", "its start")
		case *ledger.RunInterrupted:
			step(e, b.Run, b.Attempt, "its start", "its end")
		case *ledger.RunFinished:
			step(e, b.Run, b.Attempt, "its start", "its end")
			if b.Failure == "" {
				finished++
			} else {
				failed++
			}
		case *ledger.Closed:
			for _, c := range []struct {
				field      string
				have, want int
			}{{"finished", b.Finished, finished}, {"failed", b.Failed, failed}} {
				if c.have != c.want {
					out = append(out, Difference{File: fmt.Sprintf("%s:%d", ledger.Name, e.Line), Field: "closed." + c.field, Have: fmt.Sprint(c.have), Want: fmt.Sprint(c.want)})
				}
			}
		}
	}
	return out
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// samples holds what the ledger says that a run gave to what its output gives.
func (a *audited) samples() []Difference {
	if a.Log == nil || a.Plan == nil {
		return nil
	}
	var out []Difference
	for i := range a.Log.Entries {
		e := &a.Log.Entries[i]
		b, ok := e.Body.(*ledger.RunFinished)
		if !ok || b.Run < 1 || b.Run > len(a.Plan.Runs) {
			continue
		}
		file := fmt.Sprintf("%s:%d", ledger.Name, e.Line)
		p, err := a.parse(b)
		if err != nil {
			out = append(out, Difference{File: "runs/" + engine.RunName(len(a.Plan.Runs), b.Run, b.Attempt), Run: b.Run, Have: err.Error(), Want: "its output"})
			continue
		}
		kind := ""
		if p.Failure != nil {
			kind = p.Failure.Kind
		}
		if len(p.Samples) != b.Samples {
			out = append(out, Difference{File: file, Run: b.Run, Field: "samples", Have: fmt.Sprint(b.Samples), Want: fmt.Sprint(len(p.Samples))})
		}
		if kind != b.Failure {
			out = append(out, Difference{File: file, Run: b.Run, Field: "failure", Have: orNothing(b.Failure), Want: orNothing(kind)})
		}
	}
	return out
}
