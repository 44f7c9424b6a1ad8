package seal

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// AllowedSigners is who may sign, in OpenSSH's form (ALLOWED SIGNERS in ssh-keygen(1)).
type AllowedSigners struct{ signers []signer }

// signer is one line of the file.
type signer struct {
	line          int
	principals    []string // patterns
	namespaces    []string // patterns; nil is all
	after, before time.Time
	authority     bool
	key           ssh.PublicKey
}

// ParseAllowedSigners reads an allowed_signers file. A line that cannot be read is an error: a file of who may sign is not guessed at.
func ParseAllowedSigners(text []byte) (*AllowedSigners, error) {
	a := &AllowedSigners{}
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s, err := parseSigner(line)
		if err != nil {
			return nil, fmt.Errorf("allowed signers:%d: %w", i+1, err)
		}
		s.line = i + 1
		a.signers = append(a.signers, s)
	}
	return a, nil
}

// parseSigner reads "PRINCIPALS [OPTIONS] KEYTYPE KEY [COMMENT]".
func parseSigner(line string) (s signer, err error) {
	principals, rest, err := cutPrincipals(line)
	if err != nil {
		return s, err
	}
	s.principals = strings.Split(principals, ",")
	key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(rest))
	if err != nil {
		return s, fmt.Errorf("behind %q: %w; want a key type and a key", principals, err)
	}
	s.key = key
	for _, o := range options {
		if err := s.option(o); err != nil {
			return s, err
		}
	}
	return s, nil
}

func cutPrincipals(line string) (principals, rest string, err error) {
	if quotedPart, ok := strings.CutPrefix(line, `"`); ok {
		principals, rest, ok = strings.Cut(quotedPart, `"`)
		if !ok {
			return "", "", errors.New("a quote that does not end")
		}
	} else if i := strings.IndexAny(line, " \t"); i > 0 {
		principals, rest = line[:i], line[i:]
	}
	if principals == "" {
		return "", "", errors.New("want identities, then a key")
	}
	return principals, strings.TrimSpace(rest), nil
}

func (s *signer) option(text string) (err error) {
	name, value, _ := strings.Cut(text, "=")
	value = strings.Trim(value, `"`)
	switch strings.ToLower(name) {
	case "namespaces":
		s.namespaces = strings.Split(value, ",")
	case "valid-after":
		s.after, err = validity(value)
	case "valid-before":
		s.before, err = validity(value)
	case "cert-authority":
		s.authority = true
	default:
		err = fmt.Errorf("no option %q", name)
	}
	return err
}

// validity reads YYYYMMDD[Z], YYYYMMDDHHMM[Z] or YYYYMMDDHHMMSS[Z]; without the Z it is local time.
func validity(text string) (time.Time, error) {
	digits, utc := strings.CutSuffix(text, "Z")
	zone := time.Local
	if utc {
		zone = time.UTC
	}
	for _, form := range []string{"20060102", "200601021504", "20060102150405"} {
		if len(form) == len(digits) {
			return time.ParseInLocation(form, digits, zone)
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time: want YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, and Z for UTC", text)
}

// Check reports whether this identity may have made a signature, at this time; the error says why not.
func (a *AllowedSigners) Check(sig *Signature, identity string, now time.Time) error {
	why := fmt.Errorf("no line names %s", identity)
	for _, s := range a.signers {
		if !matchList(s.principals, identity) {
			continue
		}
		err := s.check(sig, now)
		if err == nil {
			return nil
		}
		why = fmt.Errorf("line %d: %w", s.line, err)
	}
	return fmt.Errorf("the key %s is not allowed to sign as %s: %w", sig.Fingerprint, identity, why)
}

func (s *signer) check(sig *Signature, now time.Time) error {
	switch {
	case s.authority:
		return errors.New("certificates are not read here; ssh-keygen -Y verify does")
	case !bytes.Equal(s.key.Marshal(), sig.key.Marshal()):
		return fmt.Errorf("it has the key %s", ssh.FingerprintSHA256(s.key))
	case s.namespaces != nil && !matchList(s.namespaces, Namespace):
		return fmt.Errorf("the key is for the namespaces %s, not for %s", strings.Join(s.namespaces, ","), Namespace)
	case !s.after.IsZero() && now.Before(s.after):
		return fmt.Errorf("the key is valid from %s", s.after.Format(time.RFC3339))
	case !s.before.IsZero() && now.After(s.before):
		return fmt.Errorf("the key was valid until %s", s.before.Format(time.RFC3339))
	}
	return nil
}

// matchList matches OpenSSH's pattern lists: * and ? as wildcards, and a ! before what must not match.
func matchList(patterns []string, text string) bool {
	found := false
	for _, p := range patterns {
		p, negated := strings.CutPrefix(p, "!")
		if !matchPattern(p, text) {
			continue
		}
		if negated {
			return false
		}
		found = true
	}
	return found
}

// matchPattern is path.Match with two wildcards, * and ?, of which neither stops at a slash.
func matchPattern(pattern, text string) bool {
	const slash = "\x00" // stands in no identity
	escape := strings.NewReplacer(`\`, `\\`, "[", `\[`, "/", slash)
	ok, err := path.Match(escape.Replace(pattern), strings.ReplaceAll(text, "/", slash))
	return err == nil && ok
}
