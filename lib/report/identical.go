package report

import "strings"

// identical reports whether the check of identical arms found that two arms run one program with one argv in a case.
// Its finding stands for all cases where it names none; it names the arm that was declared later, and its message
// begins with both names.
func (p Page) identical(name, arm, base string) bool {
	first, second := arm, base
	if p.declared(arm) > p.declared(base) {
		first, second = base, arm
	}
	for i := range p.Result.Findings {
		f := &p.Result.Findings[i]
		if f.ID == "identical-arms" && f.Arm == second && (f.Case == "" || f.Case == name) &&
			strings.HasPrefix(f.Message, first+" and "+second+" ") {
			return true
		}
	}
	return false
}

func (p Page) declared(arm string) int {
	for i := range p.phase().Arms {
		if p.phase().Arms[i].Name == arm {
			return i
		}
	}
	return len(p.phase().Arms)
}
