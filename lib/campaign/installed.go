package campaign

import (
	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/seal"
)

// installed are the files of a phase where runs find them.
type installed struct {
	targets map[string]engine.Target // by the plan's name
	pins    map[string][]*seal.Pin   // by the plan's name under which runs use them
}

func newInstalled() *installed {
	return &installed{targets: map[string]engine.Target{}, pins: map[string][]*seal.Pin{}}
}

// add makes a file known. It serves the plan's name of the pattern that it matched, or of the script whose interpreter it
// is, else its own.
func (in *installed) add(f *ledger.PinnedFile, pin *seal.Pin) {
	used := f.Label
	switch {
	case f.Pattern != "":
		used = f.Pattern
		t := in.targets[used]
		t.Matches = append(t.Matches, pin.Path)
		in.targets[used] = t
	case f.User != "":
		used = f.User
	default:
		in.targets[used] = engine.Target{Path: pin.Path, Dir: f.Dir}
	}
	in.pins[used] = append(in.pins[used], pin)
}
