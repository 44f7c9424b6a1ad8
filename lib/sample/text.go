package sample

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

const (
	// maxOutput is the most that is read of a program's output: more than that is not a table of results.
	maxOutput = 64 << 20
	// maxLine is the longest line that benchfmt reads; it stops at a longer one without a place.
	maxLine = 64<<10 - 1
)

// line is one line of a file, without its end (LF or CRLF). Its text is valid until the next line is read.
type line struct {
	text   []byte
	number int // from 1
}

// errTooMuch and errLong end the reading of a text that is no output to be read.
var (
	errTooMuch = errors.New("too much output")
	errLong    = errors.New("line too long")
	errUTF16   = errors.New("UTF-16")
)

// textError is what is wrong with a text, as a sentence with its place.
type textError struct {
	kind    error
	message string
}

func (e *textError) Error() string { return e.message }
func (e *textError) Unwrap() error { return e.kind }

// eachLine calls f for every line of a text, in linear time and constant memory. A byte order mark at the start is
// passed over. It returns a *textError for UTF-16, for lines over 64 KiB and for more than limit bytes, the first error
// of f, or the trouble of reading. With a limit of 0 a text may be as long as it is, and of a longer line f sees the
// beginning.
func eachLine(r io.Reader, name string, limit int64, f func(line) error) error {
	in := bufio.NewReaderSize(r, maxLine+3) // the longest line and its CRLF
	if err := passMark(in, name); err != nil {
		return err
	}
	var read int64
	for number := 1; ; number++ {
		text, err := in.ReadSlice('\n')
		read += int64(len(text))
		if limit > 0 && read > limit {
			return &textError{errTooMuch, fmt.Sprintf("%s:%d: more than %d MiB of output; print results alone to standard output", name, number, limit>>20)}
		}
		end := bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
		if limit == 0 && errors.Is(err, bufio.ErrBufferFull) {
			if ferr := f(line{text, number}); ferr != nil {
				return ferr
			}
			err = passLine(in)
			text, end = nil, nil
			if err == nil {
				continue
			}
		}
		if errors.Is(err, bufio.ErrBufferFull) || limit > 0 && len(end) > maxLine {
			return &textError{errLong, fmt.Sprintf("%s:%d: a line of more than 64 KiB, which begins %s", name, number, quoted(text))}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err == nil || len(text) > 0 {
			if err := f(line{end, number}); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}

// passLine passes over the rest of a line.
func passLine(in *bufio.Reader) error {
	for {
		if _, err := in.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// passMark passes over a UTF-8 byte order mark and refuses those of UTF-16.
func passMark(in *bufio.Reader, name string) error {
	head, err := in.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", name, err)
	}
	switch {
	case bytes.Equal(head, []byte("\xef\xbb\xbf")):
		_, err = in.Discard(3)
		return err
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return &textError{errUTF16, name + ": UTF-16 text; it must be UTF-8 (a PowerShell redirection writes UTF-16)"}
	}
	return nil
}

// quoted returns a text in quotes, shortened to what fits in a message.
func quoted(text []byte) string {
	const most = 120
	if len(text) <= most {
		return strconv.Quote(string(text))
	}
	cut := most
	for cut > most-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strconv.Quote(string(text[:cut])) + "…"
}
