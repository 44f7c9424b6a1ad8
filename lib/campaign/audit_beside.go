package campaign

import (
	"fmt"
	"path"
	"path/filepath"

	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/ledger"
)

// beside holds what services and steps wrote to the digests in the ledger.
func (a *audited) beside() []Difference {
	if a.Log == nil {
		return nil
	}
	var out []Difference
	for _, w := range besideOutputs(a.Log.Entries) {
		if !filepath.IsLocal(filepath.FromSlash(w.name)) {
			out = append(out, Difference{File: w.name, Have: "a path out of the folder", Want: "a path in it"})
			continue
		}
		got, err := engine.Digest(filepath.Join(a.Dir, filepath.FromSlash(w.name)))
		switch {
		case err != nil:
			out = append(out, Difference{File: w.name, Have: err.Error(), Want: "the file"})
		case got != *w.want:
			out = append(out, Difference{File: w.name, Field: "SHA-256", Have: got.SHA256, Want: w.want.SHA256})
		}
	}
	return out
}

// besideOutputs are the files of services and steps that have digests, by their names in the folder.
func besideOutputs(entries []ledger.Entry) []output {
	var out []output
	add := func(dir, name string, want *ledger.Output) {
		if want != nil && want.SHA256 != "" {
			out = append(out, output{path.Join(dir, name), want})
		}
	}
	folders := map[string]string{} // of services, the last that was started
	for i := range entries {
		switch b := entries[i].Body.(type) {
		case *ledger.ServiceStarted:
			folders[b.Service] = b.Output
		case *ledger.ServiceEnded:
			add(folders[b.Service], "stdout", &b.Stdout)
			add(folders[b.Service], "stderr", &b.Stderr)
		case *ledger.StepFinished:
			add(b.Output, "stdout", b.Stdout)
			add(b.Output, "stderr", b.Stderr)
			add(b.Output, "status.json", b.Document)
		}
	}
	return out
}

// statuses holds what the ledger says of cases to the ceilings that it tells of: a case around whose runs one was passed is
// contaminated, and none is without a cause.
func (a *audited) statuses() []Difference {
	if a.Log == nil || a.Plan == nil {
		return nil
	}
	passed, unknown, moved := map[string]bool{}, map[string]bool{}, map[string]bool{}
	var around string // the case of the last step around a run
	said := map[string]string{}
	for i := range a.Log.Entries {
		switch b := a.Log.Entries[i].Body.(type) {
		case *ledger.StepFinished:
			if b.Run < 1 || b.Run > len(a.Plan.Runs) {
				continue
			}
			around = a.Plan.Runs[b.Run-1].Case
			switch {
			case b.Max == nil || b.Failure != "":
			case b.Value == nil:
				unknown[around] = true
			case *b.Value > *b.Max:
				passed[around] = true
			}
		case *ledger.LabelSealed:
			moved[around] = moved[around] || b.Why != ""
		case *ledger.CaseStatus:
			said[b.Case] = b.Status
		}
	}
	var out []Difference
	for i := range a.Plan.Phase.Cases {
		name := a.Plan.Phase.Cases[i].Name
		status := said[name]
		different := func(have, want string) {
			out = append(out, Difference{File: ledger.Name, Field: fmt.Sprintf("case-status of %q", name), Have: have, Want: want})
		}
		switch {
		case passed[name] && status != "contaminated":
			different(orNothing(status), "contaminated: a ceiling was passed around one of its runs")
		case status == "contaminated" && !passed[name] && !moved[name]:
			different(status, "no such status: no ceiling was passed and no shard has moved around its runs")
		case unknown[name] && status == "":
			different("nothing", "unverifiable: a value was unknown around one of its runs")
		}
	}
	return out
}

// besideMayBe reports whether a file may be what a service or a step wrote of whose end there is no event: the harness was killed.
func (a *audited) besideMayBe(name string) bool {
	dir, file := path.Split(name)
	top, rest := path.Split(path.Clean(dir))
	switch {
	case file != "stdout" && file != "stderr" && file != "status.json":
		return false
	case top != "services/" && top != "steps/":
		return false
	}
	for i := range a.Log.Entries {
		if b, ok := a.Log.Entries[i].Body.(*ledger.StepFinished); ok && b.Output == path.Join(top, rest) {
			return false // its event says what it wrote
		}
	}
	return true
}
