package campaign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/seal"
)

// seal holds the seal in the folder to the opening event, and the plan to the seal.
func (a *audited) sealed() []Difference {
	if a.opened == nil || a.opened.Seal == nil {
		return nil
	}
	data, missing := a.have("seal")
	if missing != nil {
		return []Difference{*missing}
	}
	s, err := seal.Parse(data)
	if err != nil {
		return []Difference{{File: "seal", Have: err.Error(), Want: "a seal"}}
	}
	if s.Digest() != *a.opened.Seal {
		return []Difference{{File: "seal", Field: "seal", Have: s.Digest(), Want: *a.opened.Seal}}
	}
	return nil
}

// signedHead holds the ledger to the head that was signed, where one was.
func (a *audited) signedHead() []Difference {
	if a.opened == nil {
		return nil
	}
	if _, _, err := a.headKey(); err != nil {
		return []Difference{{File: headName, Field: "signature", Have: err.Error(), Want: "the signed head of this ledger"}}
	}
	return nil
}

// outputs holds what runs wrote to the digests in the ledger.
func (a *audited) outputs() []Difference {
	if a.Log == nil || a.Plan == nil {
		return nil
	}
	var out []Difference
	for _, b := range a.finished() {
		for _, o := range outputs(b) {
			name := path.Join("runs", engine.RunName(len(a.Plan.Runs), b.Run, b.Attempt), o.name)
			got, err := engine.Digest(a.outputPath(b, o.name))
			switch {
			case err != nil:
				out = append(out, Difference{File: name, Run: b.Run, Have: err.Error(), Want: "the file"})
			case got.Bytes != o.want.Bytes:
				out = append(out, Difference{File: name, Run: b.Run, Field: "bytes", Have: fmt.Sprint(got.Bytes), Want: fmt.Sprint(o.want.Bytes)})
			case got.SHA256 != o.want.SHA256:
				out = append(out, Difference{File: name, Run: b.Run, Field: "SHA-256", Have: got.SHA256, Want: o.want.SHA256})
			}
		}
	}
	return out
}

// finished returns the ends of runs that the plan has, in order.
func (a *audited) finished() []*ledger.RunFinished {
	var out []*ledger.RunFinished
	for i := range a.Log.Entries {
		if b, ok := a.Log.Entries[i].Body.(*ledger.RunFinished); ok && b.Run >= 1 && b.Run <= len(a.Plan.Runs) {
			out = append(out, b)
		}
	}
	return out
}

// binaries holds the private copies to their digests.
func (a *audited) binaries() []Difference {
	if a.opened == nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(a.Dir, "bin")); errors.Is(err, os.ErrNotExist) {
		a.note("bin/ is not here: the private copies that ran were not compared with their digests")
		return nil
	}
	var out []Difference
	seen := map[string]bool{}
	for _, f := range a.opened.Files {
		if filepath.IsAbs(f.Path) || seen[f.Path] || !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			continue // an input or an interpreter, which lies elsewhere
		}
		seen[f.Path] = true
		out = append(out, a.sum(f.Path, f.SHA256)...)
	}
	return out
}

// host holds host.json to what the ledger says of the machine.
func (a *audited) host() []Difference {
	if a.opened == nil {
		return nil
	}
	data, missing := a.have("host.json")
	if missing != nil {
		return []Difference{*missing}
	}
	var have struct{ Before, After map[string]string }
	if err := json.Unmarshal(data, &have); err != nil {
		return []Difference{{File: "host.json", Have: err.Error(), Want: "the machine's facts"}}
	}
	var after map[string]string
	for i := range a.Log.Entries {
		if b, ok := a.Log.Entries[i].Body.(*ledger.Closed); ok {
			after = b.Host
		}
	}
	out := sameFacts("before", have.Before, a.opened.Host)
	if after != nil {
		out = append(out, sameFacts("after", have.After, after)...)
	}
	if want, err := hostJSON(have.Before, have.After); len(out) == 0 && (err != nil || !bytes.Equal(want, data)) {
		out = append(out, Difference{File: "host.json", Have: "other bytes", Want: "the facts as phaselock writes them"})
	}
	return out
}

func sameFacts(when string, have, want map[string]string) []Difference {
	var out []Difference
	for _, name := range sortedKeys(want) {
		if got, ok := have[name]; !ok || got != want[name] {
			out = append(out, Difference{File: "host.json", Field: when + "." + name, Have: fmt.Sprintf("%q", got), Want: fmt.Sprintf("%q", want[name])})
		}
	}
	for _, name := range sortedKeys(have) {
		if _, ok := want[name]; !ok {
			out = append(out, Difference{File: "host.json", Field: when + "." + name, Have: fmt.Sprintf("%q", have[name]), Want: "nothing"})
		}
	}
	return out
}

// torn holds what is kept of lines that were never finished to the digests in the ledger.
func (a *audited) torn() []Difference {
	if a.Log == nil {
		return nil
	}
	kept, err := filepath.Glob(filepath.Join(globEscape(a.Dir), "ledger.torn-*"))
	if err != nil {
		return []Difference{{File: "ledger.torn", Have: err.Error(), Want: "the torn lines"}}
	}
	digests := map[string]string{} // to the file
	for _, path := range kept {
		if got, err := engine.Digest(path); err == nil {
			digests[got.SHA256] = filepath.Base(path)
		}
	}
	var out []Difference
	told := 0
	for i := range a.Log.Entries {
		e := &a.Log.Entries[i]
		b, ok := e.Body.(*ledger.Resumed)
		if !ok || b.TornSHA256 == "" {
			continue
		}
		told++
		if _, ok := digests[b.TornSHA256]; !ok {
			out = append(out, Difference{
				File: fmt.Sprintf("%s:%d", ledger.Name, e.Line), Field: "torn_sha256",
				Have: "no ledger.torn-N with it", Want: b.TornSHA256,
			})
		}
	}
	if len(kept) > told {
		a.note("%d of the files ledger.torn-N are told of by no event, as a crash in the middle of a resumption leaves them", len(kept)-told)
	}
	return out
}

