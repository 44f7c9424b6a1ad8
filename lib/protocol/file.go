package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"sort"
	"strings"
)

// Kinds of files that a phase pins.
const (
	KindBinary  = "binary"
	KindInput   = "input"
	KindGoTest  = "go_test"
	KindGoBuild = "go_build"
)

// File is something that is pinned by digest: a binary, an input, or a binary that phaselock builds.
type File struct {
	Label  string `json:"label"` // unique in the phase; a path relative to the root, or Build.Label
	Kind   string `json:"kind"`
	SHA256 string `json:"sha256,omitempty"` // lower-case hex, when the script declares it
	Build  *Build `json:"build,omitempty"`  // for go_test and go_build
	At     Place  `json:"at,omitzero"`
}

// Build is the recipe of a Go binary.
type Build struct {
	Package string            `json:"package"`        // as the go tool takes it, resolved in Dir
	Ref     string            `json:"ref,omitempty"`  // a git ref; "" is the working tree
	Dir     string            `json:"dir,omitempty"`  // where the module is, from the root; "" is the root
	Tags    []string          `json:"tags,omitempty"` // build tags
	Env     map[string]string `json:"env,omitempty"`  // GOEXPERIMENT, GOAMD64, CGO_ENABLED, …
	Flags   []string          `json:"flags,omitempty"`
	PGO     *Arg              `json:"pgo,omitempty"` // an input(); nil is the go tool's default
	Test    bool              `json:"test"`          // a test binary (go test -c), else go build
}

// Recipe returns the SHA-256 (hex) of the recipe. Places and maps' orders have no part in it.
func (b *Build) Recipe() string {
	s, err := marshal(b)
	if err != nil {
		panic(err) // strings, slices and maps of strings always encode
	}
	sum := sha256.Sum256(s)
	return hex.EncodeToString(sum[:])
}

// Label returns the name by which a build is known in plan and seal: the package's last element and eight
// digits of the recipe, so that two recipes of one package differ and neither depends on the other.
func (b *Build) Label() string {
	name := path.Base(strings.ReplaceAll(b.Package, "\\", "/"))
	if name == "." || name == "/" || name == ".." {
		name = "root"
	}
	if b.Test {
		name += ".test"
	}
	return name + "-" + b.Recipe()[:8]
}

// AddFile adds f unless a file with its label is there, and keeps Files sorted by label.
func (p *Phase) AddFile(f File) {
	i := sort.Search(len(p.Files), func(i int) bool { return p.Files[i].Label >= f.Label })
	if i < len(p.Files) && p.Files[i].Label == f.Label {
		return
	}
	p.Files = append(p.Files, File{})
	copy(p.Files[i+1:], p.Files[i:])
	p.Files[i] = f
}
