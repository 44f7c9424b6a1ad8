// Package apple is a FoundationDB cluster behind Apple's Go binding. It is there in builds with the tag fdb alone, which want cgo and
// FoundationDB's client library (7.3 or newer); in others it is empty.
//
// The binding has no mapped ranges, and no single page of a range: both are called through a small cgo file on the binding's own
// transaction, so that they share its snapshot, its writes and its conflicts.
package apple
