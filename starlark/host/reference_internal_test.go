package host

import (
	"regexp"
	"testing"

	"github.com/phaselock/phaselock/starlark/std"
)

// TestReferenceNames holds that the reference has every name that a script or a script of tests can use: those of no
// table stand in its template, by hand.
func TestReferenceNames(t *testing.T) {
	page, err := Reference(std.FS)
	if err != nil {
		t.Fatal(err)
	}
	names := append(namesFor("//x_test.star"), (&evaluation{}).assertModule().Members.Keys()...)
	for _, name := range names {
		if name == "expect" || name == "fdb" || name == "assert" { // their members stand there
			continue
		}
		if !regexp.MustCompile("`(assert\\.)?" + regexp.QuoteMeta(name) + "[`(]").Match(page) {
			t.Errorf("%s is not in the reference", name)
		}
	}
}
