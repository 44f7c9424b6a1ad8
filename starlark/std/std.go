// Package std is the standard library of phase scripts, embedded: sugar written in Starlark over the public
// builtins alone, loaded as "@std//go.star".
package std

import "embed"

// FS holds the library, one .star file a topic, as host.Options takes it.
//
//go:embed *.star
var FS embed.FS
