package ledger_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/ledger"
)

// clock returns a clock that advances a second a call, so that ledgers of tests are the same every time.
func clock() func() time.Time {
	now := time.Date(2026, 10, 14, 10, 15, 0, 123456789, time.UTC)
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}

var three = 3

// events is one of nearly every kind, with text that JSON must escape and bytes that are no UTF-8.
func events() []ledger.Body {
	signal := "SIGSEGV"
	return []ledger.Body{
		&ledger.Opened{Phase: "p", Tool: "phaselock <test> & more", Host: map[string]string{"cpu": "unknown"}, Files: []ledger.PinnedFile{{Label: "x", SHA256: "00"}}},
		&ledger.RunStarted{Run: 1, Attempt: 1, Case: "c", Arm: "a", Argv: []string{"x", "a\x00b", "\xff"}, Env: map[string]string{"K": "v\n"}},
		&ledger.RunFinished{Run: 1, Attempt: 1, Exit: &three, Failure: "exit", Message: "exit status 3"},
		&ledger.RunStarted{Run: 2, Attempt: 1},
		&ledger.RunFinished{Run: 2, Attempt: 1, Signal: &signal},
		&ledger.RunStarted{Run: 3, Attempt: 1},
		&ledger.RunInterrupted{Run: 3, Attempt: 1, Why: "told to stop"},
		&ledger.PinVerified{When: "closing", Files: 2},
		&ledger.PinBroken{When: "closing", Label: "x", Want: "00", Got: "01"},
		&ledger.PhaseStopped{Why: "interrupted", Exit: 130},
		&ledger.Closed{Finished: 1, Failed: 2},
	}
}

