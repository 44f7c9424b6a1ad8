package pgo

import (
	"bytes"
	"testing"
)

const words = 100000

var letters = NewClass("abcdefghijklmnopqrstuvwxyz")

// BenchmarkScan counts the words of a text of 100,000 in each iteration; the count is checked outside the timing.
func BenchmarkScan(b *testing.B) {
	text := Text(words)
	got := 0
	for b.Loop() {
		got = Words(text, letters)
	}
	if got != words {
		b.Fatalf("%d words, want %d", got, words)
	}
	b.ReportMetric(float64(len(text)), "text-bytes")
}

func TestWords(t *testing.T) {
	for _, tc := range []struct {
		text string
		m    Matcher
		want int
	}{
		{"", letters, 0},
		{"one", letters, 1},
		{" one  two\nthree ", letters, 3},
		{" one  two\nthree ", Not{letters}, 4},
		{"123", letters, 0},
	} {
		if got := Words([]byte(tc.text), tc.m); got != tc.want {
			t.Errorf("%q: %d words, want %d", tc.text, got, tc.want)
		}
	}
}

func TestText(t *testing.T) {
	if got := len(bytes.Fields(Text(1000))); got != 1000 {
		t.Errorf("%d words, want 1000", got)
	}
	if !bytes.HasPrefix(Text(100), Text(50)) {
		t.Error("a longer text begins differently")
	}
}
