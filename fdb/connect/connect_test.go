package connect_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/fdb/connect"
	"github.com/phaselock/phaselock/fdb/embedded"
	"github.com/phaselock/phaselock/fdb/kvserve"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]connect.Cluster{
		"kvserve:grpc@127.0.0.1:4600":                      {Description: "kvserve", ID: "grpc", Addresses: []string{"127.0.0.1:4600"}},
		"# made by fdbcli\n test_1:aB3@10.0.0.1:4500 \n\n": {Description: "test_1", ID: "aB3", Addresses: []string{"10.0.0.1:4500"}},
		"d:i@10.0.0.1:4500:tls, [::1]:4501":                {Description: "d", ID: "i", Addresses: []string{"10.0.0.1:4500:tls", "[::1]:4501"}},
	} {
		if got, err := connect.Parse(text); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", "a@1:2", "a:b@", "a:b@host", "a b:c@1:2", ":b@1:2", "a:@1:2", "a:b@1:2\nc:d@1:2", "a:b@:2", "a:b@1:2,"} {
		if c, err := connect.Parse(text); err == nil {
			t.Errorf("%q: %+v", text, c)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("kvserve:grpc@127.0.0.1:4600")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := connect.Parse(text)
		if err != nil {
			return
		}
		if again, err := connect.Parse(c.String()); err != nil || !cmp.Equal(again, c) {
			t.Errorf("%q: %+v, then %+v, %v", text, c, again, err)
		}
	})
}

func TestOpen(t *testing.T) {
	ctx := context.Background()
	engine := embedded.New(embedded.Options{})
	s := kvserve.NewServer(engine, 0)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.ServeFrame(l)
	defer func() {
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	}()
	text := "kvserve:frame@" + l.Addr().String()
	file := filepath.Join(t.TempDir(), "kv.cluster")
	if err := os.WriteFile(file, []byte("# here\n"+text+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for cluster, want := range map[string]string{connect.Embedded: "embedded", text: "kvserve-frame", file: "kvserve-frame"} {
		t.Setenv("PHASELOCK_CLUSTER", cluster)
		db, err := connect.FromEnvironment(ctx)
		if err != nil || db.Client() != want {
			t.Errorf("%s: %v", cluster, err)
			continue
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Setenv("PHASELOCK_CLUSTER", "")
	t.Setenv("FDB_CLUSTER_FILE", filepath.Join(t.TempDir(), "none"))
	if _, err := connect.FromEnvironment(ctx); err == nil || !strings.HasPrefix(err.Error(), "FDB_CLUSTER_FILE: cluster file: ") {
		t.Error(err)
	}
	t.Setenv("FDB_CLUSTER_FILE", "")
	if db, err := connect.FromEnvironment(ctx); err != nil || db.Client() != "embedded" {
		t.Error(err)
	}
	for cluster, want := range map[string]string{
		"kvserve:udp@127.0.0.1:1": `no transport "udp"`, "kvserve:grpc@127.0.0.1:1,127.0.0.1:2": "one address", "a:b@127.0.0.1:1": "FoundationDB cluster", "@": "no cluster",
	} {
		if _, err := connect.Open(ctx, cluster); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", cluster, err)
		}
	}
}
