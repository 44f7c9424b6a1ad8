//go:build unix

package spawn

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxCPU is far above any machine's; it keeps "0-4000000000" from filling the memory.
const maxCPU = 1 << 16

// ParseCPUs reads a list of CPUs in the kernel's form, "0-3,8", and returns it sorted and without repeats.
// The empty list is "", which gives nil.
func ParseCPUs(list string) ([]int, error) {
	if strings.TrimSpace(list) == "" {
		return nil, nil
	}
	var cpus []int
	for _, part := range strings.Split(list, ",") {
		low, high, isRange := strings.Cut(part, "-")
		first, err := parseCPU(low)
		last := first
		if err == nil && isRange {
			last, err = parseCPU(high)
		}
		if err != nil {
			return nil, fmt.Errorf("CPUs %q: %w; write a list such as \"2-4,7\"", list, err)
		}
		if last < first {
			return nil, fmt.Errorf("CPUs %q: range %s runs backwards; write %d-%d", list, strings.TrimSpace(part), last, first)
		}
		for cpu := first; cpu <= last; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), nil
}

func parseCPU(s string) (int, error) {
	s = strings.TrimSpace(s)
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || n >= maxCPU {
		return 0, fmt.Errorf("%q is not a CPU number", s)
	}
	return int(n), nil
}

// FormatCPUs writes CPUs in the kernel's form, sorted and without repeats: "0-3,8".
func FormatCPUs(cpus []int) string {
	cpus = slices.Compact(slices.Sorted(slices.Values(cpus)))
	var b strings.Builder
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(cpus[i]))
		if j > i {
			b.WriteString("-" + strconv.Itoa(cpus[j]))
		}
		i = j + 1
	}
	return b.String()
}
