package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/starlark/host"
)

// Bounds of the child that evaluates a stranger's script: the whole takes less than ten seconds and 1 GiB.
const (
	isolatedMemory  = 768 << 20 // bytes, beside what the program itself takes
	isolatedCPU     = 7         // seconds
	isolatedWall    = 9 * time.Second
	isolatedOutput  = 4 << 20           // bytes of standard output and of standard error that are shown
	isolatedEnv     = "PHASELOCK_CHILD" // set in the child
	isolatedExitAdd = 64                // the child adds this to its exit code, so that no crash looks like an answer
)

// isolated reports whether this process is the child of check --isolated.
func isolated() bool { return os.Getenv(isolatedEnv) != "" }

// checkIsolated runs this command again in a child under limits, and passes on what it says.
func checkIsolated(c *cli.Context) error {
	entry, err := oneArgument(c, "a script (.star)")
	if err != nil {
		return err
	}
	if runtime.GOOS != "linux" {
		return usageError("check --isolated: needs Linux; nothing else limits a process's memory in a way that holds")
	}
	stdout, stderr := &bounded{}, &bounded{}
	ctx, cancel := context.WithTimeout(c.Context, isolatedWall)
	defer cancel()
	state, err := runChild(ctx, stdout, stderr)
	if err != nil {
		return &campaign.Error{Code: campaign.ExitMachine, Err: fmt.Errorf("check --isolated: %w", err)}
	}
	if c.Context.Err() != nil {
		return codeError(campaign.ExitInterrupted)
	}
	if code := state.ExitCode(); code >= isolatedExitAdd {
		if err := errors.Join(write(c.App.Writer, stdout.shown()), write(os.Stderr, stderr.shown())); err != nil {
			return err
		}
		return codeError(code - isolatedExitAdd)
	}
	return limitError(c, host.Diagnostics{{File: entry, Message: whyEnded(state, ctx.Err() != nil, stderr.b.String()) +
		"; a phase is a declaration: make its values smaller, or check it without --isolated if you trust whoever wrote it"}})
}

// runChild runs the child to its end. Nothing of it is left: it starts no processes, and dies with this one.
func runChild(ctx context.Context, stdout, stderr *bounded) (*os.ProcessState, error) {
	runtime.LockOSThread() // the child dies when the thread that started it does
	defer runtime.UnlockOSThread()
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = os.Args
	cmd.Env = []string{isolatedEnv + "=1", "LANG=C"}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = diesWithParent()
	err = cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) && cmd.ProcessState == nil {
		return nil, err
	}
	return cmd.ProcessState, nil
}

// whyEnded says which limit ended a child that gave no answer.
func whyEnded(state *os.ProcessState, late bool, stderr string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(stderr), "\n")
	switch {
	case strings.Contains(stderr, "out of memory"), strings.Contains(stderr, "cannot allocate memory"), peakMemory(state) > isolatedMemory*3/4:
		return fmt.Sprintf("evaluation needs more than %d MiB of memory", isolatedMemory>>20)
	case strings.Contains(stderr, "stack exceeds"):
		return "evaluation needs more stack than there is: something is nested too deep"
	case late:
		return fmt.Sprintf("evaluation takes more than %s", isolatedWall)
	case state.ExitCode() < 0: // the kernel ends it with SIGKILL
		return fmt.Sprintf("evaluation takes more than %d seconds of CPU time", isolatedCPU)
	}
	return fmt.Sprintf("evaluation ended with %s: %s", state, first)
}

// limitError gives a limit that was met the form of the other errors of scripts.
func limitError(c *cli.Context, ds host.Diagnostics) error {
	if c.String("errors") != "json" {
		return &campaign.Error{Code: campaign.ExitUsage, Err: ds}
	}
	data, err := json.MarshalIndent(ds, "", "  ")
	if err != nil {
		return err
	}
	if err := write(c.App.Writer, append(data, '\n')); err != nil {
		return err
	}
	return codeError(campaign.ExitUsage)
}

// bounded keeps the first of what is written to it, and drops the rest.
type bounded struct {
	b    bytes.Buffer
	lost int
}

func (o *bounded) Write(p []byte) (int, error) {
	n := min(len(p), isolatedOutput-o.b.Len())
	o.b.Write(p[:n])
	o.lost += len(p) - n
	return len(p), nil
}

// shown returns what was kept, and says what was not.
func (o *bounded) shown() []byte {
	if o.lost > 0 {
		return fmt.Appendf(o.b.Bytes(), "\n… and %d more bytes\n", o.lost)
	}
	return o.b.Bytes()
}
