//go:build !fdb && linux

package apple_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// double builds the double of the client library, with a macro if there is one, and returns its folder.
func double(t *testing.T, macro string) string {
	t.Helper()
	if _, err := exec.LookPath("g++"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("g++ is not here, and with CI=true no capability may be missing")
		}
		t.Skip("g++ is not here: the double of FoundationDB's library is not built")
	}
	sources, err := filepath.Glob("../testdata/double/*.cpp")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources of the double: %v", err)
	}
	dir := t.TempDir()
	args := []string{"-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread", "-I../testdata/double/include"}
	if macro != "" {
		args = append(args, "-D"+macro, "-Wno-unused-function", "-Wno-unused-parameter")
	}
	args = append(append(args, "-o", filepath.Join(dir, "libfdb_c.so")), sources...)
	if out, err := exec.Command("g++", args...).CombinedOutput(); err != nil {
		t.Fatalf("g++ %v: %v\n%s", args, err, out)
	}
	return dir
}

// tested runs a command of the go tool with the tag, linked with a library.
func tested(t *testing.T, library string, env []string, args ...string) (string, error) {
	t.Helper()
	include, err := filepath.Abs("../testdata/double/include")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), "CGO_ENABLED=1", "CGO_CFLAGS=-I"+include, "CGO_LDFLAGS=-L"+library, "LD_LIBRARY_PATH="+library, "FDB_CLUSTER_FILE=")
	c.Env = append(c.Env, env...)
	out, err := c.CombinedOutput()
	return string(out), err
}

// Apple's binding over the double of its library holds the whole suite, with the race detector, and with replies that come later from the
// network thread. It proves our glue, and nothing of FoundationDB.
func TestConformanceOverTheDouble(t *testing.T) {
	library := double(t, "")
	if out, err := tested(t, library, nil, "vet", "-tags", "fdb", "./..."); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
	for _, env := range [][]string{nil, {"FDB_DOUBLE_LATENCY_US=200", "FDB_DOUBLE_SPLITS=a,k,z"}} {
		out, err := tested(t, library, env, "test", "-race", "-tags", "fdb", "-count=1", "-timeout", "5m", "-v", ".")
		if err != nil || !strings.Contains(out, "client double") || strings.Count(out, "    --- PASS: TestConformance/") < 100 {
			t.Errorf("%v: %v\n%s", env, err, out)
		}
	}
}

// A library that lacks one behaviour is found by the suite.
func TestSuiteFindsWhatTheDoubleLacks(t *testing.T) {
	for _, macro := range []string{"MUTANT_PHANTOM", "MUTANT_OWN_WRITES", "MUTANT_REVERSE", "MUTANT_LIMIT", "MUTANT_ESCAPE"} {
		out, err := tested(t, double(t, macro), nil, "test", "-tags", "fdb", "-count=1", "-timeout", "5m", ".")
		if err == nil || !strings.Contains(out, "--- FAIL: TestConformance/") {
			t.Errorf("%s: %v\n%s", macro, err, out)
		}
	}
}

// The numbers of the double are never reported: a workload over it has failed runs, and says what its client is.
func TestDoubleNamesItself(t *testing.T) {
	library := double(t, "")
	kvload := filepath.Join(t.TempDir(), "kvload")
	if out, err := tested(t, library, nil, "build", "-tags", "fdb", "-o", kvload, "../../workloads/kvload"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	audit := filepath.Join(t.TempDir(), "audit")
	c := exec.Command(kvload, "-workload=get100", "-keys=1000", "-warmup=0s", "-duration=50ms")
	c.Env = []string{"LD_LIBRARY_PATH=" + library, "PHASELOCK_CLUSTER=double:x@127.0.0.1:4500", "PHASELOCK_AUDIT=" + audit}
	if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), `"transactions"`) {
		t.Fatalf("%v\n%s", err, out)
	}
	if text, err := os.ReadFile(audit); err != nil || !strings.Contains(string(text), `"client":"double"`) {
		t.Error(fmt.Sprint(string(text), err))
	}
}
