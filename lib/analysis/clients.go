package analysis

import (
	"slices"

	"github.com/phaselock/phaselock/lib/sample"
)

// Client is what served some of the processes, by their own word.
type Client struct {
	Client string            `json:"client"`
	Arms   []string          `json:"arms"`  // whose processes it served, in declared order
	Facts  map[string]string `json:"facts"` // that are the same in all of them: engine, streaming-mode, …
}

// clients returns what served the processes that stand for their runs, in the order in which it first did.
func (a *analyzer) clients() []Client {
	var out []Client
	arms := map[string]map[string]bool{}
	for i := range a.phase.Cases {
		for _, cell := range a.grid.Cells(a.phase.Cases[i].Name) {
			if cell.Process == nil || cell.Process.Client == nil {
				continue
			}
			c := cell.Process.Client
			at := slices.IndexFunc(out, func(o Client) bool { return o.Client == c.Name })
			if at < 0 {
				at = len(out)
				out = append(out, Client{Client: c.Name, Facts: single(c)})
				arms[c.Name] = map[string]bool{}
			}
			common(out[at].Facts, c)
			arms[c.Name][cell.Run.Arm] = true
		}
	}
	for i := range out {
		for j := range a.phase.Arms {
			if name := a.phase.Arms[j].Name; arms[out[i].Client][name] {
				out[i].Arms = append(out[i].Arms, name)
			}
		}
	}
	return out
}

// single returns the facts of which a process gave one value.
func single(c *sample.Client) map[string]string {
	facts := map[string]string{}
	for name, values := range c.Facts {
		if len(values) == 1 {
			facts[name] = values[0]
		}
	}
	return facts
}

// common leaves the facts that another process has with the same one value.
func common(facts map[string]string, c *sample.Client) {
	for name, value := range facts {
		if values := c.Facts[name]; len(values) != 1 || values[0] != value {
			delete(facts, name)
		}
	}
}
