package protocol

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Place is where in the scripts something was declared: file:line:col, and who called that.
// File is a label without its leading slashes ("c2.star", "@std//go.star"); Line and Col count from 1.
// In JSON it is the string "file:line:col"; callers stay in memory only.
type Place struct {
	File    string
	Line    int
	Col     int
	Callers []Frame // from the inside out
}

// Frame is one caller of a Place.
type Frame struct {
	File string
	Line int
	Col  int
	Func string // "<toplevel>" for module code
}

// String returns "file:line:col", or "" for the zero Place.
func (p Place) String() string {
	if p.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// IsZero reports whether the place is unknown, as it is for a phase that no script declared.
func (p Place) IsZero() bool { return p.File == "" }

// MarshalJSON writes the place as "file:line:col".
func (p Place) MarshalJSON() ([]byte, error) { return json.Marshal(p.String()) }

// UnmarshalJSON reads "file:line:col".
func (p *Place) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*p = Place{}
	if s == "" {
		return nil
	}
	rest, col, ok := cutLast(s)
	file, line, ok2 := cutLast(rest)
	if !ok || !ok2 {
		return fmt.Errorf("place %q: want file:line:col", s)
	}
	*p = Place{File: file, Line: line, Col: col}
	return nil
}

func cutLast(s string) (head string, n int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	return s[:i], n, err == nil
}
