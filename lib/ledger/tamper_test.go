package ledger_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/ledger"
)

// poke returns what changes one byte of a ledger in place.
func poke(t *testing.T, dir string) func(at int, to byte) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, ledger.Name), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return func(at int, to byte) {
		t.Helper()
		if _, err := f.WriteAt([]byte{to}, int64(at)); err != nil {
			t.Fatal(err)
		}
	}
}

// A changed byte, any byte, any of four bits: in a ledger that was closed it is an error that names the changed line.
func TestEveryChangedByteIsFound(t *testing.T) {
	dir := written(t, ledger.Options{Clock: clock()}, events()...)
	data := read(t, dir)
	change := poke(t, dir)
	number := 1
	for i := range data {
		for _, flip := range []byte{0x01, 0x04, 0x20, 0x80} {
			change(i, data[i]^flip)
			_, err := ledger.Read(dir)
			var te *ledger.TamperError
			if !errors.As(err, &te) {
				t.Fatalf("byte %d (%q became %q): %v", i, data[i], data[i]^flip, err)
			}
			if te.Line != number {
				t.Fatalf("byte %d (%q became %q) of line %d: %v", i, data[i], data[i]^flip, number, err)
			}
		}
		change(i, data[i])
		if data[i] == '\n' {
			number++
		}
	}
}

// The same without the closing: what is not found can only be in the last line, which is then torn or another line of the same form.
func TestChangedBytesAfterACrash(t *testing.T) {
	dir, data := crashed(t, events()...)
	last := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
	change := poke(t, dir)
	for i := range data {
		change(i, data[i]^0x01)
		log, err := ledger.Read(dir)
		if err == nil && (i < last || log.Torn == 0 && len(log.Entries) != len(events())) {
			t.Fatalf("byte %d (%q became %q) was not found", i, data[i], data[i]^0x01)
		}
		if i >= last && err == nil && log.Torn > 0 && len(log.Entries) != len(events())-1 {
			t.Fatalf("byte %d: %d entries beside %d torn bytes", i, len(log.Entries), log.Torn)
		}
		change(i, data[i])
	}
	prev := bytes.LastIndex(data, []byte(`"prev":"`)) + len(`"prev":"`)
	changed := bytes.Clone(data)
	changed[prev] ^= 0x01
	overwrite(t, dir, changed)
	if _, err := ledger.Read(dir); err == nil {
		t.Error("the last line may name another line before it")
	}
}

func TestTamperingNamesTheLine(t *testing.T) {
	dir := written(t, ledger.Options{Clock: clock()}, events()...)
	data := read(t, dir)
	lines := bytes.SplitAfter(data, []byte("\n"))
	lines = lines[:len(lines)-1]
	swapped := slices.Clone(lines)
	swapped[4], swapped[5] = swapped[5], swapped[4]
	n := len(lines)
	for _, tc := range []struct {
		name    string
		changed [][]byte
		line    int
		want    string
	}{
		{"an exit status", [][]byte{bytes.Replace(data, []byte(`"exit":3`), []byte(`"exit":0`), 1)}, 3, ""},
		{"a spelling", [][]byte{bytes.Replace(data, []byte(`"exit":3`), []byte(`"Exit":3`), 1)}, 3, ""},
		{"a space", [][]byte{bytes.Replace(data, []byte(`"exit":3`), []byte(`"exit": 3`), 1)}, 3, ""},
		{"the last line", [][]byte{bytes.Replace(data, []byte(`"failed":2`), []byte(`"failed":0`), 1)}, n, ""},
		{"a removed line", append(slices.Clone(lines[:2]), lines[3:]...), 3, "line 3"},
		{"the first line removed", lines[1:], 1, "line 1"},
		{"a doubled line", append(slices.Clone(lines[:4]), lines[3:]...), 5, ""},
		{"two lines in each other's place", swapped, 5, ""},
		{"a line more at the end", append(slices.Clone(lines), lines[n-1]), n + 1, ""},
		{"an empty line", append(append(slices.Clone(lines[:4]), []byte("\n")), lines[4:]...), 5, "a JSON object"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			overwrite(t, dir, bytes.Join(tc.changed, nil))
			_, err := ledger.Read(dir)
			var te *ledger.TamperError
			if !errors.As(err, &te) || te.Line != tc.line || te.Want == te.Got || !strings.Contains(te.Want, tc.want) {
				t.Fatalf("error %v; want line %d", err, tc.line)
			}
			if tc.want == "" && (len(te.Want) != 64 || len(te.Got) != 64) && !strings.HasPrefix(te.Want, "line ") {
				t.Errorf("error %v; want two digests", err)
			}
			if !strings.Contains(err.Error(), fmt.Sprintf("ledger.jsonl:%d ", tc.line)) {
				t.Errorf("error %v does not name the line", err)
			}
			if _, _, err := ledger.Open(dir, ledger.Options{}); !errors.As(err, &te) {
				t.Errorf("a changed ledger was opened: %v", err)
			}
			if err := os.WriteFile(filepath.Join(dir, "lock"), lockOf(data, n), 0o644); err != nil { // Open took the lock
				t.Fatal(err)
			}
		})
	}
}

