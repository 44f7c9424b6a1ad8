package check

import (
	"strconv"
)

// blockRerun notes blocks that were run again whole: their first attempts stand outside the estimate.
func blockRerun(in *Input) []Finding {
	type block struct {
		name           string
		block, attempt int
	}
	var order []block
	seen := map[block]bool{}
	for _, p := range in.Grid.Replaced {
		b := block{p.Run.Case, p.Run.Block, p.Attempt}
		if !seen[b] {
			seen[b] = true
			order = append(order, b)
		}
	}
	var out []Finding
	for _, b := range order {
		f := Finding{Case: b.name, Blocks: []int{b.block}, Message: "block " + strconv.Itoa(b.block) +
			" was run again whole; attempt " + strconv.Itoa(b.attempt) + " is kept and stands outside the estimate"}
		for _, e := range in.Facts.Reruns {
			if e.Case == b.name && e.Block == b.block && e.Attempt == b.attempt+1 {
				f.Message += ": " + e.Why
			}
		}
		out = append(out, f)
	}
	return out
}
