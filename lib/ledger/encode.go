package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// genesis stands where the first line names the line before it.
var genesis = strings.Repeat("0", 64)

// bodies makes an empty body for each kind of event: a new event is one struct and one line here.
var bodies = byKind(
	empty[Opened], empty[PinVerified], empty[PinBroken],
	empty[RunStarted], empty[RunFinished], empty[RunInterrupted],
	empty[ServiceStarted], empty[ServiceEnded], empty[StepFinished], empty[LabelSealed],
	empty[BlockRerun], empty[CaseStatus], empty[PhaseStopped],
	empty[Note], empty[Analysis], empty[Resumed], empty[Closed],
)

func empty[T any, P interface {
	*T
	Body
}]() Body {
	return P(new(T))
}

func byKind(makers ...func() Body) map[string]func() Body {
	m := make(map[string]func() Body, len(makers))
	for _, f := range makers {
		m[f().Kind()] = f
	}
	return m
}

// line encodes one event as a flat JSON object with its newline: the header's fields, then the body's own.
func line(h Header, b Body) ([]byte, error) {
	known, ok := bodies[h.Event]
	if !ok || reflect.TypeOf(known()) != reflect.TypeOf(b) || reflect.ValueOf(b).IsNil() {
		return nil, fmt.Errorf("%T is no event %q of a ledger", b, h.Event)
	}
	out, err := compact(h)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h.Event, err)
	}
	body, err := compact(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h.Event, err)
	}
	out = out[:len(out)-1] // without its brace
	if len(body) > len("{}") {
		out = append(out, ',')
	}
	out = append(out, body[1:]...)
	if len(out) > MaxLine {
		return nil, fmt.Errorf("%s: %d bytes, more than the %d that a line may have", h.Event, len(out), MaxLine)
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
