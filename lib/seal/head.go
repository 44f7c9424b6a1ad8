package seal

import (
	"fmt"
	"strconv"
	"strings"
)

// Head is where a ledger stood when it was signed: how many lines it had, and the digest of the last. It vouches for all of them,
// since each holds the digest of the one before.
type Head struct {
	Lines  int
	SHA256 string // of the last line without its newline, lower-case hex
}

const headForm = "phaselock head 1\nlines %d\nsha256 %s\n"

// Text returns the head as it is written to a file and signed.
func (h Head) Text() []byte { return fmt.Appendf(nil, headForm, h.Lines, h.SHA256) }

// ParseHead reads what Text wrote, and nothing else.
func ParseHead(text []byte) (Head, error) {
	lines := strings.Split(string(text), "\n")
	var h Head
	if len(lines) == 4 {
		h.Lines, _ = strconv.Atoi(strings.TrimPrefix(lines[1], "lines "))
		h.SHA256 = strings.TrimPrefix(lines[2], "sha256 ")
	}
	if h.Lines < 1 || !isDigest(h.SHA256) || string(h.Text()) != string(text) {
		return Head{}, fmt.Errorf("this is no head of a ledger: want %q", fmt.Sprintf(headForm, 13, "…"))
	}
	return h, nil
}
