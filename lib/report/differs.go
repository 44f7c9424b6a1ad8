package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/lib/plan"
)

// aspect is one thing that differs between the arms of some cases: what, and its value in each arm.
type aspect struct {
	what   string
	values []string // by arm, in declared order; missing where an arm has none or does not run there
	cases  []string
}

// differences returns what differs between the arms, over all cases. Aspects that are alike in several cases are one.
func (p Page) differences() []aspect {
	ph := p.phase()
	var out []aspect
	add := func(name, what string, values []string) {
		for i := range out {
			if out[i].what == what && slices.Equal(out[i].values, values) {
				out[i].cases = append(out[i].cases, name)
				return
			}
		}
		out = append(out, aspect{what, values, []string{name}})
	}
	for i := range ph.Cases {
		c := &ph.Cases[i]
		for _, a := range caseAspects(ph, c) {
			add(c.Name, a.what, a.values)
		}
	}
	return append(out, p.digests()...)
}

// caseAspects returns what differs between the arms of one case.
func caseAspects(ph *plan.Phase, c *plan.Case) []aspect {
	var out []aspect
	each := func(what string, of func(cmd *plan.Command, a *plan.Arm) string) {
		values := make([]string, len(ph.Arms))
		var present []string
		for i := range ph.Arms {
			values[i] = missing
			if cmd, ok := c.Commands[ph.Arms[i].Name]; ok {
				values[i] = of(&cmd, &ph.Arms[i])
				present = append(present, values[i])
			}
		}
		if len(slices.Compact(present)) > 1 {
			out = append(out, aspect{what: what, values: values})
		}
	}
	trimmed := func(what string, of func(cmd *plan.Command, a *plan.Arm) string) {
		n := len(out)
		if each(what, of); len(out) > n {
			middles(out[n].values)
		}
	}
	longest, length := 0, map[int]bool{}
	for _, cmd := range c.Commands {
		longest = max(longest, len(cmd.Argv))
		length[len(cmd.Argv)] = true
	}
	if len(length) > 1 {
		each("argv", func(cmd *plan.Command, _ *plan.Arm) string { return strings.Join(argv(cmd.Argv), " ") })
	} else {
		for i := range longest {
			show := trimmed
			if i == 0 {
				show = each // a program is named in full
			}
			show(argumentName(i), func(cmd *plan.Command, _ *plan.Arm) string { return cmd.Argv[i].String() })
		}
	}
	for _, r := range recipes(ph, c) {
		each(r.what, func(cmd *plan.Command, _ *plan.Arm) string {
			if b := built(ph, cmd); b != nil {
				return r.of(b)
			}
			return "not built"
		})
	}
	for _, name := range environmentNames(ph, c) {
		each("environment "+name, func(cmd *plan.Command, a *plan.Arm) string { return environmentValue(ph, cmd, a, name) })
	}
	each("CPUs", func(_ *plan.Command, a *plan.Arm) string { return orElse(a.CPUs, orElse(ph.Process.CPUs, "unpinned")) })
	each("folder", func(cmd *plan.Command, _ *plan.Arm) string { return orElse(cmd.Dir, "the root") })
	each("format", func(cmd *plan.Command, _ *plan.Arm) string { return cmd.Format })
	trimmed("benchmark name", func(cmd *plan.Command, _ *plan.Arm) string { return strings.Join(cmd.Names, " ") })
	each("standard input", func(cmd *plan.Command, _ *plan.Arm) string {
		if cmd.Stdin == nil {
			return "/dev/null"
		}
		return cmd.Stdin.String()
	})
	return out
}

func argumentName(i int) string {
	if i == 0 {
		return "program"
	}
	return fmt.Sprintf("argv[%d]", i)
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func environmentNames(ph *plan.Phase, c *plan.Case) []string {
	names := map[string]bool{}
	for i := range ph.Arms {
		for n := range ph.Arms[i].Env {
			names[n] = true
		}
	}
	for _, cmd := range c.Commands {
		for n := range cmd.Env {
			names[n] = true
		}
	}
	return sortedKeys(names)
}

func environmentValue(ph *plan.Phase, cmd *plan.Command, a *plan.Arm, name string) string {
	for _, env := range []map[string]string{cmd.Env, a.Env, ph.Process.Env} {
		if v, ok := env[name]; ok {
			return orElse(v, "(empty)")
		}
	}
	return "(unset)"
}

// middles cuts what all values begin and end with, back to a border between words, so that what differs stands out
// and cases that differ in the same way read the same.
func middles(values []string) {
	var present []string
	for _, v := range values {
		if v != missing {
			present = append(present, v)
		}
	}
	prefix, suffix := shared(present)
	if prefix < 8 {
		prefix = 0
	}
	if suffix < 8 {
		suffix = 0
	}
	for i, v := range values {
		if v == missing {
			continue
		}
		s := v[prefix : len(v)-suffix]
		if prefix > 0 {
			s = "…" + s
		}
		if suffix > 0 {
			s += "…"
		}
		values[i] = s
	}
}

// shared returns the lengths of the common beginning and end of some strings, each back to a border of words, and
// never more together than the shortest string.
func shared(vs []string) (prefix, suffix int) {
	shortest := len(vs[0])
	for _, v := range vs {
		shortest = min(shortest, len(v))
	}
	same := func(at func(string) byte) bool {
		for _, v := range vs[1:] {
			if at(v) != at(vs[0]) {
				return false
			}
		}
		return true
	}
	for prefix < shortest && same(func(s string) byte { return s[prefix] }) {
		prefix++
	}
	for prefix > 0 && alphanumeric(vs[0][prefix-1]) || prefix > 0 && vs[0][prefix-1] == '_' {
		prefix--
	}
	for suffix < shortest-prefix && same(func(s string) byte { return s[len(s)-1-suffix] }) {
		suffix++
	}
	for suffix > 0 && (alphanumeric(vs[0][len(vs[0])-suffix]) || vs[0][len(vs[0])-suffix] == '_') {
		suffix--
	}
	// Keep the last word before the difference: "method=" says what the value is of.
	if back := strings.LastIndexAny(vs[0][:max(prefix-1, 0)], "/ ,;&"); back >= 0 && back+1 < prefix {
		prefix = back + 1
	}
	return prefix, suffix
}

// digests returns the arms' programs by digest, as the ledger recorded or the script declared them, where they differ.
func (p Page) digests() []aspect {
	known := map[string]string{}
	for i := range p.phase().Files {
		known[p.phase().Files[i].Label] = p.phase().Files[i].SHA256
	}
	if o := p.journal(spoken).opened; o != nil {
		for _, f := range o.Files {
			known[f.Label] = f.SHA256
		}
	}
	var values []string
	for i := range p.phase().Arms {
		values = append(values, missing)
		for j := range p.phase().Cases {
			cmd := p.phase().Cases[j].Commands[p.phase().Arms[i].Name]
			if len(cmd.Argv) > 0 && known[cmd.Argv[0].String()] != "" {
				values[i] = short(known[cmd.Argv[0].String()])
				break
			}
		}
	}
	if len(slices.Compact(slices.Clone(values))) < 2 {
		return nil
	}
	return []aspect{{what: "program's sha256", values: values}}
}
