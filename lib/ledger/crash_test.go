package ledger_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/ledger"
)

// crashed is a ledger whose writer did not live to close it, and its bytes.
func crashed(t *testing.T, bodies ...ledger.Body) (dir string, data []byte) {
	t.Helper()
	dir = written(t, ledger.Options{Clock: clock()}, bodies...)
	if err := os.WriteFile(filepath.Join(dir, "lock"), []byte("pid 1 since 2026-10-14T10:15:00Z\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, read(t, dir)
}

func read(t *testing.T, dir string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, ledger.Name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func overwrite(t *testing.T, dir string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, ledger.Name), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// The crash at any byte: every prefix of the file is readable, loses no whole line, and goes on.
func TestTruncatedAtEveryByte(t *testing.T) {
	dir, data := crashed(t, events()...)
	for cut := max(0, len(data)-4096); cut <= len(data); cut++ {
		overwrite(t, dir, data[:cut])
		log, err := ledger.Read(dir)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		whole := bytes.Count(data[:cut], []byte("\n"))
		torn := data[bytes.LastIndexByte(data[:cut], '\n')+1 : cut]
		if len(log.Entries) != whole || log.Torn != len(torn) || log.Lost != 0 {
			t.Fatalf("cut at %d: %d entries, %d torn bytes, %d lost lines; want %d entries", cut, len(log.Entries), log.Torn, log.Lost, whole)
		}
		if cut%97 != 0 && cut != len(data) {
			continue // going on is tried at some of the cuts
		}
		w, _, err := ledger.Open(dir, ledger.Options{FS: unsynced{}, Clock: clock()})
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if err := w.Append(&ledger.Resumed{Torn: log.Torn}); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if log, err = ledger.Read(dir); err != nil || len(log.Entries) != whole+1 || log.Torn != 0 {
			t.Fatalf("cut at %d, then gone on: %+v, %v", cut, log, err)
		}
		kept, _ := filepath.Glob(filepath.Join(dir, "ledger.torn-*"))
		if (len(torn) > 0) != (len(kept) == 1) {
			t.Fatalf("cut at %d: kept %v", cut, kept)
		}
		for _, path := range kept {
			if saved, _ := os.ReadFile(path); !bytes.Equal(saved, torn) {
				t.Fatalf("cut at %d: kept %q, want %q", cut, saved, torn)
			}
			os.Remove(path)
		}
		if err := os.WriteFile(filepath.Join(dir, "lock"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// What a crash may leave behind the last whole line is torn, and no line.
func TestTornLines(t *testing.T) {
	dir, data := crashed(t, events()...)
	last := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
	for _, tail := range []string{
		"{", `{"seq":12}`, "\x00\x00\x00\x00", `{"seq":12,"time":"20` + "\n", strings.Repeat("\x00", 4096) + `"failed":2}` + "\n", "\n",
	} {
		overwrite(t, dir, append(data[:len(data):len(data)], tail...))
		log, err := ledger.Read(dir)
		if err != nil || log.Torn != len(tail) || len(log.Entries) != len(events()) {
			t.Errorf("%q: %+v, %v", tail, log, err)
		}
	}
	overwrite(t, dir, append(data[:last:last], `{"se`+"\n"+`{"seq"`...))
	if _, err := ledger.Read(dir); err == nil {
		t.Error("two lines that are no JSON were one torn line")
	}
	overwrite(t, dir, append(data[:len(data)-1:len(data)-1], `,{"seq":12`...))
	var te *ledger.TamperError
	if _, err := ledger.Read(dir); !errors.As(err, &te) || te.Line != len(events()) {
		t.Errorf("a whole event was hidden in a torn line: %v", err)
	}
}

// A second torn line does not take the place of the first.
func TestEveryTornLineIsKept(t *testing.T) {
	dir, _ := crashed(t, events()...)
	for _, tail := range []string{"one", "two", "three"} {
		overwrite(t, dir, append(read(t, dir), tail...))
		w, log, err := ledger.Open(dir, ledger.Options{Clock: clock()})
		if err != nil || log.Torn != len(tail) {
			t.Fatalf("%+v, %v", log, err)
		}
		w.Close()
	}
	for n, want := range []string{"one", "two", "three"} {
		got, _ := os.ReadFile(filepath.Join(dir, "ledger.torn-"+string(rune('1'+n))))
		if string(got) != want {
			t.Errorf("torn-%d is %q, want %q", n+1, got, want)
		}
	}
}

// A ledger that was closed and has become shorter says so, and is readable.
func TestLostLines(t *testing.T) {
	dir := written(t, ledger.Options{Clock: clock()}, events()...)
	data := read(t, dir)
	lines := bytes.SplitAfter(data, []byte("\n"))
	overwrite(t, dir, bytes.Join(lines[:len(events())-2], nil))
	if log, err := ledger.Read(dir); err != nil || log.Lost != 2 || log.Torn != 0 {
		t.Errorf("%+v, %v", log, err)
	}
	overwrite(t, dir, data[:len(data)-1])
	if log, err := ledger.Read(dir); err != nil || log.Lost != 1 || log.Torn == 0 {
		t.Errorf("%+v, %v", log, err)
	}
	if err := os.Remove(filepath.Join(dir, ledger.Name)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ledger.Open(dir, ledger.Options{}); err == nil || !strings.Contains(err.Error(), "no result folder") {
		t.Errorf("error %v", err)
	}
}
