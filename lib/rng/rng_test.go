package rng_test

import (
	"fmt"
	"testing"

	"github.com/phaselock/phaselock/lib/rng"
)

// The vector of the documents: purpose "bootstrap/6", seed 391706.
func TestVector(t *testing.T) {
	s := rng.New("bootstrap/6", 391706)
	for i, want := range []uint64{0x214591c417a29769, 0xb1c8e4df962a040a, 0x1c35d6c08aac6630} {
		if got := s.Uint64(); got != want {
			t.Errorf("output %d: %#x, want %#x", i, got, want)
		}
	}
	s = rng.New("bootstrap/6", 391706)
	var draws []uint64
	for range 12 {
		draws = append(draws, s.Bounded(6))
	}
	if got, want := fmt.Sprint(draws), "[0 4 0 0 0 0 0 4 5 5 0 2]"; got != want {
		t.Errorf("draws in [0, 6): %s, want %s", got, want)
	}
}

// The same stream written again in Python: draws below 2^63+1, for which the third output and the fifth are among those
// rejected; the largest seed; a shuffle.
func TestAgainstPython(t *testing.T) {
	s := rng.New("bootstrap/6", 391706)
	for i, want := range []uint64{
		0x10a2c8e20bd14bb4, 0x58e4726fcb150205, 0x0851eafdb0509fdb, 0x01289aba77458646, 0x03e12f350721caee, 0x67caafac0822097d,
	} {
		if got := s.Bounded(1<<63 + 1); got != want {
			t.Errorf("draw %d in [0, 2^63+1): %#x, want %#x", i, got, want)
		}
	}
	s = rng.New("design/x", 1<<53-1)
	for i, want := range []uint64{0, 0, 5, 6, 8, 6, 7, 1, 5, 9, 9, 1} {
		if got := s.Bounded(10); got != want {
			t.Errorf("draw %d in [0, 10): %d, want %d", i, got, want)
		}
	}
	x := []byte("abcdefgh")
	rng.New("design", 7).Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
	if string(x) != "dgfehacb" {
		t.Errorf("shuffled to %s, want dgfehacb", x)
	}
}

// With k = 2^63+1 almost half of all outputs are rejected, so that a Bounded without rejection differs soon.
func TestRejection(t *testing.T) {
	const k = 1<<63 + 1
	a, b := rng.New("rejection", 1), rng.New("rejection", 1)
	outputs := 0
	for range 200 {
		got := a.Bounded(k)
		if got >= k {
			t.Fatalf("%d is not below %d", got, uint64(k))
		}
		for { // the definition: reject x where the low half of x*k is below 2^64 mod k
			x := b.Uint64()
			outputs++
			hi, lo := mul(x, k)
			if lo >= (1<<64-k)%k {
				if hi != got {
					t.Fatalf("got %d, want %d", got, hi)
				}
				break
			}
		}
	}
	if outputs < 300 {
		t.Errorf("%d outputs for 200 numbers: nothing was rejected", outputs)
	}
}

// mul is the schoolbook product of two 64-bit numbers.
func mul(x, y uint64) (hi, lo uint64) {
	const mask = 1<<32 - 1
	x0, x1, y0, y1 := x&mask, x>>32, y&mask, y>>32
	w0 := x0 * y0
	t := x1*y0 + w0>>32
	w1 := t&mask + x0*y1
	return x1*y1 + t>>32 + w1>>32, x * y
}

func TestBoundedOfNothing(t *testing.T) {
	s := rng.New("x", 0)
	if s.Bounded(0) != 0 || s.Bounded(1) != 0 {
		t.Error("the only number below 1 is 0")
	}
}

// Each of the 24 orders of four elements, over 24,000 shuffles: chi-square with 23 degrees of freedom, alpha 1e-6 at 68.7.
func TestShuffleIsUniform(t *testing.T) {
	counts := map[string]int{}
	for seed := range int64(24000) {
		x := []int{0, 1, 2, 3}
		rng.New("shuffle", seed).Shuffle(4, func(i, j int) { x[i], x[j] = x[j], x[i] })
		counts[fmt.Sprint(x)]++
	}
	chi := 0.0
	for _, n := range counts {
		d := float64(n) - 1000
		chi += d * d / 1000
	}
	if len(counts) != 24 || chi > 68.7 {
		t.Errorf("%d orders, chi-square %v", len(counts), chi)
	}
}
