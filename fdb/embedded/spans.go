package embedded

import (
	"slices"
	"sort"
	"strings"
)

// span is the keys from begin to before end.
type span struct{ begin, end string }

// point is the span of one key.
func point(key string) span {
	after := key + "\x00"
	return span{after[:len(key)], after}
}

func (s span) meets(o span) bool { return s.begin < o.end && o.begin < s.end }

// spans are spans in order that neither meet nor touch.
type spans []span

// first is the index of the first span that ends at key or after it.
func (s spans) first(key string) int {
	return sort.Search(len(s), func(i int) bool { return s[i].end >= key })
}

// add puts a span in, joined with those that it meets or touches.
func (s *spans) add(n span) {
	if n.begin >= n.end {
		return
	}
	from := s.first(n.begin)
	to := from
	for ; to < len(*s) && (*s)[to].begin <= n.end; to++ {
		n.begin, n.end = min(n.begin, (*s)[to].begin), max(n.end, (*s)[to].end)
	}
	if from < to {
		(*s)[from] = n
		*s = append((*s)[:from+1], (*s)[to:]...)
		return
	}
	*s = append(*s, span{})
	copy((*s)[from+1:], (*s)[from:])
	(*s)[from] = n
}

// meets reports whether any of the spans meets n.
func (s spans) meets(n span) bool {
	i := sort.Search(len(s), func(i int) bool { return s[i].end > n.begin })
	return i < len(s) && s[i].meets(n)
}

// gaps gives the parts of n that no span covers.
func (s spans) gaps(n span) []span {
	var out []span
	for i := s.first(n.begin); i < len(s) && s[i].begin < n.end && n.begin < n.end; i++ {
		if n.begin < s[i].begin {
			out = append(out, span{n.begin, s[i].begin})
		}
		n.begin = max(n.begin, s[i].end)
	}
	if n.begin < n.end {
		out = append(out, n)
	}
	return out
}

// ordered joins spans in any order.
func ordered(list []span) spans {
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b span) int { return strings.Compare(a.begin, b.begin) })
	out := spans(sorted[:0])
	for _, n := range sorted {
		switch last := len(out) - 1; {
		case n.begin >= n.end:
		case last >= 0 && n.begin <= out[last].end:
			out[last].end = max(out[last].end, n.end)
		default:
			out = append(out, n)
		}
	}
	return out
}
