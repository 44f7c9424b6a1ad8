package campaign

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// scratchPrefix is how a folder for builds is known, with the process that made it: phaselock-build-PID-….
const scratchPrefix = "phaselock-build-"

// scratch makes a folder for builds, which is removed as soon as the private copies are made. What a killed process left
// behind is removed first.
func scratch() (string, error) {
	sweep(os.TempDir())
	return os.MkdirTemp("", fmt.Sprintf("%s%d-", scratchPrefix, os.Getpid()))
}

// sweep removes scratch folders whose process is no more. What cannot be removed harms nothing and is left.
func sweep(dir string) {
	left, err := filepath.Glob(filepath.Join(dir, scratchPrefix+"*"))
	if err != nil {
		return
	}
	for _, path := range left {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), scratchPrefix), "-")
		n, err := strconv.Atoi(pid)
		if err == nil && n > 0 && errors.Is(syscall.Kill(n, 0), syscall.ESRCH) {
			_ = os.RemoveAll(path)
		}
	}
}
