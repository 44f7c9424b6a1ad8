package embedded

import "sort"

// commit is what one transaction changed.
type commit struct {
	version int64
	writes  spans
	before  []was // of each mutation, in order
	bytes   int   // of before
}

// history is the commits of the last five seconds, oldest first, and what it takes to go back behind them. Where many bytes
// are overwritten it is given up before that, and the versions behind it are too old to be read.
type history struct {
	log     []commit
	held    int   // bytes that the log holds
	without int   // the first commits, whose values before are given up
	oldest  int64 // the first version that can be read
}

// mostHeld bounds the overwritten values that are kept: without it a second of large writes would be kept five times over.
const mostHeld = 128 << 20

// add notes a commit.
func (h *history) add(c commit) {
	h.log = append(h.log, c)
	h.held += c.bytes
	for ; h.held > mostHeld && h.without < len(h.log); h.without++ {
		c := &h.log[h.without]
		h.held -= c.bytes
		h.oldest = c.version
		c.before, c.bytes = nil, 0
	}
}

// trim forgets the commits before a version.
func (h *history) trim(before int64) {
	old := h.after(before - 1)
	for i := range h.log[:old] {
		h.held -= h.log[i].bytes
	}
	clear(h.log[:old]) // else what they changed would be held as long as the array
	h.log, h.without = h.log[old:], max(h.without-old, 0)
}

// after is the index of the first commit after a version.
func (h *history) after(version int64) int {
	return sort.Search(len(h.log), func(i int) bool { return h.log[i].version > version })
}

// revert takes the commit out of a tree that holds it as the last.
func (c *commit) revert(t *tree) {
	for i := len(c.before) - 1; i >= 0; i-- {
		if w := c.before[i]; w.present {
			t.Set(w.key, w.value)
		} else {
			t.Delete(w.key)
		}
	}
}
