package campaign

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/spawn"
)

// The CPUs here are no machine's, so that no real topology has a say.
func TestPlacement(t *testing.T) {
	four, one := []int{60000, 60001, 60002, 60003}, []int{60000}
	type specs map[string][]int
	for name, c := range map[string]struct {
		allowed      []int
		specs        []string
		housekeeping string
		want         specs
		harness      []int
		note         string
	}{
		"unpinned":                       {four, nil, "", specs{}, four, ""},
		"unpinned, harness declared":     {four, nil, "60001", specs{}, []int{60001}, ""},
		"explicit":                       {four, []string{"60001-60002"}, "", specs{"60001-60002": {60001, 60002}}, []int{60000, 60003}, ""},
		"two arms":                       {four, []string{"60001", "60003"}, "", specs{"60001": {60001}, "60003": {60003}}, []int{60000, 60002}, ""},
		"auto":                           {four, []string{"auto"}, "", specs{"auto": {60003}}, []int{60000, 60001, 60002}, ""},
		"auto beside explicit":           {four, []string{"auto", "60003"}, "", specs{"60003": {60003}, "auto": {60002}}, []int{60000, 60001}, ""},
		"auto away from the declared":    {four, []string{"auto"}, "60003", specs{"auto": {60002}}, []int{60003}, ""},
		"explicit and declared":          {four, []string{"60000"}, "60002-60003", specs{"60000": {60000}}, []int{60002, 60003}, ""},
		"all are measured":               {four, []string{"60000-60003"}, "", specs{"60000-60003": four}, nil, "no CPU is left for the harness: it shares 60000-60003 with the measured processes"},
		"one CPU, auto":                  {one, []string{"auto"}, "", specs{"auto": one}, nil, "no CPU is left for the harness: it shares 60000 with the measured processes"},
		"one CPU, explicit":              {one, []string{"60000"}, "", specs{"60000": one}, nil, "it shares 60000"},
		"one CPU, unpinned":              {one, nil, "", specs{}, one, ""},
		"two CPUs, auto and an explicit": {four[:2], []string{"60000", "auto"}, "", specs{"60000": {60000}, "auto": {60001}}, nil, "it shares 60000-60001"},
	} {
		p, err := placeAmong(c.allowed, c.specs, nil, c.housekeeping)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c.want[""] = nil
		if d := cmp.Diff(map[string][]int(c.want), p.specs); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if !slices.Equal(p.harness, c.harness) {
			t.Errorf("%s: the harness has %v, want %v", name, p.harness, c.harness)
		}
		if !slices.Equal(p.allowed, c.allowed) {
			t.Errorf("%s: allowed %v", name, p.allowed)
		}
		if notes := strings.Join(p.notes, "\n"); (c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %q, want %q", name, notes, c.note)
		}
	}
}

func TestPlacementRefuses(t *testing.T) {
	four, one := []int{60000, 60001, 60002, 60003}, []int{60000}
	for name, c := range map[string]struct {
		allowed      []int
		specs        []string
		housekeeping string
		code         int
		want         string
	}{
		"a CPU that is not allowed":    {four, []string{"2"}, "", ExitMachine, `cpus "2": CPU 2 is not allowed here; the allowed CPUs are 60000-60003`},
		"several":                      {one, []string{"60000-60002"}, "", ExitMachine, "CPUs 60001-60002 are not allowed here; the allowed CPUs are 60000"},
		"no CPU left for auto":         {one, []string{"auto", "60000"}, "", ExitMachine, `cpus "auto": no CPU is left`},
		"the harness where it cannot":  {four, nil, "5", ExitUsage, `--housekeeping "5": CPU 5 is not allowed here; the allowed CPUs are 60000-60003`},
		"no list":                      {four, nil, "all", ExitUsage, `--housekeeping "all"`},
		"the harness on measured CPUs": {four, []string{"60001-60002"}, "60000-60001", ExitUsage, `--housekeeping "60000-60001": CPUs 60001 are measured`},
		"the harness on the only one":  {one, []string{"auto"}, "60000", ExitUsage, `--housekeeping "60000": no CPU is left for cpus "auto"; the allowed CPUs are 60000`},
		"the harness everywhere":       {four, []string{"auto", "60001"}, "60000,60002-60003", ExitUsage, `no CPU is left for cpus "auto"`},
	} {
		_, err := placeAmong(c.allowed, c.specs, nil, c.housekeeping)
		if err == nil || !strings.Contains(err.Error(), c.want) || Code(err) != c.code {
			t.Errorf("%s: exit %d, %v; want exit %d, %q", name, Code(err), err, c.code, c.want)
		}
	}
}

// Where nothing can be pinned, an unpinned phase runs and says so, and a pinned one says why it does not.
func TestPlacementWherePinningIsImpossible(t *testing.T) {
	why := errors.New("there is no affinity")
	p, err := placeNowhere(nil, "", why)
	if err != nil || p.harness != nil || len(p.notes) != 1 || !strings.Contains(p.notes[0], "neither is the harness: there is no affinity") {
		t.Errorf("unpinned: %+v, %v", p, err)
	}
	for name, c := range map[string]struct {
		specs        []string
		housekeeping string
		want         string
	}{
		"pinned":       {[]string{"auto"}, "", `cpus "auto": this machine cannot pin processes: there is no affinity; run the phase unpinned`},
		"housekeeping": {nil, "0", `--housekeeping "0": this machine cannot pin the harness`},
	} {
		_, err := placeNowhere(c.specs, c.housekeeping, why)
		if err == nil || !strings.Contains(err.Error(), c.want) || Code(err) != ExitMachine {
			t.Errorf("%s: exit %d, %v", name, Code(err), err)
		}
	}
}

// place shares out what this machine allows.
func TestPlaceHere(t *testing.T) {
	allowed, err := spawn.Allowed()
	if err != nil {
		t.Skip("processes are pinned on Linux only")
	}
	pl := &plan.Plan{Phase: &plan.Phase{}, Runs: []plan.Run{{CPUs: "auto"}, {CPUs: ""}, {CPUs: "auto"}}}
	p, err := place(pl, "")
	if err != nil {
		t.Fatal(err)
	}
	auto := p.specs["auto"]
	if len(auto) != 1 || !slices.Contains(allowed, auto[0]) || slices.Contains(p.harness, auto[0]) {
		t.Errorf("auto is %v, the harness has %v of %v", auto, p.harness, allowed)
	}
	if got := len(p.harness) + 1; got != len(allowed) {
		t.Errorf("%d of %d CPUs are shared out", got, len(allowed))
	}
}
