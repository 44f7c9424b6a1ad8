package check_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/phaselock/phaselock/lib/check"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/stats"
)

// Every check has a section in docs/findings.md with its severity, and every section has a check.
func TestDocumented(t *testing.T) {
	data, err := os.ReadFile("../../docs/findings.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^## (\S+)\n\n\*(\w+)\.\*`).FindAllStringSubmatch(string(data), -1) {
		documented[m[1]] = m[2]
	}
	if n := len(regexp.MustCompile(`(?m)^## `).FindAllString(string(data), -1)); n != len(documented) {
		t.Errorf("%d sections, %d of them with an id and a severity", n, len(documented))
	}
	seen := map[string]bool{}
	kebab := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	for _, c := range check.All {
		if seen[c.ID] {
			t.Errorf("two checks have the id %s", c.ID)
		}
		seen[c.ID] = true
		if documented[c.ID] != c.Severity {
			t.Errorf("%s is %s; docs/findings.md says %q", c.ID, c.Severity, documented[c.ID])
		}
		if !kebab.MatchString(c.ID) || !slices.Contains([]string{plan.Note, plan.Warning, plan.Invalid}, c.Severity) {
			t.Errorf("check %+v", c)
		}
	}
	for id := range documented {
		if !seen[id] {
			t.Errorf("docs/findings.md has a section %q and there is no such check", id)
		}
	}
}

func TestWorst(t *testing.T) {
	tests := []struct {
		severities []string
		want       string
	}{
		{nil, ""},
		{[]string{plan.Note}, plan.Note},
		{[]string{plan.Warning, plan.Note}, plan.Warning},
		{[]string{plan.Note, plan.Invalid, plan.Warning}, plan.Invalid},
	}
	for _, tt := range tests {
		var fs []check.Finding
		for _, s := range tt.severities {
			fs = append(fs, check.Finding{Severity: s})
		}
		if got := check.Worst(fs); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.severities, got, tt.want)
		}
	}
}

// MaxSignFlip is what lib/stats enumerates.
func TestMaxSignFlip(t *testing.T) {
	if _, ok := stats.SignFlip(make([]float64, check.MaxSignFlip), 0.95); !ok {
		t.Errorf("%d blocks are not enumerated", check.MaxSignFlip)
	}
	if _, ok := stats.SignFlip(make([]float64, check.MaxSignFlip+1), 0.95); ok {
		t.Errorf("%d blocks are enumerated", check.MaxSignFlip+1)
	}
}
