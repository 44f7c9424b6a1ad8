package directory

import (
	"bytes"
	"context"
	"slices"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/tuple"
)

// Move gives a directory another path. What is in it stays where it is.
func (l *Layer) Move(ctx context.Context, tr fdb.Transaction, from, to []string) (Directory, error) {
	if len(from) == 0 || len(to) == 0 {
		return Directory{}, ErrRoot
	}
	if err := l.version(ctx, tr, true); err != nil {
		return Directory{}, err
	}
	if len(to) >= len(from) && slices.Equal(to[:len(from)], from) {
		return Directory{}, at(to, ErrPartition)
	}
	old, err := l.find(ctx, tr, from)
	if err != nil {
		return Directory{}, err
	}
	if !old.found {
		return Directory{}, at(from, ErrNotFound)
	}
	next, err := l.find(ctx, tr, to)
	if err != nil {
		return Directory{}, err
	}
	if next.found {
		return Directory{}, at(to, ErrExists)
	}
	if !bytes.Equal(old.layer.nodes, next.layer.nodes) {
		return Directory{}, at(to, ErrPartition)
	}
	parent, err := next.layer.find(ctx, tr, next.path[:len(next.path)-1])
	if err != nil {
		return Directory{}, err
	}
	if !parent.found {
		return Directory{}, at(to[:len(to)-1], ErrNotFound)
	}
	above, err := old.layer.find(ctx, tr, old.path[:len(old.path)-1])
	if err != nil {
		return Directory{}, err
	}
	tr.Set(child(parent.node, to[len(to)-1]), old.prefix)
	tr.Clear(child(above.node, from[len(from)-1]))
	return old.directory(to), nil
}

// Remove removes a directory with all that is in it, and reports whether it was there.
func (l *Layer) Remove(ctx context.Context, tr fdb.Transaction, path []string) (bool, error) {
	if len(path) == 0 {
		return false, ErrRoot
	}
	if err := l.version(ctx, tr, true); err != nil {
		return false, err
	}
	p, err := l.find(ctx, tr, path)
	if err != nil || !p.found {
		return false, err
	}
	above, err := p.layer.find(ctx, tr, p.path[:len(p.path)-1])
	if err != nil {
		return false, err
	}
	if err := p.layer.remove(ctx, tr, p.prefix); err != nil {
		return false, err
	}
	tr.Clear(child(above.node, path[len(path)-1]))
	return true, nil
}

// remove clears a directory's keys, and what is known of it and of those in it.
func (l *Layer) remove(ctx context.Context, tr fdb.Transaction, prefix []byte) error {
	node := l.node(prefix)
	_, prefixes, err := children(ctx, tr, node)
	if err != nil {
		return err
	}
	for _, p := range prefixes {
		if err := l.remove(ctx, tr, p); err != nil {
			return err
		}
	}
	for _, p := range [][]byte{prefix, node} {
		end, err := tuple.Strinc(p)
		if err != nil {
			return err
		}
		tr.ClearRange(p, end)
	}
	return nil
}
