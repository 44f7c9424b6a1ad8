package campaign

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
)

// Audit is what came of holding everything in a result folder to what its plan, its ledger and its raw output make of it.
type Audit struct {
	Differences []Difference
	Notes       []string // what could not be compared, and what no comparison can find
	Comparisons []string // what was compared, in order
	Lines       int      // of the ledger
	Head        string   // digest of its last line; "" if it could not be read
	Anchor      string   // what outside of the folder vouches for the ledger; "" is unanchored
}

// Holds reports whether nothing differs.
func (a *Audit) Holds() bool { return len(a.Differences) == 0 }

// Difference is one place where a folder is not as it should be.
type Difference struct {
	Comparison string
	File       string // below the folder, with its line where it has lines
	Run        int    // 0: of no run
	Field      string // "" if it is the file as a whole
	Have, Want string
}

// String names the file, the run, the field and both values.
func (d Difference) String() string {
	s := d.File
	if d.Run > 0 {
		s += fmt.Sprintf(": run %d", d.Run)
	}
	if d.Field != "" {
		s += ": " + d.Field
	}
	return fmt.Sprintf("%s: has %s, should have %s", s, d.Have, d.Want)
}

// comparison holds one part of a folder to what it must be. Each stands alone: what another one finds does not hide what this one does.
type comparison struct {
	name string
	raw  bool // it needs runs/, which a bundle may have left out
	run  func(*audited) []Difference
}

// comparisons is the audit, in order. A new one is a function, a line here, and a change in the self-test that nothing else finds.
var comparisons = []comparison{
	{"chain", false, (*audited).chain},
	{"closing", false, (*audited).closing},
	{"stored files", false, (*audited).stored},
	{"seal", false, (*audited).sealed},
	{"signed head", false, (*audited).signedHead},
	{"labels", false, (*audited).labels},
	{"counts", false, (*audited).counts},
	{"raw output", true, (*audited).outputs},
	{"output of services and steps", false, (*audited).beside},
	{"statuses of cases", false, (*audited).statuses},
	{"files without a record", false, (*audited).unrecorded},
	{"samples", true, (*audited).samples},
	{"binaries", false, (*audited).binaries},
	{"host", false, (*audited).host},
	{"torn lines", false, (*audited).torn},
	{"analyses", false, (*audited).analyses},
	{"metrics.csv", true, (*audited).metrics},
	{"analysis.json", true, (*audited).analysis},
	{"report.md", true, (*audited).report},
}

// RunAudit recomputes chain, counts, labels, samples, metrics.csv, analysis.json and report.md from a folder's plan, ledger and raw
// output and compares them with what lies there. It changes nothing. head, where it is not "", is the digest of a line of the ledger
// that was kept outside of the folder: without one, a folder that was rewritten as a whole cannot be told from the first.
// The error is of a folder that is none.
func RunAudit(dir, head string) (*Audit, error) {
	f, err := newAudited(dir)
	if err != nil {
		return nil, err
	}
	a := f.audit(comparisons)
	if head != "" {
		a.holdHead(f, head)
	}
	return a, nil
}

// holdHead holds the ledger to a digest from outside.
func (a *Audit) holdHead(f *audited, head string) {
	if f.Log == nil {
		return // the chain's own difference says why
	}
	line, closed := lineOf(f.Log, head), 0
	for _, e := range f.Log.Entries {
		if _, ok := e.Body.(*ledger.Closed); ok {
			closed = e.Line
		}
	}
	d := Difference{Comparison: "head", File: ledger.Name, Field: "head"}
	switch {
	case line == 0:
		d.Have, d.Want = f.Log.Head+" at its end, and nowhere the other", head
	case line < closed:
		d.Have, d.Want = fmt.Sprintf("that head on line %d", line), fmt.Sprintf("a head that covers every run: the phase was closed on line %d", closed)
	default:
		a.Anchor = fmt.Sprintf("the head that was given is that of line %d of %d", line, len(f.Log.Entries))
		return
	}
	a.Differences = append(a.Differences, d)
}

