package fetchbench

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/phaselock/phaselock/fdb/embedded"
)

// The lengths of allocated prefixes on stores that were cleared are those of three draws without replacement from a window of 64 in which
// one integer, 0, has one byte and all others two: 5 bytes where one of them is 0, 3/64 = 4.7%. With the window left out there is no 0.
func TestLengths(t *testing.T) {
	const n = 4000
	for kind, want := range map[string]float64{"allocated": 3.0 / 64, "seeded": 0, "manual": 0} {
		db := embedded.New(embedded.Options{})
		five := 0
		for i := range n {
			p := &Place{kind: kind, seed: 7, run: fmt.Sprint(i)}
			prefix, err := p.Prefix(context.Background(), db)
			if err != nil {
				t.Fatal(err)
			}
			switch len(prefix) {
			case 5:
				five++
			case 6:
			default:
				t.Fatalf("%s: %x", kind, prefix)
			}
		}
		// Four standard deviations of a binomial.
		if got := float64(five) / n; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/n) {
			t.Errorf("%s: %.4f of prefixes have five bytes, want %.4f", kind, got, want)
		}
	}
}

// A process has one prefix, whatever it does before; the seed and its run decide which.
func TestSeed(t *testing.T) {
	draw := func(seed uint64, run string) []byte {
		p := &Place{kind: "allocated", seed: seed, run: run}
		one, err := p.Prefix(context.Background(), embedded.New(embedded.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := p.Prefix(context.Background(), embedded.New(embedded.Options{})); !bytes.Equal(one, again) {
			t.Errorf("%x, then %x", one, again)
		}
		return one
	}
	one := draw(1, "0001")
	if !bytes.Equal(one, draw(1, "0001")) || bytes.Equal(one, draw(2, "0001")) || bytes.Equal(one, draw(1, "0002")) {
		t.Error("seed and run do not decide")
	}
}

func TestUnknownPlace(t *testing.T) {
	if _, err := (&Place{kind: "best"}).Prefix(context.Background(), embedded.New(embedded.Options{})); err == nil {
		t.Error("no error")
	}
}
