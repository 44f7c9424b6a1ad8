package protocol

import (
	"encoding/json"
	"time"
)

// Duration is a time.Duration that JSON shows as "10m0s".
type Duration time.Duration

// String returns the form of time.Duration.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalJSON writes "10m0s".
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads "10m".
func (d *Duration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	t, err := time.ParseDuration(s)
	*d = Duration(t)
	return err
}
