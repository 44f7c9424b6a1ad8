package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
)

// Log is a ledger read back.
type Log struct {
	Entries []Entry
	Torn    int    // bytes of a last line that was never finished: a crash, not an error
	Head    string // digest of the last whole line
}

// TamperError is a ledger whose chain does not hold: a byte was changed after it was written.
type TamperError struct {
	Line int    // the first line that does not fit, from 1
	Want string // the digest that it names for the line before, or what else it should say
	Got  string
}

// Error names the line and both digests.
func (e *TamperError) Error() string {
	return fmt.Sprintf("%s:%d: the chain is broken: want %s, got %s; a line was changed after it was written", Name, e.Line, e.Want, e.Got)
}

// Read reads the ledger of a folder and checks its chain. A last line without a newline is what a crash leaves: it is counted
// in Torn and nothing else. Anything else that is not as written is a *TamperError.
func Read(dir string) (*Log, error) {
	data, err := os.ReadFile(filepath.Join(dir, Name))
	if err != nil {
		return nil, err
	}
	return parse(data)
}

func parse(data []byte) (*Log, error) {
	log := &Log{Head: genesis}
	for n := 1; len(data) > 0; n++ {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			log.Torn = len(data)
			break
		}
		entry, err := parseLine(data[:end], n, log.Head)
		if err != nil {
			return nil, err
		}
		log.Entries = append(log.Entries, entry)
		log.Head = digest(data[:end])
		data = data[end+1:]
	}
	return log, nil
}

func parseLine(data []byte, n int, prev string) (Entry, error) {
	var h Header
	if err := json.Unmarshal(data, &h); err != nil {
		return Entry{}, &TamperError{n, "a JSON object", err.Error()}
	}
	if h.Prev != prev {
		return Entry{}, &TamperError{n, prev, h.Prev}
	}
	if h.Seq != n {
		return Entry{}, &TamperError{n, fmt.Sprintf("seq %d", n), fmt.Sprintf("seq %d", h.Seq)}
	}
	newBody, ok := bodies[h.Event]
	if !ok {
		return Entry{}, fmt.Errorf("%s:%d: event %q is not known to this phaselock: the folder was written by a newer one", Name, n, h.Event)
	}
	body := newBody()
	if err := json.Unmarshal(data, body); err != nil {
		return Entry{}, &TamperError{n, "the fields of " + h.Event, err.Error()}
	}
	if err := same(data, h, body, n); err != nil {
		return Entry{}, err
	}
	return Entry{Header: h, Line: n, Body: body}, nil
}

// same holds the line to its own encoding. The chain covers every line but the last; this finds a changed byte there too
// where it makes another line than any writer would have written. Fields that later versions add must be omitted when empty,
// so that older folders stay readable.
func same(data []byte, h Header, body Body, n int) error {
	again, err := line(h, body)
	if err != nil {
		return &TamperError{n, "a line that can be written", err.Error()}
	}
	want, err1 := fields(again)
	got, err2 := fields(data)
	if err1 != nil || err2 != nil || !reflect.DeepEqual(want, got) {
		return &TamperError{n, "the digest " + digest(again[:len(again)-1]), digest(data)}
	}
	return nil
}

// fields decodes a line without its types, so that two encodings of one string are the same and two keys that differ in
// case are not.
func fields(line []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var m map[string]any
	err := d.Decode(&m)
	return m, err
}
