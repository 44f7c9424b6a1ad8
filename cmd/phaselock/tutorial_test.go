package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const tutorialMD = projectRoot + "/docs/tutorial.md"

// TestTutorial follows docs/tutorial.md to the letter, from the clone on, with a new home: it writes the files, runs the
// commands in one shell after the other, and holds what they print to what the page shows.
//
//	```go join/join.go         a file; the line before names it
//	```sh needs=git exit=1     commands, with what they need and how the last ends
//	```text                    what they print, to the letter; … stands for anything
//	```text contains           lines that they print, in this order
//	```text measured           the same but for numbers, units and findings
//	```text labels             lines that start with these words, in this order
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("the tutorial measures for half a minute")
	}
	if runtime.GOOS != "linux" {
		t.Skip("the tutorial pins its processes, which is done on Linux only")
	}
	page, err := os.ReadFile(tutorialMD)
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(t)
	seen := map[string]int{}
	for _, s := range sectionsOf(string(page)) {
		t.Run(s.title, func(t *testing.T) {
			for _, b := range s.blocks {
				seen[b.kind()]++
				r.follow(t, b)
				if t.Failed() {
					t.FailNow() // what comes later builds on it
				}
			}
		})
		if t.Failed() {
			return
		}
	}
	for _, kind := range []string{"sh", "go", "starlark", "text", "text contains", "text measured", "text labels"} {
		if seen[kind] == 0 {
			t.Errorf("there is no block of kind %q; were they found?", kind)
		}
	}
}

// section is a part of the page under one heading.
type section struct {
	title  string
	blocks []shown
}

// shown is a fenced block: its info string, the paragraph before, its text.
type shown struct {
	line   int
	info   []string
	before string
	text   string
}

func (b *shown) kind() string {
	if len(b.info) > 1 && b.info[0] == "text" {
		return b.info[0] + " " + b.info[1]
	}
	return strings.Join(b.info[:min(1, len(b.info))], " ")
}

// option returns the value of name= in the info string.
func (b *shown) option(name string) string {
	for _, word := range b.info {
		if v, ok := strings.CutPrefix(word, name+"="); ok {
			return v
		}
	}
	return ""
}

func sectionsOf(page string) []section {
	sections := []section{{title: "head"}}
	open, before := false, ""
	for i, line := range strings.Split(page, "\n") {
		s := &sections[len(sections)-1]
		rest, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && !open:
			s.blocks = append(s.blocks, shown{line: i + 1, info: strings.Fields(rest), before: before})
			open, before = true, ""
		case fence:
			open = false
		case open:
			b := &s.blocks[len(s.blocks)-1]
			b.text += line + "\n"
		case strings.HasPrefix(line, "## "):
			sections = append(sections, section{title: strings.TrimPrefix(line, "## ")})
		case line != "":
			before = line
		}
	}
	return sections
}

// reader is someone who follows the page: where they are, what they have exported, what was printed last.
type reader struct {
	home, dir string
	env       []string
	printed   string
}

func newReader(t *testing.T) *reader {
	t.Helper()
	root, err := filepath.Abs(projectRoot)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	r := &reader{home: home, dir: root, env: append(os.Environ(), "HOME="+home, "GOBIN="+filepath.Join(home, "bin"), "NO_COLOR=1", "LC_ALL=C.UTF-8")}
	for _, name := range []string{"GOPATH", "GOCACHE", "GOMODCACHE"} { // they would follow HOME
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		r.env = append(r.env, name+"="+strings.TrimSpace(string(value)))
	}
	return r
}

func (r *reader) follow(t *testing.T, b shown) {
	t.Helper()
	switch b.kind() {
	case "sh":
		if command := b.option("needs"); command != "" {
			needs(t, command)
		}
		r.run(t, b)
	case "go", "starlark":
		r.write(t, b)
	default:
		r.compare(t, b)
	}
}

// write makes the file that a block shows.
func (r *reader) write(t *testing.T, b shown) {
	t.Helper()
	if len(b.info) != 2 || !strings.Contains(b.before, "`"+b.info[1]+"`") {
		t.Fatalf("tutorial.md:%d: the line before must name the file of the block, %q", b.line, b.info)
	}
	if err := os.WriteFile(filepath.Join(r.dir, b.info[1]), []byte(b.text), 0o666); err != nil {
		t.Fatalf("tutorial.md:%d: %v", b.line, err)
	}
}

// shellSession runs the commands of $TUTORIAL_BLOCK where the last shell ended, with what it had exported.
const shellSession = `
if [ -f "$TUTORIAL_STATE" ]; then . "$TUTORIAL_STATE"; fi
trap 'code=$?; { export -p; printf "cd \"%s\"\n" "$PWD"; } > "$TUTORIAL_STATE"; pwd > "$TUTORIAL_STATE.dir"; exit $code' EXIT
set -e
eval "$(cat "$TUTORIAL_BLOCK")"
`

