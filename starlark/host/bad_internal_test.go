package host

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestEveryBuiltinHasItsBadScripts holds that each builtin of the tables has a line in each of the scripts of slips,
// which expects to be refused by that builtin: so that a new builtin without one fails here.
func TestEveryBuiltinHasItsBadScripts(t *testing.T) {
	for _, slip := range []string{"missing", "unknown", "type", "range", "duplicate"} {
		text, err := os.ReadFile("testdata/bad/" + slip + ".star")
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range kinds {
			line := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(k.name) + `\(.*### ` + regexp.QuoteMeta(strings.ReplaceAll(k.name, ".", `\.`)) + `\W`)
			if slip == "missing" && k.nothingMissing() {
				continue
			}
			if !line.Match(text) {
				t.Errorf("testdata/bad/%s.star has no line for %s", slip, k.name)
			}
		}
	}
}

// nothingMissing reports whether a call without arguments is good.
func (k *kind) nothingMissing() bool {
	for i := range k.params {
		if k.params[i].required() {
			return false
		}
	}
	return k.check == nil
}
