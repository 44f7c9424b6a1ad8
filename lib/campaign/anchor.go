package campaign

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/report"
	"github.com/phaselock/phaselock/lib/seal"
)

// Names of a result folder's seal, of the head of its ledger, and with SignatureSuffix of their signatures.
const (
	sealName = "seal"
	headName = "head"
)

// store puts the seal and its signature among the files that a folder is opened with.
func (s *Sealed) store(files map[string][]byte) {
	if s == nil {
		return
	}
	files[sealName] = s.Text
	if s.Signature != nil {
		files[sealName+SignatureSuffix] = s.Signature
	}
}

// digest is what the opening event says of a seal; nil without one.
func (s *Sealed) digest() *string {
	if s == nil {
		return nil
	}
	d := s.Seal.Digest()
	return &d
}

// anchorable refuses an anchor where there is nothing that it could hold.
func (o *Options) anchorable() error {
	if o.Anchor != "" && o.Sealed == nil {
		return usage("--anchor says where a seal was published: there is none without --sealed FILE")
	}
	return nil
}

// signHead signs the head of a ledger as it is now.
func signHead(w *ledger.Writer, key *seal.Key) error {
	if key == nil {
		return nil
	}
	text := seal.Head{Lines: w.Lines(), SHA256: w.Head()}.Text()
	sig, err := key.Sign(text)
	if err != nil {
		return fmt.Errorf("everything was run and kept; the head of the ledger is not signed: %w", err)
	}
	if err := w.WriteFile(headName, text); err != nil {
		return err
	}
	return w.WriteFile(headName+SignatureSuffix, sig)
}

// anchor is what signatures in the folder vouch for.
func (f *Folder) anchor() report.Anchor {
	var a report.Anchor
	sig, err := f.sealSignature()
	if err != nil {
		a.Problems = append(a.Problems, err.Error())
	}
	a.SealKey = fingerprint(sig)
	if a.HeadKey, a.Whole, err = f.headKey(); err != nil {
		a.Problems = append(a.Problems, err.Error())
	}
	return a
}

func fingerprint(sig *seal.Signature) string {
	if sig == nil {
		return ""
	}
	return sig.Fingerprint
}

// signature returns a file of the folder and its signature, nil if it is not signed.
func (f *Folder) signature(name string) (text []byte, sig *seal.Signature, err error) {
	if f.Log == nil || len(f.Log.Entries) == 0 { // nothing that it could be of
		return nil, nil, nil
	}
	armoured, err := seal.ReadSignature(filepath.Join(f.Dir, name+SignatureSuffix))
	if armoured == nil {
		return nil, nil, err
	}
	text, err = os.ReadFile(filepath.Join(f.Dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("there is a %s%s and no %s", name, SignatureSuffix, name)
	}
	if err != nil {
		return nil, nil, err
	}
	if sig, err = seal.CheckSignature(text, armoured); err != nil {
		return nil, nil, fmt.Errorf("%s%s is no signature of %s: %w", name, SignatureSuffix, name, err)
	}
	return text, sig, nil
}

// sealSignature returns the signature of the seal that the ledger was opened with; nil if it is not signed.
func (f *Folder) sealSignature() (*seal.Signature, error) {
	text, sig, err := f.signature(sealName)
	if sig == nil {
		return nil, err
	}
	s, err := seal.Parse(text)
	if err != nil {
		return nil, err
	}
	if o, ok := f.Log.Entries[0].Body.(*ledger.Opened); !ok || o.Seal == nil || *o.Seal != s.Digest() {
		return nil, errors.New("the seal in the folder is not the one that the ledger was opened with")
	}
	return sig, nil
}

// headSignature returns the signature of the ledger's head, nil if it is not signed, and whether nothing but notes and analyses came
// after it.
func (f *Folder) headSignature() (sig *seal.Signature, whole bool, err error) {
	text, sig, err := f.signature(headName)
	if sig == nil {
		return nil, false, err
	}
	h, err := seal.ParseHead(text)
	if err != nil {
		return nil, false, err
	}
	entries := f.Log.Entries
	if h.Lines > len(entries) {
		return nil, false, fmt.Errorf("the signed head has %d lines, the ledger %d: it was cut short", h.Lines, len(entries))
	}
	digest := f.Log.Head
	if h.Lines < len(entries) {
		digest = entries[h.Lines].Prev
	}
	if digest != h.SHA256 {
		return nil, false, fmt.Errorf("the signed head is not that of line %d of this ledger: it was rewritten", h.Lines)
	}
	for _, e := range entries[h.Lines:] {
		switch e.Body.(type) {
		case *ledger.Note, *ledger.Analysis:
		default:
			return sig, false, nil
		}
	}
	return sig, true, nil
}

// headKey is headSignature, of which it names the key.
func (f *Folder) headKey() (key string, whole bool, err error) {
	sig, whole, err := f.headSignature()
	return fingerprint(sig), whole, err
}
