package campaign

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
)

// Exploration is in what an analysis differs from the registered one. The zero value of a field is as registered.
type Exploration struct {
	Baseline  string // an arm's name
	Interval  string // a kind
	Level     float64
	Resamples int // of percentile
	Seed      *int64
}

// Command is the command that makes the analysis from a folder.
func (x Exploration) Command() []string {
	out := []string{"phaselock", "analyze"}
	add := func(flag, value string) { out = append(out, "--"+flag, value) }
	if x.Baseline != "" {
		add("baseline", x.Baseline)
	}
	if x.Interval != "" {
		add("interval", x.Interval)
	}
	if x.Level != 0 {
		add("level", fmt.Sprint(x.Level))
	}
	if x.Resamples != 0 {
		add("resamples", fmt.Sprint(x.Resamples))
	}
	if x.Seed != nil {
		add("seed", fmt.Sprint(*x.Seed))
	}
	return out
}

// Explored is an exploratory analysis and where it was written.
type Explored struct {
	*Folder
	Path string // below the folder: analyses/001.json
}

// Explore analyses a folder in another way than was registered, writes the result as analyses/NNN.json, which overwrites nothing, and
// journals it. The registered analysis stays what it was; gates, which were declared for that, are not judged by another.
func Explore(dir string, x Exploration) (explored *Explored, err error) {
	f, err := Load(dir)
	if err != nil {
		return nil, err
	}
	if err := f.explore(x); err != nil {
		return nil, err
	}
	data, err := f.Result.JSON()
	if err != nil {
		return nil, &Error{ExitInvalid, err}
	}
	w, _, err := reopen(f, nil)
	if err != nil {
		return nil, err
	}
	defer closeInto(w, &err)
	name, err := freeName(dir)
	if err != nil {
		return nil, &Error{ExitMachine, err}
	}
	err = w.WriteFile(name, data)
	if err == nil {
		err = w.Append(&ledger.Analysis{
			Path: name, SHA256: fmt.Sprintf("%x", sha256.Sum256(data)), Command: x.Command(), ExitVerdict: f.Result.ExitCode(),
		})
	}
	if err == nil {
		err = reportAgain(dir, w)
	}
	if err != nil {
		return nil, &Error{ExitMachine, err}
	}
	return &Explored{f, name}, nil
}

// explore makes the result of a folder in another way.
func (f *Folder) explore(x Exploration) error {
	p := *f.Plan.Phase
	if err := x.declare(&p); err != nil {
		return err
	}
	pl := *f.Plan
	pl.Phase = &p
	f.Plan = &pl
	if err := f.analyze(); err != nil {
		return err
	}
	f.Result.Exploratory = x.Command()
	return nil
}

// declare changes a copy of the phase as the exploration asks.
func (x Exploration) declare(p *plan.Phase) error {
	p.Gates = nil
	if x.Baseline != "" {
		if p.Arm(x.Baseline) == nil {
			names := make([]string, len(p.Arms))
			for i := range p.Arms {
				names[i] = fmt.Sprintf("%q", p.Arms[i].Name)
			}
			return usage("--baseline: no arm named %q; the arms are %s", x.Baseline, strings.Join(names, ", "))
		}
		p.Baseline, p.Contrasts = x.Baseline, nil
		for i := range p.Arms {
			if name := p.Arms[i].Name; name != x.Baseline {
				p.Contrasts = append(p.Contrasts, plan.Contrast{Arm: name, Base: x.Baseline})
			}
		}
	}
	if x.Interval == "" && x.Level == 0 && x.Resamples == 0 && x.Seed == nil {
		return nil
	}
	var err error
	if p.Estimand.Interval, err = x.interval(p.Estimand.Interval); err != nil {
		return err
	}
	p.Metrics = slices.Clone(p.Metrics)
	for i := range p.Metrics {
		if own := p.Metrics[i].Estimand; own != nil {
			e := *own
			if e.Interval, err = x.interval(e.Interval); err != nil {
				return err
			}
			p.Metrics[i].Estimand = &e
		}
	}
	return nil
}

// interval returns the interval that is asked for in the place of a registered one.
func (x Exploration) interval(i plan.Interval) (plan.Interval, error) {
	if x.Interval != "" {
		i.Kind = x.Interval
	}
	if x.Level != 0 {
		i.Level = x.Level
	}
	if !(i.Level > 0 && i.Level < 1) {
		return i, usage("--level %v: want a number between 0 and 1, 0.95 for instance", i.Level)
	}
	switch i.Kind {
	case plan.StudentT, plan.SignFlip:
		if x.Resamples != 0 || x.Seed != nil {
			return i, usage("--resamples and --seed go with a percentile interval; this one is %s", i.Kind)
		}
		i.Resamples, i.Seed = 0, 0
		return i, nil
	case plan.Percentile:
	default:
		return i, usage("--interval %q: want %s, %s or %s", i.Kind, plan.StudentT, plan.Percentile, plan.SignFlip)
	}
	switch {
	case x.Resamples != 0:
		i.Resamples = x.Resamples
	case i.Resamples == 0:
		i.Resamples = 20_000
	}
	if i.Resamples < 100 || i.Resamples > 10_000_000 {
		return i, usage("--resamples %d: want 100 to 10000000, 20000 for instance", i.Resamples)
	}
	switch {
	case x.Seed != nil:
		i.Seed = *x.Seed
	case x.Interval != "":
		return i, usage("--interval percentile needs --seed: there is no default seed")
	}
	if i.Seed < 0 || i.Seed > plan.MaxSeed {
		return i, usage("--seed %d: want 0 to 2^53-1", i.Seed)
	}
	return i, nil
}

// freeName returns the first free name of an analysis: analyses/001.json and so on.
func freeName(dir string) (string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("analyses/%03d.json", n)
		_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
		if errors.Is(err, os.ErrNotExist) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
	}
}

// reportAgain writes report.md as it is with the events that were added after the phase was closed. The other derived files have no
// part in these.
func reportAgain(dir string, w *ledger.Writer) error {
	f, err := Analyze(dir)
	if err != nil || !f.closed() {
		return err
	}
	return f.writeEach(w, []string{"report.md"})
}
