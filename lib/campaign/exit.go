package campaign

import (
	"errors"
	"fmt"
)

// Exit codes, the same for every command (docs/formats.md).
const (
	ExitOK           = 0
	ExitGate         = 1
	ExitUsage        = 2 // usage, script or plan error: nothing was run
	ExitInvalid      = 3 // not what was declared
	ExitMachine      = 4
	ExitInconclusive = 5
	ExitInterrupted  = 130
)

// Error is an error that knows its exit code.
type Error struct {
	Code int
	Err  error
}

// Error returns the message of the error inside.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error inside.
func (e *Error) Unwrap() error { return e.Err }

// Code returns the exit code that an error asks for: its own, or ExitMachine, since what nobody foresaw is the
// machine's fault until proven otherwise.
func Code(err error) int {
	var e *Error
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &e):
		return e.Code
	}
	return ExitMachine
}

func usage(format string, args ...any) error {
	return &Error{ExitUsage, fmt.Errorf(format, args...)}
}

func invalid(format string, args ...any) error {
	return &Error{ExitInvalid, fmt.Errorf(format, args...)}
}

// Worst returns which of several exit codes holds: 130, 4, 3, 2, 1, 5, 0.
func Worst(codes ...int) int {
	for _, c := range []int{ExitInterrupted, ExitMachine, ExitInvalid, ExitUsage, ExitGate, ExitInconclusive} {
		for _, got := range codes {
			if got == c {
				return c
			}
		}
	}
	return ExitOK
}
