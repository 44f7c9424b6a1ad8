package jsondoc

import (
	"bytes"
	"testing"
)

// BenchmarkDecode decodes the whole document in each iteration; outside the timing the result must encode to the document again.
func BenchmarkDecode(b *testing.B) {
	var got []Package
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if got, err = Decode(Document()); err != nil {
			b.Fatal(err)
		}
	}
	if data, err := Encode(got); err != nil || !bytes.Equal(data, Document()) {
		b.Fatalf("what was decoded does not encode to the document (%v)", err)
	}
	b.ReportMetric(float64(len(Document())), "doc-bytes")
}

// BenchmarkEncode encodes the decoded document in each iteration; outside the timing the result must be the document again.
func BenchmarkEncode(b *testing.B) {
	packages := decoded(b)
	var data []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if data, err = Encode(packages); err != nil {
			b.Fatal(err)
		}
	}
	if !bytes.Equal(data, Document()) {
		b.Fatal("what was encoded is not the document")
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
	if len(p) != 176 {
		t.Errorf("%d packages, want 176", len(p))
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

// TestRoundTrip holds whichever implementation is built in to the document's bytes.
func TestRoundTrip(t *testing.T) {
	data, err := Encode(decoded(t))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, Document()) {
		t.Errorf("%d bytes came out of %d, or others", len(data), len(Document()))
	}
}

func TestDecodeRefusesWhatIsCut(t *testing.T) {
	for _, n := range []int{0, 1, len(Document()) / 2, len(Document()) - 1} {
		if _, err := Decode(Document()[:n]); err == nil {
			t.Errorf("the first %d bytes were decoded", n)
		}
	}
}
