package seal

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxText bounds a seal: a hundred thousand files.
const maxText = 32 << 20

// Parse reads what Text wrote, and nothing else: a byte that is not as Text writes it is an error that names the line.
func Parse(text []byte) (*Seal, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("seal: %d bytes, more than the %d that one may have", len(text), maxText)
	}
	if at := bytes.IndexByte(text, '\r'); at >= 0 {
		return nil, fmt.Errorf("seal:%d: a carriage return; seals have \\n line ends, and something rewrote them", 1+bytes.Count(text[:at], []byte("\n")))
	}
	lines := strings.Split(string(text), "\n")
	if err := checkVersion(lines[0]); err != nil {
		return nil, err
	}
	if len(lines) < 4 || lines[len(lines)-1] != "" || !strings.HasPrefix(lines[len(lines)-2], digestPrefix) {
		return nil, fmt.Errorf("seal:%d: the end is missing: want %q and a digest, then a newline", len(lines), digestPrefix)
	}
	tool, ok := strings.CutPrefix(lines[1], toolPrefix)
	if !ok {
		return nil, fmt.Errorf("seal:2: want %q", toolPrefix)
	}
	s := &Seal{tool: tool}
	end := len(lines) - 2
	for i := 2; i < end; i++ {
		l, err := parseLine(lines[i])
		if err != nil {
			return nil, fmt.Errorf("seal:%d: %w", i+1, err)
		}
		s.lines = append(s.lines, l)
	}
	body := text[:len(text)-len(lines[end])-1]
	if got, want := DigestOf(body), strings.TrimPrefix(lines[end], digestPrefix); got != want {
		return nil, fmt.Errorf("seal:%d: the lines above have the digest %s, the seal says %q: one of them was changed", end+1, got, want)
	}
	return canonical(s, lines)
}

// canonical holds a seal to the text that it would write.
func canonical(s *Seal, lines []string) (*Seal, error) {
	again, err := New(s.tool, s.lines)
	if err != nil {
		return nil, err
	}
	for i, want := range strings.Split(string(again.Text()), "\n") {
		if i >= len(lines) || lines[i] != want {
			return nil, fmt.Errorf("seal:%d: want %q here: lines are sorted within a kind, with two spaces between their parts", i+1, want)
		}
	}
	return again, nil
}

func checkVersion(line string) error {
	rest, ok := strings.CutPrefix(line, versionPrefix)
	if !ok {
		return fmt.Errorf("seal:1: this is no seal: want %q", versionPrefix+strconv.Itoa(version))
	}
	if rest != strconv.Itoa(version) {
		return fmt.Errorf("seal:1: version %q; this phaselock reads version %d, a newer one may have written this", rest, version)
	}
	return nil
}

func parseLine(text string) (l Line, err error) {
	if rest, ok := strings.CutPrefix(text, paramPrefix); ok {
		l.Kind = KindParam
		if l.Label, rest, err = cutLabel(rest); err != nil {
			return l, err
		}
		l.Note = strings.TrimPrefix(rest, " ")
		return l, l.check()
	}
	rest, ok := strings.CutPrefix(text, hashPrefix)
	if !ok {
		return l, fmt.Errorf("want %q or %q", hashPrefix, paramPrefix)
	}
	if l.SHA256, rest, ok = strings.Cut(rest, "  "); !ok {
		return l, errors.New("want two spaces behind the digest")
	}
	l.Kind, rest, _ = strings.Cut(rest, " ")
	rest = strings.TrimLeft(rest, " ")
	r := rank(l.Kind)
	switch {
	case r < 0:
		return l, fmt.Errorf("no kind %q", l.Kind)
	case kinds[r].labels == alone, kinds[r].labels == byPhase && strings.HasPrefix(rest, words[l.Kind]):
	default:
		if l.Label, rest, err = cutLabel(rest); err != nil {
			return l, err
		}
	}
	rest = strings.TrimPrefix(strings.TrimLeft(rest, " "), words[l.Kind])
	l.Note = strings.TrimLeft(rest, " ")
	return l, l.check()
}
