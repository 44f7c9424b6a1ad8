package seal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/seal"
)

func TestExpandInput(t *testing.T) {
	root := filepath.Join(t.TempDir(), "r[oo]t*") // wildcards in the root are none
	for _, file := range []string{
		"data/b.bin", "data/a.bin", "data/B.bin", "data/a-b.bin", "data/a/x.bin", "data/sub.bin/x", "data/.hidden.bin", "data/.d/x.bin",
		"data/a-b/x.bin", "data/star*.txt", "data/br[1].txt", "data/br1.txt", "other/b/x.bin", "data/ü.txt", "data/a b.txt",
	} {
		path := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, "x", 0o644)
	}
	for link, target := range map[string]string{"data/link.bin": "b.bin", "data/linked": "../other", "other/broken.lnk": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	outside := write(t, filepath.Join(filepath.Dir(root), "outside.bin"), "x", 0o644)
	for _, tc := range []struct {
		name, pattern string
		want          []string
	}{
		{"sorted by bytes, links followed, no folders, nothing hidden", "data/*.bin", []string{"data/B.bin", "data/a-b.bin", "data/a.bin", "data/b.bin", "data/link.bin"}},
		{"a file as it is", "data/b.bin", []string{"data/b.bin"}},
		{"a hidden file by its name", "data/.*.bin", []string{"data/.hidden.bin"}},
		{"folders by wildcards, whole paths sorted", "*/*/x.bin", []string{"data/a-b/x.bin", "data/a/x.bin", "other/b/x.bin"}},
		{"a folder behind a link", "data/linked/*/x.bin", []string{"data/linked/b/x.bin"}},
		{"classes", "data/[ab].bin", []string{"data/a.bin", "data/b.bin"}},
		{"not in a class", "data/[^ab].bin", []string{"data/B.bin"}},
		{"one character, not one byte", "data/?.txt", []string{"data/ü.txt"}},
		{"a space", "data/a b*", []string{"data/a b.txt"}},
		{"a name with a wildcard in it, escaped", `data/star\*.txt`, []string{"data/star*.txt"}},
		{"a class takes one character", "data/br[1].txt", []string{"data/br1.txt"}},
		{"and can be escaped", `data/br\[1].txt`, []string{"data/br[1].txt"}},
		{"dots and slashes", "./data//../data/a.*", []string{"data/a.bin"}},
		{"out of the root", "../out*.bin", []string{"../outside.bin"}},
		{"absolute", filepath.Dir(outside) + "/out*.bin", []string{outside}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := seal.ExpandInput(root, tc.pattern)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	for _, tc := range []struct{ name, pattern, want string }{
		{"nothing", "data/*.csv", "no file in"},
		{"no such folder", "nodata/*.bin", "no file in"},
		{"a folder only", "data/su[b].bin", "no file in"},
		{"a file for a folder", "data/b.bin/*", "no file in"},
		{"nothing at all", "", "no file in"},
		{"two stars", "data/**/x.bin", "one * for each level"},
		{"an open class", "data/[a.bin", `"[a.bin" is no pattern`},
		{"an open class where nothing would be tried", "nodata/[", `"[" is no pattern`},
		{"a link that leads nowhere", "other/*.lnk", "broken.lnk"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := seal.ExpandInput(root, tc.pattern)
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), `input "`+strings.ReplaceAll(tc.pattern, `\`, `\\`)+`"`) {
				t.Errorf("%v, error %v", got, err)
			}
		})
	}
}
