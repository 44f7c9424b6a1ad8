package main

import (
	"os"

	"golang.org/x/term"
)

// terminalWidth returns the columns of standard output, or 100 where it is no terminal.
func terminalWidth() int {
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w >= 40 {
		return min(w, 140)
	}
	return 100
}

// colour reports whether standard output takes colours (https://no-color.org).
func colour() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(os.Stdout.Fd()))
}
