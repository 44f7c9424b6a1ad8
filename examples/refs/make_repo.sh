#!/bin/sh
# Makes the repository that refs.star measures: one small Go package, two commits, tagged before and after.
#
#     examples/refs/make_repo.sh [DIR]
#
# DIR is examples/refs/repo where left out; a folder that is there already is left alone. Authors and dates are fixed,
# so that the commits have the same names everywhere.
set -eu
dir=${1:-$(dirname "$0")/repo}
if ! command -v git >/dev/null; then
	echo "make_repo.sh: there is no git in PATH, and refs.star compares two git commits; install git" >&2
	exit 1
fi
if [ -e "$dir" ]; then
	echo "make_repo.sh: $dir is there already; remove it to make it again" >&2
	exit 0
fi
making=$dir.making
rm -rf "$making"
mkdir -p "$making"

# Nothing of the user's own settings, hooks and templates has a part in it.
in_repo() {
	GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
		GIT_AUTHOR_NAME=example GIT_AUTHOR_EMAIL=example@example.com GIT_AUTHOR_DATE="$date" \
		GIT_COMMITTER_NAME=example GIT_COMMITTER_EMAIL=example@example.com GIT_COMMITTER_DATE="$date" \
		git -C "$making" "$@"
}
commit() { # TAG MESSAGE
	in_repo add --all
	in_repo commit --quiet --message "$2"
	in_repo tag "$1"
}

date='2026-12-01T10:00:00Z'
in_repo init --quiet --template= --initial-branch=main

cat >"$making/go.mod" <<'END'
module example.com/tags

go 1.24
END

cat >"$making/tags.go" <<'END'
// Package tags writes lists of tags in their canonical form.
package tags

// AppendCanonical appends a comma-separated list of ASCII tags to dst, in upper case and separated by semicolons.
func AppendCanonical(dst []byte, list string) []byte {
	for i := range len(list) {
		c := list[i]
		switch {
		case c == ',':
			c = ';'
		case 'a' <= c && c <= 'z':
			c -= 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}
END

cat >"$making/tags_test.go" <<'END'
package tags

import "testing"

const (
	list = "allocation,block,case,design,estimand,interval,ledger,metric,order,phase,ratio,seed"
	want = "ALLOCATION;BLOCK;CASE;DESIGN;ESTIMAND;INTERVAL;LEDGER;METRIC;ORDER;PHASE;RATIO;SEED"
)

// BenchmarkCanonical writes twelve tags into one buffer, and holds the last result to what it must be.
func BenchmarkCanonical(b *testing.B) {
	buf := make([]byte, 0, 2*len(list))
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendCanonical(buf[:0], list)
	}
	if string(buf) != want {
		b.Fatalf("got %s, want %s", buf, want)
	}
	b.ReportMetric(12, "tags/op")
}
END
commit before 'Canonical form of tags'

date='2026-12-01T11:00:00Z'
cat >"$making/tags.go" <<'END'
// Package tags writes lists of tags in their canonical form.
package tags

import "strings"

// AppendCanonical appends a comma-separated list of ASCII tags to dst, in upper case and separated by semicolons.
func AppendCanonical(dst []byte, list string) []byte {
	return append(dst, strings.Join(strings.Split(strings.ToUpper(list), ","), ";")...)
}
END
commit after 'Canonical form of tags, in one line'

mv "$making" "$dir"
