// Package analysis turns a plan and the processes that ran into the result: ratios, absolutes, diagnostics,
// findings, verdicts. It is a pure function; the same folder gives the same bytes.
package analysis

import "github.com/phaselock/phaselock/lib/check"

// Version of analysis.json.
const Version = 1

// Result is every number of the report, in the form of analysis.json (docs/formats.md).
// Missing numbers are null; there is never a NaN or an infinity.
type Result struct {
	Version      int          `json:"version"`
	Phase        string       `json:"phase"`
	Seal         *string      `json:"seal"`           // the seal's digest, or null
	Metrics      *string      `json:"metrics_sha256"` // of metrics.csv, whose samples these numbers are made from
	Baseline     string       `json:"baseline"`
	Completeness Completeness `json:"completeness"`
	Cases        []Case       `json:"cases"`
	Findings     []Finding    `json:"findings"`
	Gates        []Gate       `json:"gates"`
	Clients      []Client     `json:"clients,omitempty"`     // what served the processes, where they say so
	Exploratory  []string     `json:"exploratory,omitempty"` // of an analysis that was not registered: the command that made it
}

// Finding is one thing that a reader must know before believing a number, with an id of docs/findings.md.
type Finding = check.Finding

// Completeness counts what was planned and what came.
type Completeness struct {
	ProcessesPlanned        int              `json:"processes_planned"`
	ProcessesFinished       int              `json:"processes_finished"` // that gave their samples
	ProcessesFailed         int              `json:"processes_failed"`
	SamplesPlanned          int              `json:"samples_planned"`
	Samples                 int              `json:"samples"`
	BlocksRerun             int              `json:"blocks_rerun"`
	ParseFailures           int              `json:"parse_failures"`
	CasesExcluded           int              `json:"cases_excluded"`
	CasesUnexecuted         int              `json:"cases_unexecuted"`
	UndefinedComparisons    int              `json:"undefined_comparisons"`
	DerivedOmitted          int              `json:"derived_omitted"`
	LimitedToCompleteBlocks bool             `json:"limited_to_complete_blocks"`
	Audits                  map[string]Audit `json:"audits"`
}

// Audit counts the audit lines of one name.
type Audit struct {
	Expected int `json:"expected"`
	Passed   int `json:"passed"`
}

// Statuses of a case. Only a measured case has verdicts.
const (
	Measured     = "measured"
	Contaminated = "contaminated"
	Unexecuted   = "unexecuted"
	Unverifiable = "unverifiable"
	Incomplete   = "incomplete"
)

// Case is the result of one case.
type Case struct {
	Case         string    `json:"case"`
	Status       string    `json:"status"`
	StatusReason *string   `json:"status_reason"`
	Processes    []Process `json:"processes"`
	Metrics      []Metric  `json:"metrics"` // metrics and derived, in declared order; constants stand in Processes
}

// Process is one process with its medians: the unit of the statistics.
type Process struct {
	Run       int                 `json:"run"`
	Arm       string              `json:"arm"`
	Block     int                 `json:"block"`
	Attempt   int                 `json:"attempt"`
	Position  int                 `json:"position"`
	Medians   map[string]*float64 `json:"medians"`            // by unit; null where the process has no finite one
	Constants map[string]*float64 `json:"constants"`          // by unit; null where its samples differ or have none
	Replaced  bool                `json:"replaced,omitempty"` // a later attempt stands in its place: outside every estimate
	Failure   *Failure            `json:"failure,omitempty"`  // why it gives no sample
}

// Failure is why a process gives no sample: a kind of lib/sample, and one sentence.
type Failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	At      string `json:"at,omitempty"`
}

// Metric is one metric of one case.
type Metric struct {
	Unit        string              `json:"unit"`
	Better      string              `json:"better"`
	Role        string              `json:"role"`
	Absolute    map[string]Absolute `json:"absolute"` // by arm
	Comparisons []Comparison        `json:"comparisons"`
}

// Absolute is the median over blocks of process medians, and the range over all raw samples.
type Absolute struct {
	Median  *float64 `json:"median"`
	Min     *float64 `json:"min"`
	Max     *float64 `json:"max"`
	Samples int      `json:"samples"`
}

// Verdicts of a comparison.
const (
	Lower         = "lower"  // the interval lies below 1 (or 0, for a difference)
	Higher        = "higher" // above
	Unresolved    = "unresolved"
	Equal         = "equal" // the two medians are equal in every block
	Undefined     = "undefined"
	VerdictAbsent = "incomplete"
)

