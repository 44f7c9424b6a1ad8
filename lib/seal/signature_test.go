package seal_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"io/fs"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/phaselock/phaselock/lib/seal"
)

// keyFile writes a private key, with a passphrase unless that is "", and its public half beside it.
func keyFile(t *testing.T, key any, passphrase string) (path string, public ssh.PublicKey) {
	t.Helper()
	var block *pem.Block
	var err error
	if passphrase == "" {
		block, err = ssh.MarshalPrivateKey(key, "test")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "test", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	path = write(t, filepath.Join(t.TempDir(), "id"), string(pem.EncodeToMemory(block)), 0o600)
	write(t, path+".pub", string(ssh.MarshalAuthorizedKey(signer.PublicKey())), 0o644)
	return path, signer.PublicKey()
}

func edKey(t *testing.T) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func signed(t *testing.T, path, message string) []byte {
	t.Helper()
	key, err := seal.LoadKey(path)
	if err != nil {
		t.Fatal(err)
	}
	sig, err := key.Sign([]byte(message))
	if err != nil {
		t.Fatal(err)
	}
	return sig
}

// allow returns an allowed_signers line.
func allow(who, options string, public ssh.PublicKey) string {
	return who + " " + options + string(ssh.MarshalAuthorizedKey(public))
}

// ssh-keygen accepts what Sign writes, and CheckSignature what ssh-keygen writes, for both kinds of keys.
func TestSignaturesAreThoseOfOpenSSH(t *testing.T) {
	keygen, err := exec.LookPath("ssh-keygen")
	if err != nil {
		t.Skip("there is no ssh-keygen")
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]any{"ed25519": edKey(t), "rsa": rsaKey} {
		path, public := keyFile(t, key, "")
		dir := t.TempDir()
		ours := write(t, filepath.Join(dir, "ours.sig"), string(signed(t, path, "a seal\n")), 0o644)
		allowed := write(t, filepath.Join(dir, "allowed"), allow("a@example.com", `namespaces="phaselock" `, public), 0o644)
		verify := func(namespace, message string) error {
			cmd := exec.Command(keygen, "-Y", "verify", "-n", namespace, "-f", allowed, "-I", "a@example.com", "-s", ours)
			cmd.Stdin = strings.NewReader(message)
			return cmd.Run()
		}
		if err := verify("phaselock", "a seal\n"); err != nil {
			t.Errorf("%s: ssh-keygen does not accept it: %v", name, err)
		}
		if verify("phaselock", "another\n") == nil || verify("file", "a seal\n") == nil {
			t.Errorf("%s: ssh-keygen accepts anything", name)
		}
		theirs := write(t, filepath.Join(dir, "theirs"), "a seal\n", 0o644)
		if out, err := exec.Command(keygen, "-q", "-Y", "sign", "-n", "phaselock", "-f", path, theirs).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		data, err := seal.ReadSignature(theirs + ".sig")
		if err != nil {
			t.Fatal(err)
		}
		sig, err := seal.CheckSignature([]byte("a seal\n"), data)
		if err != nil || sig.Fingerprint != ssh.FingerprintSHA256(public) {
			t.Errorf("%s: %+v, %v", name, sig, err)
		}
	}
}

func TestCheckSignatureRefuses(t *testing.T) {
	path, _ := keyFile(t, edKey(t), "")
	sig := signed(t, path, "a seal\n")
	if _, err := seal.CheckSignature([]byte("a seal\n"), sig); err != nil {
		t.Fatal(err)
	}
	if _, err := seal.CheckSignature([]byte("a seal"), sig); err == nil || !strings.Contains(err.Error(), "not of this text") {
		t.Errorf("of another text: %v", err)
	}
	for i := 0; i < len(sig); i++ {
		changed := bytes.Clone(sig)
		changed[i] ^= 0x01
		if s, err := seal.CheckSignature([]byte("a seal\n"), changed); err == nil {
			// What base64 decodes to is what counts: line ends and the last line may be written otherwise.
			a, _ := pem.Decode(sig)
			b, _ := pem.Decode(changed)
			if b == nil || !bytes.Equal(a.Bytes, b.Bytes) {
				t.Errorf("byte %d changed from %q to %q: accepted as %+v", i, sig[i], changed[i], s)
			}
		}
	}
	for name, bad := range map[string]string{"nothing": "", "text": "hello", "long": strings.Repeat("x", 1<<20), "a seal": "phaselock seal 1\n"} {
		if _, err := seal.CheckSignature([]byte("a seal\n"), []byte(bad)); err == nil {
			t.Errorf("%s is a signature", name)
		}
	}
	if data, err := seal.ReadSignature(filepath.Join(t.TempDir(), "none")); data != nil || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

// A key with a passphrase signs through the agent, named by itself or by its public half; without an agent the message says so.
func TestAgentSigns(t *testing.T) {
	key := edKey(t)
	path, public := keyFile(t, key, "secret")
	t.Setenv("SSH_AUTH_SOCK", "")
	if _, err := seal.LoadKey(path); err == nil || !strings.Contains(err.Error(), "SSH_AUTH_SOCK") {
		t.Errorf("without an agent: %v", err)
	}
	socket := filepath.Join(t.TempDir(), "agent")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	keyring := agent.NewKeyring()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _ = agent.ServeAgent(keyring, conn) }()
		}
	}()
	t.Setenv("SSH_AUTH_SOCK", socket)
	if _, err := seal.LoadKey(path); err == nil || !strings.Contains(err.Error(), "does not hold SHA256:") {
		t.Errorf("an agent without the key: %v", err)
	}
	if err := keyring.Add(agent.AddedKey{PrivateKey: key}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + ".pub"} {
		sig, err := seal.CheckSignature([]byte("x"), signed(t, name, "x"))
		if err != nil || sig.Fingerprint != ssh.FingerprintSHA256(public) {
			t.Errorf("%s: %+v, %v", name, sig, err)
		}
	}
	for name, bad := range map[string]string{"no key": "hello", "none": ""} {
		if _, err := seal.LoadKey(write(t, filepath.Join(t.TempDir(), "k"), bad, 0o600)); err == nil {
			t.Errorf("%s is a key", name)
		}
	}
	if _, err := seal.LoadKey(filepath.Join(t.TempDir(), "missing")); err == nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// Who may sign: what ssh-keygen says of the same file is the reference wherever it is there.
