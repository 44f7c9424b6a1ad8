package embedded_test

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/embedded"
)

// letters are all keys of the model. A range is a set of points: twice the letter for a key, and one more for all keys
// between it and the next letter, which are never there but can be read and cleared with the others.
const letters = "bcdefghi"

// model is a store that keeps every version whole.
type model struct {
	commits []modelCommit
}

type modelCommit struct {
	version int64
	data    map[byte]string
	writes  set
}

type set map[int]bool

// modelTx is a transaction of the model: what it sees, what it has read of others, what its own writes decide.
type modelTx struct {
	tr            fdb.Transaction
	began         bool
	at            int                     // commits that it sees
	data          map[byte]string         // with its own writes
	log           []func(map[byte]string) // its own writes
	reads, writes set
	decides       set
}

// key is the point of a letter, behind the one after it.
func key(letter byte) int    { return 2 * int(letter) }
func behind(letter byte) int { return 2*int(letter) + 1 }

// points are those from begin to before end.
func points(begin, end int) (out []int) {
	for _, c := range []byte(letters) {
		for _, p := range []int{key(c), behind(c)} {
			if begin <= p && p < end {
				out = append(out, p)
			}
		}
	}
	return out
}

func (m *model) latest() map[byte]string {
	if len(m.commits) == 0 {
		return map[byte]string{}
	}
	return m.commits[len(m.commits)-1].data
}

// see takes the read version at the first read.
func (m *model) see(x *modelTx) {
	if x.began {
		return
	}
	x.began, x.at, x.data = true, len(m.commits), maps.Clone(m.latest())
	for _, f := range x.log {
		f(x.data)
	}
}

// write notes a write of points; decided is true where it does not depend on what was there.
func (x *modelTx) write(f func(map[byte]string), decided bool, points ...int) {
	for _, p := range points {
		x.writes[p] = true
		x.decides[p] = x.decides[p] || decided
	}
	x.log = append(x.log, f)
	if x.began {
		f(x.data)
	}
}

func (x *modelTx) saw(points ...int) {
	for _, k := range points {
		if !x.decides[k] {
			x.reads[k] = true
		}
	}
}

func (x *modelTx) keys() []byte { return slices.Sorted(maps.Keys(x.data)) }

// conflicts reports whether a later commit wrote what the transaction has read.
func (m *model) conflicts(x *modelTx) bool {
	if len(x.writes) == 0 || !x.began {
		return false
	}
	for _, c := range m.commits[x.at:] {
		for k := range c.writes {
			if x.reads[k] {
				return true
			}
		}
	}
	return false
}

