// Package jsondoc is a real JSON document, decoded and encoded by encoding/json.
//
// The document, packages.json, is what `go list -json std` of Go 1.26 on linux/amd64 says of the 176 packages of the standard library
// that anyone can import: the fields of Package, and of Deps those that anyone can import. It holds facts, and the first sentences of
// the packages' documentation, which are the Go Authors' under Go's BSD licence. It is as Encode writes it, to the byte.
package jsondoc

import (
	_ "embed"
	"encoding/json"
)

//go:embed packages.json
var document []byte

// Package is one package of the document.
type Package struct {
	ImportPath  string
	Name        string
	Doc         string   `json:",omitempty"`
	GoFiles     []string `json:",omitempty"`
	TestGoFiles []string `json:",omitempty"`
	Imports     []string `json:",omitempty"`
	Deps        []string
}

// Document returns the document's bytes; callers must not change them.
func Document() []byte { return document }

// Decode reads a document.
func Decode(data []byte) ([]Package, error) {
	var p []Package
	err := json.Unmarshal(data, &p)
	return p, err
}

// Encode writes packages as a document.
func Encode(p []Package) ([]byte, error) { return json.Marshal(p) }
