package host

import (
	"fmt"
	"path"
	"strings"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
)

// Texts of which lib/protocol knows what is right.
var (
	address          = textWhere("a string", protocol.CheckAddress)
	interfaceAddress = textWhere("a string", protocol.CheckPrefix)
	sshDestination   = textWhere("a string", protocol.CheckSSH)
	statusPath       = textWhere("a string", protocol.CheckStatusPath)
	keyPrefix        = textWhere("a string", protocol.CheckKeyPrefix)
)

// fraction takes a number from 0 to 1, both included.
var fraction = numberWhere("a number from 0 to 1", func(f float64) bool { return f >= 0 && f <= 1 })

// fileName takes a name that a file or a namespace of the machine can have.
var fileName = textWhere("a string", func(s string) string {
	if s == "." || s == ".." || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '/' || r == 0x7f }) || s == "" {
		return fmt.Sprintf("want one word without slashes, got %q", s)
	}
	return ""
})

// absoluteFolder takes a folder of another machine, and keeps it cleaned.
var absoluteFolder = argType{"a string", func(a arg, v starlark.Value) starlark.Value {
	v = absoluteText.check(a, v)
	if s, ok := v.(starlark.String); ok {
		return starlark.String(path.Clean(string(s)))
	}
	return v
}}

var absoluteText = textWhere("a string", func(s string) string {
	if !strings.HasPrefix(s, "/") {
		return fmt.Sprintf("want an absolute folder of that machine, got %q", s)
	}
	return ""
})

// cpuNumbers takes CPUs that are not measured, and keeps them in their shortest form. "auto" speaks of measured ones.
var cpuNumbers = argType{`a list of CPUs, "2-7"`, func(a arg, v starlark.Value) starlark.Value {
	s, ok := starlark.AsString(v)
	if !ok {
		return a.want(`a list of CPUs, "2-7"`, v)
	}
	if s == "auto" {
		return a.refuse(`"auto" is for measured processes; write the CPUs, "2-7"`)
	}
	cpus, err := protocol.ParseCPUs(s)
	if err != nil {
		return a.refuse("%v", err)
	}
	return starlark.String(protocol.FormatCPUs(cpus))
}}

// hostRef and networkRef name a host or a network, by value or by name.
var (
	hostRef    = named("a host or its name", name, "host")
	networkRef = named("a network or its name", fileName, "network")
)