// lineOf returns the line of a ledger that has a digest, or 0.
func lineOf(log *ledger.Log, digest string) int {
	for i, e := range log.Entries {
		if e.Prev == digest {
			return i // the line before; 0 for the zeros that the first line names
		}
	}
	if log.Head == digest {
		return len(log.Entries)
	}
	return 0
}

// audit makes the given comparisons.
func (f *audited) audit(comparisons []comparison) *Audit {
	out := &Audit{}
	for _, c := range comparisons {
		if c.raw && f.withoutRuns {
			f.note("%s: not compared, since this bundle was made without runs/", c.name)
			continue
		}
		for _, d := range c.run(f) {
			d.Comparison = c.name
			out.Differences = append(out.Differences, d)
		}
		out.Comparisons = append(out.Comparisons, c.name)
	}
	out.Notes = f.notes
	if f.Log != nil {
		out.Lines, out.Head = len(f.Log.Entries), f.Log.Head
		out.Anchor = f.anchored()
	}
	return out
}

// anchored says what outside of the folder vouches for its ledger; "" if nothing does.
func (a *audited) anchored() string {
	key, whole, err := a.headKey()
	if err != nil || key == "" || !whole {
		return ""
	}
	return "the ledger's head is signed by " + key + "; whose key that is, an allowed_signers file says (phaselock verify)"
}

// audited is a folder under audit: what could be read of it, and why the rest could not.
type audited struct {
	*Folder
	opened      *ledger.Opened // nil if the ledger cannot be read or does not begin with it
	chainErr    error
	planErr     error
	withoutRuns bool
	notes       []string
}

func (a *audited) note(format string, args ...any) {
	a.notes = append(a.notes, fmt.Sprintf(format, args...))
}

// newAudited reads what it can of a folder.
func newAudited(dir string) (*audited, error) {
	if _, err := os.Stat(filepath.Join(dir, ledger.Name)); err != nil {
		return nil, usage("%s is no result folder: there is no %s in it", dir, ledger.Name)
	}
	a := &audited{Folder: &Folder{Dir: dir, lenient: true}}
	a.withoutRuns = WithoutRuns(dir)
	if a.Log, a.chainErr = ledger.Read(dir); a.chainErr != nil {
		a.note("the ledger cannot be read, so that nothing was compared with it")
		return a, nil
	}
	if len(a.Log.Entries) > 0 {
		a.opened, _ = a.Log.Entries[0].Body.(*ledger.Opened)
	}
	file, err := os.Open(filepath.Join(dir, "plan.json"))
	if err == nil {
		a.Plan, err = plan.Decode(file)
		file.Close()
	}
	if err != nil {
		a.planErr = err
		a.note("plan.json cannot be read, so that nothing was recomputed")
		return a, nil
	}
	if a.opened == nil || a.withoutRuns {
		return a, nil
	}
	if a.Processes, err = a.processes(); err == nil {
		err = a.analyze()
	}
	if err != nil {
		a.Result = nil
		a.note("nothing was recomputed: %v", err)
	}
	return a, nil
}

// have returns a file below the folder, or a difference that says why not. A name that is not there and need not be is neither.
func (a *audited) have(name string) (data []byte, missing *Difference) {
	data, err := os.ReadFile(filepath.Join(a.Dir, filepath.FromSlash(name)))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, &Difference{File: name, Have: "no such file", Want: "the file"}
	case err != nil:
		return nil, &Difference{File: name, Have: err.Error(), Want: "the file"}
	}
	return data, nil
}

// sum holds a file to its digest.
func (a *audited) sum(name, want string) []Difference {
	data, missing := a.have(name)
	if missing != nil {
		return []Difference{*missing}
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != want {
		return []Difference{{File: name, Field: "SHA-256", Have: got, Want: want}}
	}
	return nil
}
