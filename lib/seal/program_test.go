package seal_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/seal"
)

func TestProgram(t *testing.T) {
	a, b, c := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, filepath.Join(a, "tool"), "not executable", 0o644)
	want := write(t, filepath.Join(b, "tool"), "#!/bin/sh\n", 0o755)
	write(t, filepath.Join(c, "tool"), "#!/bin/sh\n", 0o755)
	if err := os.Mkdir(filepath.Join(a, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(want, filepath.Join(a, "link")); err != nil {
		t.Fatal(err)
	}
	resolved, err := filepath.EvalSymlinks(want)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(c) // a relative folder of the PATH is passed over, and this has a tool
	path := strings.Join([]string{"", ".", a, b, c}, ":")
	for _, name := range []string{"tool", "link"} {
		if got, err := seal.Program(name, path); err != nil || got != resolved {
			t.Errorf("%s: %s, %v; want %s", name, got, err, resolved)
		}
	}
	for _, name := range []string{"", "a/b", "./tool", "nosuchprogram", "folder"} {
		if _, err := seal.Program(name, path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: error %v", name, err)
		}
	}
}

func TestInterpreter(t *testing.T) {
	dir := t.TempDir()
	python := write(t, filepath.Join(dir, "python9"), "x", 0o755)
	python, _ = filepath.EvalSymlinks(python)
	sh, _ := filepath.EvalSymlinks("/bin/sh")
	plain := write(t, filepath.Join(dir, "plain"), "x", 0o644)
	other := t.TempDir()
	otherTool := write(t, filepath.Join(other, "tool9"), "x", 0o755)
	otherTool, _ = filepath.EvalSymlinks(otherTool)
	oneWord := ""
	if runtime.GOOS == "linux" {
		oneWord = "write #!/usr/bin/env -S python9 -u"
	}
	for _, tc := range []struct{ first, want, err string }{
		{"#!/bin/sh\n", sh, ""},
		{"#!/bin/sh", sh, ""},
		{"#! /bin/sh -e\n", sh, ""},
		{"#!\t/bin/sh\t-e \nexit 0\n", sh, ""},
		{"#!/bin/sh\x00 junk\n", sh, ""},
		{"#!/usr/bin/env python9\n", python, ""},
		{"#!/usr/bin/env python9 \n", python, ""},
		{"#!/usr/bin/env -S A=b python9 -u\n", python, ""},
		{"#!/usr/bin/env -Spython9 -u\n", python, ""},
		{"#!/usr/bin/env -S -u FOO -i python9\n", python, ""},
		{"#!/usr/bin/env -S PATH=" + other + " tool9\n", otherTool, ""},
		{"#!/usr/bin/env /bin/sh\n", sh, ""},
		{"\x7fELF", "", ""},
		{"", "", ""},
		{"#", "", ""},
		{"# !/bin/sh\n", "", ""},
		{strings.Repeat("x", 1000), "", ""},
		{"\xef\xbb\xbf#!/bin/sh\n", "", "bytes stand before its #!"},
		{" #!/bin/sh\n", "", "bytes stand before its #!"},
		{"#!/bin/sh\r\nexit 0\r\n", "", "carriage return"},
		{"#!bin/sh\n", "", "name it from /"},
		{"#!/usr/bin/env ./x\n", "", "name it from /"},
		{"#!\n", "", "no interpreter"},
		{"#!  \n", "", "no interpreter"},
		{"#!/usr/bin/env\n", "", "behind env"},
		{"#!/usr/bin/env -S A=b\n", "", "behind env"},
		{"#!/no/such\n", "", "no such file"},
		{"#!" + plain + "\n", "", "cannot be executed"},
		{"#!" + dir + "\n", "", "cannot be executed"},
		{"#!/usr/bin/env nosuch\n", "", "no program"},
		{"#!/" + strings.Repeat("x", 300) + "\n", "", "longer than"},
	} {
		got, err := seal.Interpreter(write(t, filepath.Join(dir, "script"), tc.first, 0o755), dir)
		if got != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%q: %q, %v; want %q, %q", tc.first, got, err, tc.want, tc.err)
		}
		if err != nil && !strings.Contains(err.Error(), "script") {
			t.Errorf("%q: error %v does not name the script", tc.first, err)
		}
	}
	got, err := seal.Interpreter(write(t, filepath.Join(dir, "script"), "#!/usr/bin/env python9 -u\n", 0o755), dir)
	if oneWord == "" && got != python || oneWord != "" && (err == nil || !strings.Contains(err.Error(), oneWord)) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := seal.Interpreter(dir, dir); err == nil {
		t.Error("a folder has an interpreter")
	}
}

// What we refuse, the kernel and env refuse too; what we resolve, they run.
func TestInterpreterAsTheKernelSeesIt(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("how other kernels read #! lines differs")
	}
	dir := t.TempDir()
	for first, runs := range map[string]bool{
		"#!/bin/sh\n":             true,
		"#! \t/bin/sh -e\n":       true,
		"#!/usr/bin/env sh\n":     true,
		"#!/usr/bin/env -S sh -e": true,
		"#!/bin/sh\r\n":           false,
		"#!/usr/bin/env sh -e\n":  false,
		"\xef\xbb\xbf#!/bin/sh\n": false,
		"#!/no/such\n":            false,
		"#!\n":                    false,
	} {
		script := write(t, filepath.Join(dir, "script"), strings.TrimSuffix(first, "\n")+"\nexit 0\n", 0o755)
		interpreter, err := seal.Interpreter(script, "/usr/local/bin:/usr/bin:/bin")
		ran := exec.Command(script).Run()
		if (ran == nil) != runs || (err == nil) != runs || runs && interpreter == "" {
			t.Errorf("%q: %q, %v; run by the kernel: %v", first, interpreter, err, ran)
		}
	}
}
