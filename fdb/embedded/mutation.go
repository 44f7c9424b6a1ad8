package embedded

// operation is what a mutation does.
type operation int

const (
	opSet operation = iota
	opClear
	opClearRange // param is the end
	opAdd
)

// mutation is one write of a transaction.
type mutation struct {
	op         operation
	key        string
	param      []byte
	noConflict bool
}

// span is the keys that the mutation writes.
func (m *mutation) span() span {
	if m.op == opClearRange {
		return span{m.key, string(m.param)}
	}
	return point(m.key)
}

// was is a pair before a mutation.
type was struct {
	key     string
	value   []byte
	present bool
}

// apply writes the mutation into a tree, and gives before each pair that it changes to keep.
func (m *mutation) apply(t *tree, keep func(was)) {
	switch m.op {
	case opSet:
		old, present := t.Set(m.key, m.param)
		keep(was{m.key, old, present})
	case opClear:
		if old, present := t.Delete(m.key); present {
			keep(was{m.key, old, true})
		}
	case opAdd:
		old, present := t.Get(m.key)
		t.Set(m.key, sum(old, m.param))
		keep(was{m.key, old, present})
	case opClearRange:
		var keys []string
		end := string(m.param)
		t.Ascend(m.key, func(key string, _ []byte) bool {
			if key >= end {
				return false
			}
			keys = append(keys, key)
			return true
		})
		for _, key := range keys {
			old, _ := t.Delete(key)
			keep(was{key, old, true})
		}
	}
}

// sum adds two little-endian integers, the first cut or extended to the length of the second.
func sum(a, b []byte) []byte {
	out := make([]byte, len(b))
	carry := 0
	for i := range b {
		n := int(b[i]) + carry
		if i < len(a) {
			n += int(a[i])
		}
		out[i], carry = byte(n), n>>8
	}
	return out
}
