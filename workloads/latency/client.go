package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// client asks one request after the other: a closed loop, in which the server never has more than one to answer.
type client struct {
	url  string
	want []byte
	http *http.Client
	made atomic.Int64 // connections
}

// newClient returns a client that makes a fresh connection for each request, or keeps one.
func newClient(url string, fresh bool, body int) *client {
	c := &client{url: url, want: answer(body)}
	var dialer net.Dialer
	c.http = &http.Client{Transport: &http.Transport{
		DisableKeepAlives:  fresh,
		DisableCompression: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c.made.Add(1)
			return dialer.DialContext(ctx, network, address)
		},
	}}
	return c
}

func (c *client) close() { c.http.CloseIdleConnections() }

// connections returns how many were made.
func (c *client) connections() int { return int(c.made.Load()) }

// ask asks n times and returns how long each took, from before the request to behind the last byte of the answer. It
// fails at the first answer that is not the right one.
func (c *client) ask(ctx context.Context, n int) ([]time.Duration, error) {
	took := make([]time.Duration, n)
	var body bytes.Buffer
	for i := range took {
		body.Reset()
		begin := time.Now()
		if err := c.get(ctx, &body); err != nil {
			return nil, fmt.Errorf("request %d of %d: %w", i+1, n, err)
		}
		took[i] = time.Since(begin)
		if !bytes.Equal(body.Bytes(), c.want) {
			return nil, fmt.Errorf("request %d of %d: an answer of %d bytes that is not the one of %d bytes that was asked for", i+1, n, body.Len(), len(c.want))
		}
	}
	return took, nil
}

func (c *client) get(ctx context.Context, body *bytes.Buffer) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
	if err != nil {
		return err
	}
	r, err := c.http.Do(q)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", r.Status)
	}
	_, err = io.Copy(body, r.Body)
	return err
}
