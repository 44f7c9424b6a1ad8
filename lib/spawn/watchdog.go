//go:build unix

package spawn

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// watchdogName is argv[0] of the watchdog, which is this same executable.
const watchdogName = "phaselock-watchdog"

// Descriptors of the watchdog.
const (
	lifeline = 0 // a pipe that nobody writes; it closes when the harness is gone
	boardFD  = 3
	readyFD  = 4 // a pipe on which the watchdog says once that it watches
)

// watchdogPatience is how long the watchdog may take to start and to end.
const watchdogPatience = 20 * time.Second

// watchdog is the harness's side of the process.
type watchdog struct {
	pid      int
	lifeline *os.File
	ended    bool
}

// WatchdogMain is the main function of the watchdog. It must be called before all else in main (and in TestMain); in
// any other process it returns false at once. In the watchdog it returns true when there is nothing left to watch, and
// main must return.
func WatchdogMain() (handled bool) {
	if os.Args[0] != watchdogName {
		return false
	}
	// It must outlive whatever ends the harness, Ctrl-C and a closed terminal included; it ends by the lifeline alone.
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	nameProcess(watchdogName)
	os.Chdir("/") //nolint:errcheck // only so that it holds no folder
	board := os.NewFile(boardFD, "board")
	ready := os.NewFile(readyFD, "ready")
	if _, err := ready.Write([]byte{1}); err != nil {
		return true
	}
	ready.Close()
	awaitEOF(lifeline)
	n, err := readBoard(board)
	if err != nil {
		return true
	}
	for i := range n.Trees {
		n.Trees[i].endOrphaned()
	}
	removeCgroups(n.Cgroups)
	return true
}

// awaitEOF sleeps until nobody holds the other end of a pipe.
func awaitEOF(fd int) {
	var buf [64]byte
	for {
		n, err := unix.Read(fd, buf[:])
		if n == 0 && err == nil || err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// endOrphaned kills a tree whose harness is gone. Its root got the parent-death signal; the rest is found as ever.
func (t *tree) endOrphaned() {
	root := t.Root
	patience := time.Now().Add(killPatience)
	killed := map[process]bool{}
	for empty := 0; empty < 3 && time.Now().Before(patience); {
		if p, err := readProcess(root); root != 0 && err == nil && p.start == t.Start {
			p.signal(unix.SIGKILL)
		}
		members, err := t.killOnce(killed)
		if err == nil && len(members) == 0 {
			empty++
		} else {
			empty = 0
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// startWatchdog starts the watchdog and returns when it watches.
func startWatchdog(board *os.File, housekeeping []int) (*watchdog, error) {
	lifeR, lifeW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer lifeR.Close()
	readyR, readyW, err := os.Pipe()
	if err != nil {
		lifeW.Close()
		return nil, err
	}
	defer readyR.Close()
	pid, err := forkWatchdog(lifeR, board, readyW, housekeeping)
	readyW.Close()
	if err != nil {
		lifeW.Close()
		return nil, err
	}
	w := &watchdog{pid: pid, lifeline: lifeW}
	readyR.SetReadDeadline(time.Now().Add(watchdogPatience)) //nolint:errcheck // a pipe has deadlines
	if n, err := readyR.Read(make([]byte, 1)); n != 1 {
		w.kill()
		return nil, fmt.Errorf("it did not come up (%w): the program's main must call spawn.WatchdogMain before all else", err)
	}
	return w, nil
}

func forkWatchdog(life, board, ready *os.File, housekeeping []int) (int, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	exe, err := ownExecutable()
	if err != nil {
		return 0, err
	}
	type result struct {
		pid int
		err error
	}
	done := make(chan result, 1)
	go func() {
		runtime.LockOSThread()
		var t thread
		r := result{}
		if housekeeping != nil {
			r.err = t.become(&Command{CPUs: housekeeping})
		}
		if r.err == nil {
			r.pid, _, r.err = syscall.StartProcess(exe, []string{watchdogName}, &syscall.ProcAttr{
				Env:   []string{},
				Files: []uintptr{life.Fd(), null.Fd(), null.Fd(), board.Fd(), ready.Fd()},
				Sys:   &syscall.SysProcAttr{Setsid: true},
			})
		}
		if t.restore() == nil {
			runtime.UnlockOSThread()
		}
		done <- r
	}()
	r := <-done
	return r.pid, r.err
}

// alive fails if the watchdog has ended: a run must not start without it.
func (w *watchdog) alive() error {
	if !w.ended {
		var status unix.WaitStatus
		pid, err := unix.Wait4(w.pid, &status, unix.WNOHANG, nil)
		w.ended = pid == w.pid || errors.Is(err, unix.ECHILD)
	}
	if w.ended {
		return fmt.Errorf("the watchdog (process %d) has ended: something killed it; runs need it, so start again", w.pid)
	}
	return nil
}

// close lets the watchdog end and waits for it.
func (w *watchdog) close() error {
	w.lifeline.Close()
	for until := time.Now().Add(watchdogPatience); time.Now().Before(until); time.Sleep(time.Millisecond) {
		if w.alive() != nil {
			return nil
		}
	}
	w.kill()
	return fmt.Errorf("the watchdog (process %d) did not end and was killed", w.pid)
}

func (w *watchdog) kill() {
	w.lifeline.Close()
	if w.alive() == nil {
		unix.Kill(w.pid, unix.SIGKILL) //nolint:errcheck // it is our child, unreaped
		wait4(w.pid)                   //nolint:errcheck // likewise
		w.ended = true
	}
}
