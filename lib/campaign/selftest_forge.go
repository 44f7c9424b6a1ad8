package campaign

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/phaselock/phaselock/lib/ledger"
)

// forger makes the changes of a self-test, from a copy of a folder that holds.
type forger struct {
	*audited
	scratch string
}

// edited changes a file. A name that is "", a file that is not there and an edit that changes nothing are no edits.
func (f *forger) edited(name string, edit func([]byte) []byte) (edits, error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(filepath.Join(f.Dir, filepath.FromSlash(name)))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	changed := edit(bytes.Clone(data))
	if changed == nil || bytes.Equal(changed, data) {
		return nil, nil
	}
	return edits{name: changed}, nil
}

// digit changes the last digit of a file: 0 becomes 1, 9 becomes 8.
func (f *forger) digit(name string) (edits, error) {
	return f.edited(name, func(b []byte) []byte { return otherDigit(b, bytes.LastIndexAny(b, "0123456789")) })
}

// digitAfter changes the last digit behind a text's first occurrence.
func (f *forger) digitAfter(name, text string) (edits, error) {
	return f.edited(name, func(b []byte) []byte {
		from := bytes.Index(b, []byte(text))
		if at := bytes.LastIndexAny(b, "0123456789"); from >= 0 && at > from {
			return otherDigit(b, at)
		}
		return nil
	})
}

func otherDigit(b []byte, at int) []byte {
	if at < 0 {
		return nil
	}
	b[at] ^= 1 // the digits come in pairs: 0 and 1, …, 8 and 9
	return b
}

// longer adds one byte.
func (f *forger) longer(name string) (edits, error) {
	return f.edited(name, func(b []byte) []byte { return append(b, '\n') })
}

// removed removes a file.
func (f *forger) removed(name string) (edits, error) {
	e, err := f.longer(name)
	for name := range e {
		e[name] = nil
	}
	return e, err
}

// row removes the second line of a file.
func (f *forger) row(name string) (edits, error) {
	return f.edited(name, func(b []byte) []byte {
		lines := bytes.SplitAfter(b, []byte("\n"))
		if len(lines) < 3 {
			return nil
		}
		return bytes.Join(append(lines[:1:1], lines[2:]...), nil)
	})
}

// label gives a sample or a process another arm's name.
func (f *forger) label(name, before, after string) (edits, error) {
	if f.Plan == nil || len(f.Plan.Phase.Arms) < 2 {
		return nil, nil
	}
	one, other := f.Plan.Phase.Arms[0].Name, f.Plan.Phase.Arms[1].Name
	return f.edited(name, func(b []byte) []byte {
		at := bytes.LastIndex(b, []byte(before+one+after))
		if at < 0 {
			return nil
		}
		at += len(before)
		return append(append(b[:at:at], other...), b[at+len(one):]...)
	})
}

// consistentSample changes a sample in metrics.csv and what analysis.json says of that file.
func (f *forger) consistentSample() (edits, error) {
	e, err := f.digitAfter("metrics.csv", "\n")
	if err != nil || len(e) == 0 {
		return nil, err
	}
	before, err := os.ReadFile(filepath.Join(f.Dir, "metrics.csv"))
	if err != nil {
		return nil, err
	}
	sum := func(b []byte) []byte { return fmt.Appendf(nil, "%x", sha256.Sum256(b)) }
	changed, err := f.edited("analysis.json", func(b []byte) []byte { return bytes.ReplaceAll(b, sum(before), sum(e["metrics.csv"])) })
	for name, data := range changed {
		e[name] = data
	}
	return e, err
}

// forged changes the first event that edit takes, chains the ledger again under a lock that fits it, and makes everything again that
// is made from the ledger: what somebody would do who owns the folder and knows how it is written.
func (f *forger) forged(edit func(ledger.Body) bool) (edits, error) {
	log, err := ledger.Read(f.Dir) // bodies of its own, to be changed
	if err != nil {
		return nil, err
	}
	done := false
	for i := range log.Entries {
		if len(log.Entries[i].Unknown) > 0 {
			return nil, nil // written by a newer phaselock: this one cannot write it again
		}
		done = done || edit(log.Entries[i].Body)
	}
	if !done {
		return nil, nil
	}
	work, err := os.MkdirTemp(f.scratch, "forged-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	e, err := chained(work, log.Entries)
	if err != nil {
		return nil, err
	}
	undo, err := e.apply(f.Dir)
	if err != nil {
		return nil, errors.Join(err, undo())
	}
	err = f.madeAgain(e)
	return e, errors.Join(err, undo())
}

// madeAgain adds the derived files as the folder gives them now.
func (f *forger) madeAgain(e edits) error {
	again, err := newAudited(f.Dir)
	if err != nil || again.Result == nil || !again.closed() {
		return err
	}
	for _, name := range derived {
		if e[name], err = again.derive(name); err != nil {
			return err
		}
	}
	return nil
}

// chained writes entries as a ledger of their own, at their own times, and returns its files.
func chained(dir string, entries []ledger.Entry) (edits, error) {
	next := 0
	clock := func() time.Time {
		at := entries[max(0, min(next-1, len(entries)-1))].Time
		next++
		return at
	}
	folder := filepath.Join(dir, "folder")
	w, err := ledger.Create(folder, ledger.Options{Clock: clock})
	if err != nil {
		return nil, err
	}
	for i := range entries {
		if err := w.Append(entries[i].Body); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	e := edits{}
	for _, name := range []string{ledger.Name, ledger.LockName} {
		if e[name], err = os.ReadFile(filepath.Join(folder, name)); err != nil {
			return nil, err
		}
	}
	return e, nil
}