// Random transactions side by side see what the model says, and conflict exactly where it says so.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(0, 0)
		db := embedded.New(embedded.Options{Now: func() time.Time { return now }})
		m := &model{}
		open := make([]*modelTx, 3)
		letter := rapid.SampledFrom([]byte(letters))
		start := func(i int) {
			open[i] = &modelTx{tr: db.Begin(), reads: set{}, writes: set{}, decides: set{}}
		}
		for i := range open {
			start(i)
		}
		for range rapid.IntRange(50, 1000).Draw(t, "operations") {
			now = now.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "wait")) * time.Microsecond)
			i := rapid.IntRange(0, len(open)-1).Draw(t, "transaction")
			x := open[i]
			a, b := letter.Draw(t, "a"), letter.Draw(t, "b")
			low, high := min(a, b), max(a, b)
			snapshot := rapid.Bool().Draw(t, "snapshot")
			switch op := rapid.SampledFrom([]string{"get", "range", "range", "key", "set", "set", "clear", "clear range", "add", "commit", "commit", "old version"}).Draw(t, "op"); op {
			case "get":
				m.see(x)
				v, err := x.tr.Get([]byte{a}, snapshot).Wait(ctx)
				want, present := x.data[a]
				if err != nil || v.Present != present || string(v.Bytes) != want {
					t.Fatalf("%c: %+v, %v; want %q, %v", a, v, err, want, present)
				}
				if !snapshot {
					x.saw(key(a))
				}
			case "range":
				m.see(x)
				r := fdb.Keys([]byte{low}, []byte{high})
				r.Limit, r.Reverse, r.Snapshot = rapid.IntRange(0, 3).Draw(t, "limit"), rapid.Bool().Draw(t, "reverse"), snapshot
				var want []byte
				for _, k := range x.keys() {
					if low <= k && k < high {
						want = append(want, k)
					}
				}
				if r.Reverse {
					slices.Reverse(want)
				}
				from, to := key(low), key(high)
				if r.Limit > 0 && len(want) >= r.Limit {
					want = want[:r.Limit]
					if r.Reverse {
						from = key(want[len(want)-1])
					} else {
						to = behind(want[len(want)-1])
					}
				}
				page, err := x.tr.GetRange(r).Wait(ctx)
				if err != nil || len(page.Pairs) != len(want) || page.More != (r.Limit > 0 && len(want) == r.Limit) {
					t.Fatalf("%+v: %+v, %v; want %c", r, page, err, want)
				}
				for j, p := range page.Pairs {
					if !bytes.Equal(p.Key, want[j:j+1]) || string(p.Value) != x.data[want[j]] {
						t.Fatalf("row %d: %q", j, p)
					}
				}
				if !snapshot {
					x.saw(points(from, to)...)
				}
			case "key":
				m.see(x)
				s := fdb.Selector{Key: []byte{a}, OrEqual: rapid.Bool().Draw(t, "or equal"), Offset: rapid.IntRange(-3, 4).Draw(t, "offset")}
				all := x.keys()
				at := 0 // keys before the selector's
				for _, k := range all {
					if k < a || k == a && s.OrEqual {
						at++
					}
				}
				at += s.Offset - 1
				want, seen := "", []int(nil)
				split := key(a)
				if s.OrEqual {
					split = behind(a)
				}
				switch {
				case at < 0:
					seen = points(0, split)
				case at >= len(all):
					want, seen = "\xff", points(split, key(0xff))
				case s.Offset <= 0:
					want, seen = string(all[at]), points(key(all[at]), split)
				default:
					want, seen = string(all[at]), points(split, behind(all[at]))
				}
				got, err := x.tr.GetKey(s, snapshot).Wait(ctx)
				if err != nil || string(got) != want {
					t.Fatalf("%+v of %s: %q, %v; want %q", s, all, got, err, want)
				}
				if !snapshot {
					x.saw(seen...)
				}
			case "set":
				x.tr.Set([]byte{a}, []byte{b})
				x.write(func(d map[byte]string) { d[a] = string(b) }, true, key(a))
			case "clear":
				x.tr.Clear([]byte{a})
				x.write(func(d map[byte]string) { delete(d, a) }, true, key(a))
			case "clear range":
				if low == high {
					continue
				}
				x.tr.ClearRange([]byte{low}, []byte{high})
				x.write(func(d map[byte]string) {
					maps.DeleteFunc(d, func(k byte, _ string) bool { return low <= k && k < high })
				}, true, points(key(low), key(high))...)
			case "add":
				x.tr.Add([]byte{a}, []byte{1})
				x.write(func(d map[byte]string) { d[a] = string([]byte{(d[a] + "\x00")[0] + 1}) }, false, key(a))
			case "commit":
				err := x.tr.Commit(ctx)
				if want := m.conflicts(x); want != errors.Is(err, fdb.Error{Code: fdb.NotCommitted}) || !want && err != nil {
					t.Fatalf("commit: %v; want a conflict: %v", err, want)
				}
				if err == nil && len(x.writes) > 0 {
					data := maps.Clone(m.latest())
					for _, f := range x.log {
						f(data)
					}
					v, err := x.tr.CommittedVersion()
					if err != nil {
						t.Fatal(err)
					}
					m.commits = append(m.commits, modelCommit{v, data, x.writes})
				}
				start(i)
			case "old version":
				if len(m.commits) == 0 {
					continue
				}
				c := m.commits[rapid.IntRange(0, len(m.commits)-1).Draw(t, "commit")]
				tr := db.Begin()
				tr.SetReadVersion(c.version)
				pairs, _, err := fdb.All(ctx, tr, fdb.Keys([]byte{0}, []byte{0xff}))
				got := map[byte]string{}
				for _, p := range pairs {
					got[p.Key[0]] = string(p.Value)
				}
				if err != nil || !maps.Equal(got, c.data) {
					t.Fatalf("at version %d: %q, %v; want %q", c.version, got, err, c.data)
				}
			}
		}
	})
}
