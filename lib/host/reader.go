package host

import (
	"io/fs"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// reader reads the small text files of /proc and /sys. What cannot be read is "".
type reader struct{ root fs.FS }

func (r reader) text(path string) string {
	text, err := fs.ReadFile(r.root, path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// names returns the names in a folder, sorted.
func (r reader) names(dir string) []string {
	entries, err := fs.ReadDir(r.root, dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// cpuinfo returns the first value of a key of /proc/cpuinfo.
func (r reader) cpuinfo(key string) string {
	if all := r.cpuinfoAll(key); len(all) > 0 {
		return all[0]
	}
	return ""
}

func (r reader) cpuinfoAll(key string) []string { return values(r.text("proc/cpuinfo"), key) }

// values returns all values of a key in lines "key : value".
func values(text, key string) []string {
	var out []string
	for line := range strings.Lines(text) {
		k, v, ok := strings.Cut(line, ":")
		if v = strings.TrimSpace(v); ok && strings.TrimSpace(k) == key && v != "" {
			out = append(out, v)
		}
	}
	return out
}

// cpus returns the numbers of the CPUs that have a folder, in order.
func (r reader) cpus() []int {
	var cpus []int
	for _, name := range r.names("sys/devices/system/cpu") {
		number, ok := strings.CutPrefix(name, "cpu")
		if n, err := strconv.Atoi(number); ok && err == nil {
			cpus = append(cpus, n)
		}
	}
	sort.Ints(cpus)
	return cpus
}

// file is a fact that is the text of a file.
func file(path string) func(reader) string {
	return func(r reader) string { return strings.Join(strings.Fields(r.text(path)), " ") }
}

// list is a list of CPUs; the kernel's empty file, or its "(null)", is "none".
func list(path string) func(reader) string {
	return func(r reader) string {
		text, err := fs.ReadFile(r.root, path)
		if err != nil {
			return ""
		}
		if s := strings.TrimSpace(string(text)); s != "" && s != "(null)" {
			return s
		}
		return "none"
	}
}

func firstField(path string) func(reader) string {
	return func(r reader) string {
		first, _, _ := strings.Cut(r.text(path), " ")
		return first
	}
}

// onOff is a switch: 0 is off, anything else that is a number is on.
func onOff(path string) func(reader) string {
	return func(r reader) string {
		n, err := strconv.Atoi(r.text(path))
		switch {
		case err != nil:
			return ""
		case n == 0:
			return "off"
		}
		return "on"
	}
}

// selected is the word in brackets: "always [madvise] never".
func selected(path string) func(reader) string {
	return func(r reader) string {
		_, rest, _ := strings.Cut(r.text(path), "[")
		word, _, ok := strings.Cut(rest, "]")
		if !ok {
			return ""
		}
		return word
	}
}

func cpuinfo(key string) func(reader) string {
	return func(r reader) string { return r.cpuinfo(key) }
}

func status(key string) func(reader) string {
	return func(r reader) string { return strings.Join(values(r.text("proc/self/status"), key), " ") }
}

func meminfo(key string) func(reader) string {
	return func(r reader) string {
		all := values(r.text("proc/meminfo"), key)
		if len(all) == 0 {
			return ""
		}
		return strings.TrimSuffix(all[0], " kB")
	}
}

// perCPU is a file that each CPU has: one value if all agree, "cpu0=a cpu1=b" if not or if some have none.
func perCPU(path string) func(reader) string {
	return func(r reader) string {
		var got, named []string
		cpus := r.cpus()
		for _, cpu := range cpus {
			name := "cpu" + strconv.Itoa(cpu)
			text := r.text("sys/devices/system/cpu/" + name + "/" + path)
			if text == "" {
				named = append(named, name+"="+Unknown)
				continue
			}
			got, named = append(got, text), append(named, name+"="+text)
		}
		switch {
		case len(got) == 0:
			return ""
		case len(got) == len(cpus) && len(distinct(got)) == 1:
			return got[0]
		}
		return strings.Join(named, " ")
	}
}

func distinct(s []string) []string { return slices.Compact(slices.Sorted(slices.Values(s))) }
