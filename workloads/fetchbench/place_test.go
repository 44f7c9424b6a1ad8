package fetchbench

import (
	"bytes"
	"context"
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
		p := &Place{kind: kind, seed: 7}
		five := 0
		for range n {
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

// One seed gives one series of prefixes.
func TestSeed(t *testing.T) {
	series := func(seed uint64) []byte {
		db := embedded.New(embedded.Options{})
		p := &Place{kind: "allocated", seed: seed}
		var all []byte
		for range 5 {
			prefix, err := p.Prefix(context.Background(), db)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, prefix...)
		}
		return all
	}
	if !bytes.Equal(series(1), series(1)) || bytes.Equal(series(1), series(2)) {
		t.Error("the seed does not decide")
	}
}

func TestUnknownPlace(t *testing.T) {
	if _, err := (&Place{kind: "best"}).Prefix(context.Background(), embedded.New(embedded.Options{})); err == nil {
		t.Error("no error")
	}
}
