package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/report"
)

// A seal is anchored by a signature of both the seal and a head that has every run below it, or by a place; by nothing less.
func TestAnchored(t *testing.T) {
	for name, c := range map[string]struct {
		anchor    report.Anchor
		published string
		want      string // in report.md
		screen    string
		anchored  bool
	}{
		"nothing":         {report.Anchor{}, "", "unanchored: the seal proves what was run", "unanchored", false},
		"only the seal":   {report.Anchor{SealKey: "SHA256:a"}, "", "unanchored", "unanchored", false},
		"only the head":   {report.Anchor{HeadKey: "SHA256:a", Whole: true}, "", "unanchored", "unanchored", false},
		"an earlier head": {report.Anchor{SealKey: "SHA256:a", HeadKey: "SHA256:a"}, "", "unanchored", "unanchored", false},
		"both":            {report.Anchor{SealKey: "SHA256:a", HeadKey: "SHA256:a", Whole: true}, "", "anchored: the seal and the ledger's head are signed by the key `SHA256:a`", "anchored: signed", true},
		"two keys":        {report.Anchor{SealKey: "SHA256:a", HeadKey: "SHA256:b", Whole: true}, "", "signed by the key `SHA256:a`, the ledger's head by `SHA256:b`", "by SHA256:b", true},
		"a place":         {report.Anchor{}, "commit 1234 of example.com/r", "anchored by the word of whoever ran it. It is said to have been published before the first run: commit 1234 of example.com/r.", "by the word of whoever ran it: commit 1234", true},
		"no signature":    {report.Anchor{Problems: []string{"seal.sig is of another text"}}, "", "seal.sig is of another text.", "unanchored", false},
	} {
		digest := strings.Repeat("7", 64)
		l := higherLab()
		l.seal = &digest
		page := l.page(t)
		page.Anchor, page.Head = c.anchor, strings.Repeat("9", 64)
		for i := range page.Ledger {
			if o, ok := page.Ledger[i].Body.(*ledger.Opened); ok {
				o.Anchor = c.published
			}
		}
		var md, screen bytes.Buffer
		if err := report.Markdown(&md, page); err != nil {
			t.Fatal(err)
		}
		if err := report.Terminal(&screen, page, report.TerminalOptions{Width: 100}); err != nil {
			t.Fatal(err)
		}
		contains(t, md.String(), "Sealed as `"+digest+"`", c.want)
		contains(t, flat(screen.String()), c.screen, "head "+strings.Repeat("9", 64))
		if got := strings.Contains(md.String(), "only its anchor can show"); got != c.anchored {
			t.Errorf("%s: the limits say that it is anchored: %v", name, got)
		}
		if got := strings.Contains(md.String(), "The seal is unanchored"); got == c.anchored {
			t.Errorf("%s: the limits say that it is unanchored: %v", name, got)
		}
	}
}

// What was changed during a run and changed back is a deviation.
func TestMovedFileIsADeviation(t *testing.T) {
	page := higherLab().page(t)
	page.Ledger = append(page.Ledger, ledger.Entry{Body: &ledger.PinVerified{When: "after run 3", Files: 2, Moved: []string{"data/cold.bin"}}})
	var md bytes.Buffer
	if err := report.Markdown(&md, page); err != nil {
		t.Fatal(err)
	}
	contains(t, md.String(), "after it (after run 3): `data/cold.bin`. What the run read of it, nobody can say.")
}
