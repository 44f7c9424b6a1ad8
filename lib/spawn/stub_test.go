//go:build unix

package spawn_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/phaselock/phaselock/lib/spawn"
)

// stubName is argv[0] of a test binary that plays a program under measurement.
const stubName = "spawn-stub"

// stubLife ends every stub, whatever goes wrong around it.
const stubLife = 60 * time.Second

// self is what a stub says of itself.
type self struct {
	Argv        []string
	Env         []string
	Dir         string
	CPUs        string
	Personality string
	Nice        int
	Group       int
	Pid         int
	Netns       string
	Limits      map[string]string // soft and hard, by the kernel's name
	Open        []string          // descriptors with a name
}

func stub(args []string) {
	time.AfterFunc(stubLife, func() { os.Exit(99) })
	switch args[0] {
	case "self":
		json.NewEncoder(os.Stdout).Encode(describeSelf()) //nolint:errcheck // the test reads what came
	case "exit":
		code, _ := strconv.Atoi(args[1])
		os.Exit(code)
	case "segv":
		debug.SetTraceback("crash")
		signal.Reset()
		syscall.Kill(os.Getpid(), syscall.SIGSEGV)
		select {}
	case "cat":
		bufio.NewReader(os.Stdin).WriteTo(os.Stdout) //nolint:errcheck // likewise
	case "print":
		megabytes, _ := strconv.Atoi(args[1])
		chunk := []byte(strings.Repeat("x", 1<<20-1) + "\n")
		for range megabytes {
			os.Stdout.Write(chunk)
		}
	case "sleep":
		time.Sleep(stubLife)
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
	case "family": // leaves descendants: family HOW THEN...
		family(args[1])
		stub(args[2:])
	case "escape": // the grandchild of family "bare": sleeps on, all ties cut
		os.Stdout.WriteString("\n")
		time.Sleep(stubLife)
	case "touch":
		megabytes, _ := strconv.Atoi(args[1])
		b := make([]byte, megabytes<<20)
		for i := range b {
			b[i] = byte(i)
		}
		os.Stdout.Write(b[:1])
	case "harness": // harness DIR ARGS...: runs a stub, pinned to nothing, as a harness does
		asHarness(args[1], args[2:])
	default:
		fmt.Fprintf(os.Stderr, "no stub %q\n", args)
		os.Exit(98)
	}
}

// asHarness is a whole harness in a process of its own, for tests that kill it.
func asHarness(dir string, args []string) {
	h, err := spawn.Setup(nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(97)
	}
	exe, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(97)
	}
	res, err := spawn.Run(context.Background(), spawn.Command{
		Path: exe, Argv: append([]string{stubName}, args...), Dir: dir,
		Stdout: dir + "/stdout", Stderr: dir + "/stderr", Harness: h,
	})
	if err == nil {
		err = h.Close()
	}
	fmt.Printf("%+v %v\n", res, err)
}
