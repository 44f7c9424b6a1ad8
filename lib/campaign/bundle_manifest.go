package campaign

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
)

// manifestName is the file in a bundle that says what it is.
const manifestName = "bundle.json"

// manifest is bundle.json.
type manifest struct {
	Version int      `json:"version"`
	Phase   string   `json:"phase"`
	Head    string   `json:"head"`              // of the ledger
	Without []string `json:"without,omitempty"` // folders that were left out
}

// readManifest reads the manifest of a folder that came from a bundle.
func readManifest(dir string) (manifest, bool) {
	var m manifest
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	return m, err == nil && json.Unmarshal(data, &m) == nil
}

// WithoutRuns reports whether a folder came from a bundle that left runs/ out: its samples cannot be computed again.
func WithoutRuns(dir string) bool {
	m, ok := readManifest(dir)
	if !ok || !slices.Contains(m.Without, "runs") {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, "runs"))
	return os.IsNotExist(err)
}
