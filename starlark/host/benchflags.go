package host

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/phaselock/phaselock/lib/protocol"
)

// benchFlags appends the flags that a Go test binary needs to give repeats rows and to run nothing but benchmarks,
// where they are absent. A count that is not repeats is an error: the plan says how many samples a process gives.
func benchFlags(argv []protocol.Arg, repeats int) ([]protocol.Arg, error) {
	count, found, err := testFlag(argv, "count")
	if err != nil {
		return nil, err
	}
	if found && count != strconv.Itoa(repeats) {
		return nil, fmt.Errorf("-test.count is %s and the phase's repeats is %d; leave the flag out, repeats sets it", count, repeats)
	}
	out := append([]protocol.Arg(nil), argv...)
	if !found {
		out = append(out, protocol.Arg{Text: "-test.count=" + strconv.Itoa(repeats)})
	}
	if _, found, err := testFlag(argv, "run"); err != nil {
		return nil, err
	} else if !found {
		out = append(out, protocol.Arg{Text: "-test.run=^$"})
	}
	if !hasFlag(argv, "benchmem") {
		out = append(out, protocol.Arg{Text: "-test.benchmem"})
	}
	return out, nil
}

// testFlag returns the value of -test.name, written as -test.name=v, --test.name=v, or in two arguments.
func testFlag(argv []protocol.Arg, name string) (value string, found bool, err error) {
	for i := 1; i < len(argv); i++ {
		flag, v, hasValue := strings.Cut(argv[i].Text, "=")
		if flag != "-test."+name && flag != "--test."+name {
			continue
		}
		switch {
		case found:
			return "", false, fmt.Errorf("-test.%s stands twice", name)
		case hasValue:
			value = v
		case i+1 < len(argv) && argv[i+1].File == "":
			value = argv[i+1].Text
		default:
			return "", false, fmt.Errorf("-test.%s has no value", name)
		}
		found = true
	}
	return value, found, nil
}

// hasFlag reports whether the boolean -test.name stands in argv, with or without a value.
func hasFlag(argv []protocol.Arg, name string) bool {
	for _, a := range argv[min(1, len(argv)):] {
		flag, _, _ := strings.Cut(a.Text, "=")
		if flag == "-test."+name || flag == "--test."+name {
			return true
		}
	}
	return false
}