func TestAllowedSigners(t *testing.T) {
	path, public := keyFile(t, edKey(t), "")
	_, other := keyFile(t, edKey(t), "")
	armoured := signed(t, path, "x")
	sig, err := seal.CheckSignature([]byte("x"), armoured)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, file, want string }{
		{"the key", allow("a@example.com", "", public), ""},
		{"comments and empty lines", "# who\n\n" + allow("a@example.com", "", public), ""},
		{"another identity", allow("b@example.com", "", public), "no line names a@example.com"},
		{"another key", allow("a@example.com", "", other), "line 1: it has the key SHA256:"},
		{"the second line", allow("a@example.com", "", other) + allow("a@example.com", "", public), ""},
		{"one of several", allow("b@example.com,a@example.com", "", public), ""},
		{"quoted", allow(`"b@example.com,a@example.com"`, "", public), ""},
		{"a pattern", allow("*@example.com", "", public), ""},
		{"a pattern that stops", allow("?@example.org", "", public), "no line names"},
		{"all but one", allow("*@example.com,!a@example.com", "", public), "no line names"},
		{"the namespace", allow("a@example.com", `namespaces="git,phaselock" `, public), ""},
		{"a pattern of namespaces", allow("a@example.com", `namespaces="phase*" `, public), ""},
		{"another namespace", allow("a@example.com", `namespaces="git" `, public), "for the namespaces git"},
		{"in time", allow("a@example.com", `valid-after="20200101Z",valid-before="29990101Z" `, public), ""},
		{"too late", allow("a@example.com", `valid-before="202001010000" `, public), "valid until 2020"},
		{"too early", allow("a@example.com", `valid-after="29990101000000Z" `, public), "valid from 2999"},
		{"an authority", allow("a@example.com", "cert-authority ", public), "certificates"},
		{"none", "", "no line names"},
	} {
		a, err := seal.ParseAllowedSigners([]byte(c.file))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		err = a.Check(sig, "a@example.com", time.Now())
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if keygen, missing := exec.LookPath("ssh-keygen"); missing == nil {
			dir := t.TempDir()
			cmd := exec.Command(keygen, "-Y", "verify", "-n", "phaselock", "-I", "a@example.com",
				"-f", write(t, filepath.Join(dir, "allowed"), c.file, 0o644), "-s", write(t, filepath.Join(dir, "sig"), string(armoured), 0o644))
			cmd.Stdin = strings.NewReader("x")
			if out, err := cmd.CombinedOutput(); (err == nil) != (c.want == "") {
				t.Errorf("%s: ssh-keygen says %v\n%s", c.name, err, out)
			}
		}
	}
	for _, bad := range []string{"a@example.com", "a@example.com ssh-ed25519", `"a`, `"" ssh-ed25519 x`, allow("a", `valid-after="yesterday" `, public), allow("a", "colour=red ", public)} {
		if _, err := seal.ParseAllowedSigners([]byte("\n" + bad)); err == nil || !strings.HasPrefix(err.Error(), "allowed signers:2: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestHead(t *testing.T) {
	h := seal.Head{Lines: 13, SHA256: hex64("a")}
	text := "phaselock head 1\nlines 13\nsha256 " + hex64("a") + "\n"
	if string(h.Text()) != text {
		t.Errorf("%q", h.Text())
	}
	if got, err := seal.ParseHead([]byte(text)); err != nil || got != h {
		t.Errorf("%+v, %v", got, err)
	}
	for i := range text {
		for _, flip := range []byte{0x20, 0x40, 0x80} {
			changed := []byte(text)
			changed[i] ^= flip
			if got, err := seal.ParseHead(changed); err == nil && got == h {
				t.Errorf("byte %d changed is the same head", i)
			}
		}
		if _, err := seal.ParseHead([]byte(text[:i])); err == nil {
			t.Errorf("%d bytes are a head", i)
		}
	}
	for _, bad := range []string{strings.Replace(text, "13", "013", 1), strings.Replace(text, "13", "0", 1), text + "\n"} {
		if _, err := seal.ParseHead([]byte(bad)); err == nil {
			t.Errorf("%q is a head", bad)
		}
	}
}
