package campaign

import (
	"fmt"
	"os"
	"path/filepath"
)

// Found is one change of a self-test, and what found it.
type Found struct {
	Change string
	By     []string // the comparisons that found it; none is a failure of the audit
	Where  string   // the first difference that was named
}

// SelfTest is what came of changing a copy of a folder, one thing at a time.
type SelfTest struct {
	Found   []Found
	Skipped []string // changes of what this folder does not have
}

// Missed returns the changes that no comparison found.
func (s *SelfTest) Missed() []string {
	var out []string
	for _, f := range s.Found {
		if len(f.By) == 0 {
			out = append(out, f.Change)
		}
	}
	return out
}

// RunSelfTest proves on a folder that holds that its audit can fail: it changes one digit, one label, one row, one byte of each kind
// of file in a copy, forges the ledger consistently, and audits the copy after each. The folder itself is only read.
func RunSelfTest(dir string) (*SelfTest, error) { return selfTest(dir, comparisons) }

func selfTest(dir string, comparisons []comparison) (*SelfTest, error) {
	before, err := newAudited(dir)
	if err != nil {
		return nil, err
	}
	if a := before.audit(comparisons); !a.Holds() {
		return nil, invalid("%s does not hold as it is, so that a change would prove nothing: %s", dir, a.Differences[0])
	}
	scratch, err := os.MkdirTemp("", "phaselock-audit-")
	if err != nil {
		return nil, &Error{ExitMachine, err}
	}
	defer os.RemoveAll(scratch)
	dummy := filepath.Join(scratch, "copy")
	if err := os.CopyFS(dummy, os.DirFS(dir)); err != nil {
		return nil, &Error{ExitMachine, fmt.Errorf("a copy to change: %w", err)}
	}
	out := &SelfTest{}
	for _, c := range changes {
		f, err := c.tried(dummy, scratch, comparisons)
		if err != nil {
			return nil, &Error{ExitMachine, fmt.Errorf("%s: %w", c.name, err)}
		}
		if f == nil {
			out.Skipped = append(out.Skipped, c.name)
			continue
		}
		out.Found = append(out.Found, *f)
	}
	return out, nil
}

// tried makes one change, audits the copy and takes the change back. It returns nil if there is nothing to change.
func (c *change) tried(dir, scratch string, comparisons []comparison) (_ *Found, err error) {
	before, err := newAudited(dir)
	if err != nil {
		return nil, err
	}
	edits, err := c.make(&forger{audited: before, scratch: scratch})
	if err != nil || len(edits) == 0 {
		return nil, err
	}
	undo, err := edits.apply(dir)
	defer func() {
		if uerr := undo(); err == nil {
			err = uerr
		}
	}()
	if err != nil {
		return nil, err
	}
	after, err := newAudited(dir)
	if err != nil {
		return nil, err
	}
	f := &Found{Change: c.name}
	for _, d := range after.audit(comparisons).Differences {
		if n := len(f.By); n == 0 || f.By[n-1] != d.Comparison {
			f.By = append(f.By, d.Comparison)
		}
		if f.Where == "" {
			f.Where = d.String()
		}
	}
	return f, nil
}

// edits are new contents of files, by path in the folder; nil removes one.
type edits map[string][]byte

// apply changes the files and returns what takes it back.
func (e edits) apply(dir string) (undo func() error, err error) {
	before := edits{}
	undo = func() error {
		for _, name := range sortedKeys(before) {
			if err := put(filepath.Join(dir, filepath.FromSlash(name)), before[name]); err != nil {
				return err
			}
		}
		return nil
	}
	for _, name := range sortedKeys(e) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		data, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			return undo, err
		}
		before[name] = data
		if err := put(path, e[name]); err != nil {
			return undo, err
		}
	}
	return undo, nil
}

// put writes a file of the copy, read-only ones too, or removes it.
func put(path string, data []byte) error {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	if data == nil {
		return nil
	}
	return os.WriteFile(path, data, 0o644)
}
