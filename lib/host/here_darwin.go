package host

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// Here returns the facts of this machine, now: the few that macOS tells, and the others unknown.
func Here() Facts {
	f := portable()
	for fact, name := range map[string]string{
		"kernel": "kern.osrelease", "kernel_build": "kern.version", "cpu_model": "machdep.cpu.brand_string", "machine": "hw.model",
	} {
		if v, err := unix.Sysctl(name); err == nil {
			f.set(fact, v)
		}
	}
	if bytes, err := unix.SysctlUint64("hw.memsize"); err == nil {
		f.set("memory_kb", strconv.FormatUint(bytes/1024, 10))
	}
	if on, err := unix.SysctlUint32("kern.hv_vmm_present"); err == nil && on != 0 {
		f.set("virtual", "yes")
	}
	return f
}
