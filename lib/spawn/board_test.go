//go:build unix

package spawn

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBoardGivesTheLastWhole(t *testing.T) {
	b, err := newUnlinkedBoard()
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	if _, err := readBoard(b.file); err == nil {
		t.Error("an empty board reads as whole")
	}
	var last []tree
	for i := range 5 {
		last = append(last, tree{Root: 100 + i, Start: uint64(i), Own: 7})
		if err := b.write(notice{Trees: last}); err != nil {
			t.Fatal(err)
		}
		mustRead(t, b, last)
	}
	// The harness is killed in the middle of the next write, at every byte that it could have got to.
	text := fmt.Sprint(last)
	for cut := 1; cut < 60; cut++ {
		garbage := make([]byte, cut)
		for i := range garbage {
			garbage[i] = text[i%len(text)]
		}
		if _, err := b.file.WriteAt(garbage, int64((b.seq+1)%2)*slotSize); err != nil {
			t.Fatal(err)
		}
		mustRead(t, b, last)
	}
	if err := b.write(notice{}); err != nil {
		t.Fatal(err)
	}
	mustRead(t, b, nil)
	if err := os.Truncate(fmt.Sprintf("/dev/fd/%d", b.file.Fd()), 8); err == nil {
		if _, err := readBoard(b.file); err == nil {
			t.Error("a truncated board reads as whole")
		}
	}
}

func TestBoardRefusesWhatDoesNotFit(t *testing.T) {
	b, err := newUnlinkedBoard()
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	if err := b.write(notice{Trees: make([]tree, slotSize/8)}); err == nil {
		t.Error("more trees than fit were taken")
	}
}

func mustRead(t *testing.T, b *board, want []tree) {
	t.Helper()
	got, err := readBoard(b.file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.Trees); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
}
