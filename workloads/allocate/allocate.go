// Package allocate is a workload that lives on its heap: a large live tree, of which parts are thrown away and made anew, so that
// the garbage collector has both much to mark and much to free.
package allocate

import "fmt"

// node is one element of the live tree: 64 bytes of payload beside its links.
type node struct {
	left, right *node
	payload     [8]uint64
}

// Heap is the live data.
type Heap struct {
	trees []*node
	depth int
	next  uint64
}

// New makes a heap of trees complete binary trees of a depth (1 to 24): each holds 2^depth-1 nodes of 80 bytes.
func New(trees, depth int) (*Heap, error) {
	if trees < 1 || depth < 1 || depth > 24 {
		return nil, fmt.Errorf("%d trees of depth %d: want at least one, of depth 1 to 24", trees, depth)
	}
	h := &Heap{trees: make([]*node, trees), depth: depth}
	for i := range h.trees {
		h.trees[i] = h.grow(depth)
	}
	return h, nil
}

func (h *Heap) grow(depth int) *node {
	if depth == 0 {
		return nil
	}
	h.next++
	n := &node{left: h.grow(depth - 1), right: h.grow(depth - 1)}
	n.payload[0] = h.next
	return n
}

// Replace throws the i-th tree (modulo their number) away and grows another.
func (h *Heap) Replace(i int) { h.trees[i%len(h.trees)] = h.grow(h.depth) }

// Count returns the number of live nodes.
func (h *Heap) Count() int {
	n := 0
	for _, t := range h.trees {
		n += count(t)
	}
	return n
}

func count(n *node) int {
	if n == nil {
		return 0
	}
	return 1 + count(n.left) + count(n.right)
}
