package protocol

// Kinds of block designs.
const (
	DesignCounterbalanced = "counterbalanced" // two arms: each order equally often; more: Williams squares
	DesignWilliams        = "williams"
	DesignRandomized      = "randomized" // randomised complete blocks
	DesignFixed           = "fixed"      // orders that the script gives
)

// Nestings and order modes of a design.
const (
	NestBlocks  = "blocks" // all cases inside block 1, then block 2
	NestCases   = "cases"  // case after case
	OrderCase   = "case"   // each case has a sequence of its own
	OrderShared = "shared" // one sequence for all cases
)

// Design says how arms are ordered within blocks.
type Design struct {
	Kind    string       `json:"kind"`
	Blocks  int          `json:"blocks"`
	Seed    int64        `json:"seed"` // 0 to 2^53-1; fixed has none
	Nesting string       `json:"nesting"`
	Order   string       `json:"order"`
	Orders  []CaseOrders `json:"orders,omitempty"` // of "fixed"
	At      Place        `json:"at,omitzero"`
}

// CaseOrders are the declared orders of one case, or of all cases where Case is "".
type CaseOrders struct {
	Case   string     `json:"case,omitempty"`
	Blocks [][]string `json:"blocks"` // arm names in run order, one list a block
}

// Estimands.
const (
	BlockRatio      = "block_ratio"      // geometric mean of within-block ratios of process medians
	BlockDifference = "block_difference" // mean of within-block differences of process medians
)

// Estimand is what a comparison estimates, with its preregistered interval.
type Estimand struct {
	Kind     string     `json:"kind"`
	Interval Interval   `json:"interval"`
	Also     []Interval `json:"also,omitempty"` // further registered intervals, printed beside
	At       Place      `json:"at,omitzero"`
}

// Kinds of intervals.
const (
	StudentT   = "student_t"
	Percentile = "percentile"
	SignFlip   = "sign_flip"
)

// Interval is a kind of interval and its parameters.
type Interval struct {
	Kind      string  `json:"kind"`
	Level     float64 `json:"level"`               // as written, 0.95; ranks are computed from its shortest decimal
	Resamples int     `json:"resamples,omitempty"` // percentile
	Seed      int64   `json:"seed,omitempty"`      // percentile
	At        Place   `json:"at,omitzero"`
}
