//go:build unix

package spawn_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/phaselock/phaselock/lib/spawn"
)

// stubName is argv[0] of a test binary that plays a program under measurement.
const stubName = "spawn-stub"

// stubLife ends every stub, whatever goes wrong around it.
const stubLife = 60 * time.Second

// pidsFile is where family stubs write down whom they started, in their working folder.
const pidsFile = "pids"

// stub is the main function of a stub.
func stub(args []string) {
	time.AfterFunc(stubLife, func() { os.Exit(99) })
	switch args[0] {
	case "self":
		check(json.NewEncoder(os.Stdout).Encode(describeSelf()))
	case "exit":
		code, err := strconv.Atoi(args[1])
		check(err)
		os.Exit(code)
	case "cat":
		_, err := io.Copy(os.Stdout, os.Stdin)
		check(err)
	case "print": // print MEGABYTES
		megabytes, err := strconv.Atoi(args[1])
		check(err)
		chunk := []byte(strings.Repeat("x", 1<<20-1) + "\n")
		for range megabytes {
			_, err := os.Stdout.Write(chunk)
			check(err)
		}
	case "sleep": // sleep DURATION
		d, err := time.ParseDuration(args[1])
		check(err)
		time.Sleep(d)
	case "polite": // ends with 7 on SIGTERM
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		fmt.Println("ready")
		<-c
		os.Exit(7)
	case "deaf": // ignores SIGTERM
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		time.Sleep(stubLife)
	case "family": // family HOW THEN...: leaves a deaf descendant and goes on as another stub
		family(args[1])
		stub(args[2:])
	case "harness": // harness OPTIONS ARGS...: is a harness, in the working folder, and runs a stub
		asHarness(strings.Split(args[1], ","), args[2:])
	default:
		check(fmt.Errorf("no stub %q", args))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(98)
	}
}

// family starts a deaf descendant and returns when it ignores SIGTERM.
//
//	child    a child in the same group
//	session  a child in a session of its own
//	orphan   a grandchild in a session of its own whose parent has ended
//	bare     an orphan whose environment is empty
func family(how string) {
	exe, err := os.Executable()
	check(err)
	cmd := exec.Command(exe, "deaf")
	cmd.Args[0] = stubName
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: how != "child"}
	switch how {
	case "orphan", "bare":
		cmd.Args = []string{stubName, "family", "session", "exit", "0"}
		if how == "bare" {
			cmd.Env = []string{}
		}
		check(cmd.Run())
		return
	}
	out, err := cmd.StdoutPipe()
	check(err)
	check(cmd.Start())
	f, err := os.OpenFile(pidsFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	check(err)
	fmt.Fprintln(f, cmd.Process.Pid)
	check(f.Close())
	_, err = bufio.NewReader(out).ReadString('\n')
	check(err)
}

// asHarness is a whole harness in a process of its own, for tests that kill it. Options:
//
//	no-cgroups  runs have no control group, as for a user who may not make any
//	no-mark     nor a mark, as under a low hard limit
//	pin=CPU     the run is pinned
//	self=CPU    the harness pins itself
//	shell       it runs a shell script instead
func asHarness(options, args []string) {
	if slices.Contains(options, "no-mark") {
		check(unix.Setrlimit(rlimitRTTime, &unix.Rlimit{Cur: 1 << 30, Max: 1 << 30}))
	}
	dir, err := os.Getwd()
	check(err)
	exe, err := os.Executable()
	check(err)
	c := spawn.Command{
		Path: exe, Argv: append([]string{stubName}, args...), Env: []string{"HOME=" + dir, "TMPDIR=" + dir}, Dir: dir,
		Stdout: filepath.Join(dir, "run.stdout"), Stderr: filepath.Join(dir, "run.stderr"),
	}
	if slices.Contains(options, "shell") {
		c.Path, c.Argv = "/bin/sh", []string{"sh", "-c", args[0]}
	}
	for _, o := range options {
		if cpu, ok := strings.CutPrefix(o, "pin="); ok {
			c.CPUs, err = spawn.ParseCPUs(cpu)
			check(err)
		}
		if cpu, ok := strings.CutPrefix(o, "self="); ok {
			cpus, err := spawn.ParseCPUs(cpu)
			check(err)
			check(spawn.PinSelf(cpus))
		}
	}
	c.Harness, err = spawn.Setup(nil)
	check(err)
	if slices.Contains(options, "no-cgroups") {
		spawn.WithoutCgroups(c.Harness)
	}
	check(os.WriteFile("watchdog", []byte(strconv.Itoa(spawn.WatchdogPid(c.Harness))), 0o644))
	r, err := spawn.Run(context.Background(), c)
	check(err)
	check(c.Harness.Close())
	text, err := json.Marshal(r)
	check(err)
	check(os.WriteFile("result.json", text, 0o644))
	fmt.Printf("exit %d signal %q leftover %d\n", r.Exit, r.Signal, r.Leftover)
}
