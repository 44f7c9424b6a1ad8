package embedded

import "github.com/phaselock/phaselock/fdb"

// Mutation is one write, as a client sends it to a server.
type Mutation struct {
	Op         Op
	Key, Param []byte // Param is the value, the end of a range, or what is added
	NoConflict bool   // it makes no write conflict
}

// Op is what a mutation does.
type Op int

// The mutations.
const (
	OpSet        = Op(opSet)
	OpClear      = Op(opClear)
	OpClearRange = Op(opClearRange)
	OpAdd        = Op(opAdd)
)

// Writes gives the mutations of the transaction, in order, and the write conflicts beside theirs, for a client that buffers them before
// they go to a server.
func (t *Transaction) Writes() (log []Mutation, conflicts []fdb.KeyRange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.mutations {
		m := &t.mutations[i]
		log = append(log, Mutation{Op(m.op), []byte(m.key), m.param, m.noConflict})
	}
	for _, s := range t.writes {
		conflicts = append(conflicts, fdb.KeyRange{Begin: []byte(s.begin), End: []byte(s.end)})
	}
	return log, conflicts
}
