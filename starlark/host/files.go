package host

import (
	"path"
	"reflect"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
)

// fileOf is a binary(), input(), go_test() or go_build() as plain data.
func fileOf(r *record) protocol.File {
	f := protocol.File{Kind: r.kind.name, At: r.at()}
	if r.kind.name == protocol.KindBinary || r.kind.name == protocol.KindInput {
		f.Label, f.SHA256 = r.text("path"), r.text("sha256")
		return f
	}
	f.Build = &protocol.Build{
		Package: r.text("package"), Ref: r.text("ref"), Dir: r.text("dir"), Tags: r.texts("tags"),
		Env: r.env("env"), Flags: r.texts("flags"), Test: r.kind.name == protocol.KindGoTest,
	}
	if f.Build.Dir != "" {
		f.Build.Dir = path.Clean(f.Build.Dir)
	}
	if pgo := pgoOf(r); pgo != nil {
		f.Build.PGO = &protocol.Arg{File: fileLabel(pgo)}
	}
	f.Label = f.Build.Label()
	return f
}

// fileLabel is the name by which plan and seal know the file.
func fileLabel(r *record) string { return fileOf(r).Label }

// addFile adds a file to the phase and returns its label. One label with two recipes or digests is an error.
func (b *builder) addFile(r *record) string {
	if r.failed {
		return ""
	}
	f := fileOf(r)
	first := b.files[f.Label]
	if first == r {
		return f.Label
	}
	if first != nil {
		o := fileOf(first)
		o.At, f.At = protocol.Place{}, protocol.Place{}
		if !reflect.DeepEqual(o, f) {
			r.call.report(r.call.whole(), r.title(), "declared otherwise at "+first.at().String())
		}
		return f.Label
	}
	b.files[f.Label] = r
	if pgo := pgoOf(r); pgo != nil {
		b.addFile(pgo)
	}
	b.phase.AddFile(f)
	return f.Label
}

// addFilesOf adds the files within a parameter's value.
func (b *builder) addFilesOf(v starlark.Value) {
	switch v := v.(type) {
	case *record:
		b.addFile(v)
	case *starlark.List:
		for i := range v.Len() {
			b.addFilesOf(v.Index(i))
		}
	case starlark.Tuple:
		for _, x := range v {
			b.addFilesOf(x)
		}
	case *starlark.Dict:
		for _, item := range v.Items() {
			b.addFilesOf(item[0])
			b.addFilesOf(item[1])
		}
	}
}

// pgoOf returns the profile of a build; nil for other files and where there is none.
func pgoOf(r *record) *record {
	if r.kind.index("pgo") < 0 {
		return nil
	}
	return r.record("pgo")
}
