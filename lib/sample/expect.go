package sample

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"

	"github.com/phaselock/phaselock/lib/plan"
)

// expectations holds standard output and metrics to what is expected; exit statuses and audits are held elsewhere.
func (r *reader) expectations() error {
	for i := range r.phase.Expect {
		e := &r.phase.Expect[i]
		var err error
		switch e.Kind {
		case plan.ExpectStdout:
			err = r.expectStdout(e)
		case plan.ExpectMetric:
			err = r.expectMetric(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// expectStdout holds standard output to a regular expression or a digest, as it came, in constant memory.
func (r *reader) expectStdout(e *plan.Expect) error {
	in, err := r.files.Stdout.open()
	if err != nil {
		return err
	}
	defer in.Close()
	if e.SHA256 != "" {
		h := sha256.New()
		if _, err := io.Copy(h, in); err != nil {
			return fmt.Errorf("%s: %w", r.files.Stdout.Name, err)
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != e.SHA256 {
			return r.failAt(e.At, FailExpect, "%s: its SHA-256 is %s, and %s is expected", r.files.Stdout.Name, got, e.SHA256)
		}
		return nil
	}
	re, err := regexp.Compile(e.Matches)
	if err != nil {
		return r.failAt(e.At, FailExpect, "matches: %v", err)
	}
	kept := &keptError{r: in}
	matches := re.MatchReader(bufio.NewReader(kept))
	if kept.err != nil {
		return fmt.Errorf("%s: %w", r.files.Stdout.Name, kept.err)
	}
	if !matches {
		return r.failAt(e.At, FailExpect, "%s: nothing in it matches %s", r.files.Stdout.Name, quoted([]byte(e.Matches)))
	}
	return nil
}

// keptError keeps the error that a regular expression's reader passes over.
type keptError struct {
	r   io.Reader
	err error
}

func (k *keptError) Read(b []byte) (int, error) {
	n, err := k.r.Read(b)
	if err != nil && err != io.EOF {
		k.err = err
	}
	return n, err
}

// expectMetric holds every sample's value of a metric to a number, exactly. A whole-process figure stands on repeat 1.
func (r *reader) expectMetric(e *plan.Expect) error {
	if e.Equals == nil {
		return r.failAt(e.At, FailExpect, "%s: no number is expected", e.Unit)
	}
	for i := range r.samples {
		s := &r.samples[i]
		v, ok := s.Values[e.Unit]
		switch {
		case !ok && plan.IsProcessUnit(e.Unit) && i > 0:
		case !ok:
			return r.failAt(e.At, FailExpect, "repeat %d has no %s, and %v is expected", s.Repeat, e.Unit, *e.Equals)
		case v != *e.Equals:
			return r.failAt(e.At, FailExpect, "repeat %d has %v %s, and %v is expected", s.Repeat, v, e.Unit, *e.Equals)
		}
	}
	return nil
}
