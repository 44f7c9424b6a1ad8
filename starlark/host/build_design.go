package host

import (
	"slices"
	"strings"
	"time"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
)

func (b *builder) buildDesign() {
	r := b.r.record("design")
	if r == nil {
		return
	}
	d := &b.phase.Design
	*d = protocol.Design{Kind: r.kind.name, Nesting: r.text("nesting"), At: r.at()}
	if r.kind.name == protocol.DesignFixed {
		b.fixedDesign(r, d)
		return
	}
	d.Blocks, d.Seed, d.Order = int(r.int("blocks")), r.int("seed"), r.text("order")
}

// fixedDesign reads declared orders: every block runs each arm of the case once, and all cases have as many blocks.
func (b *builder) fixedDesign(r *record, d *protocol.Design) {
	at := r.arg("orders")
	switch v := r.get("orders").(type) {
	case *starlark.List:
		d.Order = protocol.OrderShared
		d.Orders = []protocol.CaseOrders{{Blocks: blockLists(v)}}
		for i := range b.phase.Cases {
			c := &b.phase.Cases[i]
			if !b.checkOrders(r, at, c, d.Orders[0].Blocks) {
				break
			}
		}
	case *starlark.Dict:
		d.Order = protocol.OrderCase
		given := map[string][][]string{}
		for i, item := range v.Items() {
			n, _ := starlark.AsString(item[0])
			key, value := at.entry(i)
			blocks := blockLists(item[1].(*starlark.List))
			given[n] = blocks
			d.Blocks = len(blocks)
			if b.knownCase(r, key, "orders", n) {
				b.checkOrders(r, value, b.phase.Case(n), blocks)
			}
		}
		for i := range b.phase.Cases {
			n := b.phase.Cases[i].Name
			blocks, ok := given[n]
			if !ok {
				r.report(at, "orders: no order for case %q", n)
				continue
			}
			if len(blocks) != d.Blocks {
				r.report(at, "orders: case %q has %s, another has %d; want as many in every case", n, plural(len(blocks), "block"), d.Blocks)
			}
			d.Orders = append(d.Orders, protocol.CaseOrders{Case: n, Blocks: blocks})
		}
		return
	}
	if len(d.Orders) > 0 {
		d.Blocks = len(d.Orders[0].Blocks)
	}
}

func blockLists(l *starlark.List) [][]string {
	blocks := make([][]string, l.Len())
	for i := range blocks {
		block := l.Index(i).(*starlark.List)
		for j := range block.Len() {
			s, _ := starlark.AsString(block.Index(j))
			blocks[i] = append(blocks[i], s)
		}
	}
	return blocks
}

// checkOrders reports the first block that does not run each arm of the case once.
func (b *builder) checkOrders(r *record, at arg, c *protocol.Case, blocks [][]string) bool {
	want := slices.Sorted(slices.Values(c.Arms))
	for i, block := range blocks {
		for j, n := range block {
			if !b.knownArm(r, at.elem(i).elem(j), "orders", n) {
				return false
			}
		}
		if !slices.Equal(slices.Sorted(slices.Values(block)), want) {
			r.report(at.elem(i), "orders: block %d runs %s; case %q wants each of %s once", i+1, strings.Join(block, ", "), c.Name, strings.Join(c.Arms, ", "))
			return false
		}
	}
	return true
}

// estimandOf reads block_ratio() and block_difference(); nil for None and where it was refused.
func estimandOf(r *record) *protocol.Estimand {
	if r == nil {
		return nil
	}
	e := &protocol.Estimand{Kind: r.kind.name, At: r.at()}
	if i := r.record("interval"); i != nil {
		e.Interval = intervalOf(i)
	}
	for _, i := range r.records("also") {
		e.Also = append(e.Also, intervalOf(i))
	}
	return e
}

func intervalOf(r *record) protocol.Interval {
	i := protocol.Interval{Kind: r.kind.name, At: r.at()}
	if l := r.float("level"); l != nil {
		i.Level = *l
	}
	if r.kind.name == protocol.Percentile {
		i.Resamples, i.Seed = int(r.int("resamples")), r.int("seed")
	}
	return i
}

func (b *builder) buildProcess() {
	p := &b.phase.Process
	r := b.r.record("process")
	if r == nil {
		p.Timeout, p.Pad = processDefaults()
		return
	}
	p.CPUs, p.Env = r.text("cpus"), r.env("env")
	p.Netns, p.Host = b.netns(r), b.host(r)
	if v, ok := r.get("aslr").(starlark.Bool); ok {
		on := bool(v)
		p.ASLR = &on
	}
	if _, ok := r.get("nice").(starlark.Int); ok {
		n := int(r.int("nice"))
		p.Nice = &n
	}
	p.Timeout, p.Calibrate, p.Pad = durationOf(r.text("timeout")), durationOf(r.text("calibrate")), r.bool("pad")
	if d, ok := r.get("limits").(*starlark.Dict); ok && d.Len() > 0 {
		p.Limits = map[string]int64{}
		for _, item := range d.Items() {
			k, _ := starlark.AsString(item[0])
			p.Limits[k], _ = item[1].(starlark.Int).Int64()
		}
	}
}

// processDefaults are the table's defaults of process(), for a phase that does not call it.
func processDefaults() (timeout protocol.Duration, pad bool) {
	k := kindOf("process")
	t, _ := starlark.AsString(k.params[k.index("timeout")].value)
	return durationOf(t), bool(k.params[k.index("pad")].value.(starlark.Bool))
}

// durationOf reads a checked duration; 0 for "".
func durationOf(s string) protocol.Duration {
	d, _ := time.ParseDuration(s)
	return protocol.Duration(d)
}
