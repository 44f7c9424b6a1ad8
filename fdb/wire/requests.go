package wire

import "github.com/phaselock/phaselock/fdb"

// Hello is the first request on a connection.
type Hello struct{}

// ReadVersion asks for a version that is at least that of every commit whose client knows of it.
type ReadVersion struct{ Options []int }

// Read is what all reads carry.
type Read struct {
	Version  int64
	Options  []int // codes of the transaction's options
	Snapshot bool
	Log      []Mutation // the transaction's own writes that the read may see, oldest first
}

// Get reads a key.
type Get struct {
	Read
	Key []byte
}

// GetKey resolves a selector.
type GetKey struct {
	Read
	Selector fdb.Selector
}

// GetRange reads a page of a range. Range.Snapshot is not sent, Read.Snapshot is.
type GetRange struct {
	Read
	Range fdb.Range
}

// GetMapped reads a page of a mapped range.
type GetMapped struct {
	Read
	Range  fdb.Range
	Mapper []byte
}

// Commit is a whole transaction.
type Commit struct {
	Version        int64 // of its reads; 0 where it read nothing
	Options        []int
	Log            []Mutation
	ReadConflicts  []KeyRange
	WriteConflicts []KeyRange // beside those of the mutations
}

// Boundaries asks where shards start in [Begin, End).
type Boundaries struct{ Begin, End []byte }

// Addresses asks which servers hold a key.
type Addresses struct {
	Options []int
	Key     []byte
}

// Status asks for the status document.
type Status struct{}

// Counters asks what the server has counted.
type Counters struct{}

// Op is what a mutation does.
type Op int

// The mutations.
const (
	Set        Op = 1 + iota
	Clear         // Param is empty
	ClearRange    // Param is the end
	Add
	lastOp = Add
)

// Mutation is one write of a transaction.
type Mutation struct {
	Op         Op
	Key, Param []byte
	NoConflict bool // it makes no write conflict
}

// KeyRange is the keys from Begin to before End.
type KeyRange struct{ Begin, End []byte }

func (*Hello) kind() kind       { return hello }
func (*ReadVersion) kind() kind { return readVersion }
func (*Get) kind() kind         { return get }
func (*GetKey) kind() kind      { return getKey }
func (*GetRange) kind() kind    { return getRange }
func (*GetMapped) kind() kind   { return getMapped }
func (*Commit) kind() kind      { return commit }
func (*Boundaries) kind() kind  { return boundaries }
func (*Addresses) kind() kind   { return addresses }
func (*Status) kind() kind      { return status }
func (*Counters) kind() kind    { return counters }

func (*Hello) fields(*codec)           {}
func (m *ReadVersion) fields(c *codec) { codes(c, &m.Options) }

func (m *Get) fields(c *codec) {
	m.header(c)
	c.bytes(&m.Key)
}

func (m *GetKey) fields(c *codec) {
	m.header(c)
	selector(c, &m.Selector)
}

func (m *GetRange) fields(c *codec) {
	m.header(c)
	keyed(c, &m.Range)
}

func (m *GetMapped) fields(c *codec) {
	m.header(c)
	keyed(c, &m.Range)
	c.bytes(&m.Mapper)
}

func (m *Commit) fields(c *codec) {
	c.int64(&m.Version)
	codes(c, &m.Options)
	list(c, &m.Log, 4, mutation)
	list(c, &m.ReadConflicts, 2, keyRange)
	list(c, &m.WriteConflicts, 2, keyRange)
}

func (m *Boundaries) fields(c *codec) {
	c.bytes(&m.Begin)
	c.bytes(&m.End)
}

func (m *Addresses) fields(c *codec) {
	codes(c, &m.Options)
	c.bytes(&m.Key)
}

func (*Status) fields(*codec)   {}
func (*Counters) fields(*codec) {}

func (r *Read) header(c *codec) {
	c.int64(&r.Version)
	codes(c, &r.Options)
	c.bool(&r.Snapshot)
	list(c, &r.Log, 4, mutation)
}

func codes(c *codec, v *[]int) { list(c, v, 1, (*codec).int) }

func selector(c *codec, s *fdb.Selector) {
	c.bytes(&s.Key)
	c.bool(&s.OrEqual)
	c.int(&s.Offset)
}

func keyed(c *codec, r *fdb.Range) {
	selector(c, &r.Begin)
	selector(c, &r.End)
	c.int(&r.Limit)
	c.bool(&r.Reverse)
	c.int((*int)(&r.Mode))
	c.int(&r.Iteration)
}

func mutation(c *codec, m *Mutation) {
	c.int((*int)(&m.Op))
	if m.Op < Set || m.Op > lastOp {
		c.fail("no mutation has number %d", m.Op)
	}
	c.bytes(&m.Key)
	c.bytes(&m.Param)
	c.bool(&m.NoConflict)
}

func keyRange(c *codec, r *KeyRange) {
	c.bytes(&r.Begin)
	c.bytes(&r.End)
}
