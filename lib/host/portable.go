//go:build !linux

package host

import (
	"os"
	"runtime"
	"strconv"
)

// portable returns what the Go runtime knows.
func portable() Facts {
	f := make(Facts, len(table))
	for i, row := range table {
		f[i] = Fact{row.name, Unknown}
	}
	f.set("os", runtime.GOOS)
	f.set("arch", runtime.GOARCH)
	f.set("cpu_count", strconv.Itoa(runtime.NumCPU()))
	f.set("page_size", strconv.Itoa(os.Getpagesize()))
	if name, err := os.Hostname(); err == nil {
		f.set("hostname", name)
	}
	return f
}

// CountersHere returns the counters of this machine, now: none is known.
func CountersHere() Counters { return Counters{} }

// set replaces the value of a fact, unless the new one is empty.
func (f Facts) set(name, value string) {
	for i := range f {
		if f[i].Name == name && value != "" {
			f[i].Value = value
		}
	}
}
