// Package jsondoc is a real JSON document, decoded and encoded by encoding/json.
//
// The document is what `go list -json` says of the packages of Go 1.26's standard library, internal ones left out: an array of
// objects with strings, arrays of strings and some documentation text, in packages.json.
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
