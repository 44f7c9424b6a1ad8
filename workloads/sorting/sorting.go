// Package sorting is the quickstart's workload: the same records sorted by sort.Slice and by slices.SortFunc.
//
// The records are real: name, section, installed size (KiB) and archive size (bytes) of 10,000 packages of
// Debian 12, in packages.tsv, in a fixed shuffled order.
package sorting

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
)

//go:embed packages.tsv
var packages []byte

// Record is one package of the archive.
type Record struct {
	Name      string
	Section   string
	Installed int // KiB
	Size      int // bytes
}

// Records returns the first n records, 1 to 10,000, in the file's order.
func Records(n int) ([]Record, error) {
	lines := bytes.Split(bytes.TrimRight(packages, "\n"), []byte("\n"))
	if n < 1 || n > len(lines) {
		return nil, fmt.Errorf("%d records asked for, there are %d", n, len(lines))
	}
	out := make([]Record, n)
	for i, line := range lines[:n] {
		fields := bytes.Split(line, []byte("\t"))
		if len(fields) != 4 {
			return nil, fmt.Errorf("packages.tsv:%d: %d fields, want 4", i+1, len(fields))
		}
		installed, err := strconv.Atoi(string(fields[2]))
		if err != nil {
			return nil, fmt.Errorf("packages.tsv:%d: %w", i+1, err)
		}
		size, err := strconv.Atoi(string(fields[3]))
		if err != nil {
			return nil, fmt.Errorf("packages.tsv:%d: %w", i+1, err)
		}
		out[i] = Record{string(fields[0]), string(fields[1]), installed, size}
	}
	return out, nil
}

// Compare orders records by section, then by size from the largest, then by name, which is unique.
func Compare(a, b Record) int {
	switch {
	case a.Section != b.Section:
		if a.Section < b.Section {
			return -1
		}
		return 1
	case a.Size != b.Size:
		return b.Size - a.Size
	case a.Name < b.Name:
		return -1
	case a.Name > b.Name:
		return 1
	}
	return 0
}
