package kvserve

import (
	"context"
	"errors"
	"fmt"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/embedded"
	"github.com/phaselock/phaselock/fdb/wire"
)

func isRequest(m wire.Message) bool {
	switch m.(type) {
	case *wire.Hello, *wire.ReadVersion, *wire.Get, *wire.GetKey, *wire.GetRange, *wire.GetMapped, *wire.Commit, *wire.Boundaries,
		*wire.Addresses, *wire.Status, *wire.Counters:
		return true
	}
	return false
}

// answer serves one request of so many bytes, and returns its encoded reply.
func (s *Server) answer(id uint64, request wire.Message, in int) []byte {
	if s.latency > 0 {
		s.pause(s.latency) // a server that stops answers at once
	}
	reply, err := s.do(request)
	if err != nil {
		failed := &wire.Failed{Text: err.Error()}
		var e fdb.Error
		if errors.As(err, &e) {
			failed = &wire.Failed{Code: e.Code}
		}
		reply = failed
	}
	data := wire.Append(nil, id, reply)
	if len(data) > maxReply {
		data = wire.Append(nil, id, &wire.Failed{Text: fmt.Sprintf("a reply of %d bytes; the limit is %d", len(data), maxReply)})
	}
	s.counters.served(request, reply, in, len(data))
	return data
}

// do serves one request, in a transaction of its own that has the state of the client's.
func (s *Server) do(request wire.Message) (wire.Message, error) {
	ctx := context.Background() // the engine waits for nothing
	switch m := request.(type) {
	case *wire.Hello:
		return &wire.HelloReply{Instance: s.instance[:], Latency: s.latency.Nanoseconds()}, nil
	case *wire.ReadVersion:
		tr, err := s.begun(m.Options)
		if err != nil {
			return nil, err
		}
		v, err := tr.ReadVersion(ctx)
		return &wire.ReadVersionReply{Version: v}, err
	case *wire.Get:
		tr, err := s.reading(&m.Read)
		if err != nil {
			return nil, err
		}
		v, err := tr.Get(m.Key, m.Snapshot).Wait(ctx)
		return &wire.GetReply{Value: v, Conflicts: conflicts(tr)}, err
	case *wire.GetKey:
		tr, err := s.reading(&m.Read)
		if err != nil {
			return nil, err
		}
		key, err := tr.GetKey(m.Selector, m.Snapshot).Wait(ctx)
		return &wire.GetKeyReply{Key: key, Conflicts: conflicts(tr)}, err
	case *wire.GetRange:
		tr, err := s.reading(&m.Read)
		if err != nil {
			return nil, err
		}
		m.Range.Snapshot = m.Snapshot
		page, err := tr.GetRange(m.Range).Wait(ctx)
		return &wire.GetRangeReply{Page: page, Conflicts: conflicts(tr)}, err
	case *wire.GetMapped:
		tr, err := s.reading(&m.Read)
		if err != nil {
			return nil, err
		}
		m.Range.Snapshot = m.Snapshot
		page, err := tr.GetMappedRange(m.Range, m.Mapper).Wait(ctx)
		return &wire.GetMappedReply{Page: page, Conflicts: conflicts(tr)}, err
	case *wire.Commit:
		return s.commit(ctx, m)
	case *wire.Boundaries:
		keys, err := s.engine.Boundaries(ctx, m.Begin, m.End)
		return &wire.BoundariesReply{Keys: keys}, err
	case *wire.Addresses:
		tr, err := s.begun(m.Options)
		if err != nil {
			return nil, err
		}
		addresses, err := tr.Addresses(ctx, m.Key)
		return &wire.AddressesReply{Addresses: addresses}, err
	case *wire.Status:
		doc, err := s.engine.Status(ctx)
		return &wire.StatusReply{Document: doc}, err
	case *wire.Counters:
		return s.counters.read(), nil
	}
	return nil, fmt.Errorf("%T is no request", request)
}

// begun is a transaction with its options.
func (s *Server) begun(options []int) (*embedded.Transaction, error) {
	tr := s.engine.Start()
	for _, code := range options {
		if err := tr.SetOption(fdb.Option{Code: code}); err != nil {
			return nil, err
		}
	}
	return tr, nil
}

// reading is a transaction at the client's version, with the writes that its reads may see.
func (s *Server) reading(r *wire.Read) (*embedded.Transaction, error) {
	tr, err := s.begun(r.Options)
	if err != nil {
		return nil, err
	}
	tr.SetReadVersion(r.Version)
	return tr, replay(tr, r.Log)
}

// commit is a whole transaction. What it has read comes before its writes: a range that it read and wrote later conflicts.
func (s *Server) commit(ctx context.Context, m *wire.Commit) (wire.Message, error) {
	tr, err := s.begun(m.Options)
	if err != nil {
		return nil, err
	}
	if m.Version != 0 {
		tr.SetReadVersion(m.Version)
	}
	for _, r := range m.ReadConflicts {
		if err := tr.AddReadConflict(r.Begin, r.End); err != nil {
			return nil, err
		}
	}
	if err := replay(tr, m.Log); err != nil {
		return nil, err
	}
	for _, r := range m.WriteConflicts {
		if err := tr.AddWriteConflict(r.Begin, r.End); err != nil {
			return nil, err
		}
	}
	if err := tr.Commit(ctx); err != nil {
		return nil, err
	}
	version, err := tr.CommittedVersion()
	return &wire.CommitReply{Version: version}, err
}

// replay writes what the client's transaction has written. An illegal write shows in what comes after it.
func replay(tr *embedded.Transaction, log []wire.Mutation) error {
	for _, m := range log {
		if m.NoConflict {
			if err := tr.SetOption(fdb.NextWriteNoWriteConflictRange); err != nil {
				return err
			}
		}
		switch m.Op {
		case wire.Set:
			tr.Set(m.Key, m.Param)
		case wire.Clear:
			tr.Clear(m.Key)
		case wire.ClearRange:
			tr.ClearRange(m.Key, m.Param)
		case wire.Add:
			tr.Add(m.Key, m.Param)
		}
	}
	return nil
}

func conflicts(tr *embedded.Transaction) []wire.KeyRange {
	var out []wire.KeyRange
	for _, r := range tr.ReadConflicts() {
		out = append(out, wire.KeyRange(r))
	}
	return out
}
