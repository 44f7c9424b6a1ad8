package campaign

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/protocol"
)

// needs refuses a phase that needs what this version does not execute, before anything is built: a phase without its
// hosts or samplers would be another phase. cluster says that something does the steps of FoundationDB.
func needs(p *protocol.Phase, cluster bool) error {
	var problems protocol.Problems
	refuse := func(at protocol.Place, what, wanted, message string) {
		if at.IsZero() {
			at = p.At
		}
		problems = append(problems, protocol.Problem{
			At: at, What: what,
			Message: fmt.Sprintf("%s are not executed by this version of phaselock, which plans and explains them%s", wanted, message),
		})
	}
	for i := range p.Hosts {
		refuse(p.Hosts[i].At, fmt.Sprintf("host %q", p.Hosts[i].Name), "other hosts", "")
	}
	for i := range p.Networks {
		refuse(p.Networks[i].At, fmt.Sprintf("network %q", p.Networks[i].Name), "networks",
			"; a namespace that the machine has already is named by process(netns = ...) alone")
	}
	for i := range p.Services {
		if s := &p.Services[i]; s.Program.Netns != "" && s.Ready != nil {
			refuse(s.At, fmt.Sprintf("service %q", s.Name), "services in another network namespace that are waited for", "; leave ready out, and wait in a step of before_phase")
		}
	}
	for i := range p.Samplers {
		refuse(p.Samplers[i].At, fmt.Sprintf("sampler %q", p.Samplers[i].Name), "samplers", "")
	}
	for _, s := range p.Steps() {
		if s.FDB != nil && !cluster {
			refuse(s.At, s.Title(), "steps of FoundationDB", "")
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return &Error{ExitUsage, problems}
}