// Comparison is one arm against its base.
type Comparison struct {
	Arm             string        `json:"arm"`
	Base            string        `json:"base"`
	Estimand        string        `json:"estimand"`
	Blocks          int           `json:"blocks"` // complete blocks
	Estimate        *float64      `json:"estimate"`
	Verdict         string        `json:"verdict"`
	VerdictReason   *string       `json:"verdict_reason"` // why undefined, incomplete or without interval
	Interval        *Interval     `json:"interval"`       // the registered one
	Also            []Interval    `json:"also,omitempty"` // further registered ones
	Unregistered    *Unregistered `json:"unregistered"`
	BlockRatios     []BlockRatio  `json:"block_ratios"`
	Order           *Order        `json:"order"`
	LeaveOneOut     *LeaveOneOut  `json:"leave_one_out"`
	Matched         *Matched      `json:"matched"`
	P               *float64      `json:"p,omitempty"`           // with a family: of the test that belongs to the registered interval
	AdjustedP       *float64      `json:"adjusted_p,omitempty"`  // with a family: Holm or Benjamini-Hochberg
	RegisteredAgree bool          `json:"registered_agrees"`     // the other intervals give the same verdict
	Disagreeing     []string      `json:"disagreeing,omitempty"` // those that do not, by their names in this file
}

// Interval is an interval with what made it.
type Interval struct {
	Kind      string   `json:"kind"`
	Level     float64  `json:"level"`
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Resamples int      `json:"resamples,omitempty"`
	Seed      *int64   `json:"seed,omitempty"`
}

// Ends are the two ends of an interval.
type Ends struct {
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// Unregistered is what stands beside the registered interval, always.
type Unregistered struct {
	ExactPercentile   *Ends         `json:"exact_percentile"` // null above 8 blocks
	StudentT          *Ends         `json:"student_t"`
	SignFlip          *SignFlipEnds `json:"sign_flip"`          // null above 20 blocks
	SimulatedCoverage *float64      `json:"simulated_coverage"` // of the registered interval, at this number of blocks; null where it was not simulated
}

// SignFlipEnds is the sign-flip interval with its achieved level, and the two-sided p with its least possible value.
type SignFlipEnds struct {
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	Level *float64 `json:"level"` // null where no distribution-free interval of the asked level exists
	P     *float64 `json:"p"`
	MinP  *float64 `json:"min_p"`
}

// BlockRatio is one block's ratio (or difference, for that estimand).
type BlockRatio struct {
	Block   int      `json:"block"`
	Ratio   *float64 `json:"ratio"`
	First   string   `json:"first"`   // the arm that ran first of the two
	Matched *bool    `json:"matched"` // null where no confound is declared
}

// Order is the order diagnostic.
type Order struct {
	BaseFirst OrderPart `json:"base_first"`
	ArmFirst  OrderPart `json:"arm_first"`
}

// OrderPart is the estimate over the blocks of one order.
type OrderPart struct {
	Blocks   int      `json:"blocks"`
	Estimate *float64 `json:"estimate"`
}

// LeaveOneOut is the single-block sensitivity: the estimate with each block left out.
type LeaveOneOut struct {
	Low         float64 `json:"low"`
	LowWithout  int     `json:"low_without"`
	High        float64 `json:"high"`
	HighWithout int     `json:"high_without"`
}

// Matched is the estimate over the blocks in which every confounded constant agreed between arm and base.
type Matched struct {
	Blocks    []int    `json:"blocks"`
	Estimate  *float64 `json:"estimate"`
	BaseFirst int      `json:"base_first"`
	ArmFirst  int      `json:"arm_first"`
	Status    string   `json:"status"` // "post-hoc"
}

// Gate is the outcome of one gate for one comparison.
type Gate struct {
	Metric  string  `json:"metric"`
	Case    string  `json:"case"`
	Arm     string  `json:"arm"`
	Base    string  `json:"base"`
	Bound   string  `json:"bound"` // "max_ratio", "min_ratio", "max_difference"
	Limit   float64 `json:"limit"`
	Verdict string  `json:"verdict"` // "pass", "fail" or "inconclusive"
	Reason  string  `json:"reason,omitempty"`
	At      string  `json:"at,omitempty"`
}
