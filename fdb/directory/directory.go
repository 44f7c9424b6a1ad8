// Package directory is FoundationDB's directory layer: names of directories stand for short prefixes of keys. The prefixes
// come from an allocator whose integers are drawn at random, and their length with them: of two stores made in the same way
// one may have keys a byte shorter. What measures a store records the prefix, or fixes it.
package directory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/tuple"
)

// Options are what a layer is made with. The zero value is FoundationDB's default layer.
type Options struct {
	Random func(n int64) int64 // uniform in [0, n); of math/rand where nil
	Manual bool                // CreatePrefix is allowed
}

// Layer is a directory layer. It keeps nothing: everything is read in the transaction of the call.
type Layer struct {
	options Options
	nodes   []byte // prefix of what the layer knows of directories
	content []byte // prefix of what is in them
}

// Directory is a directory that exists.
type Directory struct {
	Path   []string
	Prefix []byte // of all keys in it
	Layer  string // what made it; "partition" is a layer of its own
}

// Errors of the layer.
var (
	ErrExists    = errors.New("directory: it exists")
	ErrNotFound  = errors.New("directory: it does not exist")
	ErrLayer     = errors.New("directory: it was made by another layer")
	ErrNoManual  = errors.New("directory: the layer takes no prefixes by hand")
	ErrInUse     = errors.New("directory: the prefix is in use")
	ErrRoot      = errors.New("directory: the root can be neither made, moved nor removed")
	ErrPartition = errors.New("directory: it cannot be moved into itself or between partitions")
)

const partition = "partition"

// New makes a layer over all keys, which keeps its own below fe.
func New(o Options) *Layer { return &Layer{options: o, nodes: []byte{0xfe}} }

// Allocator is what the layer draws prefixes from.
func (l *Layer) Allocator() *Allocator {
	return &Allocator{Prefix: append(l.root(), tuple.Tuple{"hca"}.Pack()...), Random: l.options.Random}
}

// node is the prefix of what is known of the directory with a prefix.
func (l *Layer) node(prefix []byte) []byte {
	return append(bytes.Clone(l.nodes), tuple.Tuple{prefix}.Pack()...)
}

func (l *Layer) root() []byte { return l.node(l.nodes) }

func child(node []byte, name string) []byte {
	return append(bytes.Clone(node), tuple.Tuple{0, name}.Pack()...)
}

func layerKey(node []byte) []byte { return append(bytes.Clone(node), tuple.Tuple{"layer"}.Pack()...) }

// place is where a path leads: a directory below the root of a layer, and whether it is there.
type place struct {
	layer  *Layer // the partition that the directory lies in
	path   []string
	found  bool
	node   []byte
	prefix []byte
	kind   string
}

// find follows a path, into partitions on the way.
func (l *Layer) find(ctx context.Context, tr fdb.Transaction, path []string) (place, error) {
	p := place{layer: l, path: path, found: true, node: l.root(), prefix: l.content}
	for i, name := range path {
		if p.found && p.kind == partition {
			p.layer = &Layer{options: l.options, nodes: append(bytes.Clone(p.prefix), 0xfe), content: p.prefix}
			p.path, p.node = path[i:], p.layer.root()
		}
		if !p.found {
			return p, nil
		}
		v, err := tr.Get(child(p.node, name), false).Wait(ctx)
		if err != nil {
			return place{}, err
		}
		if p.found = v.Present; !p.found {
			p.node, p.prefix, p.kind = nil, nil, ""
			continue
		}
		p.prefix, p.node = v.Bytes, p.layer.node(v.Bytes)
		layer, err := tr.Get(layerKey(p.node), false).Wait(ctx)
		if err != nil {
			return place{}, err
		}
		p.kind = string(layer.Bytes)
	}
	return p, nil
}

func (p place) directory(path []string) Directory {
	return Directory{Path: slices.Clone(path), Prefix: bytes.Clone(p.prefix), Layer: p.kind}
}

func at(path []string, err error) error {
	return fmt.Errorf("/%s: %w", strings.Join(path, "/"), err)
}

// Open opens a directory. Where layer is not empty, it must be the one that made it.
func (l *Layer) Open(ctx context.Context, tr fdb.Transaction, path []string, layer string) (Directory, error) {
	if err := l.version(ctx, tr, false); err != nil {
		return Directory{}, err
	}
	p, err := l.find(ctx, tr, path)
	switch {
	case err != nil:
		return Directory{}, err
	case !p.found:
		return Directory{}, at(path, ErrNotFound)
	case layer != "" && layer != p.kind:
		return Directory{}, at(path, fmt.Errorf("%w: %q, not %q", ErrLayer, p.kind, layer))
	}
	return p.directory(path), nil
}

// Create makes a directory, and those above it that are missing, each with a prefix of the allocator.
func (l *Layer) Create(ctx context.Context, tr fdb.Transaction, path []string, layer string) (Directory, error) {
	return l.create(ctx, tr, path, layer, nil)
}

// CreatePrefix makes a directory with a prefix that the caller chooses. A mapped range wants one that is a tuple.
func (l *Layer) CreatePrefix(ctx context.Context, tr fdb.Transaction, path []string, layer string, prefix []byte) (Directory, error) {
	if !l.options.Manual || len(prefix) == 0 {
		return Directory{}, at(path, ErrNoManual)
	}
	return l.create(ctx, tr, path, layer, prefix)
}

// CreateOrOpen opens a directory, or makes it where it is not there.
func (l *Layer) CreateOrOpen(ctx context.Context, tr fdb.Transaction, path []string, layer string) (Directory, error) {
	d, err := l.Open(ctx, tr, path, layer)
	if errors.Is(err, ErrNotFound) {
		return l.create(ctx, tr, path, layer, nil)
	}
	return d, err
}

