package report

import "fmt"

// Anchor is what the folder holds from outside of itself: signatures that are those of its seal and of its ledger's head. Whose keys
// made them, no folder can say.
type Anchor struct {
	SealKey  string   // fingerprint of the key that signed the seal; "" if none did
	HeadKey  string   // of the key that signed the ledger's head
	Whole    bool     // that head has everything that was measured below it
	Problems []string // why something that looks like a signature is none, in sentences
}

// anchored reports whether something outside the folder vouches for it: the seal and the head are signed, or the seal was published.
func (p Page) anchored(j *journal) bool { return p.published(j) != "" || p.signed() }

// signed reports whether seal and head are signed.
func (p Page) signed() bool {
	return p.Anchor.SealKey != "" && p.Anchor.HeadKey != "" && p.Anchor.Whole
}

// published is where the seal stands, by the word of whoever ran the phase.
func (p Page) published(j *journal) string {
	if j.opened == nil {
		return ""
	}
	return j.opened.Anchor
}

// anchor says what the seal is worth, in sentences.
func (p Page) anchor(v voice) string {
	j := p.journal(v)
	published := p.published(&j)
	var s string
	switch {
	case p.signed() && p.Anchor.SealKey == p.Anchor.HeadKey:
		s = fmt.Sprintf("anchored: the seal and the ledger's head are signed by the key %s. Whose that is, an allowed_signers file says (phaselock verify).", v.name(p.Anchor.SealKey))
	case p.signed():
		s = fmt.Sprintf("anchored: the seal is signed by the key %s, the ledger's head by %s. Whose they are, an allowed_signers file says (phaselock verify).",
			v.name(p.Anchor.SealKey), v.name(p.Anchor.HeadKey))
	case published != "":
		s = "anchored by the word of whoever ran it."
	default:
		s = "unanchored: the seal proves what was run, and nothing in this folder proves when it was made."
	}
	if published != "" {
		s += fmt.Sprintf(" It is said to have been published before the first run: %s. That counts if this digest stands there, with an earlier date.", v.prose(published))
	}
	for _, problem := range p.Anchor.Problems {
		s += " " + v.prose(problem) + "."
	}
	return s
}

// anchorShort is the anchor for one line of a screen.
func (p Page) anchorShort() string {
	j := p.journal(spoken)
	switch {
	case p.signed():
		return "anchored: signed, with the ledger's head, by " + p.Anchor.HeadKey
	case p.published(&j) != "":
		return "anchored by the word of whoever ran it: " + clean(p.published(&j))
	}
	return "unanchored: the seal proves content, not time"
}
