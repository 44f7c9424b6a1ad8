package cluster

import (
	"fmt"
	"maps"
	"slices"

	"github.com/phaselock/phaselock/lib/protocol"
)

// Differences says where a cluster is not what a phase requires, each in one line; none where it is. What is required and
// not known is a difference.
func (f *Facts) Differences(want *protocol.FDB) []string {
	var out []string
	text := func(what, want, got string) {
		switch {
		case want == "" || got == want:
		case got == "":
			out = append(out, fmt.Sprintf("%s: want %s, unknown", what, want))
		default:
			out = append(out, fmt.Sprintf("%s: want %s, is %s", what, want, got))
		}
	}
	count := func(what string, want int, got *int) {
		switch {
		case got == nil:
			out = append(out, fmt.Sprintf("%s: want %d, unknown", what, want))
		case *got != want:
			out = append(out, fmt.Sprintf("%s: want %d, are %d", what, want, *got))
		}
	}
	text("redundancy", want.Redundancy, f.Redundancy)
	text("storage engine", want.Engine, f.Engine)
	if want.Version != "" {
		switch {
		case len(f.Versions) == 0:
			out = append(out, fmt.Sprintf("version: want %s, unknown", want.Version))
		case len(f.Versions) > 1 || f.Versions[0] != want.Version:
			out = append(out, fmt.Sprintf("version: want %s in every process, are %s", want.Version, f.Versions))
		}
	}
	for _, role := range slices.Sorted(maps.Keys(want.Roles)) {
		var got *int
		if f.Roles != nil {
			n := f.Roles[role]
			got = &n
		}
		count("processes with role "+role, want.Roles[role], got)
	}
	if want.Machines > 0 {
		count("machines", want.Machines, f.Machines)
	}
	if want.Storage > 0 {
		count("storage servers", want.Storage, f.Storage)
	}
	return out
}

// Settled reports whether the worst queue, and what is moved between servers, are at or below a number of bytes; what is
// unknown has not settled. Left says what has not.
func (f *Facts) Settled(bytes float64) (settled bool, left string) {
	for _, q := range []struct {
		what string
		n    *float64
	}{
		{"the worst log queue", f.WorstLogQueue},
		{"the worst storage queue", f.WorstStorageQueue},
		{"data in movement", f.Moving},
	} {
		if q.n == nil {
			return false, q.what + " is unknown"
		}
		if *q.n > bytes {
			return false, fmt.Sprintf("%s: %.0f bytes, want at most %.0f", q.what, *q.n, bytes)
		}
	}
	return true, ""
}
