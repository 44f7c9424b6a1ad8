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

// isWithoutRuns reports whether a folder came from a bundle that left runs/ out.
func isWithoutRuns(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return false
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil || !slices.Contains(m.Without, "runs") {
		return false
	}
	_, err = os.Stat(filepath.Join(dir, "runs"))
	return os.IsNotExist(err)
}
