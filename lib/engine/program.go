package engine

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/spawn"
)

// program returns the command of a service or a step, which writes below dir. Its environment is built from nothing, as a run's
// is; it is not padded, since it is not measured.
func (e *execution) program(p *plan.Program, dir string) (spawn.Command, error) {
	target, known := e.Resolver.Targets[p.Argv[0].String()]
	if !known {
		return spawn.Command{}, fmt.Errorf("nothing is known of %q", p.Argv[0])
	}
	argv := []string{p.Argv[0].String()}
	for _, a := range p.Argv[1:] {
		texts, err := e.Resolver.texts(a)
		if err != nil {
			return spawn.Command{}, err
		}
		argv = append(argv, texts...)
	}
	home := filepath.Join(dir, "home")
	env := map[string]string{"PATH": plan.FixedPath, "LANG": "C", "HOME": home, "TMPDIR": home}
	maps.Copy(env, p.Env)
	var list []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	cpus := e.HarnessCPUs
	if p.CPUs != "" {
		cpus = e.CPUs[p.CPUs]
	}
	return spawn.Command{
		Path: target.Path, Argv: argv, Env: list, Dir: e.Resolver.dir(p.Dir, target),
		Stdout: filepath.Join(dir, "stdout"), Stderr: filepath.Join(dir, "stderr"),
		CPUs: cpus, Netns: p.Netns, Harness: e.Harness,
	}, nil
}

// verifyProgram holds the files of a service or a step to their pins.
func (e *execution) verifyProgram(p *plan.Program) error {
	if e.Verify == nil {
		return nil
	}
	for _, a := range p.Argv {
		for _, pin := range e.Pins[a.String()] {
			if err := e.Verify(pin); err != nil {
				return err
			}
		}
	}
	return nil
}
