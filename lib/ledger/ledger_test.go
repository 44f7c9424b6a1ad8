package ledger_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
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

// sum is the SHA-256 of a line, in hex.
func sum(line []byte) string {
	s := sha256.Sum256(line)
	return hex.EncodeToString(s[:])
}

// unsynced is a disk that is not waited for.
type unsynced struct{}

func (unsynced) OpenFile(name string, flag int, perm os.FileMode) (ledger.File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return unsyncedFile{f}, nil
}
func (unsynced) Mkdir(name string, perm os.FileMode) error { return os.Mkdir(name, perm) }
func (unsynced) Rename(from, to string) error              { return os.Rename(from, to) }

type unsyncedFile struct{ *os.File }

func (unsyncedFile) Sync() error { return nil }

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
	for _, tc := range []struct{ name, file, text string }{
		{"somebody's file", "thesis.txt", ""},
		{"a hidden file", ".git", "x"},
		{"a lock that is not ours", "lock", "mine"},
		{"the lock of a ledger that is gone", "lock", "closed with 3 lines, head " + strings.Repeat("a", 64) + "\n"},
		{"a run without a ledger", "runs/0001/stdout", "x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, tc.file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(tc.text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := ledger.Create(dir, ledger.Options{})
			first, _, _ := strings.Cut(tc.file, "/")
			if !errors.Is(err, ledger.ErrUsed) || !strings.Contains(err.Error(), first+" lies there") || !strings.Contains(err.Error(), "--out") {
				t.Errorf("error %v, want ErrUsed that names %s and --out", err, first)
			}
			entries, _ := os.ReadDir(dir)
			if text, _ := os.ReadFile(path); string(text) != tc.text || len(entries) != 1 {
				t.Errorf("the folder was changed: %v, %q", entries, text)
			}
		})
	}
	dir := written(t, ledger.Options{}, events()...)
	before := read(t, dir)
	if _, err := ledger.Create(dir, ledger.Options{}); !errors.Is(err, ledger.ErrUsed) {
		t.Errorf("error %v, want ErrUsed", err)
	}
	if !bytes.Equal(before, read(t, dir)) {
		t.Error("the ledger was changed")
	}
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{file, filepath.Join(file, "p")} {
		if _, err := ledger.Create(bad, ledger.Options{}); !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("%s: error %v", bad, err)
		}
	}
}

// A creation that failed leaves nothing that stands in the way of the next.
func TestCreateAfterAFailure(t *testing.T) {
	counted := &faulty{}
	w, err := ledger.Create(filepath.Join(t.TempDir(), "p"), ledger.Options{FS: counted})
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	for k := 1; k <= counted.count; k++ {
		dir := filepath.Join(t.TempDir(), "p")
		if _, err := ledger.Create(dir, ledger.Options{FS: &faulty{k: k, err: syscall.ENOSPC}}); err == nil {
			continue // a folder that could not be synced, and can
		}
		w, err := ledger.Create(dir, ledger.Options{})
		if err != nil && !(errors.Is(err, ledger.ErrUsed) && strings.Contains(err.Error(), ledger.Name)) {
			t.Errorf("after operation %d (%s): %v", k, counted.log[k-1], err)
		}
		if err == nil {
			w.Close()
		}
	}
}

func TestLayout(t *testing.T) {
	dir := written(t, ledger.Options{Clock: clock()})
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if d := cmp.Diff([]string{"bin", "ledger.jsonl", "lock", "phase", "runs"}, names); d != "" {
		t.Error(d)
	}
}

func TestWriteFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	w, err := ledger.Create(dir, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"first, longer", "second"} {
		if err := w.WriteFile("phase/@std/go.star", []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "phase", "@std", "go.star")); string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	if entries, _ := os.ReadDir(filepath.Join(dir, "phase", "@std")); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	for _, name := range []string{"", "../x", "/tmp/x", "ledger.jsonl", "lock", "./lock", "a/../ledger.jsonl"} {
		if err := w.WriteFile(name, nil); err == nil {
			t.Errorf("%q was written", name)
		}
	}
	w.Close()
	if err := w.WriteFile("x", nil); err == nil {
		t.Error("a closed folder was written")
	}
}

// No event has a field of the header's name, and every kind is read back as its own type.
func TestEveryEvent(t *testing.T) {
	header := map[string]bool{"seq": true, "time": true, "monotonic_ns": true, "event": true, "prev": true}
	all := []ledger.Body{
		&ledger.Opened{}, &ledger.PinVerified{}, &ledger.PinBroken{}, &ledger.RunStarted{}, &ledger.RunFinished{}, &ledger.RunInterrupted{},
		&ledger.BlockRerun{}, &ledger.CaseStatus{}, &ledger.PhaseStopped{}, &ledger.Note{}, &ledger.Analysis{}, &ledger.Resumed{}, &ledger.Closed{},
	}
	log, err := ledger.Read(written(t, ledger.Options{Clock: clock()}, all...))
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range all {
		if reflect.TypeOf(log.Entries[i].Body) != reflect.TypeOf(b) {
			t.Errorf("%T was read as %T", b, log.Entries[i].Body)
		}
		typ := reflect.TypeOf(b).Elem()
		for i := range typ.NumField() {
			if name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ","); name == "" || header[name] {
				t.Errorf("%s.%s: field %q", typ, typ.Field(i).Name, name)
			}
		}
	}
}

type stranger struct{}

func (*stranger) Kind() string { return "note" }

func TestAppendRefusesWhatCannotBeReadBack(t *testing.T) {
	w, err := ledger.Create(filepath.Join(t.TempDir(), "p"), ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Append(&stranger{}); err == nil {
		t.Error("a stranger's note was written")
	}
	if err := w.Append((*ledger.Note)(nil)); err == nil {
		t.Error("no note was written")
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
	want := fmt.Sprintf("pid %d since 20", os.Getpid())
	var busy *ledger.BusyError
	if _, _, err = ledger.Open(dir, ledger.Options{}); !errors.As(err, &busy) || !strings.HasPrefix(busy.Holder, want) {
		t.Errorf("error %v, want %q in it", err, want)
	}
	if _, err = ledger.Create(dir, ledger.Options{}); !errors.Is(err, ledger.ErrUsed) || !strings.Contains(err.Error(), want) {
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
