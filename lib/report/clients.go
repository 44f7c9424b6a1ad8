package report

import (
	"maps"
	"slices"
	"strings"
)

// clients says what served the store, for every heading: "client=embedded engine=sqlite-vtab"; "" where no process says so.
func (p Page) clients() string {
	if p.Result == nil || len(p.Result.Clients) == 0 {
		return ""
	}
	var names, engines []string
	for _, c := range p.Result.Clients {
		names = append(names, c.Client)
		if e := c.Facts["engine"]; e != "" && !slices.Contains(engines, e) {
			engines = append(engines, e)
		}
	}
	s := "client=" + strings.Join(names, ",")
	if len(engines) > 0 {
		s += " engine=" + strings.Join(engines, ",")
	}
	return s
}

// clientRows are the lines of the environment that say more of each client.
func (w *writer) clientRows(add func(what, value string)) {
	for _, c := range w.page.Result.Clients {
		var facts []string
		for _, name := range slices.Sorted(maps.Keys(c.Facts)) {
			facts = append(facts, code(name+"="+c.Facts[name]))
		}
		var arms []string
		for _, a := range c.Arms {
			arms = append(arms, code(a))
		}
		add("client of "+strings.Join(arms, ", "), strings.Join(append([]string{code(c.Client)}, facts...), " "))
	}
}
