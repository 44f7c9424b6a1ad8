package report_test

import (
	"testing"

	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/report"
	"github.com/phaselock/phaselock/lib/sample"
)

// The experiments whose pages are held to golden files, by the name of the file.
var labs = map[string]func() *lab{
	"lower":            lowerLab,
	"higher":           higherLab,
	"unresolved":       unresolvedLab,
	"equal":            equalLab,
	"undefined":        undefinedLab,
	"incomplete":       incompleteLab,
	"confounded":       confoundedLab,
	"three_arms":       threeArmsLab,
	"gates_failed":     gatesFailedLab,
	"block_difference": blockDifferenceLab,
	"control":          controlLab,
	"few_blocks":       fewBlocksLab,
}

var two = []string{"sort-slice", "slices-sortfunc"}

// lowerLab is the common case: two sizes, faster in both, fewer bytes, no allocation in either, one constant.
func lowerLab() *lab {
	l := newLab(two, []string{"records-100", "records-10000"})
	l.metric(plan.Metric{Unit: "B/op", Role: plan.RoleMetric, Better: "lower"})
	l.metric(plan.Metric{Unit: "allocs/op", Role: plan.RoleMetric, Better: "lower"})
	l.metric(plan.Metric{Unit: "rows/op", Role: plan.RoleConstant, Equals: map[string]float64{"records-100": 100, "records-10000": 200}})
	l.phase.Predictions = []string{"slices.SortFunc is faster, by a fifth or more: it needs no reflection."}
	l.phase.Limits = []string{"One kind of record, nearly sorted already."}
	time := ns(map[string]float64{"records-100": 13600, "records-10000": 2.32e6}, map[string]float64{"sort-slice": 1, "slices-sortfunc": 0.64})
	l.value = func(r plan.Run, repeat int) map[string]float64 {
		v := time(r, repeat)
		v["B/op"] = map[string]float64{"sort-slice": 56, "slices-sortfunc": 24}[r.Arm]
		v["allocs/op"] = 2
		v["rows/op"] = map[string]float64{"records-100": 100, "records-10000": 200}[r.Case]
		return v
	}
	return l
}

// higherLab is a negative result in one case of two, kept.
func higherLab() *lab {
	l := newLab(two, []string{"records-100", "records-10000"})
	l.value = func(r plan.Run, repeat int) map[string]float64 {
		ratio := map[string]float64{"records-100": 0.91, "records-10000": 1.17}[r.Case]
		if r.Arm == "sort-slice" {
			ratio = 1
		}
		return map[string]float64{"ns/op": 15.2e6 * ratio * wobble(r, repeat)}
	}
	return l
}

func unresolvedLab() *lab {
	l := newLab(two, []string{"records-100"})
	l.value = ns(map[string]float64{"records-100": 15.2e6}, map[string]float64{"sort-slice": 1, "slices-sortfunc": 1.0045})
	return l
}

func equalLab() *lab {
	l := newLab(two, []string{"records-100", "records-10000"})
	l.phase.Metrics[0] = plan.Metric{Unit: "allocs/op", Role: plan.RoleMetric, Better: "lower", At: place}
	l.value = func(r plan.Run, _ int) map[string]float64 {
		return map[string]float64{"allocs/op": map[string]float64{"records-100": 2, "records-10000": 0}[r.Case]}
	}
	return l
}

// undefinedLab has a baseline of zero allocations in one block, and ratios of them.
func undefinedLab() *lab {
	l := newLab(two, []string{"records-100", "records-10000"})
	l.phase.Metrics[0] = plan.Metric{Unit: "allocs/op", Role: plan.RoleMetric, Better: "lower", At: place}
	l.value = func(r plan.Run, _ int) map[string]float64 {
		v := 3.0
		if r.Arm == "sort-slice" {
			v = 2
			if r.Case == "records-100" && r.Block >= 4 {
				v = 0
			}
		}
		return map[string]float64{"allocs/op": v}
	}
	return l
}

func incompleteLab() *lab {
	l := higherLab()
	l.broken[7] = sample.Failure{Kind: sample.FailExit, Message: "exit status 3; stderr: panic: \x1b[31mindex out of range\x1b[0m | [5]"}
	return l
}

