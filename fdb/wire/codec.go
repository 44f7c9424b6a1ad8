package wire

import (
	"encoding/binary"
	"fmt"
)

// codec writes fields to the end of data or reads them from its start. One method for both keeps the two in step.
type codec struct {
	writing bool
	data    []byte
	err     error // of reading, the first; fields after it keep their zero
}

func (c *codec) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
	c.data = nil
}

func (c *codec) uint(v *uint64) {
	if c.writing {
		c.data = binary.AppendUvarint(c.data, *v)
		return
	}
	got, n := binary.Uvarint(c.data)
	if n <= 0 || n > 1 && c.data[n-1] == 0 { // cut off, too large, or longer than it need be
		c.fail("no integer where one is due")
		return
	}
	*v, c.data = got, c.data[n:]
}

func (c *codec) int64(v *int64) {
	u := uint64(*v)<<1 ^ uint64(*v>>63)
	c.uint(&u)
	if !c.writing {
		*v = int64(u>>1) ^ -int64(u&1)
	}
}

func (c *codec) int(v *int) {
	wide := int64(*v)
	c.int64(&wide)
	if *v = int(wide); int64(*v) != wide {
		c.fail("%d is larger than an int is here", wide)
	}
}

func (c *codec) bool(v *bool) {
	var u uint64
	if *v {
		u = 1
	}
	c.uint(&u)
	if u > 1 {
		c.fail("a bool of %d", u)
		return
	}
	*v = u == 1
}

func (c *codec) bytes(v *[]byte) {
	n := uint64(len(*v))
	c.uint(&n)
	switch {
	case c.writing:
		c.data = append(c.data, *v...)
	case n > uint64(len(c.data)):
		c.fail("%d bytes are announced, %d are left", n, len(c.data))
	case c.err == nil:
		*v, c.data = c.data[:n:n], c.data[n:]
	}
}

func (c *codec) string(v *string) {
	b := []byte(*v)
	c.bytes(&b)
	if !c.writing {
		*v = string(b)
	}
}

// list writes or reads a list of items, each at least so many bytes long.
func list[T any](c *codec, v *[]T, least int, item func(*codec, *T)) {
	n := uint64(len(*v))
	c.uint(&n)
	if !c.writing {
		if n > uint64(len(c.data)/least) {
			c.fail("%d items of %d bytes or more are announced, %d bytes are left", n, least, len(c.data))
		}
		if c.err != nil || n == 0 {
			return
		}
		*v = make([]T, n)
	}
	for i := range *v {
		item(c, &(*v)[i])
		if c.err != nil {
			return
		}
	}
}
