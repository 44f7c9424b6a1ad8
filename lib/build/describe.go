package build

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
)

// describe digests the binary and says what it was made from, in words that a ledger keeps.
func (b *builder) describe(ctx context.Context, out *Built, p *listed) error {
	f, err := os.Open(out.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if out.Size, err = io.Copy(h, f); err != nil {
		return err
	}
	out.SHA256 = hex.EncodeToString(h.Sum(nil))
	info, err := buildinfo.Read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", out.Path, err)
	}
	toolchain, err := b.tool(ctx, "version")
	if err != nil {
		return b.failed("go version", err)
	}
	out.Info = map[string]string{
		"go": info.GoVersion, "path": info.Path, "toolchain": strings.TrimSpace(string(toolchain)),
		"package": p.ImportPath, "tree": out.TreeState,
		"flags": strings.Join(append([]string{"-trimpath", "-buildvcs=false"}, b.recipe.Flags...), " "),
	}
	optional := map[string]string{
		"module": info.Main.Path, "commit": out.Commit, "ref": b.recipe.Ref, "tags": strings.Join(b.recipe.Tags, ","),
		"tree-note": b.treeNote,
	}
	for name, v := range b.recipe.Env {
		optional["env "+name] = v
	}
	for _, s := range info.Settings {
		optional["setting "+s.Key] = s.Value
	}
	for k, v := range optional {
		if v != "" {
			out.Info[k] = v
		}
	}
	return nil
}
