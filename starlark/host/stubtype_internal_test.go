package host

import (
	"strings"
	"testing"
)

func TestStubType(t *testing.T) {
	tests := []struct{ name, want string }{
		{"a string", "str"},
		{`"holm" or "bh" or None`, `Literal["holm", "bh"] | None`},
		{"True or False or None", "bool | None"},
		{"a list, each item an arm or its name or None", "Sequence[Arm | str] | None"},
		{"a list, each item student_t() or percentile()", "Sequence[StudentT | Percentile]"},
		{"a dict of a variable's name to a string", "Mapping[str, str]"},
		{"expect.exit()", "ExpectExit"},
		{"an int from 0 to 2^53-1", "int"},
	}
	for _, tt := range tests {
		if got, err := stubType(tt.name); got != tt.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
	for _, name := range []string{"a new type", "nothing()", "a list, each item a new type", "a dict of a new type to a string"} {
		if _, err := stubType(name); err == nil || !strings.Contains(err.Error(), "has no form in Python yet") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
