package host

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// testSuffix ends the name of a script of tests. Those scripts, and no others, have assert and plan_of().
const testSuffix = "_test.star"

// testPrefix starts the name of a test: a function at top level, without parameters.
const testPrefix = "test_"

func isTest(label string) bool { return strings.HasSuffix(label, testSuffix) }

// testOnly reports whether a builtin is for scripts of tests alone.
func testOnly(name string) bool { return slices.Contains(testNames, name) }

var testNames = []string{"assert", "plan_of"}

// namesFor returns the names of the builtins that the script of a label can use.
func namesFor(label string) []string {
	names := builtinNames()
	if isTest(label) {
		names = append(names, testNames...)
	}
	return names
}

// TestOptions say how the tests of a script are run.
type TestOptions struct {
	Options                // MaxSteps is the budget of one test, of what plan_of() evaluates included
	Plan    Planner        // what plan_of() plans with
	Match   *regexp.Regexp // run the tests in whose names it is found; nil: all
	Timeout time.Duration  // of one test; 0: none
}

// TestResult is how one test ended.
type TestResult struct {
	Name     string
	At       protocol.Place // of the def statement
	Failures Diagnostics    // empty: it passed
}

// Test runs every top-level function test_*() of a script, in the order in which they stand. Each has the script's
// frozen globals, a budget of steps and a deadline of its own. The error is Diagnostics when the script itself is
// at fault, so that nothing was tested, and another one when it cannot be opened.
func Test(ctx context.Context, entry string, o TestOptions) (results []TestResult, err error) {
	folder, label, err := locate(entry, o.Root)
	if err != nil {
		return nil, err
	}
	if !isTest(label) {
		return nil, fmt.Errorf("script %s: the name of a script of tests ends in %s", entry, testSuffix)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("root of %s: %w", entry, err)
	}
	defer root.Close()
	defer func() {
		if p := recover(); p != nil {
			results, err = nil, Diagnostics{{File: printedLabel(label), Message: fmt.Sprintf("internal error: %v", p)}}
		}
	}()
	e, _, err := prepare(root, folder, label, o.Options)
	if err != nil {
		return nil, err
	}
	e.builtins["assert"] = e.assertModule()
	e.builtins["plan_of"] = starlark.NewBuiltin("plan_of", e.guarded((&tester{e, o, ctx, root, folder}).planOf))
	stop := e.begin(ctx)
	e.execute()
	stop()
	tests := e.tests()
	if len(e.diags) > 0 {
		return nil, e.sorted()
	}
	for _, fn := range tests {
		if o.Match == nil || o.Match.MatchString(fn.Name()) {
			results = append(results, e.test(ctx, fn, o.Timeout))
		}
	}
	return results, nil
}

// tests returns the tests of the entry script in their order, and reports functions that look like tests and are none.
func (e *evaluation) tests() []*starlark.Function {
	var tests []*starlark.Function
	for _, s := range e.entry.tree.Stmts {
		def, ok := s.(*syntax.DefStmt)
		if !ok || !strings.HasPrefix(def.Name.Name, testPrefix) {
			continue
		}
		if len(def.Params) > 0 {
			e.add(e.entry.diagnostic(spanOf(def.Name), def.Name.Name, "has parameters; a test is called without any: give them to a function that it calls, or start its name otherwise"))
			continue
		}
		if fn, ok := e.globals[e.entry][def.Name.Name].(*starlark.Function); ok {
			tests = append(tests, fn)
		}
	}
	if len(tests) == 0 && len(e.diags) == 0 {
		e.add(Diagnostic{File: e.entry.name, Message: "there is no test; a test is a function at top level, def test_orders(): ..."})
	}
	return tests
}

// test runs one test with a thread of its own.
func (e *evaluation) test(ctx context.Context, fn *starlark.Function, timeout time.Duration) TestResult {
	at := fn.Position()
	r := TestResult{Name: fn.Name(), At: protocol.Place{File: e.entry.name, Line: int(at.Line), Col: int(at.Col)}}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, fmt.Errorf("the test took more than %s", timeout))
		defer cancel()
	}
	e.diags, e.made, e.stopped = nil, nil, false
	defer e.begin(ctx)()
	_, err := starlark.Call(e.thread, fn, nil, nil)
	if err != nil {
		e.raised(err, r.Name)
	}
	r.Failures = append(e.diags, refusedScript(err)...)
	e.diags = nil
	return r
}
