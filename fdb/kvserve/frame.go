package kvserve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
)

// frame is the plain transport: each message behind its length, four bytes, little-endian, on a TCP connection.
type frame struct {
	conn  net.Conn
	in    *bufio.Reader
	out   *bufio.Writer
	limit int // of a message that is received
}

// believed is how many bytes are made room for because a length says so; more room comes with the bytes.
const believed = 64 << 10

func newFrame(conn net.Conn, limit int) *frame {
	return &frame{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), out: bufio.NewWriterSize(conn, 64<<10), limit: limit}
}

func dialFrame(ctx context.Context, address string) (pipe, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return newFrame(conn, maxReply), nil
}

func (f *frame) send(messages [][]byte) error {
	var head [4]byte
	for _, m := range messages {
		binary.LittleEndian.PutUint32(head[:], uint32(len(m)))
		if _, err := f.out.Write(head[:]); err != nil {
			return err
		}
		if _, err := f.out.Write(m); err != nil {
			return err
		}
	}
	return f.out.Flush()
}

func (f *frame) receive() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(f.in, head[:]); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(head[:]))
	if n > int64(f.limit) {
		return nil, brokenError{fmt.Errorf("a message of %d bytes; the limit is %d", n, f.limit)}
	}
	if n <= believed {
		data := make([]byte, n)
		_, err := io.ReadFull(f.in, data)
		return data, err
	}
	var data bytes.Buffer
	if _, err := io.CopyN(&data, f.in, n); err != nil {
		return nil, err
	}
	return data.Bytes(), nil
}

func (f *frame) close() { f.conn.Close() }

// brokenError is an error of what the other side has sent, as against one of the connection.
type brokenError struct{ error }