func written(t *testing.T, o ledger.Options, bodies ...ledger.Body) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "results", "p")
	w, err := ledger.Create(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, b := range bodies {
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadGivesBackWhatWasAppended(t *testing.T) {
	dir := written(t, ledger.Options{Clock: clock()}, events()...)
	log, err := ledger.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(log.Entries) != len(events()) || log.Torn != 0 {
		t.Fatalf("%d entries, %d torn bytes", len(log.Entries), log.Torn)
	}
	for i, want := range events() {
		e := log.Entries[i]
		if s, ok := want.(*ledger.RunStarted); ok && len(s.Argv) > 2 {
			s.Argv[2] = "\ufffd" // what is no UTF-8 is replaced when it is written
		}
		if d := cmp.Diff(want, e.Body); d != "" {
			t.Errorf("event %d: %s", i+1, d)
		}
		if e.Seq != i+1 || e.Line != i+1 || e.Event != want.Kind() {
			t.Errorf("event %d: seq %d, line %d, kind %s", i+1, e.Seq, e.Line, e.Event)
		}
		if ns := time.Duration(i+1) * time.Second; e.MonotonicNS != ns.Nanoseconds() {
			t.Errorf("event %d: monotonic %d, want %d", i+1, e.MonotonicNS, ns.Nanoseconds())
		}
	}
}

// The first line, to the letter: the format that other programs read.
func TestLineFormat(t *testing.T) {
	dir := written(t, ledger.Options{Clock: clock()}, &ledger.PinVerified{When: "a<b", Files: 2}, &ledger.Note{Type: "limit", Text: "x"})
	data, err := os.ReadFile(filepath.Join(dir, "ledger.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	want := `{"seq":1,"time":"2026-10-14T10:15:02.123456789Z","monotonic_ns":1000000000,"event":"pin-verified","prev":"` +
		strings.Repeat("0", 64) + `","when":"a<b","files":2}`
	if lines[0] != want {
		t.Errorf("got  %s\nwant %s", lines[0], want)
	}
	sum, err := exec.Command("sh", "-c", `head -n 1 "$1" | tr -d '\n' | sha256sum | cut -d' ' -f1`, "sh", filepath.Join(dir, "ledger.jsonl")).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(lines[1], `"prev":"`+strings.TrimSpace(string(sum))+`"`) {
		t.Errorf("the second line does not name the first's digest %s: %s", sum, lines[1])
	}
}

func TestAUsedFolderIsRefused(t *testing.T) {
	dir := written(t, ledger.Options{}, events()...)
	before, _ := os.ReadFile(filepath.Join(dir, ledger.Name))
	if _, err := ledger.Create(dir, ledger.Options{}); !errors.Is(err, ledger.ErrUsed) {
		t.Errorf("error %v, want ErrUsed", err)
	}
	after, _ := os.ReadFile(filepath.Join(dir, ledger.Name))
	if !bytes.Equal(before, after) {
		t.Error("the ledger was changed")
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "thesis.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.Create(other, ledger.Options{}); !errors.Is(err, ledger.ErrUsed) || !strings.Contains(err.Error(), "thesis.txt") {
		t.Errorf("error %v, want ErrUsed that names the file", err)
	}
}

func TestOneWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	w, err := ledger.Create(dir, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(&ledger.Note{}); err != nil {
		t.Fatal(err)
	}
	_, _, err = ledger.Open(dir, ledger.Options{})
	if want := fmt.Sprintf("pid %d since", os.Getpid()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q in it", err, want)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Append(&ledger.Note{}); err == nil {
		t.Error("a closed ledger was written")
	}
	w, log, err := ledger.Open(dir, ledger.Options{})
	if err != nil || len(log.Entries) != 1 {
		t.Fatalf("%v, %v", log, err)
	}
	w.Close()
}

// The crash at any byte: every prefix of the file is readable, loses no whole line, and goes on.
func TestTruncatedAtEveryByte(t *testing.T) {
	dir := written(t, ledger.Options{Clock: clock()}, events()...)
	path := filepath.Join(dir, ledger.Name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := max(0, len(data)-4096); cut <= len(data); cut++ {
		if err := os.WriteFile(path, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		log, err := ledger.Read(dir)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		whole := bytes.Count(data[:cut], []byte("\n"))
		if len(log.Entries) != whole || log.Torn != cut-bytes.LastIndexByte(data[:cut], '\n')-1 {
			t.Fatalf("cut at %d: %d entries and %d torn bytes, want %d entries", cut, len(log.Entries), log.Torn, whole)
		}
		if cut%97 != 0 {
			continue // going on is tried at some of the cuts
		}
		w, _, err := ledger.Open(dir, ledger.Options{Clock: clock()})
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
	}
	torn, _ := filepath.Glob(filepath.Join(dir, "ledger.torn-*"))
	if len(torn) == 0 {
		t.Error("no torn line was kept")
	}
}

// A changed byte: every bit flip of every line but the last is found; in the last line those that make another line than
// a writer would write. (What closes a folder is covered by printing and signing its head.)
func TestEveryChangedByteIsFound(t *testing.T) {
	dir := written(t, ledger.Options{Clock: clock()}, events()...)
	path := filepath.Join(dir, ledger.Name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
	for i := range last {
		for _, flip := range []byte{0x01, 0x20} {
			changed := bytes.Clone(data)
			changed[i] ^= flip
			if err := os.WriteFile(path, changed, 0o644); err != nil {
				t.Fatal(err)
			}
			if log, err := ledger.Read(dir); err == nil {
				t.Fatalf("byte %d (%q became %q) was not found: %d entries", i, data[i], changed[i], len(log.Entries))
			}
		}
	}
}

func TestTamperingNamesTheLine(t *testing.T) {
	dir := written(t, ledger.Options{Clock: clock()}, events()...)
	path := filepath.Join(dir, ledger.Name)
	data, _ := os.ReadFile(path)
	changed := bytes.Replace(data, []byte(`"exit":3`), []byte(`"exit":0`), 1)
	if err := os.WriteFile(path, changed, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := ledger.Read(dir)
	var te *ledger.TamperError
	if !errors.As(err, &te) || te.Line != 4 || len(te.Want) != 64 || te.Want == te.Got {
		t.Errorf("error %v; want a broken chain at line 4, behind the changed line 3", err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	if err := os.WriteFile(path, bytes.Join(append(lines[:2:2], lines[3:]...), nil), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.Read(dir); !errors.As(err, &te) || te.Line != 3 {
		t.Errorf("error %v; want a removed line found at line 3", err)
	}
}

func TestEventOfANewerFormat(t *testing.T) {
	dir := t.TempDir()
	line := `{"seq":1,"time":"2026-10-14T10:15:02Z","monotonic_ns":1,"event":"teleported","prev":"` + strings.Repeat("0", 64) + "\"}\n"
	if err := os.WriteFile(filepath.Join(dir, ledger.Name), []byte(line), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.Read(dir); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Errorf("error %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"seq":1,"prev":"` + strings.Repeat("0", 64) + `","event":"note"}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ledger.Name), data, 0o644); err != nil {
			t.Skip()
		}
		_, _ = ledger.Read(dir)
	})
}

// A second process is refused while the first lives, and let in once it was killed.
func TestLockEndsWithItsHolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	holder := exec.Command(os.Args[0], "-test.run=^$")
	holder.Env = append(os.Environ(), "LEDGER_HOLD="+dir)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	defer holder.Process.Kill()
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	_, _, err = ledger.Open(dir, ledger.Options{})
	if want := fmt.Sprintf("pid %d since", holder.Process.Pid); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q in it", err, want)
	}
	if err := holder.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait()
	w, _, err := ledger.Open(dir, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
}

func TestMain(m *testing.M) {
	if dir := os.Getenv("LEDGER_HOLD"); dir != "" {
		if _, err := ledger.Create(dir, ledger.Options{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println("holding")
		time.Sleep(time.Minute)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
