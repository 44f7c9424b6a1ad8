package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Log is a ledger read back.
type Log struct {
	Entries []Entry
	Torn    int    // bytes of a last line that was never finished: a crash, not an error
	Lost    int    // whole lines that were there when the ledger was closed and are not now
	Head    string // digest of the last whole line; 64 zeros if there is none

	TornSHA256 string // of the torn bytes; "" if there are none
}

// TamperError is a ledger that is not as it was written.
type TamperError struct {
	Line int    // the changed line, from 1, as far as the chain can tell
	Want string // the digest that the next line (or the closing) names for it, or what else should stand there
	Got  string
}

// Error names the line and both digests.
func (e *TamperError) Error() string {
	return fmt.Sprintf("%s:%d is not as it was written: want %s, got %s", Name, e.Line, e.Want, e.Got)
}

// Read reads the ledger of a folder and checks its chain.
//
// A last line without a newline, or one that is no JSON, is what a crash leaves: it is counted in Torn and is no error. Any other
// line that is not as it was written is a *TamperError. The last line is covered by what the lock file says of a ledger that was
// closed; where that is missing (a crash, a copy without it), only a change that no writer could have written is found there.
//
// A kind of event that is not known is refused: what it means could decide on a result. A field that is not known is passed over,
// and named in Entry.Unknown, where a later line vouches for the line; on a last line that nothing vouches for it is refused. So a
// later version may add fields, omitted when empty, that leave the meaning of the others as it was; all else is a new kind.
func Read(dir string) (*Log, error) {
	before := stateOf(dir) // first: whoever writes meanwhile only adds lines
	data, err := read(dir)
	if err != nil {
		return nil, err
	}
	return parse(data, before)
}

func read(dir string) ([]byte, error) {
	path := filepath.Join(dir, Name)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file (%s)", path, info.Mode().Type())
	}
	return os.ReadFile(path)
}

func parse(data []byte, before state) (*Log, error) {
	c, torn, err := split(data)
	if err != nil {
		return nil, err
	}
	if n := len(c.lines); n > 0 && torn == 0 && n > before.lines && !json.Valid(c.lines[n-1]) {
		torn = len(c.lines[n-1]) + 1
		c.lines, c.digests = c.lines[:n-1], c.digests[:n-1]
	}
	if whole := unended(data[len(data)-torn:]); whole > 0 {
		return nil, &TamperError{len(c.lines) + 1, fmt.Sprintf("an end of the line after %d bytes", whole), "more"}
	}
	c.before = before
	headers, err := c.verify()
	if err != nil {
		return nil, err
	}
	log := &Log{Torn: torn, Lost: max(0, before.lines-len(c.lines)), Head: c.digest(len(c.lines))}
	if torn > 0 {
		log.TornSHA256 = digest(data[len(data)-torn:])
	}
	for i, h := range headers {
		entry, err := decode(c.lines[i], h, c.vouched(i+1))
		if err != nil {
			return nil, err
		}
		log.Entries = append(log.Entries, entry)
	}
	return log, nil
}

// unended returns the length of a whole object that a torn line begins with, when more follows: a line and its newline are one
// write, so that no crash leaves that, and a finished event may be hidden in it.
func unended(torn []byte) int {
	d := json.NewDecoder(bytes.NewReader(torn))
	var object map[string]json.RawMessage
	if err := d.Decode(&object); err != nil {
		return 0
	}
	end := int(d.InputOffset())
	if len(bytes.Trim(torn[end:], "\x00\n")) == 0 {
		return 0
	}
	return end
}

// chain is the whole lines of a ledger, without their newlines, and their digests.
type chain struct {
	lines   [][]byte
	digests []string
	before  state
}

// split cuts a ledger into lines; what is left behind the last newline is torn.
func split(data []byte) (c *chain, torn int, err error) {
	c = &chain{}
	for {
		end := bytes.IndexByte(data, '\n')
		length := end
		if end < 0 {
			length = len(data)
		}
		if length > MaxLine {
			return nil, 0, &TamperError{len(c.lines) + 1, fmt.Sprintf("at most %d bytes", MaxLine), fmt.Sprintf("%d bytes", length)}
		}
		if end < 0 {
			return c, length, nil
		}
		c.lines = append(c.lines, data[:end])
		c.digests = append(c.digests, digest(data[:end]))
		data = data[end+1:]
	}
}

// digest returns the digest of line n, from 1; of line 0 what the first line names.
func (c *chain) digest(n int) string {
	if n == 0 {
		return genesis
	}
	return c.digests[n-1]
}

// vouched reports whether the line after line n, or the closing, names its digest.
func (c *chain) vouched(n int) bool {
	if n == c.before.lines {
		return c.digest(n) == c.before.head
	}
	return n < len(c.lines) && bytes.Contains(c.lines[n], []byte(`"prev":"`+c.digest(n)+`"`))
}

// verify checks that every line names the one before it, and returns their headers.
func (c *chain) verify() ([]Header, error) {
	headers := make([]Header, len(c.lines))
	for i, data := range c.lines {
		n, h := i+1, &headers[i]
		if err := json.Unmarshal(data, h); err != nil {
			return nil, &TamperError{n, "a JSON object with the fields of every line", err.Error()}
		}
		switch prev := c.digest(i); {
		case h.Seq != n && (h.Prev == prev || c.vouched(n)):
			return nil, &TamperError{n, fmt.Sprintf("line %d", n), fmt.Sprintf("line %d", h.Seq)}
		case h.Prev != prev && n > 1 && c.vouched(n): // this line is as it was written, so that one is not
			return nil, &TamperError{n - 1, h.Prev, prev}
		case h.Prev != prev:
			return nil, &TamperError{n, prev, h.Prev}
		case h.Seq != n:
			return nil, &TamperError{n, fmt.Sprintf("line %d", n), fmt.Sprintf("line %d", h.Seq)}
		}
	}
	if n := c.before.lines; n > 0 && n <= len(c.lines) && !c.vouched(n) {
		return nil, &TamperError{n, c.before.head, c.digest(n)}
	}
	return headers, nil
}

// decode reads one line of a chain that holds.
func decode(data []byte, h Header, vouched bool) (Entry, error) {
	newBody, ok := bodies[h.Event]
	if !ok {
		return Entry{}, fmt.Errorf("%s:%d: event %q is not known to this phaselock: a newer one wrote it; read the folder with that", Name, h.Seq, h.Event)
	}
	body := newBody()
	if err := json.Unmarshal(data, body); err != nil {
		return Entry{}, &TamperError{h.Seq, "the fields of " + h.Event, err.Error()}
	}
	unknown, err := compare(data, h, body)
	if err != nil {
		return Entry{}, &TamperError{h.Seq, "a line as phaselock writes it", err.Error()}
	}
	if len(unknown) > 0 && !vouched {
		return Entry{}, fmt.Errorf("%s:%d: event %q has a field %s that is not known to this phaselock, and no later line vouches for it: a newer phaselock wrote it, or it was changed",
			Name, h.Seq, h.Event, strings.Join(unknown, ", "))
	}
	return Entry{Header: h, Line: h.Seq, Body: body, Unknown: unknown}, nil
}
