// Package histogram keeps latencies in little room: an HdrHistogram of three significant digits, with the exact maximum and the
// exact mean beside it.
package histogram

import (
	"fmt"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// longest is the longest latency that is kept. A longer one is an error, never a shorter one.
const longest = time.Hour

// digits is how exact a percentile is: it lies above the sample by less than one in a thousand.
const digits = 3

// Histogram is a set of latencies. The zero value is empty.
type Histogram struct {
	h     *hdr.Histogram
	count int64
	sum   float64
	max   time.Duration
}

// Record adds a latency, which is not negative.
func (h *Histogram) Record(d time.Duration) error {
	if d < 0 || d > longest {
		return fmt.Errorf("a latency of %v: want 0 to %v", d, longest)
	}
	if h.h == nil {
		h.h = hdr.New(1, int64(longest), digits)
	}
	if err := h.h.RecordValue(int64(d)); err != nil {
		return err
	}
	h.count++
	h.sum += float64(d)
	h.max = max(h.max, d)
	return nil
}

// Add adds all of another.
func (h *Histogram) Add(o *Histogram) {
	if o.count == 0 {
		return
	}
	if h.h == nil {
		h.h = hdr.New(1, int64(longest), digits)
	}
	h.h.Merge(o.h)
	h.count += o.count
	h.sum += o.sum
	h.max = max(h.max, o.max)
}

// Count is how many there are.
func (h *Histogram) Count() int64 { return h.count }

// Max is the longest, exactly; 0 of none.
func (h *Histogram) Max() time.Duration { return h.max }

// Mean is the mean, exactly but for the rounding of a sum; 0 of none.
func (h *Histogram) Mean() time.Duration {
	if h.count == 0 {
		return 0
	}
	return time.Duration(h.sum / float64(h.count))
}

// PerMille is the latency that so many of a thousand do not exceed: the highest value that the bucket of the sample of the nearest rank
// stands for, whose rank is the ceiling of n·p/1000 in integers. (HdrHistogram's own rounds that rank half up, which can be the one below.)
// It is never above Max; 0 of none.
func (h *Histogram) PerMille(p int) time.Duration {
	if h.count == 0 {
		return 0
	}
	rank := max((h.count*int64(p)+999)/1000, 1)
	seen := int64(0)
	for _, bar := range h.h.Distribution() {
		if seen += bar.Count; seen >= rank {
			return min(time.Duration(bar.To), h.max)
		}
	}
	return h.max
}
