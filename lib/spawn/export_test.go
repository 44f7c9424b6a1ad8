//go:build unix

package spawn

// WithoutCgroups makes the runs of a harness go without control groups, as on a machine where none can be had.
func WithoutCgroups(h *Harness) { h.noCgroups = true }

// WatchdogPid returns the process id of the watchdog.
func WatchdogPid(h *Harness) int { return h.watchdog.pid }

// HasCgroups reports whether the harness's runs get control groups.
func HasCgroups(h *Harness) bool { return h.cgroups != nil && !h.noCgroups }

// ChooseWith is Choose on a machine whose SMT siblings are given.
var ChooseWith = choose
