package report

import (
	"errors"
	"fmt"
	"strings"

	"github.com/phaselock/phaselock/lib/ledger"
)

// errNoResult is what the report fails with before there are results; Explain writes the page then.
var errNoResult = errors.New("report: the page has no result; explain shows what is known before")

// interpretation keeps three things apart: what was measured, what was expected before, what was supposed after.
func (w *writer) interpretation() {
	w.heading(3, "Measured")
	w.measured()
	w.heading(3, "Predictions and how they fared")
	w.predictions()
	w.heading(3, "Hypotheses, written after the results")
	hypotheses := w.journal.notes["hypothesis"]
	if len(hypotheses) == 0 {
		w.text("None.")
	}
	w.items(datedItems(hypotheses)...)
}

// predictions prints what the author expected, untouched: prose is for the reader to hold against the numbers.
func (w *writer) predictions() {
	ps := w.page.phase().Predictions
	if len(ps) == 0 {
		w.text("None were declared.")
		return
	}
	when := "Stated before the results, in the sealed script."
	if digest, _ := w.page.seal(written); digest == "" {
		when = "Stated before the results, by the script's own account: it was not sealed."
	}
	if w.page.Result == nil {
		w.text("Stated before the results:")
	} else {
		w.text(when, "How they fared is for the reader to say, with the tables under Results: no rule of this report judges prose.")
	}
	items := make([]string, len(ps))
	for i, p := range ps {
		items[i] = line(p)
	}
	w.items(items...)
}

func datedItems(notes []dated) []string {
	out := make([]string, len(notes))
	for i, n := range notes {
		out[i] = stamp(n.when) + ": " + escape(n.text)
	}
	return out
}

// limits lists what the phase cannot show: as declared, as derived from what was done, as noted later.
func (w *writer) limits() {
	declared := make([]string, len(w.page.phase().Limits))
	for i, l := range w.page.phase().Limits {
		declared[i] = line(l)
	}
	if len(declared) > 0 {
		w.text("Declared:")
		w.items(declared...)
	}
	if derived := w.derivedLimits(); len(derived) > 0 {
		w.text("Derived:")
		w.items(derived...)
	}
	if later := w.journal.notes["limit"]; len(later) > 0 {
		w.text("Written after the results:")
		w.items(datedItems(later)...)
	}
}

// deviations lists what did not go as planned, and errata.
func (w *writer) deviations() {
	var items []string
	if len(w.page.Ledger) > 0 && w.page.Result.Seal == nil {
		items = append(items, "The phase was run without a seal: nothing shows that what was run is what was declared before.")
	}
	items = append(items, w.journal.events...)
	if f := w.page.Result.Completeness.ProcessesFailed; f > 0 {
		items = append(items, fmt.Sprintf("%s gave no samples: see Findings and Blocks.", capital(count(f, "process"))))
	}
	for _, n := range w.journal.notes["erratum"] {
		items = append(items, "Erratum, "+stamp(n.when)+": "+escape(n.text))
	}
	if len(items) == 0 {
		w.text("None recorded.")
		return
	}
	w.items(items...)
}

// completeness counts what was planned and what came, and lists what was pinned.
func (w *writer) completeness() {
	c := &w.page.Result.Completeness
	g := newGrid("What", ">Planned", ">Came")
	g.row("processes", fmt.Sprint(c.ProcessesPlanned), fmt.Sprint(c.ProcessesFinished))
	g.row("samples", fmt.Sprint(c.SamplesPlanned), fmt.Sprint(c.Samples))
	for _, name := range sortedKeys(c.Audits) {
		g.row("audit lines "+code(name), fmt.Sprint(c.Audits[name].Expected), fmt.Sprint(c.Audits[name].Passed))
	}
	w.table(g)
	w.items(shortfalls(w.page)...)
	pl := w.page.Plan
	pins := newGrid("What", "SHA-256", "Kind", "From")
	pins.row("plan (every run, in order)", codeOrNothing(pl.Digest), "", "")
	if pl.ProtocolDigest != "" {
		pins.row("protocol (flat form)", code(pl.ProtocolDigest), "", "")
	}
	if o := w.journal.opened; o != nil {
		for _, f := range o.Files {
			pins.row(code(f.Label), codeOrNothing(f.SHA256), escape(f.Kind), build(&f))
		}
	}
	w.table(pins)
	w.text(w.verified())
}

// shortfalls are the counts that a whole phase has at zero.
func shortfalls(p Page) []string {
	c := &p.Result.Completeness
	var out []string
	add := func(n int, text string) {
		if n > 0 {
			out = append(out, text)
		}
	}
	add(c.ProcessesFailed, count(c.ProcessesFailed, "process")+" failed")
	add(c.ParseFailures, count(c.ParseFailures, "process")+" of these printed what cannot be read")
	add(c.BlocksRerun, count(c.BlocksRerun, "block")+" run again")
	add(c.CasesExcluded, count(c.CasesExcluded, "case")+" contaminated or unverifiable")
	add(c.CasesUnexecuted, count(c.CasesUnexecuted, "case")+" not executed")
	add(c.UndefinedComparisons, count(c.UndefinedComparisons, "comparison")+" undefined")
	add(c.DerivedOmitted, count(c.DerivedOmitted, "derived value")+" without a value")
	if c.LimitedToCompleteBlocks {
		out = append(out, "limited to complete blocks; nothing is imputed")
	}
	return out
}

// buildKeys are what the report shows of a build, in this order; the opening event of the ledger has the rest.
var buildKeys = []string{"package", "path", "ref", "commit", "revision", "tree", "modified", "go", "flags"}

// build says what a file was built from, as far as it knows, or where it was found.
func build(f *ledger.PinnedFile) string {
	var words []string
	for _, k := range buildKeys {
		if v := f.Build[k]; v != "" && !(k == "path" && f.Build["package"] != "") {
			words = append(words, k+" "+escape(v))
		}
	}
	if len(words) == 0 && f.Source != "" {
		return code(f.Source)
	}
	return strings.Join(words, ", ")
}

// verified says when the pins were found as pinned.
func (w *writer) verified() string {
	switch n := len(w.journal.verified); {
	case len(w.journal.broken) > 0:
		return fmt.Sprintf("Pins were broken %s: see Findings and Deviations.", times(len(w.journal.broken)))
	case n > 0:
		last := w.journal.verified[n-1]
		return fmt.Sprintf("Files were verified %s, last at %s, and found as pinned.", times(n), escape(last.When))
	case len(w.page.Ledger) > 0:
		return "No verification of pinned files is recorded."
	}
	return "There is no ledger: nothing is known of the files that ran."
}

// howToCheck says how to make every number again, and holds the appendix of intervals.
func (w *writer) howToCheck() {
	if len(w.page.Ledger) == 0 {
		w.text("These numbers come from a CSV file. Give the same file and the same options to `phaselock analyze --csv`, or recompute them by hand as below.")
	} else {
		w.text("With `DIR` as the folder of this report:")
		w.shell("phaselock analyze DIR --format json   # analysis.json, byte for byte, from plan, ledger and raw output",
			"phaselock report DIR                  # this page",
			"python3 -S -E docs/replicate.py DIR   # the numbers again by another program, from plan.json and metrics.csv")
	}
	w.text("By hand: the median of the repeats of each process; in each block the arm's median over its base's (or minus it); the geometric mean of these ratios (the mean of the differences). `metrics.csv` has every raw sample, `runs/` what every process printed, `ledger.jsonl` what happened, each line with the SHA-256 of the line before.")
	w.appendix()
}
