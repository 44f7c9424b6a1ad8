//go:build unix

package spawn

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
)

// board is a file without a name that the harness and its watchdog share: the trees of the runs under way. The harness
// writes it and the watchdog reads it only when the harness is gone, so that the watchdog sleeps while a process runs.
//
// notice is what it says: the trees, and the control groups that were made for them and others before.
//
// There are two slots, used in turn. Each is: sequence number, length, CRC-32 of all else, JSON. A harness that is killed while it
// writes one leaves the other.
type board struct {
	file *os.File
	seq  uint64
}

type notice struct {
	Trees   []tree   `json:"trees"`
	Cgroups []string `json:"cgroups"`
}

const (
	slotSize   = 1 << 20
	slotHeader = 16
)

func (b *board) write(n notice) error {
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if len(text) > slotSize-slotHeader {
		return fmt.Errorf("%d runs at once are more than the watchdog can be told of", len(n.Trees))
	}
	b.seq++
	buf := make([]byte, slotHeader, slotHeader+len(text))
	binary.LittleEndian.PutUint64(buf, b.seq)
	binary.LittleEndian.PutUint32(buf[8:], uint32(len(text)))
	binary.LittleEndian.PutUint32(buf[12:], checksum(buf, text))
	if _, err := b.file.WriteAt(append(buf, text...), int64(b.seq%2)*slotSize); err != nil {
		return fmt.Errorf("tell the watchdog: %w", err)
	}
	return nil
}

// checksum covers the header's sequence number and length, and the text.
func checksum(header, text []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(header[:12]), crc32.IEEETable, text)
}

// readBoard returns what was written last and whole.
func readBoard(r io.ReaderAt) (notice, error) {
	var newest []byte
	var newestSeq uint64
	for slot := range int64(2) {
		buf := make([]byte, slotSize)
		n, err := r.ReadAt(buf, slot*slotSize)
		if err != nil && !errors.Is(err, io.EOF) {
			return notice{}, err
		}
		if n < slotHeader {
			continue
		}
		seq, length, sum := binary.LittleEndian.Uint64(buf), binary.LittleEndian.Uint32(buf[8:]), binary.LittleEndian.Uint32(buf[12:])
		if length > math.MaxInt32 || int(length) > n-slotHeader {
			continue
		}
		text := buf[slotHeader : slotHeader+int(length)]
		if seq > newestSeq && checksum(buf, text) == sum {
			newest, newestSeq = text, seq
		}
	}
	if newest == nil {
		return notice{}, errors.New("no slot of the board is whole")
	}
	var n notice
	if err := json.Unmarshal(newest, &n); err != nil {
		return notice{}, fmt.Errorf("the board: %w", err)
	}
	return n, nil
}

func (b *board) close() error { return b.file.Close() }
