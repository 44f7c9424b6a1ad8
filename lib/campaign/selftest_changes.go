package campaign

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/ledger"
)

// change is one thing that a self-test makes wrong; make returns no edits where the folder has no such thing.
type change struct {
	name string
	make func(*forger) (edits, error)
}

// changes are what the audit must find. For every comparison there is at least one that nothing else finds.
var changes = []change{
	{"one digit of the ledger", func(f *forger) (edits, error) { return f.digit(ledger.Name) }},
	{"one row of the ledger", func(f *forger) (edits, error) { return f.row(ledger.Name) }},
	{"one byte of what the lock says of the closing", func(f *forger) (edits, error) {
		return f.edited(ledger.LockName, func(b []byte) []byte { return bytes.Replace(b, []byte("closed"), []byte("Closed"), 1) })
	}},
	{"one digit of plan.json", func(f *forger) (edits, error) { return f.digit("plan.json") }},
	{"one byte of protocol.star", func(f *forger) (edits, error) { return f.longer("protocol.star") }},
	{"one byte of a script", func(f *forger) (edits, error) { return f.longer(f.first("phase")) }},
	{"one byte of the seal", func(f *forger) (edits, error) { return f.longer(sealName) }},
	{"one byte of a private copy", func(f *forger) (edits, error) { return f.longer(f.first("bin")) }},
	{"one digit of host.json", func(f *forger) (edits, error) { return f.digit("host.json") }},
	{"one digit of a run's standard output", func(f *forger) (edits, error) { return f.digit(f.output("stdout")) }},
	{"one byte of a run's standard error", func(f *forger) (edits, error) { return f.longer(f.output("stderr")) }},
	{"one byte of a run's audit lines", func(f *forger) (edits, error) { return f.longer(f.output("audit")) }},
	{"a run's standard output removed", func(f *forger) (edits, error) { return f.removed(f.output("stdout")) }},
	{"one byte of what a service or a step wrote", func(f *forger) (edits, error) {
		for _, o := range besideOutputs(f.Log.Entries) {
			return f.longer(o.name)
		}
		return nil, nil
	}},
	{"the status of a case, with the ledger chained again and everything made again", func(f *forger) (edits, error) {
		return f.forged(func(b ledger.Body) bool {
			s, ok := b.(*ledger.CaseStatus)
			if ok = ok && s.Status == "contaminated"; ok {
				s.Status = "unverifiable"
			}
			return ok
		})
	}},
	{"a file in a run's folder", func(f *forger) (edits, error) {
		if name := f.output("stdout"); name != "" {
			return edits{path.Join(path.Dir(name), "results"): []byte("7\n")}, nil
		}
		return nil, nil
	}},
	{"one byte of a torn line", func(f *forger) (edits, error) { return f.longer(f.match("ledger.torn-*")) }},
	{"one digit of an exploratory analysis", func(f *forger) (edits, error) { return f.digit(f.first("analyses")) }},
	{"one digit of metrics.csv", func(f *forger) (edits, error) { return f.digitAfter("metrics.csv", "\n") }},
	{"one label of metrics.csv", func(f *forger) (edits, error) { return f.label("metrics.csv", ",", ",") }},
	{"one row of metrics.csv", func(f *forger) (edits, error) { return f.row("metrics.csv") }},
	{"one digit of analysis.json", func(f *forger) (edits, error) { return f.digit("analysis.json") }},
	{"one label of analysis.json", func(f *forger) (edits, error) { return f.label("analysis.json", `"`, `"`) }},
	{"one byte of report.md", func(f *forger) (edits, error) { return f.longer("report.md") }},
	{"report.md removed", func(f *forger) (edits, error) { return f.removed("report.md") }},
	{"metrics.csv and analysis.json together", (*forger).consistentSample},
	{"a run's label, with the ledger chained again and everything made again", func(f *forger) (edits, error) {
		return f.forged(func(b ledger.Body) bool {
			s, ok := b.(*ledger.RunStarted)
			if ok {
				s.Position++
			}
			return ok
		})
	}},
	{"a run's number of samples, with the ledger chained again and everything made again", func(f *forger) (edits, error) {
		return f.forged(func(b ledger.Body) bool {
			s, ok := b.(*ledger.RunFinished)
			if ok {
				s.Samples++
			}
			return ok
		})
	}},
	{"the count of finished runs, with the ledger chained again and everything made again", func(f *forger) (edits, error) {
		return f.forged(func(b ledger.Body) bool {
			s, ok := b.(*ledger.Closed)
			if ok {
				s.Finished++
			}
			return ok
		})
	}},
	{"the seal's digest, with the ledger chained again and everything made again", func(f *forger) (edits, error) {
		return f.forged(func(b ledger.Body) bool {
			s, ok := b.(*ledger.Opened)
			if ok = ok && s.Seal != nil; ok {
				other := strings.Repeat("0", len(*s.Seal))
				s.Seal = &other
			}
			return ok
		})
	}},
	{"a run's duration, where the head is signed, with the ledger chained again and everything made again", func(f *forger) (edits, error) {
		if _, err := os.Stat(filepath.Join(f.Dir, headName)); err != nil {
			return nil, nil // without a head from outside nothing can find it
		}
		return f.forged(func(b ledger.Body) bool {
			s, ok := b.(*ledger.RunFinished)
			if ok {
				s.WallNS++
			}
			return ok
		})
	}},
}

// output returns a file that a run wrote which gave its samples; "" if none did.
func (f *forger) output(name string) string {
	for _, b := range f.audited.finished() {
		for _, o := range outputs(b) {
			if b.Failure == "" && o.name == name {
				return path.Join("runs", engine.RunName(len(f.Plan.Runs), b.Run, b.Attempt), name)
			}
		}
	}
	return ""
}

// first returns the first file below a folder; "" if there is none.
func (f *forger) first(folder string) string {
	var files []string
	_ = filepath.WalkDir(filepath.Join(f.Dir, folder), func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if rel, rerr := filepath.Rel(f.Dir, p); rerr == nil {
				files = append(files, filepath.ToSlash(rel))
			}
		}
		return nil // what cannot be read is not changed
	})
	if len(files) == 0 {
		return ""
	}
	return slices.Min(files)
}

// match returns the first file of the folder with such a name; "" if there is none.
func (f *forger) match(pattern string) string {
	found, err := filepath.Glob(filepath.Join(globEscape(f.Dir), pattern))
	if err != nil || len(found) == 0 {
		return ""
	}
	return filepath.Base(found[0])
}
