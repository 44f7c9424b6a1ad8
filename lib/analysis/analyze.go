package analysis

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/phaselock/phaselock/lib/check"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

// Facts are what the ledger says beyond the processes.
type Facts = check.Facts

// FactsOf reads the facts from a ledger's entries.
func FactsOf(entries []ledger.Entry) Facts { return check.FactsOf(entries) }

// Input is all that an analysis looks at.
type Input struct {
	Plan      *plan.Plan
	Processes []sample.Process // every attempt; a run without a record is absent
	Seal      *string          // the seal's digest, or nil
	Facts     Facts
}

// Analyze computes the result. It is a pure function of the input, in which the order of processes has no part. It
// fails for data that the plan does not have and for a plan that no script could declare; whatever else is wrong
// with the data is in the result.
func Analyze(in Input) (*Result, error) {
	if in.Plan == nil || in.Plan.Phase == nil {
		return nil, fmt.Errorf("analysis: no plan")
	}
	grid, err := check.NewGrid(in.Plan, in.Processes)
	if err != nil {
		return nil, err
	}
	a := &analyzer{phase: in.Plan.Phase, grid: grid, facts: in.Facts, bootstraps: bootstraps{}}
	r := &Result{
		Version: Version, Phase: a.phase.Name, Seal: in.Seal, Metrics: metricsDigest(in), Baseline: a.phase.Baseline,
		Cases: make([]Case, len(a.phase.Cases)),
	}
	for i := range a.phase.Cases {
		if err := a.measureCase(&r.Cases[i], &a.phase.Cases[i]); err != nil {
			return nil, err
		}
	}
	a.adjust(r)
	gates, seen := a.gates(r)
	r.Gates = gates
	r.Findings = check.Run(&check.Input{Grid: grid, Facts: in.Facts, Comparisons: a.seen(r), Gates: seen})
	r.Clients = a.clients()
	r.Completeness = a.completeness(r, in.Processes)
	return r, nil
}

// metricsDigest returns the SHA-256 of metrics.csv as these samples write it, so that a changed sample shows even where no number
// of the result depends on it; nil for samples that no file can hold.
func metricsDigest(in Input) *string {
	h := sha256.New()
	if err := sample.WriteCSV(h, in.Plan, in.Processes); err != nil {
		return nil
	}
	digest := hex.EncodeToString(h.Sum(nil))
	return &digest
}

type analyzer struct {
	phase      *plan.Phase
	grid       *check.Grid
	facts      Facts
	bootstraps bootstraps
}

// measureCase fills in one case: its status, its processes, and every metric with its comparisons.
func (a *analyzer) measureCase(out *Case, c *plan.Case) error {
	out.Case = c.Name
	out.Status, out.StatusReason = a.status(c)
	out.Processes = a.processes(c)
	out.Metrics = []Metric{}
	for i := range a.phase.Metrics {
		m := &a.phase.Metrics[i]
		if m.Role == plan.RoleConstant {
			continue
		}
		metric := Metric{Unit: m.Unit, Better: m.Better, Role: m.Role, Absolute: map[string]Absolute{}, Comparisons: []Comparison{}}
		for _, arm := range c.Arms {
			metric.Absolute[arm] = a.absolute(m, a.grid.ArmCells(c.Name, arm))
		}
		for _, k := range check.Contrasts(a.phase, c) {
			comparison, err := a.compare(out, m, k)
			if err != nil {
				return fmt.Errorf("case %q, %s of %q against %q: %w", c.Name, m.Unit, k.Arm, k.Base, err)
			}
			metric.Comparisons = append(metric.Comparisons, comparison)
		}
		out.Metrics = append(out.Metrics, metric)
	}
	return nil
}
