package spawn

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// mark is what every process of a run carries, whatever it did to its session, group, parents and environment.
type mark struct {
	Limit  uint64 `json:"limit"`  // soft RLIMIT_RTTIME, µs; 0: could not be set
	Folder string `json:"folder"` // HOME and TMPDIR of the run, looked at where Limit is 0; "": none
}

// markLock: a resource limit belongs to the whole process, so one start at a time may change it.
var markLock sync.Mutex

const markBase = 1 << 62 // µs, or 146,000 years of a real-time thread that never blocks

func newMark(env []string) mark {
	var random [8]byte
	rand.Read(random[:]) // never fails
	m := mark{Limit: markBase | binary.LittleEndian.Uint64(random[:])>>3, Folder: runFolder(env)}
	restore, ok := m.set()
	restore()
	if !ok {
		m.Limit = 0
	}
	return m
}

// set gives this process the mark, which the next child inherits, until restore is called.
func (m mark) set() (restore func(), ok bool) {
	markLock.Lock()
	var old unix.Rlimit
	if m.Limit == 0 || unix.Prlimit(0, unix.RLIMIT_RTTIME, nil, &old) != nil || old.Max < m.Limit ||
		unix.Prlimit(0, unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: m.Limit, Max: old.Max}, nil) != nil {
		return markLock.Unlock, false
	}
	return func() {
		unix.Prlimit(0, unix.RLIMIT_RTTIME, &old, nil) //nolint:errcheck // back to what was read
		markLock.Unlock()
	}, true
}

// on reports whether the process carries the mark.
func (m mark) on(pid int) bool {
	if m.Limit != 0 {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
		return err == nil && softRealtimeTimeout(text) == m.Limit
	}
	if m.Folder == "" {
		return false
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && runFolderOf(bytes.Split(text, []byte{0})) == m.Folder
}

// softRealtimeTimeout reads the value out of /proc/PID/limits; 0 if it is unlimited.
func softRealtimeTimeout(limits []byte) uint64 {
	_, rest, _ := bytes.Cut(limits, []byte("Max realtime timeout"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	n, err := strconv.ParseUint(string(fields[0]), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// runFolder returns the folder that is both HOME and TMPDIR: a run's own, which no login session has.
func runFolder(env []string) string {
	list := make([][]byte, len(env))
	for i, kv := range env {
		list[i] = []byte(kv)
	}
	return runFolderOf(list)
}

func runFolderOf(env [][]byte) string {
	var home, tmp string
	for _, kv := range env {
		if v, ok := bytes.CutPrefix(kv, []byte("HOME=")); ok {
			home = string(v)
		}
		if v, ok := bytes.CutPrefix(kv, []byte("TMPDIR=")); ok {
			tmp = string(v)
		}
	}
	if home != tmp {
		return ""
	}
	return home
}
