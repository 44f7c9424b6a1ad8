package sample

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"

	"github.com/phaselock/phaselock/lib/plan"
)

// Audit lines are JSON objects, one a line, each ended by a newline, in the file that PHASELOCK_AUDIT names:
//
//	{"audit": "path", "method": "REMOTE_FETCH", "rows": 1000}
//
// "audit" is the audit's name; the other fields are the program's own, and expect.audit(where = …) says which of
// them each line of that name must have, and with which value. Numbers are equal as numbers (1000 is 1e3). Lines of
// names that the phase does not expect are passed over; a line that is no such object makes the run invalid, and so
// does a last line without its newline, which was torn.

// auditLine is one line of an audit file.
type auditLine struct {
	number int
	name   string
	fields map[string]any
}

// audits counts the audit lines of every name that the phase expects, and holds them to the plan unless the process
// has failed already: before is why, and comes back.
func (r *reader) audits(before error) (map[string]AuditCount, error) {
	counts := map[string]AuditCount{}
	passed := map[*plan.Expect]int{}
	var expected []*plan.Expect
	for i := range r.phase.Expect {
		if e := &r.phase.Expect[i]; e.Kind == plan.ExpectAudit {
			expected = append(expected, e)
			c := counts[e.Name]
			c.Expected += e.PerRepeat * r.run.Repeats
			counts[e.Name] = c
		}
	}
	if len(expected) == 0 {
		return nil, before
	}
	var other error // the first line that is not as expected
	err := r.eachAudit(func(l auditLine) {
		known, ok := false, false
		var differs error
		for _, e := range expected {
			if e.Name != l.name {
				continue
			}
			known = true
			if err := r.where(e, l); err != nil {
				differs = err
				continue
			}
			passed[e]++
			ok = true
		}
		switch {
		case ok:
			c := counts[l.name]
			c.Passed++
			counts[l.name] = c
		case known && other == nil:
			other = differs
		}
	})
	switch {
	case before != nil:
		return counts, before
	case err != nil:
		return counts, err
	case other != nil:
		return counts, other
	}
	for _, e := range expected {
		if want := e.PerRepeat * r.run.Repeats; passed[e] != want {
			return counts, r.failAt(e.At, FailExpect, "%s: %d of %d lines of audit %q (%d for each of %d repeats); the program writes them to the file that %s names",
				r.files.Audit.Name, passed[e], want, e.Name, e.PerRepeat, r.run.Repeats, plan.AuditEnv)
		}
	}
	return counts, nil
}

// eachAudit calls f for every audit line.
func (r *reader) eachAudit(f func(auditLine)) error {
	in, err := r.files.Audit.open()
	if err != nil {
		return err
	}
	defer in.Close()
	name := r.files.Audit.Name
	last := &lastByte{r: in}
	var end line
	err = eachLine(last, name, maxOutput, func(l line) error {
		end = line{nil, l.number}
		text := bytes.TrimSpace(l.text)
		if len(text) == 0 {
			return nil
		}
		a, err := parseAudit(text)
		if err != nil {
			return r.fail(FailParse, "%s:%d: %v; want {\"audit\": name, …}: %s", name, l.number, err, quoted(text))
		}
		a.number = l.number
		f(a)
		return nil
	})
	var text *textError
	if errors.As(err, &text) {
		return r.fail(FailParse, "%s", text.message)
	}
	if err == nil && last.any && last.b != '\n' {
		return r.fail(FailParse, "%s:%d: the last line has no newline: it was torn", name, end.number)
	}
	return err
}

// lastByte remembers the last byte that was read.
type lastByte struct {
	r   io.Reader
	b   byte
	any bool
}

func (l *lastByte) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if n > 0 {
		l.b, l.any = p[n-1], true
	}
	return n, err
}

func parseAudit(text []byte) (auditLine, error) {
	var a auditLine
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&a.fields); err != nil {
		return a, jsonError(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return a, errors.New("something follows the object")
	}
	name, ok := a.fields["audit"].(string)
	if !ok || name == "" {
		return a, errors.New("no field \"audit\" with a name")
	}
	a.name = name
	return a, nil
}

// where holds a line to the fields that an expectation asks for.
func (r *reader) where(e *plan.Expect, l auditLine) error {
	for _, w := range e.Where {
		got, ok := l.fields[w.Name]
		if ok && equalValue(w.Value, got) {
			continue
		}
		want, err := json.Marshal(w.Value)
		if err != nil {
			want = fmt.Append(nil, w.Value.V)
		}
		has := "is not there"
		if ok {
			text, err := json.Marshal(got)
			if err != nil {
				text = fmt.Append(nil, got)
			}
			has = "is " + string(text)
		}
		return r.failAt(e.At, FailExpect, "%s:%d: audit %q: field %q %s, and %s is expected", r.files.Audit.Name, l.number, e.Name, w.Name, has, want)
	}
	return nil
}

// equalValue reports whether a declared value is the one that JSON gave.
func equalValue(want plan.Value, got any) bool {
	switch w := want.V.(type) {
	case nil:
		return got == nil
	case bool:
		return got == w
	case string:
		return got == w
	case plan.FileRef:
		return got == string(w)
	case int64:
		return equalNumber(new(big.Rat).SetInt64(w), got)
	case *big.Int:
		return equalNumber(new(big.Rat).SetInt(w), got)
	case float64:
		g, ok := got.(json.Number)
		if !ok {
			return false
		}
		f, err := g.Float64()
		return err == nil && f == w
	case plan.List:
		return equalList(w, got)
	case plan.Tuple:
		return equalList(plan.List(w), got)
	case plan.Dict:
		return equalDict(w, got)
	}
	return false
}

// equalNumber compares exactly. A number of more than 400 characters is equal to no value that a script would write;
// one that is not zero as a float has an exponent that is small enough to be written out.
func equalNumber(want *big.Rat, got any) bool {
	n, ok := got.(json.Number)
	if !ok || len(n) > 400 {
		return false
	}
	f, err := n.Float64()
	if err != nil || f == 0 || want.Sign() == 0 {
		return err == nil && f == 0 && want.Sign() == 0
	}
	r, ok := new(big.Rat).SetString(n.String())
	return ok && r.Cmp(want) == 0
}

func equalList(want plan.List, got any) bool {
	g, ok := got.([]any)
	if !ok || len(g) != len(want) {
		return false
	}
	for i := range want {
		if !equalValue(want[i], g[i]) {
			return false
		}
	}
	return true
}

func equalDict(want plan.Dict, got any) bool {
	g, ok := got.(map[string]any)
	if !ok || len(g) != len(want) {
		return false
	}
	for _, e := range want {
		key, ok := e.Key.V.(string)
		if !ok {
			return false
		}
		v, ok := g[key]
		if !ok || !equalValue(e.Value, v) {
			return false
		}
	}
	return true
}
