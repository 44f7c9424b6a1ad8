// Package rng is the one random number generator of the project: SplitMix64, small enough to be written again in any
// language by a reviewer, with streams that are named by purpose and seed.
package rng

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Stream is one sequence of random numbers. Its zero value is no stream; New makes one.
type Stream struct{ state uint64 }

// New returns the stream of a purpose and a seed (0 to 2^53-1): its state starts at the first 8 bytes, big-endian, of the
// SHA-256 of "phaselock/<purpose>/<seed>", the seed in decimal.
func New(purpose string, seed int64) *Stream {
	sum := sha256.Sum256(fmt.Appendf(nil, "phaselock/%s/%d", purpose, seed))
	return &Stream{binary.BigEndian.Uint64(sum[:8])}
}

// Uint64 returns the next 64 bits (Steele, Lea and Flood 2014, with Stafford's mixer variant 13).
func (s *Stream) Uint64() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Bounded returns an integer in [0, k), each equally likely, for k >= 1 (Lemire 2019: multiply and shift, with rejection).
// For k = 0 it returns 0 and draws nothing.
func (s *Stream) Bounded(k uint64) uint64 {
	if k == 0 {
		return 0
	}
	high, low := bits.Mul64(s.Uint64(), k)
	if low < k {
		for threshold := -k % k; low < threshold; {
			high, low = bits.Mul64(s.Uint64(), k)
		}
	}
	return high
}

// Shuffle orders n elements at random, each order equally likely (Fisher and Yates, from the last element down).
func (s *Stream) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, int(s.Bounded(uint64(i+1))))
	}
}
