package design_test

import (
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/design"
	"github.com/phaselock/phaselock/lib/protocol"
)

func letters(orders [][]string) string {
	var b strings.Builder
	for _, o := range orders {
		b.WriteString(strings.ToUpper(o[0]))
	}
	return b.String()
}

// The vectors of the documents, seed 641401, six blocks: which arm leads.
func TestVectors(t *testing.T) {
	d := protocol.Design{Kind: protocol.DesignCounterbalanced, Blocks: 6, Seed: 641401, Nesting: protocol.NestBlocks, Order: protocol.OrderCase}
	for name, want := range map[string]string{
		"reverse-small-1000": "AABBBA", "reverse-split-1000": "ABABBA",
		"executor-skip3-small-10": "BAABBA", "executor-skip3-small-1000": "BAABAB",
	} {
		orders, ps := design.Orders(d, name, []string{"a", "b"})
		if len(ps) > 0 {
			t.Fatal(ps)
		}
		if got := letters(orders); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
