package analysis

import (
	"github.com/phaselock/phaselock/lib/check"
	"github.com/phaselock/phaselock/lib/plan"
)

// Exit codes that a result alone asks for, in the order in which they hold (docs/formats.md has the whole table).
const (
	exitInvalid      = 3
	exitFail         = 1
	exitInconclusive = 5
)

// ExitCode returns what the result asks for: 3 if a finding is invalid, else 1 if a gate failed, else 5 if one is
// inconclusive, else 0.
func (r *Result) ExitCode() int {
	if check.Worst(r.Findings) == plan.Invalid {
		return exitInvalid
	}
	code := 0
	for i := range r.Gates {
		switch r.Gates[i].Verdict {
		case Fail:
			return exitFail
		case Inconclusive:
			code = exitInconclusive
		}
	}
	return code
}
