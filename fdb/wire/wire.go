// Package wire is what a client of kvserve and the server say to each other: one plain struct for each request and each
// reply, and their encoding. Every transport carries the same bytes.
//
// A message is a version byte, a kind byte, the number of the request that it is or answers (uvarint), and the fields of
// its struct in their order. Integers are varints as encoding/binary has them (zigzag where they can be negative), a bool is
// one byte, bytes are their length and themselves, a list is its length and its items. Every message has exactly one
// encoding: what Decode accepts, Append gives back byte for byte.
package wire

import (
	"fmt"
)

// Version is that of the encoding. A message of another version is refused, not guessed at.
const Version = 1

// Message is a request or a reply.
type Message interface {
	kind() kind
	fields(c *codec)
}

// kind is the second byte of a message. A reply has the number of its request and the highest bit.
type kind byte

const (
	hello kind = 1 + iota
	readVersion
	get
	getKey
	getRange
	getMapped
	commit
	boundaries
	addresses
	status
	counters

	reply  kind = 0x80
	failed      = reply
)

// kinds makes an empty message of each kind.
var kinds = map[kind]func() Message{
	hello:               func() Message { return &Hello{} },
	reply | hello:       func() Message { return &HelloReply{} },
	readVersion:         func() Message { return &ReadVersion{} },
	reply | readVersion: func() Message { return &ReadVersionReply{} },
	get:                 func() Message { return &Get{} },
	reply | get:         func() Message { return &GetReply{} },
	getKey:              func() Message { return &GetKey{} },
	reply | getKey:      func() Message { return &GetKeyReply{} },
	getRange:            func() Message { return &GetRange{} },
	reply | getRange:    func() Message { return &GetRangeReply{} },
	getMapped:           func() Message { return &GetMapped{} },
	reply | getMapped:   func() Message { return &GetMappedReply{} },
	commit:              func() Message { return &Commit{} },
	reply | commit:      func() Message { return &CommitReply{} },
	boundaries:          func() Message { return &Boundaries{} },
	reply | boundaries:  func() Message { return &BoundariesReply{} },
	addresses:           func() Message { return &Addresses{} },
	reply | addresses:   func() Message { return &AddressesReply{} },
	status:              func() Message { return &Status{} },
	reply | status:      func() Message { return &StatusReply{} },
	counters:            func() Message { return &Counters{} },
	reply | counters:    func() Message { return &CountersReply{} },
	failed:              func() Message { return &Failed{} },
}

// Append appends the encoding of a message to dst.
func Append(dst []byte, id uint64, m Message) []byte {
	c := &codec{writing: true, data: append(dst, Version, byte(m.kind()))}
	c.uint(&id)
	m.fields(c)
	return c.data
}

// Decode reads one message, which is all of data. The message shares the memory of data. A list's length is believed only
// as far as data can hold so many items, so that what is allocated is at most some 30 times len(data).
func Decode(data []byte) (id uint64, m Message, err error) {
	if len(data) < 2 {
		return 0, nil, fmt.Errorf("wire: a message of %d bytes; the shortest has 3", len(data))
	}
	if data[0] != Version {
		return 0, nil, fmt.Errorf("wire: a message of version %d; this is version %d", data[0], Version)
	}
	empty, known := kinds[kind(data[1])]
	if !known {
		return 0, nil, fmt.Errorf("wire: no message has kind %#02x", data[1])
	}
	m = empty()
	c := &codec{data: data[2:]}
	c.uint(&id)
	m.fields(c)
	if c.err == nil && len(c.data) > 0 {
		c.fail("%d bytes after the last field", len(c.data))
	}
	if c.err != nil {
		return 0, nil, fmt.Errorf("wire: %T: %w", m, c.err)
	}
	return id, m, nil
}
