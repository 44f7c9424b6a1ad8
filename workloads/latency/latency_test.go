package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMain makes the test binary serve as the server that the program starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-serve" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestPercentile(t *testing.T) {
	ramp := func(n int) []time.Duration { // n, …, 2, 1
		out := make([]time.Duration, n)
		for i := range out {
			out[i] = time.Duration(n - i)
		}
		return out
	}
	for _, tt := range []struct {
		name   string
		values []time.Duration
		p      int
		want   time.Duration
	}{
		{"the textbook's five, 30th", []time.Duration{15, 20, 35, 40, 50}, 30, 20},
		{"the textbook's five, 40th", []time.Duration{15, 20, 35, 40, 50}, 40, 20},
		{"the textbook's five, 50th", []time.Duration{15, 20, 35, 40, 50}, 50, 35},
		{"the textbook's five, 100th", []time.Duration{15, 20, 35, 40, 50}, 100, 50},
		{"one value", ramp(1), 1, 1},
		{"an even count has the lower middle", ramp(4), 50, 2},
		{"an odd count has the middle", ramp(5), 50, 3},
		{"99 of 100", ramp(100), 99, 99},
		{"99 of 101 is one higher", ramp(101), 99, 100},
		{"99 of 1000", ramp(1000), 99, 990},
		{"99 of 50 is the last", ramp(50), 99, 50},
		{"equal values", []time.Duration{7, 7, 7}, 99, 7},
	} {
		if got := percentile(tt.values, tt.p); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	values := []time.Duration{3, 1, 2}
	percentile(values, 50)
	if values[0] != 3 || values[1] != 1 || values[2] != 2 {
		t.Errorf("the values were put in order: %v", values)
	}
}

// The whole program, with its server as a child: a line a repeat, with the percentiles in order.
func TestRun(t *testing.T) {
	for _, connections := range []string{"reuse", "fresh"} {
		var out bytes.Buffer
		err := run([]string{"-connections", connections, "-requests", "20", "-warm", "5", "-repeats", "3", "-body", "100000"}, nil, &out)
		if err != nil {
			t.Fatalf("%s: %v", connections, err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 3 {
			t.Fatalf("%s: %d lines, want 3:\n%s", connections, len(lines), out.String())
		}
		for _, l := range lines {
			var v map[string]int64
			if err := json.Unmarshal([]byte(l), &v); err != nil {
				t.Fatal(err)
			}
			if v["requests"] != 20 || v["p50-ns"] <= 0 || v["p50-ns"] > v["p99-ns"] || v["p99-ns"] != v["max-ns"] {
				t.Errorf("%s: %s", connections, l)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for _, args := range [][]string{{"-connections", "some"}, {"-requests", "0"}, {"-repeats", "-1"}, {"-body", "-1"}, {"-deadline", "0s"}, {"more"}, {"-unknown"}} {
		var out bytes.Buffer
		if err := run(args, nil, &out); err == nil || out.Len() > 0 {
			t.Errorf("%q: %v, and it printed %q", args, err, out.String())
		}
	}
}

// An answer that is not the right one is an error, and so is a connection that was not kept or not made.
func TestWrongAnswers(t *testing.T) {
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		want    string
	}{
		{"short", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(answer(9)) }, "an answer of 9 bytes"},
		{"other bytes", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "abcdefghiJ") }, "that is not the one of 10 bytes"},
		{"status", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }, "418"},
		{"closes", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
			_, _ = w.Write(answer(10))
		}, "3 connections were made, want 1: this was not reuse"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(tt.handler)
			defer s.Close()
			err := measure(t.Context(), io.Discard, s.URL, &settings{connections: "reuse", requests: 1, warm: 1, repeats: 2, body: 10})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// A server that does not answer is left at the deadline.
func TestDeadline(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // connections are accepted by the kernel, and never read
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err = measure(ctx, io.Discard, "http://"+l.Addr().String(), &settings{connections: "reuse", requests: 1, warm: 1, repeats: 1})
	if err == nil || !strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
}

// The server ends when its standard input does.
func TestServerEnds(t *testing.T) {
	in, hold := io.Pipe()
	out, address := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- serve(in, address, 3) }()
	buf := make([]byte, 100)
	n, err := out.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(string(buf[:n]))
	if !strings.HasPrefix(url, "127.0.0.1:") {
		t.Errorf("it serves at %s, want loopback", url)
	}
	r, err := http.Get("http://" + url)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || string(body) != "abc" {
		t.Errorf("it answers %q, %v", body, err)
	}
	hold.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", url); err == nil {
		t.Error("it is still there")
	}
}
