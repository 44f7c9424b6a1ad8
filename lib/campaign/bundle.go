package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/lib/bundle"
	"github.com/phaselock/phaselock/lib/ledger"
)

// Leavable are the folders that a bundle may leave out: their digests stay in the ledger.
var Leavable = []string{"runs", "bin"}

// Bundle packs a result folder, or a campaign's, into one file. The same folder gives the same bytes.
func Bundle(w io.Writer, dir string, without []string) (bundle.Summary, error) {
	for _, name := range without {
		if !slices.Contains(Leavable, name) {
			return bundle.Summary{}, usage("--without %q: want %s", name, strings.Join(Leavable, " or "))
		}
	}
	phases, err := Phases(dir)
	if err != nil {
		return bundle.Summary{}, err
	}
	c := bundle.Content{Files: map[string][]byte{}}
	var left []string
	for _, phase := range phases {
		rel, err := filepath.Rel(dir, phase)
		if err != nil {
			return bundle.Summary{}, &Error{ExitMachine, err}
		}
		below := filepath.ToSlash(rel)
		m, err := manifestOf(phase, without)
		if err != nil {
			return bundle.Summary{}, err
		}
		data, err := json.Marshal(m)
		if err != nil {
			return bundle.Summary{}, err
		}
		c.Files[path.Join(below, manifestName)] = append(data, '\n')
		for _, name := range m.Without {
			left = append(left, path.Join(below, name))
		}
	}
	c.Leave = func(name string) bool {
		return slices.Contains(left, name) || strings.HasSuffix(name, ".tmp") || strings.HasPrefix(path.Base(name), ".copy-")
	}
	sum, err := bundle.Pack(w, dir, c)
	if err != nil {
		return sum, &Error{ExitMachine, err}
	}
	return sum, nil
}

// manifestOf says what the bundle of a phase's folder is. A folder that is written, or whose ledger does not hold, is refused.
func manifestOf(dir string, without []string) (*manifest, error) {
	if holder, held := ledger.Holder(dir); held {
		return nil, &Error{ExitMachine, &ledger.BusyError{Dir: dir, Holder: holder}}
	}
	log, err := ledger.Read(dir)
	if err != nil {
		return nil, invalid("%s: %w", dir, err)
	}
	if len(log.Entries) == 0 {
		return nil, usage("%s: nothing was run here: there is nothing to bundle", dir)
	}
	o, ok := log.Entries[0].Body.(*ledger.Opened)
	if !ok {
		return nil, invalid("%s: the ledger begins with %s, not with an opening", dir, log.Entries[0].Event)
	}
	m := &manifest{Version: 1, Phase: o.Phase, Head: log.Head, Without: slices.Clone(without)}
	if before, ok := readManifest(dir); ok { // what an earlier bundle left out is not here
		m.Without = append(m.Without, before.Without...)
	}
	slices.Sort(m.Without)
	m.Without = slices.Compact(m.Without)
	return m, nil
}

// OpenBundle opens a bundle into a folder, which must not exist or be empty, and holds the ledgers in it to what the bundle says of
// them. It returns the phases' folders. Where it fails nothing is left.
func OpenBundle(r io.Reader, into string, most int64) (phases []string, sum bundle.Summary, err error) {
	if err := unused(into); err != nil {
		return nil, sum, err
	}
	_, there := os.Stat(into)
	if err := os.MkdirAll(into, 0o755); err != nil {
		return nil, sum, &Error{ExitMachine, err}
	}
	defer func() {
		if err == nil {
			return
		}
		entries, _ := os.ReadDir(into)
		for _, e := range entries {
			_ = os.RemoveAll(filepath.Join(into, e.Name())) // the error that matters is the other one
		}
		if there != nil {
			_ = os.Remove(into)
		}
	}()
	sum, err = bundle.Open(r, into, most)
	var none *bundle.NotABundle
	var damaged *bundle.Damaged
	switch {
	case errors.As(err, &none):
		return nil, sum, &Error{ExitUsage, err}
	case errors.As(err, &damaged):
		return nil, sum, &Error{ExitInvalid, err}
	case err != nil:
		return nil, sum, &Error{ExitMachine, err}
	}
	if phases, err = Phases(into); err != nil {
		return nil, sum, &Error{ExitUsage, fmt.Errorf("it is no bundle of results: %w", err)}
	}
	for _, phase := range phases {
		m, ok := readManifest(phase)
		if !ok {
			return nil, sum, &Error{ExitUsage, fmt.Errorf("it is no bundle of results: %s has no %s", filepath.Base(phase), manifestName)}
		}
		if m.Version > 1 {
			return nil, sum, &Error{ExitUsage, fmt.Errorf("the bundle has version %d, this phaselock opens version 1: a newer one opens it", m.Version)}
		}
		if log, err := ledger.Read(phase); err != nil || log.Head != m.Head {
			return nil, sum, &Error{ExitInvalid, &bundle.Damaged{Err: errors.Join(fmt.Errorf("the ledger of %s has not the head %s, which %s says", m.Phase, m.Head, manifestName), err)}}
		}
	}
	return phases, sum, nil
}
