package host

import (
	"slices"

	"go.starlark.net/starlark"
)

// kind describes one builtin constructor. The tables of kinds drive constructors, attributes, printing and
// spelling hints; nothing about a parameter is written twice.
type kind struct {
	name    string // "arm", "expect.exit"
	doc     string // one line
	leading bool   // the first parameter may be positional
	own     bool   // further keywords are parameters of the value's own
	params  []param
	check   func(r *record)                // what the parameters must hold together; may be nil
	result  func(r *record) starlark.Value // what the constructor gives instead of the record; may be nil
}

// param describes one parameter of a kind.
type param struct {
	name  string
	typ   argType
	value starlark.Value // the default; nil where the parameter is required
	doc   string         // one line
}

// required reports whether the parameter has no default.
func (p *param) required() bool { return p.value == nil }

// index returns the position of the parameter of that name, or -1.
func (k *kind) index(name string) int {
	return slices.IndexFunc(k.params, func(p param) bool { return p.name == name })
}

func (k *kind) names() []string {
	names := make([]string, len(k.params))
	for i := range k.params {
		names[i] = k.params[i].name
	}
	return names
}

// article returns "an arm", "a case".
func (k *kind) article() string { return article(k.name) }

func article(noun string) string {
	if noun != "" && slices.Contains([]byte("aeiou"), noun[0]) {
		return "an " + noun
	}
	return "a " + noun
}

// kindOf returns the kind of that name; the tables are complete, so that it exists.
func kindOf(name string) *kind { return kindsByName[name] }

var kindsByName = map[string]*kind{}

// kinds are all tables in the order of the reference.
var kinds []*kind

func init() {
	for _, table := range [][]*kind{phaseKinds, armKinds, commandKinds, designKinds, metricKinds, correctnessKinds, processKinds, besideKinds, betweenKinds, fdbKinds, valueKinds} {
		for _, k := range table {
			kinds = append(kinds, k)
			kindsByName[k.name] = k
		}
	}
}
