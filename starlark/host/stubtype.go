package host

import (
	"fmt"
	"strings"
)

// stubTypes are the types of the tables that are not made of others, as Python writes them.
var stubTypes = map[string]string{
	"a string":                         "str",
	"a variable's name":                "str",
	"a path from the root":             "str",
	"a folder from the root":           "str",
	`a list of CPUs, "2-7", or "auto"`: "str",
	`a list of CPUs, "2-7"`:            "str",
	"a host or its name":               "Host | str",
	"a network or its name":            "Network | str",
	"a number from 0 to 1":             "float",
	"a finite number":                  "float",
	"a number above 0":                 "float",
	"a number between 0 and 1":         "float",
	"True or False":                    "bool",
	"a bool, int, float or string":     "Scalar",
	"a list of strings and files":      "Sequence[str | File]",
	"a pair (arm, base)":               "Sequence[Arm | str]",
	"an arm or its name":               "Arm | str",
	"a case or its name":               "Case | str",
	"a metric or its unit":             "Metric | Constant | Derived | str",
	"a dict of string to value":        "Mapping[str, Value]",
	"command()":                        "Command",
	"a function of (arm, case)":        "Callable[[Arm, Case], Command]",
	"a number, a dict of case to number, or a function of the case":           "float | Mapping[Case | str, float] | Callable[[Case], float]",
	"a list of blocks, each a list of arms, or a dict of case to such a list": "Sequence[Sequence[Arm | str]] | Mapping[Case | str, Sequence[Sequence[Arm | str]]]",
}

// stubType translates the name of a type in the tables.
func stubType(name string) (string, error) {
	if t, ok := stubTypes[name]; ok {
		return t, nil
	}
	if inner, ok := strings.CutSuffix(name, " or None"); ok {
		t, err := stubType(inner)
		return t + " | None", err
	}
	if item, ok := strings.CutPrefix(name, "a list, each item "); ok {
		t, err := stubType(item)
		return "Sequence[" + t + "]", err
	}
	if pair, ok := strings.CutPrefix(name, "a dict of "); ok {
		key, value, _ := strings.Cut(pair, " to ")
		k, err := stubType(key)
		if err != nil {
			return "", err
		}
		v, err := stubType(value)
		return "Mapping[" + k + ", " + v + "]", err
	}
	if strings.HasPrefix(name, "an int from ") {
		return "int", nil
	}
	words := strings.Split(name, " or ")
	var types []string
	for _, w := range words {
		constructor, called := strings.CutSuffix(w, "()")
		switch {
		case len(w) > 2 && w[0] == '"' && w[len(w)-1] == '"':
			types = append(types, "Literal["+w+"]")
		case called && kindsByName[constructor] != nil:
			types = append(types, className(constructor))
		case stubTypes[w] != "":
			types = append(types, stubTypes[w])
		default:
			return "", fmt.Errorf("the type %q has no form in Python yet; add it to stubTypes", name)
		}
	}
	return strings.ReplaceAll(strings.Join(types, " | "), "] | Literal[", ", "), nil
}
