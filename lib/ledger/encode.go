package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// genesis stands where the first line names the line before it.
var genesis = strings.Repeat("0", 64)

// line encodes one event as a flat JSON object with its newline: the header's fields, then the body's own.
func line(h Header, b Body) ([]byte, error) {
	head, err := compact(h)
	if err != nil {
		return nil, err
	}
	body, err := compact(b)
	if err != nil {
		return nil, err
	}
	out := head[:len(head)-1] // without its brace
	if len(body) > len("{}") {
		out = append(out, ',')
	}
	out = append(out, body[1:]...)
	if len(out) > maxLine {
		return nil, fmt.Errorf("event %q takes %d bytes, more than the %d that a line may have", h.Event, len(out), maxLine)
	}
	return append(out, '\n'), nil
}

// compact is json.Marshal without HTML escapes.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// digest returns the SHA-256 of a line without its newline, in hex.
func digest(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}

// bodies makes an empty body for each kind of event: a new event is one struct and one line here.
var bodies = map[string]func() Body{}

func init() {
	for _, make := range []func() Body{
		func() Body { return new(Opened) },
		func() Body { return new(PinVerified) },
		func() Body { return new(PinBroken) },
		func() Body { return new(RunStarted) },
		func() Body { return new(RunFinished) },
		func() Body { return new(RunInterrupted) },
		func() Body { return new(BlockRerun) },
		func() Body { return new(CaseStatus) },
		func() Body { return new(PhaseStopped) },
		func() Body { return new(Note) },
		func() Body { return new(Analysis) },
		func() Body { return new(Resumed) },
		func() Body { return new(Closed) },
	} {
		bodies[make().Kind()] = make
	}
}
