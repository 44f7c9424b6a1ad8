package analysis

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/check"
	"github.com/phaselock/phaselock/lib/plan"
)

// pair is one metric of an arm and of its base, block by block: what a comparison is computed from.
type pair struct {
	scale    *scale
	contrast plan.Contrast
	planned  int           // blocks
	missing  []*check.Cell // runs without samples; their blocks are lost for the pair
	blocks   []pairBlock   // complete ones
	bad      []badMedian   // medians that leave the effect undefined
	beyond   int           // the first block whose effect is beyond what a double holds; 0 if none is
	effects  []float64     // of the complete blocks, linear; nil if one is undefined
}

type pairBlock struct {
	block     int
	arm, base *float64 // process medians; nil where a process has no finite one
	armFirst  bool
	matched   *bool
}

// badMedian is a median for which the estimand has no value.
type badMedian struct {
	block int
	arm   string
	value *float64
}

func (a *analyzer) pair(name string, m *plan.Metric, k plan.Contrast) (*pair, error) {
	s, err := scaleOf(a.phase.EstimandOf(m).Kind)
	if err != nil {
		return nil, err
	}
	p := &pair{scale: s, contrast: k}
	confounds := check.Confounds(a.phase)
	for b := 1; b <= a.phase.Design.Blocks; b++ {
		arm, base := a.grid.Cell(name, k.Arm, b), a.grid.Cell(name, k.Base, b)
		if arm == nil || base == nil {
			continue // not planned: a plan of fewer blocks, as a CSV file may give
		}
		p.planned++
		if !base.Valid() {
			p.missing = append(p.missing, base)
		}
		if !arm.Valid() {
			p.missing = append(p.missing, arm)
		}
		if !arm.Valid() || !base.Valid() {
			continue
		}
		block := pairBlock{
			block: b, arm: arm.Medians[m.Unit], base: base.Medians[m.Unit],
			armFirst: arm.Run.Position < base.Run.Position,
		}
		if len(confounds) > 0 {
			matched := check.Matched(confounds, arm, base)
			block.matched = &matched
		}
		p.blocks = append(p.blocks, block)
		p.judge(k.Base, b, block.base)
		p.judge(k.Arm, b, block.arm)
	}
	if len(p.bad) > 0 || len(p.blocks) == 0 {
		return p, nil
	}
	p.effects, err = s.effects(p.side(func(b pairBlock) *float64 { return b.arm }), p.side(func(b pairBlock) *float64 { return b.base }))
	if err != nil {
		return nil, err
	}
	for i, v := range p.effects {
		if !check.Finite(v) {
			p.effects, p.beyond = nil, p.blocks[i].block
			break
		}
	}
	return p, nil
}

func (p *pair) judge(arm string, block int, median *float64) {
	if median == nil || p.scale.bad(*median) {
		p.bad = append(p.bad, badMedian{block, arm, median})
	}
}

func (p *pair) side(of func(pairBlock) *float64) []float64 {
	out := make([]float64, len(p.blocks))
	for i, b := range p.blocks {
		out[i] = *of(b)
	}
	return out
}

// equal reports whether the two medians are equal in every complete block, zeros included.
func (p *pair) equal() bool {
	for _, b := range p.blocks {
		if b.arm == nil || b.base == nil || *b.arm != *b.base {
			return false
		}
	}
	return len(p.blocks) > 0
}

// undefined says why the comparison has no effect.
func (p *pair) undefined() string {
	first := p.bad[0]
	what := "no finite median"
	if first.value != nil {
		what = fmt.Sprintf("a median of %g", *first.value)
	}
	blocks := map[int]bool{}
	for _, b := range p.bad {
		blocks[b.block] = true
	}
	return fmt.Sprintf("%s has %s in block %d; %s (%d of %d blocks)", first.arm, what, first.block, p.scale.needs, len(blocks), p.planned)
}

// lost says which blocks the pair has lost.
func (p *pair) lost() string {
	return fmt.Sprintf("limited to complete blocks, %d of %d: %s", len(p.blocks), p.planned, check.Why(p.missing[0]))
}
