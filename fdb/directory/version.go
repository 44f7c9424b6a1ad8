package directory

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/tuple"
)

// layout is the version of what the layer keeps.
var layout = [3]uint32{1, 0, 0}

// version holds what is there to the version of the layout, and writes it where a fresh store is written.
func (l *Layer) version(ctx context.Context, tr fdb.Transaction, write bool) error {
	key := append(l.root(), tuple.Tuple{"version"}.Pack()...)
	v, err := tr.Get(key, false).Wait(ctx)
	if err != nil {
		return err
	}
	if !v.Present {
		if write {
			var b []byte
			for _, n := range layout {
				b = binary.LittleEndian.AppendUint32(b, n)
			}
			tr.Set(key, b)
		}
		return nil
	}
	if len(v.Bytes) != 12 {
		return fmt.Errorf("directory: the version of the layer has %d bytes; want 12", len(v.Bytes))
	}
	major, minor := binary.LittleEndian.Uint32(v.Bytes), binary.LittleEndian.Uint32(v.Bytes[4:])
	if major > layout[0] || write && minor > layout[1] {
		return fmt.Errorf("directory: the layer was made by version %d.%d; this is %d.%d", major, minor, layout[0], layout[1])
	}
	return nil
}
