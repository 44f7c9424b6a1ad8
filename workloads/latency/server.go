package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// answer returns the body that every request gets: the letters in turn.
func answer(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a' + byte(i%26)
	}
	return b
}

// serve is the server: it takes a free port of 127.0.0.1, prints its address on a line, and serves until in ends.
// That is when the process that holds the other end says so, or is no more.
func serve(in io.Reader, out io.Writer, body int) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	text := answer(body)
	s := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(text)))
			_, _ = w.Write(text) // a client that has gone is no matter of the server's
		}),
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	if _, err := fmt.Fprintln(out, l.Addr()); err != nil {
		return errors.Join(err, s.Close())
	}
	_, err = io.Copy(io.Discard, in)
	err = errors.Join(err, s.Close())
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// server is a child that serves.
type server struct {
	url  string
	stop func() error // ends it and waits for it
}

// start starts this program again as the server and waits for its address.
func start(ctx context.Context, body int) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, self, "-serve", "-body", strconv.Itoa(body))
	c.Stderr = os.Stderr
	stdin, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	stop := func() error {
		if err := errors.Join(stdin.Close(), c.Wait()); err != nil {
			return fmt.Errorf("the server: %w", err)
		}
		return nil
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the server gave no address: %w", err), stop())
	}
	return &server{"http://" + strings.TrimSpace(line) + "/", stop}, nil
}
