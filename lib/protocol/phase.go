// Package protocol is the declared phase as plain data: what a script says once it has been evaluated.
//
// Nothing here knows Starlark, and everything to the right of it (plan, runs, analysis, report) knows
// nothing else. Every value is JSON-encodable, deterministic, and decodes to what was encoded.
package protocol

// Phase is one preregistered benchmark phase, evaluated: commands are written out for every case and arm,
// every default is filled in, and no function is left.
type Phase struct {
	Name        string      `json:"name"`
	Campaign    string      `json:"campaign,omitempty"`
	Question    string      `json:"question"`
	Params      []Parameter `json:"params,omitempty"` // script parameters (param()), with the values used
	Files       []File      `json:"files,omitempty"`  // binaries, inputs and builds, by label, sorted
	Arms        []Arm       `json:"arms"`             // declared order
	Baseline    string      `json:"baseline"`         // an arm's name
	Contrasts   []Contrast  `json:"contrasts"`        // what is compared with what; filled in, never empty with two arms
	Cases       []Case      `json:"cases"`            // declared order
	Design      Design      `json:"design"`
	Repeats     int         `json:"repeats"` // samples that each process gives
	Metrics     []Metric    `json:"metrics"` // metrics, constants, then derived, in declared order
	Estimand    Estimand    `json:"estimand"`
	Family      string      `json:"family,omitempty"` // "", "holm" or "bh"
	Process     Process     `json:"process"`
	Hosts       []Host      `json:"hosts,omitempty"`
	Networks    []Network   `json:"networks,omitempty"`
	Services    []Service   `json:"services,omitempty"` // in the order in which they start
	Samplers    []Sampler   `json:"samplers,omitempty"`
	BeforePhase []Step      `json:"before_phase,omitempty"`
	BeforeEach  []Step      `json:"before_each,omitempty"` // each run
	AfterEach   []Step      `json:"after_each,omitempty"`
	AfterPhase  []Step      `json:"after_phase,omitempty"`
	Expect      []Expect    `json:"expect,omitempty"`
	Checks      []Check     `json:"checks,omitempty"`
	Gates       []Gate      `json:"gates,omitempty"`
	OnFailure   string      `json:"on_failure"`  // "continue", "stop-case" or "stop-phase"
	OnCeiling   string      `json:"on_ceiling"`  // "stop-phase" or "continue"
	Interrupted string      `json:"interrupted"` // "rerun-block" or "retain"
	Predictions []string    `json:"predictions,omitempty"`
	Limits      []string    `json:"limits,omitempty"`
	References  []Reference `json:"references,omitempty"`
	At          Place       `json:"at,omitzero"`
}

// Parameter is a named value: a param() of the script, or a keyword that an arm or a case carries for its callbacks.
type Parameter struct {
	Name  string `json:"name"`
	Value Value  `json:"value"`
}

// Arm is one side of the comparison.
type Arm struct {
	Name    string            `json:"name"`
	Control bool              `json:"control,omitempty"` // an A/A arm: reported, never a finding
	CPUs    string            `json:"cpus,omitempty"`    // overrides Process.CPUs
	Env     map[string]string `json:"env,omitempty"`     // overrides Process.Env, name by name
	Params  []Parameter       `json:"params,omitempty"`
	At      Place             `json:"at,omitzero"`
}

// Case is one question asked of every arm, or of those it names.
type Case struct {
	Name     string             `json:"name"`
	Arms     []string           `json:"arms"`     // declared order of Phase.Arms; all of them unless the case names some
	Commands map[string]Command `json:"commands"` // by arm name, one for each of Arms
	Params   []Parameter        `json:"params,omitempty"`
	At       Place              `json:"at,omitzero"`
}

// Contrast is one comparison: an arm against its base.
type Contrast struct {
	Arm  string `json:"arm"`
	Base string `json:"base"`
}

// Reference names a figure of another sealed phase, printed beside ours as a description.
type Reference struct {
	Label  string   `json:"label"`
	Metric string   `json:"metric,omitempty"`
	Case   string   `json:"case,omitempty"`
	Value  float64  `json:"value"`
	Low    *float64 `json:"low,omitempty"`
	High   *float64 `json:"high,omitempty"`
	Source string   `json:"source,omitempty"`
	At     Place    `json:"at,omitzero"`
}

// Arm returns the arm of that name, or nil.
func (p *Phase) Arm(name string) *Arm {
	for i := range p.Arms {
		if p.Arms[i].Name == name {
			return &p.Arms[i]
		}
	}
	return nil
}

// Case returns the case of that name, or nil.
func (p *Phase) Case(name string) *Case {
	for i := range p.Cases {
		if p.Cases[i].Name == name {
			return &p.Cases[i]
		}
	}
	return nil
}

// File returns the file with that label, or nil.
func (p *Phase) File(label string) *File {
	for i := range p.Files {
		if p.Files[i].Label == label {
			return &p.Files[i]
		}
	}
	return nil
}

// Metric returns the metric of that unit, or nil.
func (p *Phase) Metric(unit string) *Metric {
	for i := range p.Metrics {
		if p.Metrics[i].Unit == unit {
			return &p.Metrics[i]
		}
	}
	return nil
}
