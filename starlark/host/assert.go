package host

import (
	"errors"
	"fmt"
	"regexp"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"
)

// assertModule returns assert: eq, ne, true, contains and fails. The first that does not hold ends its test.
func (e *evaluation) assertModule() *starlarkstruct.Module {
	m := &starlarkstruct.Module{Name: "assert", Members: starlark.StringDict{}}
	for name, f := range map[string]func(*starlark.Thread, string, starlark.Tuple, []starlark.Tuple) error{
		"eq": assertEq, "ne": assertNe, "true": assertTrue, "contains": assertContains, "fails": e.assertFails,
	} {
		name = "assert." + name
		m.Members[name[len("assert."):]] = starlark.NewBuiltin(name, e.guarded(
			func(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
				return starlark.None, f(thread, name, args, kwargs)
			}))
	}
	return m
}

// assert.eq(got, want) holds where both are equal; the message says where they first differ.
func assertEq(_ *starlark.Thread, name string, args starlark.Tuple, kwargs []starlark.Tuple) error {
	var got, want starlark.Value
	if err := starlark.UnpackArgs(name, args, kwargs, "got", &got, "want", &want); err != nil {
		return err
	}
	same, err := starlark.Equal(got, want)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if same {
		return nil
	}
	return fmt.Errorf("%s: %s", name, firstDifference("", got, want))
}

// assert.ne(got, unwanted) holds where both differ.
func assertNe(_ *starlark.Thread, name string, args starlark.Tuple, kwargs []starlark.Tuple) error {
	var got, unwanted starlark.Value
	if err := starlark.UnpackArgs(name, args, kwargs, "got", &got, "unwanted", &unwanted); err != nil {
		return err
	}
	same, err := starlark.Equal(got, unwanted)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if same {
		return fmt.Errorf("%s: both are %s", name, shown(got))
	}
	return nil
}

// assert.true(condition, message = "") holds where the condition is true.
func assertTrue(_ *starlark.Thread, name string, args starlark.Tuple, kwargs []starlark.Tuple) error {
	var condition starlark.Value
	var message string
	if err := starlark.UnpackArgs(name, args, kwargs, "condition", &condition, "message?", &message); err != nil {
		return err
	}
	switch {
	case bool(condition.Truth()):
		return nil
	case message != "":
		return fmt.Errorf("%s: %s", name, message)
	}
	return fmt.Errorf("%s: got %s", name, shown(condition))
}

// assert.contains(container, item) holds where item in container: an element, a key, or a part of a string.
func assertContains(_ *starlark.Thread, name string, args starlark.Tuple, kwargs []starlark.Tuple) error {
	var container, item starlark.Value
	if err := starlark.UnpackArgs(name, args, kwargs, "container", &container, "item", &item); err != nil {
		return err
	}
	in, err := starlark.Binary(syntax.IN, item, container)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if in.Truth() {
		return nil
	}
	return fmt.Errorf("%s: %s is not in %s", name, shown(item), shown(container))
}

// assert.fails(function, pattern) holds where the call of function() fails with a message in which the regular
// expression (RE2) is found. What a constructor refuses counts, and so does what plan_of() finds wrong with a script.
func (e *evaluation) assertFails(thread *starlark.Thread, name string, args starlark.Tuple, kwargs []starlark.Tuple) error {
	var fn starlark.Callable
	var pattern string
	if err := starlark.UnpackArgs(name, args, kwargs, "function", &fn, "pattern", &pattern); err != nil {
		return err
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return fmt.Errorf("%s: pattern: %w", name, err)
	}
	before := len(e.diags)
	_, err = starlark.Call(thread, fn, nil, nil)
	message := ""
	for _, d := range e.diags[before:] {
		message += d.Error() + "\n"
	}
	e.diags = e.diags[:before]
	var refused *scriptError
	switch {
	case errors.As(err, &refused):
		message += refused.Error() + "\n" + refused.diags.Error()
	case err != nil && !errors.Is(err, errReported):
		message += err.Error()
	}
	switch {
	case message == "":
		return fmt.Errorf("%s: %s did not fail", name, describe(fn))
	case !re.MatchString(message):
		return fmt.Errorf("%s: %s failed, and %s is not in its message: %s", name, describe(fn), shown(starlark.String(pattern)), clip(message, 1000))
	}
	return nil
}

// shown is a value as a message has room for it.
func shown(v starlark.Value) string { return clip(v.String(), 200) }
