package protocol

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// stepList is one list of steps of a phase, by the name of its parameter.
type stepList struct {
	name  string
	steps []Step
}

func (p *Phase) stepLists() []stepList {
	return []stepList{
		{"before_phase", p.BeforePhase}, {"before_each", p.BeforeEach}, {"after_each", p.AfterEach}, {"after_phase", p.AfterPhase},
	}
}

// Steps returns every step of the phase, in the order in which their lists run.
func (p *Phase) Steps() []*Step {
	var all []*Step
	for _, list := range p.stepLists() {
		for i := range list.steps {
			all = append(all, &list.steps[i])
		}
	}
	return all
}

// Title names the step as messages do: `step "load"`, `fdb.ceiling "cluster.qos…"`, `fdb.clear_user_keys`.
func (s *Step) Title() string {
	switch {
	case s.Name != "":
		return s.Kind + " " + quote(s.Name)
	case s.FDB != nil && s.FDB.Path != "":
		return s.Kind + " " + quote(s.FDB.Path)
	}
	return s.Kind
}

func (v *validator) steps() {
	for _, list := range v.phase.stepLists() {
		seen := map[string]bool{}
		for i := range list.steps {
			s := &list.steps[i]
			key := s.Title()
			if s.FDB != nil {
				key += " " + s.FDB.Cluster
			}
			if seen[key] {
				v.add(s.At, s.Title(), "stands twice in %s", list.name)
			}
			seen[key] = true
			v.step(s)
		}
	}
}

func (v *validator) step(s *Step) {
	what := s.Title()
	v.positive(s.At, what, "timeout", s.Timeout)
	if s.Ceiling() && (s.Max == nil || !finite(*s.Max)) {
		v.add(s.At, what, "max: want a finite number")
	}
	switch s.Kind {
	case StepProgram, StepCeiling:
		v.name(s.At, what, s.Name)
		if s.Program == nil {
			v.add(s.At, what, "command: is missing")
			return
		}
		v.program(s.At, what, "command", s.Program)
	case StepFDBClear, StepFDBCeiling, StepFDBPlacement, StepFDBRequire, StepFDBStatus:
		if s.FDB == nil {
			v.add(s.At, what, "says nothing of a cluster")
			return
		}
		v.fdb(s, what)
	default:
		v.add(s.At, what, "there is no step of the kind %q", s.Kind)
	}
}

func (v *validator) fdb(s *Step, what string) {
	f := s.FDB
	switch s.Kind {
	case StepFDBClear:
		if f.Settle < 0 {
			v.add(s.At, what, "settle: want 0 bytes or more, got %d", f.Settle)
		}
	case StepFDBCeiling:
		if message := CheckStatusPath(f.Path); message != "" {
			v.add(s.At, what, "path: %s", message)
		}
	case StepFDBPlacement:
		v.name(s.At, what, s.Name)
		for _, side := range []struct{ param, prefix string }{{"index", f.Index}, {"records", f.Records}} {
			if message := CheckKeyPrefix(side.prefix); message != "" {
				v.add(s.At, what, "%s: %s", side.param, message)
			}
		}
		if c := f.Colocated; c != nil && !(*c >= 0 && *c <= 1) {
			v.add(s.At, what, "colocated: want a number from 0 to 1, got %v", *c)
		}
	case StepFDBRequire:
		v.require(s, what)
	}
}

// Redundancies are the modes of redundancy that a cluster can be required to have.
var Redundancies = []string{"single", "double", "triple", "three_data_hall", "three_datacenter"}

// Roles are the roles of a FoundationDB process that can be counted, as its status document names them.
var Roles = []string{
	"cluster_controller", "commit_proxy", "coordinator", "data_distributor", "grv_proxy", "log", "master", "ratekeeper", "resolver", "storage",
}

func (v *validator) require(s *Step, what string) {
	f := s.FDB
	if f.Redundancy == "" && f.Engine == "" && f.Version == "" && len(f.Roles) == 0 && f.Machines == 0 && f.Storage == 0 {
		v.add(s.At, what, "requires nothing; name at least one of redundancy, engine, version, roles, machines, storage")
	}
	if f.Redundancy != "" {
		v.oneOf(s.At, what, "redundancy", f.Redundancy, Redundancies...)
	}
	for _, role := range sortedKeys(f.Roles) {
		if !slices.Contains(Roles, role) {
			v.add(s.At, what, "roles: want %s, got %q", strings.Join(Roles, " or "), role)
		}
		if f.Roles[role] < 0 {
			v.add(s.At, what, "roles: want 0 or more of %s, got %d", role, f.Roles[role])
		}
	}
	if f.Machines < 0 || f.Storage < 0 {
		v.add(s.At, what, "machines and storage: want counts above 0")
	}
}

// CheckStatusPath returns what is wrong with a path in the status document; "" where nothing is.
func CheckStatusPath(path string) string {
	words := strings.Split(path, ".")
	if len(words) < 2 || (words[0] != "cluster" && words[0] != "client") || slices.Contains(words, "") || strings.ContainsAny(path, " \t\n") {
		return fmt.Sprintf("want a path in the status document, \"cluster.qos.worst_queue_bytes_log_server\", got %q", path)
	}
	return ""
}

// CheckKeyPrefix returns what is wrong with a prefix of keys in hexadecimal; "" where nothing is.
func CheckKeyPrefix(prefix string) string {
	const longest = 10_000 // bytes of a key of FoundationDB
	b, err := hex.DecodeString(prefix)
	if err != nil || len(b) == 0 || len(b) > longest || prefix != strings.ToLower(prefix) {
		return fmt.Sprintf("want a prefix of keys in lower-case hexadecimal, \"152a\", got %q", prefix)
	}
	return ""
}
