package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/phaselock/phaselock/lib/seal"
)

// writeKeys writes two keys into a folder, alice and mallory, with their public halves, and a file of signers that allows alice.
func writeKeys(dir string) error {
	for _, name := range []string{"alice", "mallory"} {
		_, key, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return err
		}
		block, err := ssh.MarshalPrivateKey(key, name)
		if err != nil {
			return err
		}
		signer, err := ssh.NewSignerFromKey(key)
		if err != nil {
			return err
		}
		public := ssh.MarshalAuthorizedKey(signer.PublicKey())
		files := map[string][]byte{name: pem.EncodeToMemory(block), name + ".pub": public}
		if name == "alice" {
			files["signers"] = append([]byte("alice@example.com "), public...)
		}
		for file, data := range files {
			if err := os.WriteFile(filepath.Join(dir, file), data, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// goCache returns where the go tool keeps what it has built, "" without a go tool: a HOME of one's own would build the standard library.
var goCache = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})

// sealedFolder is a phase with a line of every kind in its seal.
var sealedFolder = map[string]string{
	"more.star":       "metrics = [metric(\"wall-ns\", better = \"lower\")]\n",
	"data/a.txt":      "a\n",
	"data/b.txt":      "b\n",
	"run.sh":          "#!/bin/sh\necho \"$1\"\n",
	"made/go.mod":     "module example.com/made\n\ngo 1.24\n",
	"made/made.go":    "package main\n\nfunc main() { println(\"made\") }\n",
	"elsewhere/other": "nothing\n",
	"p.star": `load("//more.star", "metrics")
load("@std//go.star", "gobench")

quick = param("quick", default = False)
arms = [arm("script", argv = [binary("run.sh")]), arm("made", argv = [go_build(".", dir = "made")]), arm("cat", argv = ["cat"])]
phase(
    "p",
    question = "Is everything sealed?",
    arms = arms,
    cases = [case("c")],
    command = lambda arm, case: command(arm.argv + [input("data/*.txt")], format = "process"),
    design = fixed([["script", "made", "cat"], ["cat", "made", "script"]]),
    metrics = metrics,
    estimand = block_ratio(interval = student_t(level = 0.95)),
    process = process(timeout = "20s"),
)
`,
}

// phaselockIn runs the command in a folder under another user's home, and returns what it printed and its exit code.
func phaselockIn(t *testing.T, dir string, args ...string) (out string, code int) {
	t.Helper()
	self, err := exec.LookPath("phaselock")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "GOCACHE="+goCache(), "NO_COLOR=1")
	data, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(data), cmd.ProcessState.ExitCode()
}

func layOut(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Every kind of line: changed by itself, the seal is no seal; changed with its digest, verify finds it, and so does run --sealed; and
// the same seal holds in another folder under another user.
func TestEveryLineOfASealCounts(t *testing.T) {
	if goCache() == "" {
		t.Skip("there is no go tool to build with")
	}
	dir := layOut(t, sealedFolder)
	if out, code := phaselockIn(t, dir, "seal", "p.star"); code != 0 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "p.seal"))
	if err != nil {
		t.Fatal(err)
	}
	for _, machine := range []string{dir, filepath.Base(dir), os.Getenv("HOME")} {
		if machine != "" && len(machine) > 3 && bytes.Contains(text, []byte(machine)) {
			t.Errorf("%s stands in the seal:\n%s", machine, text)
		}
	}
	other := layOut(t, sealedFolder)
	if err := os.WriteFile(filepath.Join(other, "p.seal"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, code := phaselockIn(t, other, "verify", "p.seal", "--rebuild"); code != 0 || !strings.Contains(out, " lines hold\n") {
		t.Errorf("in another folder, exit %d:\n%s", code, out)
	}
	if out, code := phaselockIn(t, other, "verify", "p.seal"); code != 0 || !strings.Contains(out, "not checked here  built ") {
		t.Errorf("without building, exit %d:\n%s", code, out)
	}

	s, err := seal.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for i, l := range s.Lines() {
		kinds[l.Kind] = true
		lines := s.Lines()
		if l.Kind == seal.KindParam {
			lines[i].Note = "true"
		} else {
			lines[i].SHA256 = flipped(l.SHA256)
		}
		changed, err := seal.New(s.Tool(), lines)
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{"resealed.seal": changed.Text(), "broken.seal": bytes.Replace(changed.Text(), []byte(changed.Digest()), []byte(s.Digest()), 1)} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if out, code := phaselockIn(t, dir, "verify", "broken.seal"); code != 3 || !strings.Contains(out, "one of them was changed") {
			t.Errorf("%s: changed without its digest: exit %d\n%s", l.Name(), code, out)
		}
		want := "CHANGED           " + l.Name()
		if l.Kind == seal.KindParam { // the script is evaluated with the seal's value: what it says then is another protocol
			want = "CHANGED           protocol"
		}
		if out, code := phaselockIn(t, dir, "verify", "resealed.seal", "--rebuild"); code != 3 || !strings.Contains(out, want) {
			t.Errorf("%s: changed with its digest: exit %d\n%s", l.Name(), code, out)
		}
		out, code := phaselockIn(t, dir, "run", "p.star", "--sealed", "resealed.seal", "--out", "never")
		if code != 3 || !strings.Contains(out, "  "+l.Name()+": sealed as ") {
			t.Errorf("%s: run with its digest changed: exit %d\n%s", l.Name(), code, out)
		}
		if _, err := os.Stat(filepath.Join(dir, "never")); !os.IsNotExist(err) {
			t.Fatalf("%s: a folder was made: %v", l.Name(), err)
		}
	}
	for _, kind := range []string{
		seal.KindScript, seal.KindBinary, seal.KindInput, seal.KindBuilt, seal.KindProgram, seal.KindInterpreter, seal.KindHarness,
		seal.KindParam, seal.KindProtocol, seal.KindPlan,
	} {
		if !kinds[kind] {
			t.Errorf("no line of kind %s was tried", kind)
		}
	}
}

// flipped returns another digest.
func flipped(digest string) string {
	if digest[0] == '0' {
		return "1" + digest[1:]
	}
	return "0" + digest[1:]
}
