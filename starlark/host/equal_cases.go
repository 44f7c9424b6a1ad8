package host

import (
	"fmt"
	"hash/maphash"
	"maps"
	"slices"

	"github.com/phaselock/phaselock/lib/protocol"
)

// checkEqualCases reports a case that runs in every arm what an earlier one runs.
func (b *builder) checkEqualCases() {
	seed := maphash.MakeSeed()
	seen := make(map[uint64][]int, len(b.cases))
	kept := make([]int, 0, len(b.cases)) // the lists of seen, one item each as a rule
	for i, c := range b.cases {
		pc := &b.phase.Cases[i]
		if len(pc.Commands) < len(pc.Arms) || len(pc.Arms) == 0 {
			continue
		}
		key := hashOf(seed, pc)
		same := slices.IndexFunc(seen[key], func(j int) bool { return sameRuns(&b.phase.Cases[j], pc) })
		if same >= 0 {
			if first := b.cases[seen[key][same]]; first.nameOf() != c.nameOf() {
				c.call.report(c.call.whole(), c.title(), fmt.Sprintf("runs in every arm what %s (at %s) runs: argv, environment and input are equal", first.title(), first.at()))
			}
			continue
		}
		if len(seen[key]) > 0 {
			seen[key] = append(seen[key], i)
			continue
		}
		kept = append(kept, i)
		seen[key] = kept[len(kept)-1 : len(kept) : len(kept)]
	}
}

// hashOf is of what a case runs; equal runs have equal hashes.
func hashOf(seed maphash.Seed, c *protocol.Case) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, arm := range c.Arms {
		cmd := c.Commands[arm]
		h.WriteString(arm)
		for _, a := range cmd.Argv {
			h.WriteByte(0)
			h.WriteString(a.File)
			h.WriteByte(0)
			h.WriteString(a.Text)
		}
		h.WriteByte(0)
	}
	return h.Sum64()
}

func sameRuns(a, b *protocol.Case) bool {
	return slices.Equal(a.Arms, b.Arms) && !slices.ContainsFunc(a.Arms, func(arm string) bool {
		x, y := a.Commands[arm], b.Commands[arm]
		sameInput := x.Stdin == y.Stdin || x.Stdin != nil && y.Stdin != nil && *x.Stdin == *y.Stdin
		return !slices.Equal(x.Argv, y.Argv) || !maps.Equal(x.Env, y.Env) || !sameInput || x.Dir != y.Dir
	})
}
