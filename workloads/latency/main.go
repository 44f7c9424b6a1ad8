// Latency measures how long an HTTP server on loopback takes to answer. It starts the server, which is a process of
// its own, asks one request after the other, and prints one line of {metric: nanoseconds} for each repeat.
//
//	latency -connections reuse -requests 1000 -repeats 3 -body 1024
//	{"max-ns":912404,"p50-ns":61034,"p99-ns":114920,"requests":1000}
//
// It is bounded in count by its flags and in time by -deadline, and speaks on 127.0.0.1 only. An answer that is not
// what it must be ends it with exit code 1 and without a line.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// settings are the flags.
type settings struct {
	connections string // reuse or fresh
	requests    int    // of one repeat
	warm        int    // before the first repeat, not measured
	repeats     int
	body        int // bytes of an answer
	deadline    time.Duration
}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "latency:", err)
		os.Exit(1)
	}
}

func run(args []string, stdin io.Reader, stdout io.Writer) error {
	var s settings
	f := flag.NewFlagSet("latency", flag.ContinueOnError)
	serving := f.Bool("serve", false, "be the server: print the address, and serve until standard input ends")
	f.StringVar(&s.connections, "connections", "reuse", "reuse one connection, or make a fresh one for each request")
	f.IntVar(&s.requests, "requests", 1000, "requests of one repeat")
	f.IntVar(&s.warm, "warm", 100, "requests before the first repeat, not measured")
	f.IntVar(&s.repeats, "repeats", 1, "repeats, a line each")
	f.IntVar(&s.body, "body", 1024, "bytes of an answer")
	f.DurationVar(&s.deadline, "deadline", 30*time.Second, "of the whole")
	if err := f.Parse(args); err != nil {
		return err
	}
	switch {
	case f.NArg() > 0:
		return fmt.Errorf("argument %q: there are flags only", f.Arg(0))
	case s.requests < 1 || s.repeats < 1 || s.warm < 0 || s.body < 0 || s.deadline <= 0:
		return errors.New("-requests, -repeats and -deadline must be positive, -warm and -body not negative")
	case s.connections != "reuse" && s.connections != "fresh":
		return fmt.Errorf("-connections %q: want reuse or fresh", s.connections)
	case *serving:
		return serve(stdin, stdout, s.body)
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.deadline)
	defer cancel()
	server, err := start(ctx, s.body)
	if err != nil {
		return err
	}
	err = measure(ctx, stdout, server.url, &s)
	return errors.Join(err, server.stop())
}

// measure asks all requests and prints the lines. Connections that were made are held to what was asked for.
func measure(ctx context.Context, stdout io.Writer, url string, s *settings) error {
	c := newClient(url, s.connections == "fresh", s.body)
	defer c.close()
	if _, err := c.ask(ctx, s.warm); err != nil {
		return err
	}
	out := json.NewEncoder(stdout)
	for range s.repeats {
		took, err := c.ask(ctx, s.requests)
		if err != nil {
			return err
		}
		line := map[string]int64{
			"p50-ns":   percentile(took, 50).Nanoseconds(),
			"p99-ns":   percentile(took, 99).Nanoseconds(),
			"max-ns":   percentile(took, 100).Nanoseconds(),
			"requests": int64(len(took)),
		}
		if err := out.Encode(line); err != nil {
			return err
		}
	}
	want := 1
	if s.connections == "fresh" {
		want = s.warm + s.repeats*s.requests
	}
	if got := c.connections(); got != want {
		return fmt.Errorf("%d connections were made, want %d: this was not %s", got, want, s.connections)
	}
	return nil
}
