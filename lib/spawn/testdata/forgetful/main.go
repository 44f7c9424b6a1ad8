// Command forgetful sets up a harness and has forgotten to be the watchdog.
package main

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/spawn"
)

func main() {
	_, err := spawn.Setup(nil)
	fmt.Println(err)
}