func lockOf(data []byte, n int) []byte {
	last := data[bytes.LastIndexByte(data[:len(data)-1], '\n')+1 : len(data)-1]
	return []byte(fmt.Sprintf("closed with %d lines, head %s\n", n, sum(last)))
}

// What a newer phaselock wrote: an event is refused by name, a field is passed over where the chain vouches for it.
func TestNewerFormats(t *testing.T) {
	prev := strings.Repeat("0", 64)
	head := func(seq int, event string) string {
		return fmt.Sprintf(`{"seq":%d,"time":"2026-10-14T10:15:02Z","monotonic_ns":1,"event":"%s","prev":"`, seq, event)
	}
	write := func(t *testing.T, bodies ...string) string {
		dir, p, text := t.TempDir(), prev, ""
		for _, b := range bodies {
			line := strings.Replace(b, "PREV", p+`"`, 1)
			text += line + "\n"
			p = sum([]byte(line))
		}
		overwrite(t, dir, []byte(text))
		return dir
	}
	note := head(2, "note") + `PREV,"type":"limit","text":"x"}`
	t.Run("an event", func(t *testing.T) {
		for _, dir := range []string{write(t, head(1, "teleported")+`PREV}`), write(t, head(1, "teleported")+`PREV,"x":1}`, note)} {
			if _, err := ledger.Read(dir); err == nil || !strings.Contains(err.Error(), `event "teleported"`) || !strings.Contains(err.Error(), "newer") {
				t.Errorf("error %v", err)
			}
		}
	})
	verified := head(1, "pin-verified") + `PREV,"when":"opening","files":2,"engine":"slurm"}`
	t.Run("a field", func(t *testing.T) {
		log, err := ledger.Read(write(t, verified, note))
		if err != nil || !slices.Equal(log.Entries[0].Unknown, []string{"engine"}) || log.Entries[0].Body.(*ledger.PinVerified).Files != 2 {
			t.Errorf("%+v, %v", log, err)
		}
	})
	t.Run("a field of the last line", func(t *testing.T) {
		if _, err := ledger.Read(write(t, verified)); err == nil || !strings.Contains(err.Error(), "a field engine that is not known") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("a field of a field", func(t *testing.T) {
		log, err := ledger.Read(write(t, head(1, "run-finished")+`PREV,"run":1,"attempt":1,"exit":0,"signal":null,"timed_out":false,"start_error":null,`+
			`"wall_ns":1,"user_ns":1,"sys_ns":1,"max_rss_bytes":null,"minor_faults":0,"major_faults":0,"voluntary_switches":0,"involuntary_switches":0,"cpus":"",`+
			`"stdout":{"bytes":0,"sha256":"","lines":3},"stderr":{"bytes":0,"sha256":""},"samples":0}`, note))
		if err != nil || !slices.Equal(log.Entries[0].Unknown, []string{"stdout.lines"}) {
			t.Errorf("%+v, %v", log, err)
		}
	})
	for name, body := range map[string]string{
		"a field missing":     `PREV,"when":"opening"}`,
		"a field twice":       `PREV,"when":"opening","files":1,"files":2}`,
		"a name in capitals":  `PREV,"when":"opening","Files":2}`,
		"another type":        `PREV,"when":"opening","files":"2"}`,
		"a fraction":          `PREV,"when":"opening","files":2.0}`,
		"null for a number":   `PREV,"when":"opening","files":null}`,
		"a name's other case": `PREV,"when":"opening","files":2,"FILES":3}`,
	} {
		t.Run(name, func(t *testing.T) {
			var te *ledger.TamperError
			if _, err := ledger.Read(write(t, head(1, "pin-verified")+body, note)); !errors.As(err, &te) || te.Line != 1 {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestLinesAreBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	w, err := ledger.Create(dir, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Append(&ledger.Note{Text: strings.Repeat("x", ledger.MaxLine)}); err == nil || !strings.Contains(err.Error(), "note") {
		t.Errorf("error %v", err)
	}
	if err := w.Append(&ledger.Note{Text: "short"}); err != nil {
		t.Errorf("nothing was written, and the writer is broken: %v", err)
	}
	for _, end := range []string{"", "\n"} {
		other := t.TempDir()
		overwrite(t, other, append(bytes.Repeat([]byte("x"), ledger.MaxLine+1), end...))
		var te *ledger.TamperError
		if _, err := ledger.Read(other); !errors.As(err, &te) || te.Line != 1 {
			t.Errorf("error %v", err)
		}
	}
}

// Whatever the bytes: an answer or an error, and what is read is at most what is there.
func FuzzRead(f *testing.F) {
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		f.Fatal(err)
	}
	defer os.RemoveAll(dir)
	w, err := ledger.Create(filepath.Join(dir, "p"), ledger.Options{Clock: clock()})
	if err != nil {
		f.Fatal(err)
	}
	for _, b := range events() {
		if err := w.Append(b); err != nil {
			f.Fatal(err)
		}
	}
	w.Close()
	data, err := os.ReadFile(filepath.Join(dir, "p", ledger.Name))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, lockOf(data, len(events())))
	f.Add([]byte("{}\n"), []byte{})
	f.Add([]byte(`{"seq":1,"prev":"`+strings.Repeat("0", 64)+`","event":"note"}`+"\n"), []byte("closed with 9 lines, head x\n"))
	f.Fuzz(func(t *testing.T, data, lock []byte) {
		dir := t.TempDir()
		overwrite(t, dir, data)
		if err := os.WriteFile(filepath.Join(dir, "lock"), lock, 0o644); err != nil {
			t.Fatal(err)
		}
		log, err := ledger.Read(dir)
		if err == nil && len(log.Entries) != bytes.Count(data[:len(data)-log.Torn], []byte("\n")) {
			t.Errorf("%d entries and %d torn bytes of %q", len(log.Entries), log.Torn, data)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "p")
	w, err := ledger.Create(dir, ledger.Options{FS: unsynced{}})
	if err != nil {
		b.Fatal(err)
	}
	env := map[string]string{"HOME": "/home/x", "PATH": "/usr/local/bin:/usr/bin:/bin", "PHASELOCK_PAD": strings.Repeat("x", 300)}
	for run := 1; run <= 5000; run++ {
		for _, body := range []ledger.Body{&ledger.RunStarted{Run: run, Env: env, Argv: []string{"x", "-test.run=^$"}}, &ledger.RunFinished{Run: run}} {
			if err := w.Append(body); err != nil {
				b.Fatal(err)
			}
		}
	}
	w.Close()
	info, err := os.Stat(filepath.Join(dir, ledger.Name))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ledger.Read(dir); err != nil {
			b.Fatal(err)
		}
	}
}
