package spawn

import "golang.org/x/sys/unix"

// processes lists all processes.
func processes() ([]process, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	const zombie = 5 // SZOMB of <sys/proc.h>
	all := make([]process, len(list))
	for i := range list {
		p := &list[i]
		all[i] = process{
			pid: int(p.Proc.P_pid), ppid: int(p.Eproc.Ppid), pgid: int(p.Eproc.Pgid),
			start: uint64(p.Proc.P_starttime.Nano()), zombie: p.Proc.P_stat == zombie,
		}
	}
	return all, nil
}
