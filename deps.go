//go:build deps

// Package deps keeps the module's requirements until the packages that use them stand.
package deps

import (
	_ "github.com/bazelbuild/buildtools/build"
	_ "github.com/bazelbuild/buildtools/warn"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/olekukonko/tablewriter"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/urfave/cli/v2"
	_ "go.starlark.net/starlark"
	_ "golang.org/x/perf/benchfmt"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/sys/unix"
	_ "golang.org/x/term"
	_ "pgregory.net/rapid"
)
