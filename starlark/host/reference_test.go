package host_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"go.starlark.net/syntax"

	"github.com/phaselock/phaselock/starlark/host"
	"github.com/phaselock/phaselock/starlark/std"
)

const languageMD = "../../docs/language.md"

// TestReference holds docs/language.md to the tables and docstrings from which it is made.
func TestReference(t *testing.T) {
	got, err := host.Reference(std.FS)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(languageMD, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(languageMD)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("docs/language.md is out of date; go test ./starlark/host -run Reference -update\n%s", d)
	}
}

// TestReferenceRefuses holds that nothing comes into the reference half documented.
func TestReferenceRefuses(t *testing.T) {
	whole := func() fstest.MapFS {
		m := fstest.MapFS{}
		for _, name := range []string{"go.star", "grid.star", "pairs.star", "checks.star", "fdb.star"} {
			src, err := std.FS.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			m[name] = &fstest.MapFile{Data: src}
		}
		return m
	}
	if _, err := host.Reference(whole()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, src, want string }{
		{"a module that the template leaves out", ``, `@std//new.star stands there 0 times`},
		{"no docstring of the module", `x = 1`, `@std//grid.star: no docstring`},
		{"no docstring", "\"\"\"M.\"\"\"\ndef f():\n    pass\n", `f: no docstring`},
		{"an argument that is not there", "\"\"\"M.\"\"\"\ndef f(a):\n    \"\"\"F.\n\n    Args:\n      b: it.\n    \"\"\"\n", `the arguments ["b"], and it takes ["a"]`},
		{"arguments that are left out", "\"\"\"M.\"\"\"\ndef f(a, *, b = 1, **c):\n    \"\"\"F.\"\"\"\n", `the arguments [], and it takes ["a" "b" "**c"]`},
		{"a line in no section", "\"\"\"M.\"\"\"\ndef f(a):\n    \"\"\"F.\n\n    Args:\n      a: it.\n    more\n    \"\"\"\n", `"more" stands in no section`},
		{"markup outside of backticks", "\"\"\"M.\"\"\"\ndef f():\n    \"\"\"Returns a*b*c.\"\"\"\n", `code in backticks`},
		{"a head of two lines", "\"\"\"M.\"\"\"\ndef f(\n    a):\n    \"\"\"F.\"\"\"\n", `want its head in one line`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := whole()
			if tt.src == "" {
				m["new.star"] = &fstest.MapFile{}
			} else {
				m["grid.star"] = &fstest.MapFile{Data: []byte(tt.src)}
			}
			if _, err := host.Reference(m); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// block is a fenced block of a page: the words of its info string, and its text.
type block struct {
	line int
	info []string
	text string
}

func blocksOf(page string) []block {
	var all []block
	open := false
	for i, line := range strings.Split(page, "\n") {
		rest, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && !open:
			all = append(all, block{line: i + 2, info: strings.Fields(rest)})
			open = true
		case fence:
			open = false
		case open:
			all[len(all)-1].text += line + "\n"
		}
	}
	return all
}

// TestReferenceBlocks runs what the reference shows: "phase" declares one, "refused" gives the diagnostics of the text block
// behind it, "tests" pass, and "fragment" is well-formed. "lib" files are there for all blocks behind them.
func TestReferenceBlocks(t *testing.T) {
	page, err := os.ReadFile(languageMD)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	seen := map[string]int{}
	var diagnosed string // of the last "refused" block, until its text block comes
	for _, b := range blocksOf(string(page)) {
		if len(b.info) < 2 || b.info[0] != "starlark" {
			if strings.Join(b.info, " ") != "text" || b.text != diagnosed {
				t.Errorf("language.md:%d: a block of %q that is not what the one before gives:\n%s", b.line, b.info, diagnosed)
			}
			diagnosed = ""
			continue
		}
		if diagnosed != "" {
			t.Errorf("language.md:%d: no text block shows what is wrong with the script before:\n%s", b.line, diagnosed)
		}
		name, kind := "x.star", b.info[1]
		if len(b.info) > 2 {
			name = b.info[2]
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(b.text), 0o666); err != nil {
			t.Fatal(err)
		}
		seen[kind]++
		switch kind {
		case "lib":
		case "fragment":
			if _, err := (&syntax.FileOptions{}).Parse(name, b.text, 0); err != nil {
				t.Errorf("language.md:%d: %v", b.line, err)
			}
		case "phase":
			s, err := host.Eval(context.Background(), path, host.Options{Std: std.FS})
			if err != nil || len(s.Phases) != 1 {
				t.Errorf("language.md:%d: %v", b.line, err)
			}
		case "refused":
			_, err := host.Eval(context.Background(), path, host.Options{Std: std.FS})
			diagnosed = diagnostics(t, err).Error() + "\n"
		case "tests":
			results, err := host.Test(context.Background(), path, host.TestOptions{Options: host.Options{Std: std.FS}})
			if err != nil || len(results) == 0 {
				t.Errorf("language.md:%d: %v", b.line, err)
			}
			for _, r := range results {
				if len(r.Failures) > 0 {
					t.Errorf("language.md:%d: %s: %v", b.line, r.Name, r.Failures)
				}
			}
		default:
			t.Errorf("language.md:%d: unknown kind of block %q", b.line, kind)
		}
	}
	for _, kind := range []string{"phase", "refused", "tests", "fragment", "lib"} {
		if seen[kind] == 0 {
			t.Errorf("there is no block of kind %q; were they found?", kind)
		}
	}
}

var (
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
)

// anchorsOf returns the fragments that GitHub gives to the headings of a page; it numbers equal ones.
func anchorsOf(page string) map[string]bool {
	drop := regexp.MustCompile("[^a-z0-9 _-]")
	anchors := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		a := strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")
		anchors[a] = true
	}
	return anchors
}

// TestReferenceLinks holds that every link of the reference and of the tutorial leads somewhere, and that no two
// headings share a fragment.
func TestReferenceLinks(t *testing.T) {
	for name, least := range map[string]int{languageMD: 50, "../../docs/tutorial.md": 5} {
		page := pageText(t, name)
		if a, n := anchorsOf(page), len(heading.FindAllString(page, -1)); len(a) != n {
			t.Errorf("%s: %d headings have %d fragments", name, n, len(a))
		}
		links := link.FindAllStringSubmatch(page, -1)
		if len(links) < least {
			t.Errorf("%s: %d links; were they found?", name, len(links))
		}
		for _, m := range links {
			file, fragment, _ := strings.Cut(m[1], "#")
			target := page
			if strings.HasPrefix(file, "https://") {
				continue
			}
			if file != "" {
				target = pageText(t, filepath.Join(filepath.Dir(name), file))
			}
			if fragment != "" && !anchorsOf(target)[fragment] {
				t.Errorf("%s: %s leads to no heading", name, m[1])
			}
		}
	}
}

// pageText returns a page without its fenced blocks.
func pageText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, b := range blocksOf(page) {
		page = strings.Replace(page, b.text, "", 1)
	}
	return page
}
