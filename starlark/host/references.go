package host

import (
	"fmt"

	"go.starlark.net/starlark"
)

// named takes a record of one of the kinds, or its name, and keeps the name.
func named(wanted string, t argType, kinds ...string) argType {
	return argType{wanted, func(a arg, v starlark.Value) starlark.Value {
		r, ok := v.(*record)
		if !ok {
			if _, isString := v.(starlark.String); !isString {
				return a.want(wanted, v)
			}
			return t.check(a, v)
		}
		for _, k := range kinds {
			if r.kind.name == k {
				if r.fields[0] == nil {
					return nil // its constructor has reported the name
				}
				return r.fields[0]
			}
		}
		return a.want(wanted, v)
	}}
}

// armRef, caseRef and unitRef name an arm, a case or a metric, by value or by name.
var (
	armRef  = named("an arm or its name", name, "arm")
	caseRef = named("a case or its name", name, "case")
	unitRef = named("a metric or its unit", unit, "metric", "constant", "derived")
)

// callback takes a value of the kind, or a function of n arguments that gives one.
func callback(kindName string, n int) argType {
	wanted := fmt.Sprintf("%s() or a function of (arm, case)", kindName)
	return argType{wanted, func(a arg, v starlark.Value) starlark.Value {
		switch v := v.(type) {
		case *starlark.Function:
			return takes(a, v, n, "(arm, case)")
		case *record:
			if v.kind.name == kindName {
				return v
			}
		}
		return a.want(wanted, v)
	}}
}

// takes refuses a function that cannot be called with n positional arguments.
func takes(a arg, fn *starlark.Function, n int, params string) starlark.Value {
	positional := fn.NumParams() - fn.NumKwonlyParams()
	if fn.HasVarargs() {
		positional--
	}
	if fn.HasKwargs() {
		positional--
	}
	needed := 0
	for i := range positional {
		if fn.ParamDefault(i) == nil {
			needed++
		}
	}
	for i := positional; i < positional+fn.NumKwonlyParams(); i++ {
		if fn.ParamDefault(i) == nil {
			name, _ := fn.Param(i)
			return a.refuse("%s is called with %s, and %s is required beside them", describe(fn), params, name)
		}
	}
	if needed > n || (positional < n && !fn.HasVarargs()) {
		return a.refuse("want a function of %s, got one of %d parameters", params, positional)
	}
	return fn
}

// caseNumber takes a number, a dict of case to number, or a function of the case.
var caseNumber = argType{"a number, a dict of case to number, or a function of the case", func(a arg, v starlark.Value) starlark.Value {
	switch v := v.(type) {
	case *starlark.Function:
		return takes(a, v, 1, "(case)")
	case *starlark.Dict:
		return dictOf(caseRef, number).check(a, v)
	}
	if _, ok := finiteNumber(v); !ok {
		return a.want("a finite number, a dict of case to number, or a function of the case", v)
	}
	return number.check(a, v)
}}

// fixedOrders takes a list of blocks, each a list of arms, or a dict of case to such a list.
var fixedOrders = argType{"a list of blocks, each a list of arms, or a dict of case to such a list", func(a arg, v starlark.Value) starlark.Value {
	orders := listOf(listOf(armRef, 1, maxArms), 1, maxBlocks)
	if _, ok := v.(*starlark.Dict); ok {
		return dictOf(caseRef, orders).check(a, v)
	}
	return orders.check(a, v)
}}
