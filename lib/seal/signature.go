package seal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// Namespace is what signatures of phaselock are for, so that one made for another purpose is none of ours:
// ssh-keygen -Y verify -n phaselock.
const Namespace = "phaselock"

// maxSignature bounds the file of a signature; one of a 16384-bit RSA key has 6 KiB.
const maxSignature = 64 << 10

// Key signs. LoadKey is the door to it.
type Key struct{ signer ssh.Signer }

// LoadKey returns an OpenSSH private key. Of a public key, or of a private key that has a passphrase, the SSH agent does the signing:
// what signs at the end of a night asks nobody for a passphrase.
func LoadKey(path string) (*Key, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	signer, err := ssh.ParsePrivateKey(data)
	if err == nil {
		return &Key{signer}, nil
	}
	public, _, _, _, perr := ssh.ParseAuthorizedKey(data)
	var locked *ssh.PassphraseMissingError
	switch {
	case perr == nil:
	case errors.As(err, &locked):
		if public, err = publicOf(path, locked); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("signing key %s: %w; want an OpenSSH private key, or the .pub file of one that the SSH agent holds", path, err)
	}
	signer, err = fromAgent(public)
	if err != nil {
		return nil, fmt.Errorf("signing key %s: %w; ssh-add adds a key to the agent", path, err)
	}
	return &Key{signer}, nil
}

// publicOf returns the public half of a key with a passphrase: it stands in the key's file, or beside it.
func publicOf(path string, locked *ssh.PassphraseMissingError) (ssh.PublicKey, error) {
	if locked.PublicKey != nil {
		return locked.PublicKey, nil
	}
	data, err := os.ReadFile(path + ".pub")
	if err != nil {
		return nil, fmt.Errorf("signing key %s has a passphrase, and its public half is not beside it: %w", path, err)
	}
	public, _, _, _, err := ssh.ParseAuthorizedKey(data)
	if err != nil {
		return nil, fmt.Errorf("%s.pub: %w", path, err)
	}
	return public, nil
}

// fromAgent returns a key that the user's SSH agent holds. The connection stays for as long as the process lives, since the agent signs.
func fromAgent(public ssh.PublicKey) (ssh.Signer, error) {
	socket := os.Getenv("SSH_AUTH_SOCK")
	if socket == "" {
		return nil, errors.New("only the SSH agent can sign with it, and SSH_AUTH_SOCK names none")
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil, fmt.Errorf("SSH agent: %w", err)
	}
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("SSH agent: %w", err)
	}
	for _, s := range signers {
		if bytes.Equal(s.PublicKey().Marshal(), public.Marshal()) {
			return s, nil
		}
	}
	conn.Close()
	return nil, fmt.Errorf("the SSH agent does not hold %s", ssh.FingerprintSHA256(public))
}

// Fingerprint names the key, as ssh-keygen -l does: "SHA256:…".
func (k *Key) Fingerprint() string { return ssh.FingerprintSHA256(k.signer.PublicKey()) }

// Sign returns the signature of a message as ssh-keygen -Y sign -n phaselock writes it: an armoured SSHSIG over its SHA-512.
func (k *Key) Sign(message []byte) ([]byte, error) {
	sig, err := sshsig.Sign(bytes.NewReader(message), k.signer, sshsig.HashSHA512, Namespace)
	if err != nil {
		return nil, fmt.Errorf("signing with %s: %w", k.Fingerprint(), err)
	}
	return sshsig.Armor(sig), nil
}

// Signature is one that is of its message: whose key made it is for the reader to say (AllowedSigners).
type Signature struct {
	Fingerprint string // of the key, "SHA256:…"

	key ssh.PublicKey
}

// CheckSignature returns a signature if it is one of this message for the namespace phaselock, by whatever key.
func CheckSignature(message, armoured []byte) (*Signature, error) {
	if len(armoured) > maxSignature {
		return nil, fmt.Errorf("this is no signature: %d bytes", len(armoured))
	}
	if !strings.HasPrefix(string(armoured), "-----BEGIN SSH SIGNATURE-----\n") {
		return nil, errors.New("this is no signature of ssh-keygen -Y sign: it does not begin with -----BEGIN SSH SIGNATURE-----")
	}
	sig, err := sshsig.Unarmor(armoured)
	if err != nil {
		return nil, fmt.Errorf("this is no signature of ssh-keygen -Y sign: %w", err)
	}
	if sig.Namespace != Namespace {
		return nil, fmt.Errorf("it was made for the namespace %q, not %q", sig.Namespace, Namespace)
	}
	if err := sshsig.Verify(bytes.NewReader(message), sig, sig.PublicKey, sig.HashAlgorithm, Namespace); err != nil {
		return nil, fmt.Errorf("it is not of this text: %w", err)
	}
	return &Signature{Fingerprint: ssh.FingerprintSHA256(sig.PublicKey), key: sig.PublicKey}, nil
}

// ReadSignature returns the bytes of a signature's file, or nil where there is none.
func ReadSignature(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}
