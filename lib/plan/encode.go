package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
)

// computeDigest hashes every run, in order, one JSON line each. Places in scripts have no part in it, so that
// a comment changes no plan.
func (p *Plan) computeDigest() string {
	h := sha256.New()
	e := json.NewEncoder(h)
	e.SetEscapeHTML(false)
	for i := range p.Runs {
		if err := e.Encode(&p.Runs[i]); err != nil {
			panic(err) // runs hold strings, integers and slices and maps of them
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// JSON returns plan.json: indented, one final newline, the same bytes for the same plan.
func (p *Plan) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(p); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Decode reads plan.json and checks that its runs have the digest that it states.
func Decode(r io.Reader) (*Plan, error) {
	d := json.NewDecoder(r)
	var p Plan
	if err := d.Decode(&p); err != nil {
		return nil, fmt.Errorf("plan.json: %w", err)
	}
	if p.Version > Version {
		return nil, fmt.Errorf("plan.json has version %d; this phaselock reads up to %d", p.Version, Version)
	}
	if p.Phase == nil {
		return nil, fmt.Errorf("plan.json: no protocol")
	}
	if got := p.computeDigest(); got != p.Digest {
		return nil, fmt.Errorf("plan.json: its runs have the digest %s, it states %s: the file was changed", got, p.Digest)
	}
	for i := range p.Runs {
		if p.Runs[i].Number != i+1 {
			return nil, fmt.Errorf("plan.json: run %d stands where run %d should", p.Runs[i].Number, i+1)
		}
		if p.Phase.Arm(p.Runs[i].Arm) == nil || p.Phase.Case(p.Runs[i].Case) == nil {
			return nil, fmt.Errorf("plan.json: run %d: no arm %q or no case %q in the protocol", i+1, p.Runs[i].Arm, p.Runs[i].Case)
		}
	}
	return &p, nil
}
