package analysis

import (
	"github.com/phaselock/phaselock/lib/check"
	"github.com/phaselock/phaselock/lib/stats"
)

// order returns the estimate over the complete blocks in which the base ran first, and in which the arm did.
func (p *pair) order() *Order {
	return &Order{
		BaseFirst: p.part(func(b pairBlock) bool { return !b.armFirst }),
		ArmFirst:  p.part(func(b pairBlock) bool { return b.armFirst }),
	}
}

func (p *pair) part(in func(pairBlock) bool) OrderPart {
	blocks, estimate := p.over(in)
	return OrderPart{Blocks: len(blocks), Estimate: estimate}
}

// over returns the complete blocks that are in, and the estimate over them; nil if it is undefined or there are none.
func (p *pair) over(in func(pairBlock) bool) (blocks []int, estimate *float64) {
	blocks = []int{}
	var effects []float64
	for i, b := range p.blocks {
		if !in(b) {
			continue
		}
		blocks = append(blocks, b.block)
		if p.effects != nil {
			effects = append(effects, p.effects[i])
		}
	}
	if len(effects) == 0 {
		return blocks, nil
	}
	return blocks, number(p.scale.show(stats.Mean(effects)))
}

// leaveOneOut returns the lowest and the highest estimate with one block left out, and which block that is: the
// first of equals. It is nil for a single block.
func (p *pair) leaveOneOut() *LeaveOneOut {
	if len(p.effects) < 2 {
		return nil
	}
	without := stats.LeaveOneOut(p.effects)
	low, high := 0, 0
	for i, v := range without {
		if v < without[low] {
			low = i
		}
		if v > without[high] {
			high = i
		}
	}
	l, h := number(p.scale.show(without[low])), number(p.scale.show(without[high]))
	if l == nil || h == nil {
		return nil
	}
	return &LeaveOneOut{Low: *l, LowWithout: p.blocks[low].block, High: *h, HighWithout: p.blocks[high].block}
}

// matched returns the estimate over the blocks in which every confounded constant agreed, or nil where that is all
// of them. It has no interval: the blocks were chosen by what was measured.
func (a *analyzer) matched(p *pair) *Matched {
	all := true
	for _, b := range p.blocks {
		all = all && (b.matched == nil || *b.matched)
	}
	if all {
		return nil
	}
	isMatched := func(b pairBlock) bool { return *b.matched }
	out := &Matched{Status: "post-hoc"}
	if check.ConfoundDeclared(a.phase) {
		out.Status = "declared"
	}
	out.Blocks, out.Estimate = p.over(isMatched)
	for _, b := range p.blocks {
		switch {
		case !isMatched(b):
		case b.armFirst:
			out.ArmFirst++
		default:
			out.BaseFirst++
		}
	}
	return out
}