func (r *reader) run(t *testing.T, b shown) {
	t.Helper()
	state, commands := filepath.Join(r.home, ".state"), filepath.Join(r.home, ".block")
	if err := os.WriteFile(commands, []byte(b.text), 0o666); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "-c", shellSession)
	c.Dir, c.Env = r.dir, append(slices.Clone(r.env), "TUTORIAL_STATE="+state, "TUTORIAL_BLOCK="+commands)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	var ee *exec.ExitError
	if err != nil && !errors.As(err, &ee) {
		t.Fatal(err)
	}
	r.printed = out.String()
	want := b.option("exit")
	if want == "" {
		want = "0"
	}
	if got := fmt.Sprint(c.ProcessState.ExitCode()); got != want {
		t.Fatalf("tutorial.md:%d: exit code %s, want %s\n%s%s", b.line, got, want, b.text, r.printed)
	}
	dir, err := os.ReadFile(state + ".dir")
	if err != nil {
		t.Fatal(err)
	}
	r.dir = strings.TrimSpace(string(dir))
}

// compare holds what was printed last to what the page shows.
func (r *reader) compare(t *testing.T, b shown) {
	t.Helper()
	if !slices.Contains([]string{"text", "text contains", "text measured", "text labels"}, b.kind()) {
		t.Errorf("tutorial.md:%d: unknown kind of block %q", b.line, b.info)
	}
	if !r.matches(b) {
		t.Errorf("tutorial.md:%d: the page shows (%s)\n%s\nand it printed\n%s", b.line, b.kind(), b.text, r.printed)
	}
}

func (r *reader) matches(b shown) bool {
	switch b.kind() {
	case "text contains":
		return linesLike("…\n" + b.text + "…\n").MatchString(r.printed)
	case "text measured":
		return strings.Contains(withoutNumbers(r.printed), withoutNumbers(b.text))
	case "text labels":
		return subsequence(labels(b.text), labels(r.printed))
	}
	return linesLike(b.text).MatchString(r.printed)
}

// linesLike matches the text, in which … stands for anything in a line, and in a line of its own for any lines.
func linesLike(text string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`\A`)
	for line := range strings.Lines(text) {
		if line == "…\n" {
			b.WriteString(`(?:[^\n]*\n)*`)
			continue
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", `[^\n]*`))
	}
	return regexp.MustCompile(b.String() + `\z`)
}

var (
	aboutFindings = regexp.MustCompile(`(?m)^(checked|warning|  †) .*\n`)
	figure        = regexp.MustCompile(`[-+]?\d[\d,.]*%?( ?(ns|µs|ms|s|B|KiB|MiB|GiB)\b)?`)
	ruleOrSpace   = regexp.MustCompile(`[\s─†]+`)
)

// withoutNumbers is a screen whose numbers and units are #, whose findings are left out, and that is not broken into lines.
func withoutNumbers(screen string) string {
	s := aboutFindings.ReplaceAllString(screen, "")
	return ruleOrSpace.ReplaceAllString(figure.ReplaceAllString(s, "#"), " ")
}

// labels are the first words of the lines that start at the margin.
func labels(screen string) []string {
	var all []string
	for line := range strings.Lines(screen) {
		if words := strings.Fields(line); len(words) > 0 && line[0] != ' ' {
			all = append(all, words[0])
		}
	}
	return all
}

// subsequence reports whether all of part stand in whole, in that order.
func subsequence(part, whole []string) bool {
	for _, w := range whole {
		if len(part) > 0 && part[0] == w {
			part = part[1:]
		}
	}
	return len(part) == 0
}

// TestTutorialComparisons holds that what the page shows can differ from what is printed.
func TestTutorialComparisons(t *testing.T) {
	screen := "run 1 of 2\n  b is faster than a in 1 of 1 cases: the ratio is 0.5 [0.4, 0.6] in\n  x-1 (3 ns against 6 ns).\n\nchecked   7 notes\ngates     2 passed\n"
	for _, tt := range []struct {
		info, text string
		want       bool
	}{
		{"text", screen, true},
		{"text", "run 1 of 2\n…\ngates     2 passed\n", true},
		{"text", "run 1 of 2\n…\nchecked   …\n", false},
		{"text", "…\ngates     1 passed\n", false},
		{"text contains", "checked   …\ngates     2 passed\n", true},
		{"text contains", "gates     2 passed\nchecked   …\n", false},
		{"text contains", "ates     2 passed\n", false},
		{"text measured", "  b is faster than a in 1 of 1 cases: the ratio is 0.77 [0.55, 0.99] in x-1 (3.1 µs\n  against 6 ms).\n\nchecked   9 notes\ngates     2 passed\n", true},
		{"text measured", "  a is faster than b in 1 of 1 cases", false},
		{"text labels", "run …\nchecked …\ngates …\n", true},
		{"text labels", "gates …\nchecked …\n", false},
	} {
		b := shown{info: strings.Fields(tt.info), text: tt.text}
		r := &reader{printed: screen}
		if got := r.matches(b); got != tt.want {
			t.Errorf("%s: %q: %t, want %t", tt.info, tt.text, got, tt.want)
		}
	}
}
