package sample

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/phaselock/phaselock/lib/plan"
)

// csvColumns are the columns before the units.
var csvColumns = []string{"run", "case", "arm", "block", "attempt", "position", "repeat", "iterations"}

// WriteCSV writes metrics.csv: one row a sample, in run order, every attempt that gave samples. Fields are quoted as
// RFC 4180 has it; lines end in LF, as those of every other file of a result folder do, so that line tools read the
// last column. A field is empty where a sample has no such metric: a whole-process figure after repeat 1, a derived
// metric that was omitted. It fails for a sample without another declared metric, and for a number that is not finite.
func WriteCSV(w io.Writer, p *plan.Plan, procs []Process) error {
	out := csv.NewWriter(w)
	header := slices.Clone(csvColumns)
	for i := range p.Phase.Metrics {
		header = append(header, p.Phase.Metrics[i].Unit)
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for _, proc := range inRunOrder(procs) {
		for i := range proc.Samples {
			row, err := csvRow(p.Phase, proc, &proc.Samples[i])
			if err != nil {
				return err
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// inRunOrder returns the processes that gave samples by run, and of a run by attempt.
func inRunOrder(procs []Process) []*Process {
	var valid []*Process
	for i := range procs {
		if procs[i].Failure == nil {
			valid = append(valid, &procs[i])
		}
	}
	slices.SortStableFunc(valid, func(a, b *Process) int {
		if a.Run.Number != b.Run.Number {
			return a.Run.Number - b.Run.Number
		}
		return a.Attempt - b.Attempt
	})
	return valid
}

func csvRow(p *plan.Phase, proc *Process, s *Sample) ([]string, error) {
	r := &proc.Run
	row := []string{
		strconv.Itoa(r.Number), r.Case, r.Arm, strconv.Itoa(r.Block), strconv.Itoa(proc.Attempt),
		strconv.Itoa(r.Position), strconv.Itoa(s.Repeat), strconv.FormatInt(s.Iterations, 10),
	}
	for i := range p.Metrics {
		m := &p.Metrics[i]
		v, ok := s.Values[m.Unit]
		switch {
		case ok && (math.IsNaN(v) || math.IsInf(v, 0)):
			return nil, fmt.Errorf("run %d, repeat %d: %v %s is not finite", r.Number, s.Repeat, v, m.Unit)
		case ok:
			row = append(row, formatNumber(v))
		case m.Role == plan.RoleDerived, plan.IsProcessUnit(m.Unit) && s.Repeat > 1:
			row = append(row, "")
		default:
			return nil, fmt.Errorf("run %d, repeat %d: no %s, which is declared", r.Number, s.Repeat, m.Unit)
		}
	}
	return row, nil
}

// formatNumber returns the shortest decimal that reads back as v, with an exponent only where it is long without one.
func formatNumber(v float64) string {
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
