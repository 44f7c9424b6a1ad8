package fdb

import (
	"context"
	"iter"
)

// Pages reads a range page by page, each asked for when the one before has been consumed. It ends after the first error.
func Pages(ctx context.Context, tr Transaction, r Range) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		for r.Iteration = max(r.Iteration, 1); ; r.Iteration++ {
			page, err := tr.GetRange(r).Wait(ctx)
			if !yield(page, err) || err != nil || !r.after(len(page.Pairs), page.More, func() []byte { return page.Pairs[len(page.Pairs)-1].Key }) {
				return
			}
		}
	}
}

// MappedPages reads a mapped range page by page, as Pages does.
func MappedPages(ctx context.Context, tr Transaction, r Range, mapper []byte) iter.Seq2[MappedPage, error] {
	return func(yield func(MappedPage, error) bool) {
		for r.Iteration = max(r.Iteration, 1); ; r.Iteration++ {
			page, err := tr.GetMappedRange(r, mapper).Wait(ctx)
			if !yield(page, err) || err != nil || !r.after(len(page.Rows), page.More, func() []byte { return page.Rows[len(page.Rows)-1].Key }) {
				return
			}
		}
	}
}

// All reads a whole range, and counts the pages that it took.
func All(ctx context.Context, tr Transaction, r Range) (pairs []KeyValue, pages int, err error) {
	for page, err := range Pages(ctx, tr, r) {
		if err != nil {
			return nil, pages, err
		}
		pages++
		pairs = append(pairs, page.Pairs...)
	}
	return pairs, pages, nil
}

// after makes r the range that follows a page of n rows, and reports whether there is one.
func (r *Range) after(n int, more bool, last func() []byte) bool {
	if !more || n == 0 || r.Limit > 0 && n >= r.Limit {
		return false
	}
	if r.Limit > 0 {
		r.Limit -= n
	}
	if r.Reverse {
		r.End = FirstGreaterOrEqual(last())
	} else {
		r.Begin = FirstGreaterThan(last())
	}
	return true
}