func (l *Layer) create(ctx context.Context, tr fdb.Transaction, path []string, layer string, prefix []byte) (Directory, error) {
	if len(path) == 0 {
		return Directory{}, ErrRoot
	}
	if err := l.version(ctx, tr, true); err != nil {
		return Directory{}, err
	}
	p, err := l.find(ctx, tr, path)
	switch {
	case err != nil:
		return Directory{}, err
	case p.found:
		return Directory{}, at(path, ErrExists)
	case p.layer != l:
		if prefix != nil {
			return Directory{}, at(path, fmt.Errorf("%w within a partition", ErrNoManual))
		}
		d, err := p.layer.create(ctx, tr, p.path, layer, nil)
		d.Path = slices.Clone(path)
		return d, err
	}
	if prefix, err = l.prefix(ctx, tr, path, prefix); err != nil {
		return Directory{}, err
	}
	parent := l.root()
	if above := path[:len(path)-1]; len(above) > 0 {
		d, err := l.CreateOrOpen(ctx, tr, above, "")
		if err != nil {
			return Directory{}, err
		}
		parent = l.node(d.Prefix)
	}
	tr.Set(child(parent, path[len(path)-1]), prefix)
	tr.Set(layerKey(l.node(prefix)), []byte(layer))
	return Directory{Path: slices.Clone(path), Prefix: prefix, Layer: layer}, nil
}

// prefix draws a prefix, or takes one by hand; nothing may be in it or around it.
func (l *Layer) prefix(ctx context.Context, tr fdb.Transaction, path []string, manual []byte) ([]byte, error) {
	prefix := manual
	if manual == nil {
		number, err := l.Allocator().Allocate(ctx, tr)
		if err != nil {
			return nil, err
		}
		prefix = append(bytes.Clone(l.content), tuple.Tuple{number}.Pack()...)
		end, err := tuple.Strinc(prefix)
		if err != nil {
			return nil, err
		}
		empty, err := empty(ctx, tr, prefix, end, false)
		if err != nil {
			return nil, err
		}
		if !empty {
			return nil, at(path, fmt.Errorf("%w: keys start with %x, which the allocator gave", ErrInUse, prefix))
		}
	}
	free, err := l.free(ctx, tr, prefix, manual == nil)
	if err != nil {
		return nil, err
	}
	if !free {
		return nil, at(path, fmt.Errorf("%w: %x", ErrInUse, prefix))
	}
	return prefix, nil
}

// free reports whether no directory's prefix starts with a prefix, or is the start of it.
func (l *Layer) free(ctx context.Context, tr fdb.Transaction, prefix []byte, snapshot bool) (bool, error) {
	if bytes.HasPrefix(prefix, l.nodes) {
		return false, nil
	}
	r := fdb.Keys(l.nodes, append(l.node(prefix), 0))
	r.Limit, r.Mode, r.Reverse, r.Snapshot = 1, fdb.StreamingExact, true, snapshot
	page, err := tr.GetRange(r).Wait(ctx)
	if err != nil {
		return false, err
	}
	for _, pair := range page.Pairs {
		key, err := tuple.Unpack(pair.Key[len(l.nodes):])
		if err != nil || len(key) == 0 {
			return false, fmt.Errorf("directory: %x is no key of the layer", pair.Key)
		}
		if before, ok := key[0].([]byte); ok && bytes.HasPrefix(prefix, before) {
			return false, nil
		}
	}
	next, err := tuple.Strinc(prefix)
	if err != nil {
		return false, err
	}
	return empty(ctx, tr, l.node(prefix), l.node(next), snapshot)
}

func empty(ctx context.Context, tr fdb.Transaction, begin, end []byte, snapshot bool) (bool, error) {
	r := fdb.Keys(begin, end)
	r.Limit, r.Mode, r.Snapshot = 1, fdb.StreamingExact, snapshot
	page, err := tr.GetRange(r).Wait(ctx)
	return len(page.Pairs) == 0, err
}

// Exists reports whether a directory is there.
func (l *Layer) Exists(ctx context.Context, tr fdb.Transaction, path []string) (bool, error) {
	if err := l.version(ctx, tr, false); err != nil {
		return false, err
	}
	p, err := l.find(ctx, tr, path)
	return p.found, err
}

// List gives the names of the directories in a directory, in order.
func (l *Layer) List(ctx context.Context, tr fdb.Transaction, path []string) ([]string, error) {
	if err := l.version(ctx, tr, false); err != nil {
		return nil, err
	}
	p, err := l.find(ctx, tr, path)
	if err != nil {
		return nil, err
	}
	if !p.found {
		return nil, at(path, ErrNotFound)
	}
	node := p.node
	if p.kind == partition {
		node = (&Layer{nodes: append(bytes.Clone(p.prefix), 0xfe)}).root()
	}
	names, _, err := children(ctx, tr, node)
	return names, err
}

func children(ctx context.Context, tr fdb.Transaction, node []byte) (names []string, prefixes [][]byte, err error) {
	all := append(bytes.Clone(node), tuple.Tuple{0}.Pack()...)
	pairs, _, err := fdb.All(ctx, tr, fdb.Keys(bounds(all)))
	for _, pair := range pairs {
		key, err := tuple.Unpack(pair.Key[len(all):])
		var name string
		if err == nil && len(key) == 1 {
			name, _ = key[0].(string)
		}
		if !bytes.Equal(child(node, name), pair.Key) {
			return nil, nil, fmt.Errorf("directory: %x is no name of a directory", pair.Key)
		}
		names, prefixes = append(names, name), append(prefixes, pair.Value)
	}
	return names, prefixes, err
}
