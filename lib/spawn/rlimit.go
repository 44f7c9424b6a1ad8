//go:build unix

package spawn

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// rlimits are the limits that a command can set, by the names of setrlimit(2).
var rlimits = map[string]int{
	"as":      unix.RLIMIT_AS,      // bytes
	"core":    unix.RLIMIT_CORE,    // bytes
	"cpu":     unix.RLIMIT_CPU,     // seconds
	"data":    unix.RLIMIT_DATA,    // bytes
	"fsize":   unix.RLIMIT_FSIZE,   // bytes
	"memlock": unix.RLIMIT_MEMLOCK, // bytes
	"nofile":  unix.RLIMIT_NOFILE,  // descriptors
	"nproc":   unix.RLIMIT_NPROC,   // processes of the user
	"stack":   unix.RLIMIT_STACK,   // bytes
}

func checkRlimits(limits map[string]int64) error {
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		if _, ok := rlimits[name]; !ok {
			return fmt.Errorf("no limit %q; there are %s", name, names(rlimits))
		}
		if limits[name] < -1 {
			return fmt.Errorf("limit %s = %d is negative; -1 is unlimited", name, limits[name])
		}
	}
	return nil
}

func names[V any](m map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}
