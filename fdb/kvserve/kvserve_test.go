package kvserve_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/conformance"
	"github.com/phaselock/phaselock/fdb/embedded"
	"github.com/phaselock/phaselock/fdb/kvserve"
)

// served is a server on both transports, and their addresses.
func served(t testing.TB, o embedded.Options, latency time.Duration) (s *kvserve.Server, addresses map[string]string) {
	t.Helper()
	engine := embedded.New(o)
	s = kvserve.NewServer(engine, latency)
	addresses = map[string]string{}
	for transport, serve := range map[string]func(net.Listener){kvserve.GRPC: s.ServeGRPC, kvserve.Frame: s.ServeFrame} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addresses[transport] = l.Addr().String()
		serve(l)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		engine.Close()
	})
	return s, addresses
}

func dial(t testing.TB, transport, address string) *kvserve.Client {
	t.Helper()
	c, err := kvserve.Dial(context.Background(), transport, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Both transports hold the whole suite.
func TestConformance(t *testing.T) {
	for _, transport := range []string{kvserve.Frame, kvserve.GRPC} {
		t.Run(transport, func(t *testing.T) {
			conformance.Run(t, func(t *testing.T) fdb.Database {
				_, at := served(t, embedded.Options{}, 0)
				return dial(t, transport, at[transport])
			})
		})
	}
}

// What the server counts is what was asked of it.
func TestCounters(t *testing.T) {
	ctx := context.Background()
	for _, transport := range []string{kvserve.Frame, kvserve.GRPC} {
		_, at := served(t, embedded.Options{}, 0)
		c := dial(t, transport, at[transport])
		err := fdb.Transact(ctx, c, func(tr fdb.Transaction) error {
			for i := range 10 {
				tr.Set([]byte{'k', byte(i)}, []byte("value"))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		tr := c.Begin()
		a, b := tr.Get([]byte{'k', 1}, false), tr.Get([]byte("none"), false)
		for _, f := range []fdb.Future[fdb.Value]{a, b} {
			if _, err := f.Wait(ctx); err != nil {
				t.Fatal(err)
			}
		}
		r := fdb.Keys([]byte("k"), []byte("l"))
		r.Mode = fdb.StreamingWantAll
		if pairs, pages, err := fdb.All(ctx, tr, r); err != nil || len(pairs) != 10 || pages != 1 {
			t.Fatalf("%d pairs, %d pages, %v", len(pairs), pages, err)
		}
		got, err := c.Counters(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if got.BytesRead <= 0 || got.BytesWritten <= 0 {
			t.Errorf("%s: %+v", transport, got)
		}
		got.BytesRead, got.BytesWritten = 0, 0
		want := fdb.Counters{ReadVersions: 1, Gets: 2, Ranges: 1, Rows: 10, Commits: 1} // the first transaction read nothing
		if got != want {
			t.Errorf("%s: %+v, want %+v", transport, got, want)
		}
	}
}

// The latency is each request's, and the client knows it.
func TestLatency(t *testing.T) {
	const latency = 30 * time.Millisecond
	_, at := served(t, embedded.Options{}, latency)
	c := dial(t, kvserve.Frame, at[kvserve.Frame])
	if c.Latency() != latency {
		t.Errorf("it says %v", c.Latency())
	}
	tr := c.Begin()
	begun := time.Now()
	reads := make([]fdb.Future[fdb.Value], 100)
	for i := range reads {
		reads[i] = tr.Get([]byte{byte(i)}, true)
	}
	for _, r := range reads {
		if _, err := r.Wait(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(begun); took < 2*latency { // the version, then all the reads together
		t.Errorf("a version and reads took %v, less than twice %v", took, latency)
	}
}

// A commit under way when the connection goes is unknown; a read fails, and so does what comes after.
func TestLostConnection(t *testing.T) {
	for _, transport := range []string{kvserve.Frame, kvserve.GRPC} {
		_, at := served(t, embedded.Options{}, 300*time.Millisecond) // hello takes as long
		c, err := kvserve.Dial(context.Background(), transport, at[transport])
		if err != nil {
			t.Fatal(err)
		}
		write := c.Begin()
		write.Set([]byte("k"), []byte("v"))
		read := c.Begin().Get([]byte("k"), true)
		committed := make(chan error, 1)
		go func() { committed <- write.Commit(context.Background()) }()
		time.Sleep(20 * time.Millisecond) // it is on its way, or not yet: the client cannot know
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		var e fdb.Error
		if err := <-committed; !errors.As(err, &e) || e.Code != fdb.CommitUnknownResult {
			t.Errorf("%s: the commit: %v", transport, err)
		}
		if _, err := read.Wait(context.Background()); err == nil {
			t.Errorf("%s: the read gave something", transport)
		}
		if _, err := c.Begin().ReadVersion(context.Background()); err == nil {
			t.Errorf("%s: a transaction goes on", transport)
		}
	}
}

// What is no message ends its connection, and no other.
func TestBrokenClient(t *testing.T) {
	_, at := served(t, embedded.Options{}, 0)
	good := dial(t, kvserve.Frame, at[kvserve.Frame])
	for _, junk := range [][]byte{
		[]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), {0, 0, 0, 0}, {3, 0, 0, 0, 9, 9, 9}, {255, 255, 255, 255}, {3, 0, 0, 0, 1, 3, 1}, bytes.Repeat([]byte{7}, 100_000),
	} {
		conn, err := net.Dial("tcp", at[kvserve.Frame])
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write(junk) // the server may have gone before the end of it
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil {
			t.Errorf("%.20q was answered", junk)
		} else if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%.20q: the connection stays", junk)
		}
		conn.Close()
	}
	if _, err := good.Begin().ReadVersion(context.Background()); err != nil {
		t.Error(err)
	}
}

// A server that is told to stop answers what is under way.
func TestShutdownAnswers(t *testing.T) {
	for _, transport := range []string{kvserve.Frame, kvserve.GRPC} {
		s, at := served(t, embedded.Options{}, 0)
		c := dial(t, transport, at[transport])
		reads := make([]fdb.Future[fdb.Value], 50)
		tr := c.Begin()
		if _, err := tr.ReadVersion(context.Background()); err != nil {
			t.Fatal(err)
		}
		for i := range reads {
			reads[i] = tr.Get([]byte{byte(i)}, true)
		}
		if _, err := reads[49].Wait(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if _, err := c.Begin().ReadVersion(context.Background()); err == nil {
			t.Errorf("%s: a stopped server answers", transport)
		}
		if _, err := kvserve.Dial(context.Background(), transport, at[transport]); err == nil {
			t.Errorf("%s: a stopped server takes connections", transport)
		}
	}
}

func TestDialRefuses(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := kvserve.Dial(ctx, "udp", "127.0.0.1:1"); err == nil {
		t.Error("a transport that is none")
	}
	for _, transport := range []string{kvserve.Frame, kvserve.GRPC} {
		if _, err := kvserve.Dial(ctx, transport, "127.0.0.1:1"); err == nil {
			t.Errorf("%s: nobody listens there", transport)
		}
	}
}
