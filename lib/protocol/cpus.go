package protocol

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// maxCPU is far above any machine's; it keeps "0-4000000000" from filling the memory.
const maxCPU = 1 << 16

// ParseCPUs reads a list of CPUs in the kernel's form, "2-4,7", and returns it sorted and without repeats.
func ParseCPUs(spec string) ([]int, error) {
	var cpus []int
	for _, part := range strings.Split(spec, ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(part), "-")
		a, err := parseCPU(low)
		b := a
		if err == nil && isRange {
			b, err = parseCPU(high)
		}
		if err != nil || b < a {
			return nil, fmt.Errorf("%q is no list of CPUs; write \"2-4,7\"", spec)
		}
		for c := a; c <= b; c++ {
			cpus = append(cpus, c)
		}
	}
	sort.Ints(cpus)
	return slices.Compact(cpus), nil
}

func parseCPU(s string) (int, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 32)
	if err == nil && n >= maxCPU {
		err = strconv.ErrRange
	}
	return int(n), err
}

// FormatCPUs writes CPUs in the kernel's form; they must be sorted and without repeats.
func FormatCPUs(cpus []int) string {
	var b strings.Builder
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%d", cpus[i])
		if j > i {
			fmt.Fprintf(&b, "-%d", cpus[j])
		}
		i = j + 1
	}
	return b.String()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
