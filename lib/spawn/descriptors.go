//go:build unix

package spawn

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// markDescriptors marks the descriptors above 2 that a folder such as /proc/self/fd lists.
func markDescriptors(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("list open descriptors: %w", err)
	}
	for _, entry := range entries {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil || fd <= 2 {
			continue
		}
		unix.CloseOnExec(fd)
	}
	return nil
}

func newUnlinkedBoard() (*board, error) {
	f, err := os.CreateTemp("", "phaselock-board-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return &board{file: f}, nil
}