// analyses holds the exploratory analyses to the digests in the ledger.
func (a *audited) analyses() []Difference {
	if a.Log == nil {
		return nil
	}
	var out []Difference
	for i := range a.Log.Entries {
		if b, ok := a.Log.Entries[i].Body.(*ledger.Analysis); ok {
			if !filepath.IsLocal(filepath.FromSlash(b.Path)) {
				out = append(out, Difference{File: fmt.Sprintf("%s:%d", ledger.Name, a.Log.Entries[i].Line), Field: "path", Have: b.Path, Want: "a path in the folder"})
				continue
			}
			out = append(out, a.sum(b.Path, b.SHA256)...)
		}
	}
	return out
}

// unrecorded finds files where only files of which the ledger tells may lie.
func (a *audited) unrecorded() []Difference {
	if a.opened == nil || a.Plan == nil {
		return nil
	}
	known := a.known()
	var out []Difference
	for _, top := range []string{"analyses", "bin", "phase", "runs", "services", "steps"} {
		err := filepath.WalkDir(filepath.Join(a.Dir, top), func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() != "home" {
				return err
			}
			rel, err := filepath.Rel(a.Dir, p)
			if err != nil {
				return err
			}
			name := filepath.ToSlash(rel)
			switch {
			case d.IsDir() && isHome(name):
				a.home(name, p)
				return fs.SkipDir
			case d.IsDir(), known[name], strings.HasSuffix(name, ".tmp"), strings.HasPrefix(d.Name(), ".copy-"):
			case (top == "services" || top == "steps") && a.besideMayBe(name):
				a.note("%s is output of a service or a step of whose end the ledger has no record", name)
			case top == "runs" && a.wasLost(name):
				a.note("%s is output of a run whose record was lost: its block was run again", name)
			default:
				out = append(out, Difference{File: name, Have: "a file", Want: "none: nothing in the ledger tells of it"})
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			out = append(out, Difference{File: top, Have: err.Error(), Want: "the files"})
		}
	}
	return out
}

// known are the files of which the ledger tells, in the folders that hold nothing else. A run that was cut short may have left any.
func (a *audited) known() map[string]bool {
	known := map[string]bool{}
	for name := range a.opened.Stored {
		known[name] = true
	}
	for _, f := range a.opened.Files {
		known[filepath.ToSlash(f.Path)] = true
	}
	for i := range a.Log.Entries {
		switch b := a.Log.Entries[i].Body.(type) {
		case *ledger.Analysis:
			known[b.Path] = true
		case *ledger.ServiceStarted:
			known[path.Join(b.Output, "stdout")], known[path.Join(b.Output, "stderr")] = true, true
		case *ledger.RunStarted:
			dir := path.Join("runs", engine.RunName(len(a.Plan.Runs), b.Run, b.Attempt))
			for _, name := range []string{"stdout", "stderr", "audit"} {
				known[path.Join(dir, name)] = true
			}
		}
	}
	for _, o := range besideOutputs(a.Log.Entries) {
		known[o.name] = true
	}
	if a.opened.Stored == nil { // of an earlier phaselock, whose scripts have no digests
		_ = filepath.WalkDir(filepath.Join(a.Dir, "phase"), func(p string, d fs.DirEntry, err error) error {
			if rel, rerr := filepath.Rel(a.Dir, p); err == nil && rerr == nil {
				known[filepath.ToSlash(rel)] = true
			}
			return err
		})
	}
	return known
}

// isHome reports whether a folder is the HOME of a run, a service or a step.
func isHome(name string) bool {
	parts := strings.Split(name, "/")
	return len(parts) == 3 && slices.Contains([]string{"runs", "services", "steps"}, parts[0]) && parts[2] == "home"
}

func (a *audited) home(name, p string) {
	if left, err := os.ReadDir(p); err == nil && len(left) > 0 {
		a.note("%s holds what a process left there, which has no digest", name)
	}
}

// wasLost reports whether a file is output of an attempt whose record was lost and whose block was run again for that.
func (a *audited) wasLost(name string) bool {
	parts := strings.Split(name, "/")
	if len(parts) != 3 || !slices.Contains([]string{"stdout", "stderr", "audit"}, parts[2]) {
		return false
	}
	number, second, _ := strings.Cut(parts[1], ".")
	run, err := strconv.Atoi(number)
	if err != nil || run < 1 || run > len(a.Plan.Runs) {
		return false
	}
	attempt := 1
	if second != "" {
		if attempt, err = strconv.Atoi(second); err != nil {
			return false
		}
	}
	r := &a.Plan.Runs[run-1]
	for i := range a.Log.Entries {
		if b, ok := a.Log.Entries[i].Body.(*ledger.BlockRerun); ok && b.Case == r.Case && b.Block == r.Block && b.Attempt > attempt {
			return true
		}
	}
	return false
}
