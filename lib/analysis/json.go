package analysis

import (
	"bytes"
	"encoding/json"
)

// JSON returns analysis.json: indented by two spaces, without HTML escapes, with one newline at its end, and the same
// bytes for the same result. It fails for a NaN or an infinity, which Analyze never leaves in a result.
func (r *Result) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
