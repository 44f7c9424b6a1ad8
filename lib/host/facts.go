// Package host says what machine this is, and what on it makes measurements noisy.
package host

import (
	"encoding/json"
	"io/fs"
	"strings"
)

// Unknown is the value of a fact that cannot be read. It never means that all is well.
const Unknown = "unknown"

// Fact is one thing known, or unknown, of a machine.
type Fact struct{ Name, Value string }

// Facts are what is known of a machine at one time, always all names, always in the same order.
type Facts []Fact

// Read reads the facts of a Linux system from its root folder (/proc and /sys below it).
func Read(root fs.FS) Facts {
	r := reader{root}
	facts := make(Facts, len(table))
	for i, row := range table {
		facts[i] = Fact{row.name, Unknown}
		if v := strings.TrimSpace(row.read(r)); v != "" {
			facts[i].Value = v
		}
	}
	return facts
}

// Get returns a fact's value; Unknown for a name that there is not.
func (f Facts) Get(name string) string {
	for _, fact := range f {
		if fact.Name == name {
			return fact.Value
		}
	}
	return Unknown
}

// Map returns the facts by name.
func (f Facts) Map() map[string]string {
	m := make(map[string]string, len(f))
	for _, fact := range f {
		m[fact.Name] = fact.Value
	}
	return m
}

// MarshalJSON writes one object, its names in the order of the facts.
func (f Facts) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, fact := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, s := range []string{fact.Name, fact.Value} {
			text, err := json.Marshal(s)
			if err != nil {
				return nil, err
			}
			if j > 0 {
				b.WriteByte(':')
			}
			b.Write(text)
		}
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}
