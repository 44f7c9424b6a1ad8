//go:build unix

package spawn

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// tree is what the processes of one run are known by. It is plain data, since the watchdog reads it too.
type tree struct {
	Root   int    `json:"root"`  // pid of the process that was started; 0: not known yet
	Start  uint64 `json:"start"` // when it started, as process.start
	Mark   mark   `json:"mark"`
	Cgroup string `json:"cgroup"` // folder of the run's control group; "": none
	Own    int    `json:"own"`    // process group of the harness, which no process of a run is in
}

// process is one line of the system's list of processes.
type process struct {
	pid, ppid, pgid int
	start           uint64 // in the system's own units; tells two processes with one pid apart
	zombie          bool
}

// members returns the processes of the tree, its root excepted: those that run, and zombies that this process has
// to reap.
func (t *tree) members() ([]process, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	return t.pick(all, t.inCgroup(), os.Getpid()), nil
}

// pick selects the tree's members from a list of processes. inGroup holds the pids of its control group.
func (t *tree) pick(all []process, inGroup map[int]bool, self int) []process {
	groupIsOurs := t.Root != 0
	for _, p := range all {
		if p.pid == t.Root && t.Start != 0 && p.start != t.Start {
			groupIsOurs = false // the pid has gone to another process
		}
	}
	in := map[int]bool{}
	if groupIsOurs {
		in[t.Root] = true
	}
	for _, p := range all {
		switch {
		case p.pid == self || p.pgid == t.Own:
		case groupIsOurs && p.pgid == t.Root, inGroup[p.pid], t.Mark.on(p.pid):
			in[p.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !in[p.pid] && in[p.ppid] && p.pid != self && p.pgid != t.Own {
				in[p.pid], grown = true, true
			}
		}
	}
	var members []process
	for _, p := range all {
		if in[p.pid] && p.pid != t.Root && (!p.zombie || p.ppid == self) {
			members = append(members, p)
		}
	}
	return members
}

// killOnce sends SIGKILL to all members, reaps those that are this process's zombies, and returns the members found.
// Those that ran are added to killed.
func (t *tree) killOnce(killed map[process]bool) ([]process, error) {
	members, err := t.members()
	if err != nil {
		t.killCgroup()
		return nil, fmt.Errorf("what is left of the tree cannot be seen: %w", err)
	}
	for _, p := range members {
		if !p.zombie {
			killed[process{pid: p.pid, start: p.start}] = true
		}
	}
	t.killCgroup()
	for _, p := range members {
		p.signal(unix.SIGKILL)
	}
	reapAdopted(members)
	return members, nil
}

// reapAdopted reaps the members that ended and that this process adopted as a subreaper.
func reapAdopted(members []process) {
	for _, p := range members {
		if p.zombie {
			unix.Wait4(p.pid, nil, unix.WNOHANG, nil) //nolint:errcheck // another listing shows what is left
		}
	}
}
