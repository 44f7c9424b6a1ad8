package jsondoc

import (
	"reflect"
	"testing"
)

// BenchmarkDecode decodes the whole document in each iteration; what came out is checked outside the timing.
func BenchmarkDecode(b *testing.B) {
	want := decoded(b)
	var got []Package
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if got, err = Decode(Document()); err != nil {
			b.Fatal(err)
		}
	}
	if !reflect.DeepEqual(got, want) {
		b.Fatal("the document came out differently")
	}
	b.ReportMetric(float64(len(Document())), "doc-bytes")
}

// BenchmarkEncode encodes the decoded document; the result must decode to the same.
func BenchmarkEncode(b *testing.B) {
	want := decoded(b)
	var data []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if data, err = Encode(want); err != nil {
			b.Fatal(err)
		}
	}
	got, err := Decode(data)
	if err != nil || !reflect.DeepEqual(got, want) {
		b.Fatalf("what was encoded does not decode to the same (%v)", err)
	}
	b.ReportMetric(float64(len(data)), "doc-bytes")
}

func decoded(tb testing.TB) []Package {
	tb.Helper()
	p, err := Decode(Document())
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func TestDocument(t *testing.T) {
	p := decoded(t)
	if len(p) < 100 {
		t.Fatalf("%d packages", len(p))
	}
	seen := map[string]bool{}
	for _, x := range p {
		if x.ImportPath == "" || x.Name == "" || seen[x.ImportPath] {
			t.Errorf("package %+v", x)
		}
		seen[x.ImportPath] = true
	}
	for _, path := range []string{"fmt", "encoding/json", "net/http"} {
		if !seen[path] {
			t.Errorf("%s is not in the document", path)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	want := decoded(t)
	data, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(data)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the document came out differently (%v)", err)
	}
}
