// Package lookup is the workload of a grid: keys looked up in a map and by scanning a slice.
//
// Tables are made from a fixed seed: the same keys and the same order of questions in every process.
package lookup

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// seed of the generator that draws keys and questions.
const seed = 20261205

// Questions is how many keys are looked up in one pass.
const Questions = 1024

// Table holds one set of keys twice over.
type Table[K comparable] struct {
	Map   map[K]struct{}
	Slice []K // in the order in which they were drawn
}

// NewTable returns a table of the keys, which are distinct.
func NewTable[K comparable](keys []K) *Table[K] {
	t := &Table[K]{Map: make(map[K]struct{}, len(keys)), Slice: slices.Clone(keys)}
	for _, k := range keys {
		t.Map[k] = struct{}{}
	}
	return t
}

// InMap returns how many of the questions are keys, by asking the map.
func (t *Table[K]) InMap(questions []K) (hits int) {
	for _, q := range questions {
		if _, ok := t.Map[q]; ok {
			hits++
		}
	}
	return hits
}

// InSlice returns how many of the questions are keys, by scanning the slice from its start.
func (t *Table[K]) InSlice(questions []K) (hits int) {
	for _, q := range questions {
		if slices.Contains(t.Slice, q) {
			hits++
		}
	}
	return hits
}

// Ints returns n distinct keys, and as many others, from 0 to 2^40.
func Ints(n int) (keys, others []int) {
	return draw(n, func(r *rand.Rand) int { return int(r.Uint64N(1 << 40)) })
}

// Strings returns n distinct keys of 18 bytes, and as many others. All begin alike, as paths do.
func Strings(n int) (keys, others []string) {
	return draw(n, func(r *rand.Rand) string { return fmt.Sprintf("/var/key-%09d", r.Uint64N(1e9)) })
}

// draw returns n distinct values, and n more.
func draw[K comparable](n int, value func(*rand.Rand) K) (keys, others []K) {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	seen := map[K]struct{}{}
	for len(seen) < 2*n {
		v := value(r)
		if _, twice := seen[v]; twice {
			continue
		}
		seen[v] = struct{}{}
		if len(keys) < n {
			keys = append(keys, v)
		} else {
			others = append(others, v)
		}
	}
	return keys, others
}

// Ask returns the questions of one pass: values at random, each as likely as another.
func Ask[K comparable](values []K) []K {
	r := rand.New(rand.NewPCG(seed, Questions))
	out := make([]K, Questions)
	for i := range out {
		out[i] = values[r.IntN(len(values))]
	}
	return out
}
