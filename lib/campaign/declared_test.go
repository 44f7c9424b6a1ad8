package campaign_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// declaredEvents returns what the Kind methods of the ledger's events return, read from their source: a new event that no test
// knows of is found.
func declaredEvents(t testing.TB) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../ledger/event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "Kind" || f.Recv == nil {
			continue
		}
		for _, stmt := range f.Body.List {
			if r, ok := stmt.(*ast.ReturnStmt); ok {
				kind, err := strconv.Unquote(r.Results[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				kinds = append(kinds, kind)
			}
		}
	}
	slices.Sort(kinds)
	return kinds
}
