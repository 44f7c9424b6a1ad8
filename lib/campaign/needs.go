package campaign

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/protocol"
)

// needs refuses a phase that needs what this version does not execute, before anything is built: a phase without its
// services or ceilings would be another phase.
func needs(p *protocol.Phase) error {
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
		refuse(p.Services[i].At, fmt.Sprintf("service %q", p.Services[i].Name), "services", "; start it yourself, leave it out of the script, and say so in limits")
	}
	for i := range p.Samplers {
		refuse(p.Samplers[i].At, fmt.Sprintf("sampler %q", p.Samplers[i].Name), "samplers", "")
	}
	for _, s := range p.Steps() {
		wanted := "steps"
		if s.Ceiling() {
			wanted = "ceilings"
		}
		refuse(s.At, s.Title(), wanted, "")
	}
	if len(problems) == 0 {
		return nil
	}
	return &Error{ExitUsage, problems}
}
