package wire

import "github.com/phaselock/phaselock/fdb"

// HelloReply says who serves.
type HelloReply struct {
	Instance []byte // another one after every start: the data of an earlier start are gone
	Latency  int64  // nanoseconds that each request waits before it is served
}

// ReadVersionReply is a version to read at.
type ReadVersionReply struct{ Version int64 }

// GetReply is the value of a key. Conflicts, here and below, is what the read adds to the ranges that the transaction
// has read; a snapshot read adds nothing.
type GetReply struct {
	Value     fdb.Value
	Conflicts []KeyRange
}

// GetKeyReply is the key that a selector names.
type GetKeyReply struct {
	Key       []byte
	Conflicts []KeyRange
}

// GetRangeReply is a page of a range.
type GetRangeReply struct {
	Page      fdb.Page
	Conflicts []KeyRange
}

// GetMappedReply is a page of a mapped range.
type GetMappedReply struct {
	Page      fdb.MappedPage
	Conflicts []KeyRange
}

// CommitReply is the version of a commit.
type CommitReply struct{ Version int64 }

// BoundariesReply is where shards start.
type BoundariesReply struct{ Keys [][]byte }

// AddressesReply is who holds a key.
type AddressesReply struct{ Addresses []string }

// StatusReply is the status document.
type StatusReply struct{ Document []byte }

// CountersReply is what the server has counted since its start, for all clients. Hello, Status and Counters are not counted.
type CountersReply struct {
	ReadVersions uint64
	Gets         uint64
	GetKeys      uint64
	Ranges       uint64 // pages asked for
	MappedRanges uint64 // pages asked for
	Commits      uint64
	Locality     uint64 // requests for boundaries and addresses
	Failures     uint64 // requests of the above that were answered by an error
	Rows         uint64 // pairs in pages of ranges, and rows of the index in pages of mapped ranges
	Loads        uint64 // lookups that mapped ranges made in the server, one for each row of the index
	BytesIn      uint64 // of the requests above, as this package encodes them
	BytesOut     uint64 // of their replies
	Connections  uint64 // ever made
	Broken       uint64 // connections that were ended because of what they sent
}

// Requests is how many requests were counted.
func (r *CountersReply) Requests() uint64 {
	return r.ReadVersions + r.Gets + r.GetKeys + r.Ranges + r.MappedRanges + r.Commits + r.Locality
}

// Failed is the answer to a request that could not be served.
type Failed struct {
	Code int    // of the store; 0 where the error is not the store's
	Text string // where Code is 0
}

func (*HelloReply) kind() kind       { return reply | hello }
func (*ReadVersionReply) kind() kind { return reply | readVersion }
func (*GetReply) kind() kind         { return reply | get }
func (*GetKeyReply) kind() kind      { return reply | getKey }
func (*GetRangeReply) kind() kind    { return reply | getRange }
func (*GetMappedReply) kind() kind   { return reply | getMapped }
func (*CommitReply) kind() kind      { return reply | commit }
func (*BoundariesReply) kind() kind  { return reply | boundaries }
func (*AddressesReply) kind() kind   { return reply | addresses }
func (*StatusReply) kind() kind      { return reply | status }
func (*CountersReply) kind() kind    { return reply | counters }
func (*Failed) kind() kind           { return failed }

func (m *HelloReply) fields(c *codec) {
	c.bytes(&m.Instance)
	c.int64(&m.Latency)
}

func (m *ReadVersionReply) fields(c *codec) { c.int64(&m.Version) }

func (m *GetReply) fields(c *codec) {
	c.bool(&m.Value.Present)
	if m.Value.Present {
		c.bytes(&m.Value.Bytes)
	}
	list(c, &m.Conflicts, 2, keyRange)
}

func (m *GetKeyReply) fields(c *codec) {
	c.bytes(&m.Key)
	list(c, &m.Conflicts, 2, keyRange)
}

func (m *GetRangeReply) fields(c *codec) {
	list(c, &m.Page.Pairs, 2, pair)
	c.bool(&m.Page.More)
	list(c, &m.Conflicts, 2, keyRange)
}

func (m *GetMappedReply) fields(c *codec) {
	list(c, &m.Page.Rows, 5, row)
	c.bool(&m.Page.More)
	list(c, &m.Conflicts, 2, keyRange)
}

func (m *CommitReply) fields(c *codec)     { c.int64(&m.Version) }
func (m *BoundariesReply) fields(c *codec) { list(c, &m.Keys, 1, (*codec).bytes) }
func (m *AddressesReply) fields(c *codec)  { list(c, &m.Addresses, 1, (*codec).string) }
func (m *StatusReply) fields(c *codec)     { c.bytes(&m.Document) }

func (m *CountersReply) fields(c *codec) {
	for _, v := range []*uint64{
		&m.ReadVersions, &m.Gets, &m.GetKeys, &m.Ranges, &m.MappedRanges, &m.Commits, &m.Locality, &m.Failures, &m.Rows, &m.Loads,
		&m.BytesIn, &m.BytesOut, &m.Connections, &m.Broken,
	} {
		c.uint(v)
	}
}

func (m *Failed) fields(c *codec) {
	c.int(&m.Code)
	c.string(&m.Text)
}

func pair(c *codec, p *fdb.KeyValue) {
	c.bytes(&p.Key)
	c.bytes(&p.Value)
}

func row(c *codec, r *fdb.MappedRow) {
	c.bytes(&r.Key)
	c.bytes(&r.Value)
	c.bytes(&r.Begin)
	c.bytes(&r.End)
	list(c, &r.Pairs, 2, pair)
}