// confoundedLab has a physical prefix that is shorter in three ordinary processes.
func confoundedLab() *lab {
	l := newLab([]string{"ordinary", "remote"}, []string{"rows10", "rows1000"})
	l.phase.Question = "Does remote fetch keep its advantage?"
	l.metric(plan.Metric{Unit: "prefix-B", Role: plan.RoleConstant, Confound: "physical prefix"})
	l.phase.Estimand.Interval = plan.Interval{Kind: plan.Percentile, Level: 0.95, Resamples: 20000, Seed: 391706}
	seal := "77ab90de3c1f5a2b4c6d8e0f1a3b5c7d9e1f2a4b6c8d0e2f4a6b8c0d2e4f6a8b"
	l.seal = &seal
	time := ns(map[string]float64{"rows10": 210e3, "rows1000": 46.5e6}, map[string]float64{"ordinary": 1, "remote": 0.88})
	l.value = func(r plan.Run, repeat int) map[string]float64 {
		v := time(r, repeat)
		v["prefix-B"] = 6
		if r.Arm == "ordinary" && (r.Case == "rows10" && r.Block == 5 || r.Case == "rows1000" && (r.Block == 3 || r.Block == 6)) {
			v["prefix-B"] = 5
			v["ns/op"] *= 0.97
		}
		return v
	}
	l.journal(&ledger.Note{Type: "hypothesis", Text: "The directory layer handed out a *shorter* prefix after the restart."})
	l.journal(&ledger.Note{Type: "limit", Text: "The prefix was not controlled."})
	l.journal(&ledger.Note{Type: "erratum", Text: "The question said \"keeps\" where it means \"has\"."})
	return l
}

func threeArmsLab() *lab {
	l := newLab([]string{"sort-slice", "slices-sortfunc", "radix"}, []string{"records-100", "records-10000"})
	l.phase.Family = "holm"
	l.phase.Campaign = "sorters-2026"
	l.phase.Estimand.Also = []plan.Interval{{Kind: plan.SignFlip, Level: 0.95}}
	low, high := 0.3, 0.34
	l.phase.References = []plan.Reference{{Label: "radix, last year", Metric: "ns/op", Case: "records-10000", Value: 0.32, Low: &low, High: &high, Source: "sorters-2025/sorting"}}
	l.metric(plan.Metric{Unit: "cmp/op", Role: plan.RoleMetric, Better: "lower"})
	l.metric(plan.Metric{Unit: "ns/cmp", Role: plan.RoleDerived, Better: "lower", Num: "ns/op", Den: "cmp/op"})
	l.value = func(r plan.Run, repeat int) map[string]float64 {
		ratio := map[string]float64{"sort-slice": 1, "slices-sortfunc": 0.64, "radix": 0.31}[r.Arm]
		if r.Arm == "radix" && r.Case == "records-100" {
			ratio = 1.42
		}
		return map[string]float64{
			"ns/op":  map[string]float64{"records-100": 13600, "records-10000": 2.32e6}[r.Case] * ratio * wobble(r, repeat),
			"cmp/op": map[string]float64{"records-100": 540, "records-10000": 120450}[r.Case],
		}
	}
	return l
}

func gatesFailedLab() *lab {
	l := higherLab()
	limit, tight := 1.05, 0.9
	l.phase.Gates = []plan.Gate{
		{Metric: "ns/op", MaxRatio: &limit, At: place},
		{Metric: "ns/op", MaxRatio: &tight, Cases: []string{"records-100"}, At: place},
	}
	return l
}

// blockDifferenceLab has allocations that fall to zero, and a time whose difference is asked for.
func blockDifferenceLab() *lab {
	l := newLab(two, []string{"records-100", "records-10000"})
	difference := plan.Estimand{Kind: plan.BlockDifference, Interval: plan.Interval{Kind: plan.StudentT, Level: 0.95}, At: place}
	l.phase.Metrics[0].Estimand = &difference
	l.metric(plan.Metric{Unit: "allocs/op", Role: plan.RoleMetric, Better: "lower", Estimand: &difference})
	time := ns(map[string]float64{"records-100": 13600, "records-10000": 2.32e6}, map[string]float64{"sort-slice": 1, "slices-sortfunc": 0.64})
	l.value = func(r plan.Run, repeat int) map[string]float64 {
		v := time(r, repeat)
		v["allocs/op"] = 0
		if r.Arm == "sort-slice" {
			v["allocs/op"] = 3 + float64(r.Block%2)
		}
		return v
	}
	return l
}

// controlLab runs one program twice: nothing may be called faster, whatever its interval.
func controlLab() *lab {
	l := newLab([]string{"a", "again"}, []string{"records-100", "records-10000"})
	l.phase.Question = "What does the set-up see where there is nothing to see?"
	l.phase.Arms[1].Control = true
	for i := range l.phase.Cases {
		l.phase.Cases[i].Commands["again"] = l.phase.Cases[i].Commands["a"]
	}
	l.value = func(r plan.Run, repeat int) map[string]float64 {
		ratio := 1.0
		if r.Arm == "again" && r.Case == "records-10000" {
			ratio = 0.97
		}
		return map[string]float64{"ns/op": 15.2e6 * ratio * wobble(r, repeat)}
	}
	return l
}

// fewBlocksLab registers an interval that does not exist for four blocks.
func fewBlocksLab() *lab {
	l := higherLab()
	l.phase.Design.Blocks = 4
	l.phase.Estimand.Interval = plan.Interval{Kind: plan.SignFlip, Level: 0.95}
	return l
}

// pages returns every experiment's page by name.
func pages(t testing.TB) map[string]report.Page {
	t.Helper()
	out := map[string]report.Page{}
	for name, l := range labs {
		out[name] = l().page(t)
	}
	return out
}
