//go:build unix && !linux

package spawn_test

import (
	"os"

	"golang.org/x/sys/unix"
)

// Limits leave no mark on systems without /proc; any one serves the option of the stub.
const rlimitRTTime = unix.RLIMIT_CORE

// self is what a stub says of itself.
type self struct {
	Argv, Env []string
	Dir       string
}

func describeSelf() self {
	dir, err := os.Getwd()
	check(err)
	return self{Argv: os.Args, Env: os.Environ(), Dir: dir}
}
