package campaign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/phaselock/phaselock/lib/seal"
)

// SignatureSuffix is what ssh-keygen -Y sign puts behind the name of what it signs.
const SignatureSuffix = ".sig"

// Sealed is a seal's file, with the signature that lies beside it.
type Sealed struct {
	Name      string // for messages
	Seal      *seal.Seal
	Text      []byte
	Signature []byte // nil: it is not signed
}

// ReadSealed reads a seal and, where there is one, its signature (the file's name with .sig). A seal that is not as it was written
// is an error with ExitInvalid; whether the signature is one is for CheckSignature to say.
func ReadSealed(path string) (*Sealed, error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usage("there is no seal %s; phaselock seal SCRIPT writes one", path)
	case err != nil:
		return nil, &Error{ExitMachine, err}
	}
	s := &Sealed{Name: filepath.Base(path), Text: text}
	if s.Seal, err = seal.Parse(text); err != nil {
		return nil, invalid("%s: %w", path, err)
	}
	if s.Signature, err = seal.ReadSignature(path + SignatureSuffix); err != nil {
		return nil, &Error{ExitMachine, err}
	}
	return s, nil
}

// CheckSignature returns the seal's signature if it is one, and nil where there is none.
func (s *Sealed) CheckSignature() (*seal.Signature, error) {
	if s.Signature == nil {
		return nil, nil
	}
	sig, err := seal.CheckSignature(s.Text, s.Signature)
	if err != nil {
		return nil, invalid("%s%s is no signature of %s: %w", s.Name, SignatureSuffix, s.Name, err)
	}
	return sig, nil
}

// Several reports whether the seal is of several phases.
func (s *Sealed) Several() bool {
	_, one := s.Seal.Line(seal.KindPlan, "")
	return !one
}

// Hold builds, finds and pins everything of these phases and holds it to a seal: all of them, in their order, and no more. It runs
// nothing and writes nothing. What differs is an error with ExitInvalid that names every line with both digests.
//
// Run holds each phase to it again, by the pins that it runs from: Hold is for what comes before the first of several.
func (s *Sealed) Hold(ctx context.Context, phases []Script, o Options) error {
	now, err := Seal(ctx, phases, o)
	if err != nil {
		return err
	}
	return s.differs(now, s.Seal.Check(seal.Known(now)))
}

// holdPhase holds what a phase is about to run to the seal: of a seal of several phases, to the lines that are about this one.
func (s *Sealed) holdPhase(phase Script, files []*found) error {
	if _, err := s.CheckSignature(); err != nil {
		return err
	}
	c := newSealing()
	if err := errors.Join(c.files(files), c.declared([]Script{phase})); err != nil {
		return err
	}
	harness, err := harnessLine("")
	if err != nil {
		return &Error{ExitMachine, err}
	}
	c.lines = append(c.lines, harness)
	several := s.Several()
	if several {
		for i := range c.lines {
			if l := &c.lines[i]; l.Kind == seal.KindProtocol || l.Kind == seal.KindPlan {
				sealed, _ := s.Seal.Line(l.Kind, phase.Plan.Phase.Name)
				l.Label, l.Note = phase.Plan.Phase.Name, sealed.Note // Hold has compared the order
			}
		}
	}
	now, err := seal.New("now", c.lines)
	if err != nil {
		return &Error{ExitUsage, err}
	}
	var outcomes []seal.Outcome
	for _, o := range s.Seal.Check(seal.Known(now)) {
		if several && errors.Is(o.Err, seal.ErrElsewhere) {
			continue // of another phase
		}
		outcomes = append(outcomes, o)
	}
	return s.differs(now, outcomes)
}

// differs is the error that names everything that is not as sealed, and everything that was not sealed; nil if that is nothing.
func (s *Sealed) differs(now *seal.Seal, outcomes []seal.Outcome) error {
	var lines []string
	same := protocolsHold(outcomes)
	for _, o := range outcomes {
		switch {
		case o.Holds():
		case errors.Is(o.Err, seal.ErrElsewhere):
			lines = append(lines, fmt.Sprintf("%s: sealed as %s, and not used now", o.Line.Name(), o.Line.Value()))
		case o.Line.Kind == seal.KindScript && same:
			lines = append(lines, o.String()+" ("+textOnly+")")
		default:
			lines = append(lines, o.String())
		}
	}
	for _, l := range s.Seal.Beside(now) {
		lines = append(lines, fmt.Sprintf("%s: not sealed, now %s", l.Name(), l.Value()))
	}
	if len(lines) == 0 {
		return nil
	}
	return invalid("this is not what %s seals:\n  %s\nnothing was run; phaselock seal makes a seal of what is there now", s.Name, strings.Join(lines, "\n  "))
}

// textOnly is what is said of a script whose bytes differ where the protocols are those that were sealed.
const textOnly = "text changed, protocol did not"

// protocolsHold reports whether every protocol is as sealed, and there is one.
func protocolsHold(outcomes []seal.Outcome) bool {
	some := false
	for _, o := range outcomes {
		if o.Line.Kind != seal.KindProtocol {
			continue
		}
		if !o.Holds() {
			return false
		}
		some = true
	}
	return some
}
