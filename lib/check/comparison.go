package check

import "github.com/phaselock/phaselock/lib/plan"

// Comparison is what the checks need to know of one arm against its base: what the analysis found, seen from below.
type Comparison struct {
	Case, Metric, Arm, Base string
	Control                 bool // one side is an A/A arm
	Estimand                *plan.Estimand
	Blocks                  int      // complete ones
	Estimate                *float64 // nil where it is undefined
	Low, High               *float64 // of the registered interval
	Verdict                 string   // as in analysis.json
	Reason                  string   // of the verdict, or of a missing interval
	Effects                 []Block  // every planned block
	BaseFirst, ArmFirst     Part     // the order diagnostic
	Matched                 *Subset  // nil where no confounded constant differed
	SignFlip                bool     // its p is the sign-flip p, which has a least value
	Level                   float64  // of the registered interval
}

// Block is one block of a comparison.
type Block struct {
	Block   int
	Effect  *float64 // the ratio or the difference; nil where it is missing or undefined
	First   string   // the arm that ran first of the two
	Matched *bool
}

// Part is an estimate over some blocks.
type Part struct {
	Blocks   int
	Estimate *float64
}

// Subset is the estimate over the matched blocks.
type Subset struct {
	Blocks              []int
	Estimate            *float64
	BaseFirst, ArmFirst int
}

// Gate is what the checks need to know of one gate.
type Gate struct {
	Gate    *plan.Gate
	Matched int  // comparisons that it holds
	Narrow  bool // it would have been decided by an interval that is too narrow, and was not
}

// null returns the effect of no difference: 1 for ratios, 0 for differences.
func (c *Comparison) null() float64 {
	if c.Estimand.Kind == plan.BlockDifference {
		return 0
	}
	return 1
}

// pair names the comparison: "remote against ordinary".
func (c *Comparison) pair() string { return c.Arm + " against " + c.Base }
