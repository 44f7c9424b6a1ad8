package campaign

import (
	"os"
	"path/filepath"
	"sort"
	"time"

	"github.com/phaselock/phaselock/lib/ledger"
)

// Phases returns the phases' result folders of a campaign's folder, in the order in which they were opened, and the folder itself
// if it is that of one phase. A phase that was not opened has no folder yet.
func Phases(dir string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(dir, ledger.Name)); err == nil {
		return []string{dir}, nil
	}
	ledgers, err := filepath.Glob(filepath.Join(globEscape(dir), "*", ledger.Name))
	if err != nil {
		return nil, &Error{ExitMachine, err}
	}
	if len(ledgers) == 0 {
		return nil, usage("%s is no result folder: there is no %s in it, nor in a folder of it", dir, ledger.Name)
	}
	opened := map[string]time.Time{}
	var phases []string
	for _, path := range ledgers {
		phase := filepath.Dir(path)
		if log, err := ledger.Read(phase); err == nil && len(log.Entries) > 0 { // one that cannot be read is for its reader to refuse
			opened[phase] = log.Entries[0].Time
		}
		phases = append(phases, phase)
	}
	sort.SliceStable(phases, func(i, j int) bool { return opened[phases[i]].Before(opened[phases[j]]) })
	return phases, nil
}

// globEscape returns a pattern that matches a path and nothing else.
func globEscape(path string) string {
	var b []byte
	for i := range len(path) {
		switch path[i] {
		case '*', '?', '[', '\\':
			b = append(b, '\\')
		}
		b = append(b, path[i])
	}
	return string(b)
}
