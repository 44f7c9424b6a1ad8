package audit_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/phaselock/phaselock/workloads/audit"
)

func TestWrite(t *testing.T) {
	t.Setenv(audit.Variable, "")
	if err := audit.Write("path", audit.Fields{"rows": 3}); err != nil {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "audit")
	t.Setenv(audit.Variable, file)
	for _, err := range []error{
		audit.Write("path", audit.Fields{"rows": 3, "method": "SCAN"}),
		audit.Client("embedded", audit.Fields{"engine": "btree"}),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"audit":"path","method":"SCAN","rows":3}` + "\n" + `{"audit":"client","client":"embedded","engine":"btree"}` + "\n"
	if string(got) != want {
		t.Errorf("%s", got)
	}
}

func TestWriteRefuses(t *testing.T) {
	t.Setenv(audit.Variable, filepath.Join(t.TempDir(), "audit"))
	for name, err := range map[string]error{
		"no name":     audit.Write("", nil),
		"taken":       audit.Write("path", audit.Fields{"audit": "x"}),
		"not of JSON": audit.Write("path", audit.Fields{"f": func() {}}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	t.Setenv(audit.Variable, filepath.Join(t.TempDir(), "none", "audit"))
	if err := audit.Write("path", nil); err == nil {
		t.Error("a folder that is not there: no error")
	}
}
