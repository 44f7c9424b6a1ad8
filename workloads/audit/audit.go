// Package audit is how a benchmark reports what path it took: lines of JSON in the file that PHASELOCK_AUDIT names, outside of
// what is timed. A phase holds them with expect.audit.
package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Variable names the file. Where it is not set, nobody asks, and nothing is written.
const Variable = "PHASELOCK_AUDIT"

// Fields are what a line says beside its name.
type Fields map[string]any

// Write appends one line of the audit name. A field "audit" is the name's own, and refused.
func Write(name string, fields Fields) error {
	path := os.Getenv(Variable)
	if path == "" {
		return nil
	}
	if _, taken := fields["audit"]; taken || name == "" {
		return fmt.Errorf("audit %q: it has a name, and no field \"audit\"", name)
	}
	line := Fields{"audit": name}
	for k, v := range fields {
		line[k] = v
	}
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("audit %q: %w", name, err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("audit %q: %w", name, err)
	}
	_, err = f.Write(append(text, '\n')) // one write: a line is whole, or torn at its end
	return errors.Join(err, f.Close())
}

// Client says what served the benchmark's store. Every heading of the report carries it, and the facts beside it.
func Client(name string, facts Fields) error {
	line := Fields{"client": name}
	for k, v := range facts {
		line[k] = v
	}
	return Write("client", line)
}
