package campaign

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/seal"
)

// FolderVerification is who vouches for a result folder: for the seal that it was held to, and for the head of its ledger.
type FolderVerification struct {
	Holds bool               `json:"holds"`
	Seal  string             `json:"seal"`  // digest of the seal that the ledger was opened with; "" of an unsealed phase
	Lines int                `json:"lines"` // of the ledger
	Head  string             `json:"head"`  // digest of the last
	Whole bool               `json:"whole"` // the signed head has every run below it
	By    *VerifiedSignature `json:"seal_signature"`
	Below *VerifiedSignature `json:"head_signature"`
}

// VerifyFolder reads a result folder's ledger, holds the seal in the folder to it, and says who signed both. It holds if nothing that is
// there is false and, with allowed signers, if this identity signed the seal of a sealed phase and a head with every run below it. What
// the runs gave is for the audit.
func VerifyFolder(dir string, allowed *seal.AllowedSigners, identity string, now time.Time) (*FolderVerification, error) {
	if _, err := os.Stat(filepath.Join(dir, ledger.Name)); errors.Is(err, os.ErrNotExist) {
		return nil, usage("%s is no result folder: there is no %s in it", dir, ledger.Name)
	}
	log, err := ledger.Read(dir)
	if err != nil {
		return nil, invalid("%s: %w", dir, err)
	}
	if len(log.Entries) == 0 || log.Lost > 0 {
		return nil, invalid("%s: the ledger is empty, or was cut short since it was closed", dir)
	}
	f := &Folder{Dir: dir, Log: log}
	v := &FolderVerification{Lines: len(log.Entries), Head: log.Head, Holds: true}
	if o, ok := log.Entries[0].Body.(*ledger.Opened); ok && o.Seal != nil {
		v.Seal = *o.Seal
		if err := f.holdsSeal(); err != nil {
			return nil, err
		}
		sig, err := f.sealSignature()
		v.By = vouched(sig, err, allowed, identity, now)
	}
	sig, whole, err := f.headSignature()
	v.Whole = whole
	v.Below = vouched(sig, err, allowed, identity, now)
	if allowed != nil && v.Below.Holds && !whole {
		v.Below.Holds, v.Below.Why = false, "runs stand below the signed head: it was signed before them"
	}
	for _, s := range []*VerifiedSignature{v.By, v.Below} {
		v.Holds = v.Holds && (s == nil || s.Holds)
	}
	return v, nil
}

// holdsSeal holds the seal in a folder to the one that its ledger was opened with.
func (f *Folder) holdsSeal() error {
	text, err := os.ReadFile(filepath.Join(f.Dir, sealName))
	if err != nil {
		return invalid("the ledger was opened with a seal, and it cannot be read: %w", err)
	}
	s, err := seal.Parse(text)
	if err != nil {
		return invalid("%s: %w", filepath.Join(f.Dir, sealName), err)
	}
	if o := f.Log.Entries[0].Body.(*ledger.Opened); s.Digest() != *o.Seal {
		return invalid("%s: the seal in the folder is %s, the ledger was opened with %s", f.Dir, s.Digest(), *o.Seal)
	}
	return nil
}

// vouched is what a signature is worth; nil if there is none and nobody asks for one.
func vouched(sig *seal.Signature, err error, allowed *seal.AllowedSigners, identity string, now time.Time) *VerifiedSignature {
	switch {
	case err != nil:
		return &VerifiedSignature{Why: err.Error()}
	case sig == nil && allowed == nil:
		return nil
	case sig == nil:
		return &VerifiedSignature{Why: "there is no signature"}
	case allowed == nil:
		return &VerifiedSignature{Key: sig.Fingerprint, Holds: true, Why: "whose key that is was not asked: --allowed-signers FILE --identity ID does"}
	}
	if err := allowed.Check(sig, identity, now); err != nil {
		return &VerifiedSignature{Key: sig.Fingerprint, Why: err.Error()}
	}
	return &VerifiedSignature{Key: sig.Fingerprint, Identity: identity, Holds: true}
}
