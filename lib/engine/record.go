package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/spawn"
)

func started(run *plan.Run, attempt int, res Resolved, cpus []int, spin time.Duration) *ledger.RunStarted {
	return &ledger.RunStarted{
		Run: run.Number, Attempt: attempt, Case: run.Case, Arm: run.Arm, Block: run.Block, Position: run.Position,
		Exec: res.Exec, Argv: res.Argv, Env: environment(res.Env), Dir: res.Dir, CPUs: spawn.FormatCPUs(cpus), Total: res.Total,
		SpinNS: spin.Nanoseconds(),
	}
}

// environment returns "NAME=value" by name.
func environment(list []string) map[string]string {
	env := make(map[string]string, len(list))
	for _, kv := range list {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	return env
}

// ending returns how a process ended, as events have it.
func ending(r *spawn.Result) (exit *int, signal, startError *string) {
	if r.Exited {
		exit = &r.Exit
	}
	if r.Signal != "" {
		signal = &r.Signal
	}
	if r.StartErr != nil {
		s := r.StartErr.Error()
		startError = &s
	}
	return exit, signal, startError
}

// streams digests what a process wrote; a file that is not there is empty: the process was never started.
func streams(dir string) (stdout, stderr ledger.Output, err error) {
	if stdout, err = Digest(filepath.Join(dir, "stdout")); err == nil || errors.Is(err, os.ErrNotExist) {
		stderr, err = Digest(filepath.Join(dir, "stderr"))
	}
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return stdout, stderr, err
}

// finished returns the event of a run that ended, its output digested; what its samples were is added by the caller.
func finished(run *plan.Run, attempt int, dir string, r spawn.Result) (*ledger.RunFinished, error) {
	e := &ledger.RunFinished{
		Run: run.Number, Attempt: attempt, TimedOut: r.TimedOut,
		WallNS: r.Wall.Nanoseconds(), UserNS: r.User.Nanoseconds(), SysNS: r.Sys.Nanoseconds(),
		MinorFaults: r.MinorFaults, MajorFaults: r.MajorFaults,
		VoluntarySwitches: r.VoluntarySwitches, InvoluntarySwitches: r.InvoluntarySwitches,
		CPUs: spawn.FormatCPUs(r.CPUs), Leftover: r.Leftover,
	}
	e.Exit, e.Signal, e.StartError = ending(&r)
	if r.MaxRSSKnown {
		e.MaxRSSBytes = &r.MaxRSS
	}
	var err error
	if e.Stdout, e.Stderr, err = streams(dir); err != nil {
		return nil, err
	}
	audit, err := Digest(filepath.Join(dir, "audit"))
	switch {
	case err == nil:
		e.Audit = &audit
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	return e, nil
}

// Digest returns the length and the SHA-256 of a file.
func Digest(path string) (ledger.Output, error) {
	f, err := os.Open(path)
	if err != nil {
		return ledger.Output{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return ledger.Output{Bytes: n, SHA256: hex.EncodeToString(h.Sum(nil))}, err
}
