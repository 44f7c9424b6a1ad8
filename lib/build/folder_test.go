package build_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/build"
	"github.com/phaselock/phaselock/lib/protocol"
)

// holder makes the test binary a process that builds a test of HEAD in the folder that it names, says where, and
// waits to be ended.
const holder = "PHASELOCK_TEST_HOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holder); dir != "" {
		os.Exit(hold(dir))
	}
	os.Exit(m.Run())
}

func hold(dir string) int {
	r := protocol.Build{Package: "./lib", Ref: "HEAD", Test: true}
	out, err := os.MkdirTemp(filepath.Dir(dir), "holder-")
	if err != nil {
		return 1
	}
	b, err := build.Build(context.Background(), build.Request{Root: dir, OutDir: out, File: protocol.File{Label: r.Label(), Kind: protocol.KindGoTest, Build: &r}})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(b.PackageDir)
	time.Sleep(time.Minute) // whatever happens, it ends
	return 0
}

// eventually waits for a condition; the limit is far beyond what any machine needs.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Errorf("after 30 s: %s", what)
}

// slowFilter makes the checkout of dir's HEAD wait in a filter, and returns whether it is there.
func slowFilter(t *testing.T, dir string) (started func() bool) {
	t.Helper()
	pid := filepath.Join(t.TempDir(), "pid")
	write(t, dir, map[string]string{".gitattributes": "slow filter=slow\n", "lib/slow": "x\n"})
	commitAll(t, dir)
	git(t, dir, "config", "filter.slow.smudge", fmt.Sprintf("echo $$ >'%s'; exec sleep 60", pid))
	read := func() int {
		text, _ := os.ReadFile(pid)
		n, _ := strconv.Atoi(string(bytes.TrimSpace(text)))
		return n
	}
	t.Cleanup(func() {
		if n := read(); n > 0 {
			_ = syscall.Kill(n, syscall.SIGKILL)
		}
	})
	return func() bool { return read() > 0 }
}

// startHolder starts a process that holds a checkout of dir's HEAD.
func startHolder(t *testing.T, dir string) (c *exec.Cmd, said *bufio.Reader) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c = exec.Command(self)
	c.Env = append(os.Environ(), holder+"="+dir)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(c) })
	return c, bufio.NewReader(out)
}

func end(c *exec.Cmd) {
	_ = c.Process.Kill()
	_ = c.Wait()
}

// A process that is killed leaves the repository as it was, whenever that happens. Its folder is removed at the next
// start; that of a living process is not.
func TestKilled(t *testing.T) {
	t.Run("after the build", func(t *testing.T) {
		dir, _ := repository(t)
		temp := watched(t, dir)
		dead, said := startHolder(t, dir)
		deadDir, err := said.ReadString('\n')
		if err != nil || !strings.HasPrefix(deadDir, temp) {
			t.Fatalf("it says %q: %v", deadDir, err)
		}
		living, said := startHolder(t, dir)
		livingDir, err := said.ReadString('\n')
		if err != nil || !strings.HasPrefix(livingDir, temp) {
			t.Fatalf("it says %q: %v", livingDir, err)
		}
		before := gitState(t, dir)
		end(dead)
		if after := gitState(t, dir); after != before {
			t.Errorf("the repository was\n%s\nand is\n%s", before, after)
		}
		if len(names(t, temp)) != 4 {
			t.Fatalf("there are %q, want two folders and their locks", names(t, temp))
		}
		mustBuild(t, request(t, dir, protocol.Build{Package: "./cmd/say"})) // any build
		left := names(t, temp)
		if len(left) != 2 || !strings.HasPrefix(livingDir, filepath.Join(temp, left[0])) || left[1] != left[0]+".lock" {
			t.Errorf("the next start leaves %q, want the folder of the living process, %s", left, livingDir)
		}
		end(living)
		mustBuild(t, request(t, dir, protocol.Build{Package: "./cmd/say"}))
	})
	t.Run("during the checkout", func(t *testing.T) {
		dir, commit := repository(t)
		started := slowFilter(t, dir)
		temp := watched(t, dir)
		c, _ := startHolder(t, dir)
		eventually(t, "the filter has not started", started)
		end(c)
		if len(names(t, temp)) != 2 {
			t.Errorf("there are %q, want the folder and its lock", names(t, temp))
		}
		mustBuild(t, request(t, dir, protocol.Build{Package: "./cmd/say", Ref: commit}))
	})
}

// What is left behind is known by name and lock: a pid that is another's now keeps nothing, and nothing else is
// touched.
func TestStaleFolders(t *testing.T) {
	dir, _ := repository(t)
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	dead, own := gone.Process.Pid, os.Getpid()
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for _, tt := range []struct {
		name          string
		lock, held    bool
		stays, folder bool
	}{
		{fmt.Sprintf("phaselock-0123456789abcdef-%d-1", dead), true, false, false, true},
		{fmt.Sprintf("phaselock-0123456789abcdef-%d-2", own), true, false, false, true}, // the pid is another's now
		{fmt.Sprintf("phaselock-0123456789abcdef-%d-3", dead), true, true, true, true},  // of another container
		{fmt.Sprintf("phaselock-0123456789abcdef-%d-4", dead), false, false, false, true},
		{fmt.Sprintf("phaselock-0123456789abcdef-%d-5", own), false, false, true, true}, // where files cannot be locked
		{fmt.Sprintf("phaselock-0123456789abcdef-%d-6", dead), true, false, false, false},
		{fmt.Sprintf("phaselock-patch-%d-7", dead), true, false, false, true},
		{fmt.Sprintf("phaselock-notes-%d-8", dead), true, false, true, true},
		{fmt.Sprintf("my-phaselock-0123456789abcdef-%d-9", dead), true, false, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(temp, tt.name)
			if tt.folder {
				write(t, path, map[string]string{"tree/locked/file": "x"})
				if err := os.Chmod(filepath.Join(path, "tree/locked"), 0o500); err != nil { // as the module cache has them
					t.Fatal(err)
				}
			}
			if tt.lock {
				lock, err := os.Create(path + ".lock")
				if err != nil {
					t.Fatal(err)
				}
				defer lock.Close()
				if tt.held {
					if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
						t.Fatal(err)
					}
				}
			}
			mustBuild(t, request(t, dir, protocol.Build{Package: "./cmd/say", Ref: "HEAD"}))
			for _, p := range []string{path, path + ".lock"} {
				_, err := os.Lstat(p)
				had := p == path && tt.folder || p != path && tt.lock
				if (err == nil) != (had && tt.stays) {
					t.Errorf("%s: there is %v afterwards (%v), want %v", p, err == nil, err, had && tt.stays)
				}
			}
		})
	}
	t.Run("links are not followed", func(t *testing.T) {
		kept := t.TempDir()
		write(t, kept, map[string]string{"file": "x"})
		path := filepath.Join(temp, fmt.Sprintf("phaselock-0123456789abcdef-%d-10", dead))
		if err := os.Symlink(kept, path); err != nil {
			t.Fatal(err)
		}
		mustBuild(t, request(t, dir, protocol.Build{Package: "./cmd/say", Ref: "HEAD"}))
		if _, err := os.Stat(filepath.Join(kept, "file")); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("the link is there: %v", err)
		}
	})
}
