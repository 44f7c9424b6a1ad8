package protocol

// Roles of a metric.
const (
	RoleMetric   = "metric"
	RoleConstant = "constant"
	RoleDerived  = "derived"
)

// Metric is one column of the samples.
type Metric struct {
	Unit     string             `json:"unit"`             // verbatim, as the program prints it; a derived metric's name
	Role     string             `json:"role"`             // metric, constant or derived
	Better   string             `json:"better,omitempty"` // "lower" or "higher"; "" for constants
	Equals   map[string]float64 `json:"equals,omitempty"` // of a constant: its value by case name
	Confound string             `json:"confound,omitempty"`
	Num      string             `json:"num,omitempty"` // of a derived metric: units of its numerator and denominator
	Den      string             `json:"den,omitempty"`
	Estimand *Estimand          `json:"estimand,omitempty"` // nil: the phase's
	At       Place              `json:"at,omitzero"`
}

// ProcessUnits are the whole-process figures, in the order in which they are printed. They can be declared with
// any format, stand on repeat 1 of their run, and have one value a process.
var ProcessUnits = []string{
	"wall-ns", "user-ns", "sys-ns", "max-rss-bytes", "minor-faults", "major-faults",
	"voluntary-switches", "involuntary-switches",
}

// IsProcessUnit reports whether unit is a whole-process figure.
func IsProcessUnit(unit string) bool {
	for _, u := range ProcessUnits {
		if u == unit {
			return true
		}
	}
	return false
}

// EstimandOf returns the estimand of a metric: its own, or the phase's.
func (p *Phase) EstimandOf(m *Metric) *Estimand {
	if m.Estimand != nil {
		return m.Estimand
	}
	return &p.Estimand
}

// Kinds of expectations.
const (
	ExpectExit   = "exit"
	ExpectStdout = "stdout"
	ExpectMetric = "metric"
	ExpectAudit  = "audit"
)

// Expect is a condition of correctness that every run must meet.
type Expect struct {
	Kind      string      `json:"kind"`
	Code      int         `json:"code,omitempty"`       // exit
	Matches   string      `json:"matches,omitempty"`    // stdout: a regular expression (RE2)
	SHA256    string      `json:"sha256,omitempty"`     // stdout: its digest
	Unit      string      `json:"unit,omitempty"`       // metric
	Equals    *float64    `json:"equals,omitempty"`     // metric
	Name      string      `json:"name,omitempty"`       // audit
	PerRepeat int         `json:"per_repeat,omitempty"` // audit: lines for each repeat
	Where     []Parameter `json:"where,omitempty"`      // audit: fields that each line must have
	At        Place       `json:"at,omitzero"`
}

// Severities of findings, from the mildest.
const (
	Note    = "note"    // descriptive
	Warning = "warning" // read this before you believe it
	Invalid = "invalid" // not what was declared; changes the exit code
)

// Check is a check that a phase declares; its severity can be raised, never lowered.
type Check struct {
	Kind   string `json:"kind"`             // "prefix_confound", "complete", …
	Metric string `json:"metric,omitempty"` // of a confound check
	On     string `json:"on"`               // severity
	At     Place  `json:"at,omitzero"`
}

// Gate is a bound that fails the run for CI. Exactly one of the bounds is set.
type Gate struct {
	Metric        string   `json:"metric"`
	MaxRatio      *float64 `json:"max_ratio,omitempty"`
	MinRatio      *float64 `json:"min_ratio,omitempty"`
	MaxDifference *float64 `json:"max_difference,omitempty"`
	Cases         []string `json:"cases,omitempty"` // empty: all
	AcceptNarrow  bool     `json:"accept_narrow,omitempty"`
	At            Place    `json:"at,omitzero"`
}
