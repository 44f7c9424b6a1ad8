package host

import "os"

// Here returns the facts of this machine, now.
func Here() Facts { return Read(os.DirFS("/")) }

// CountersHere returns the counters of this machine, now.
func CountersHere() Counters { return ReadCounters(os.DirFS("/")) }
