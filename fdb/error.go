package fdb

import "fmt"

// Error is an error of the store, by its number.
type Error struct{ Code int }

// Numbers of errors, those of the C interface.
const (
	TransactionTooOld      = 1007
	FutureVersion          = 1009
	NotCommitted           = 1020
	CommitUnknownResult    = 1021
	TransactionCancelled   = 1025
	TransactionTimedOut    = 1031
	ProcessBehind          = 1037
	ClusterVersionChanged  = 1039
	ClientInvalidOperation = 2000
	KeyOutsideLegalRange   = 2004
	InvertedRange          = 2005
	InvalidOptionValue     = 2006
	InvalidOption          = 2007
	ReadVersionAlreadySet  = 2010
	VersionInvalid         = 2011
	RangeLimitsInvalid     = 2012
	UsedDuringCommit       = 2017
	MapperBadIndex         = 2030
	MapperNoSuchKey        = 2031
	MapperBadRange         = 2032
	QuickGetHasMore        = 2033
	MappedReadsOwnWrites   = 2039
	KeyNotTuple            = 2041
	ValueNotTuple          = 2042
	MapperNotTuple         = 2043
	TransactionTooLarge    = 2101
	KeyTooLarge            = 2102
	ValueTooLarge          = 2103
	UnsupportedOperation   = 2108
	ExactModeWithoutLimits = 2210
)

func (e Error) Error() string {
	if text, known := texts[e.Code]; known {
		return fmt.Sprintf("%s (%d)", text, e.Code)
	}
	return fmt.Sprintf("FoundationDB error %d", e.Code)
}

// Retryable reports whether a transaction that failed with the error may be tried again.
func (e Error) Retryable() bool {
	switch e.Code {
	case TransactionTooOld, FutureVersion, NotCommitted, CommitUnknownResult, ProcessBehind, ClusterVersionChanged:
		return true
	}
	return false
}

var texts = map[int]string{
	TransactionTooOld:      "the transaction is older than five seconds",
	FutureVersion:          "the version is of the future",
	NotCommitted:           "not committed: what was read has changed",
	CommitUnknownResult:    "committed or not: unknown",
	TransactionCancelled:   "the transaction was cancelled",
	TransactionTimedOut:    "the transaction took longer than its timeout",
	ProcessBehind:          "a storage server is behind",
	ClusterVersionChanged:  "the cluster's version has changed",
	ClientInvalidOperation: "the operation is not valid at this point",
	KeyOutsideLegalRange:   "the key is outside the legal range",
	InvertedRange:          "the range ends before it begins",
	InvalidOptionValue:     "the option does not take this value",
	InvalidOption:          "no such option",
	ReadVersionAlreadySet:  "the transaction has its read version already",
	VersionInvalid:         "no such version",
	RangeLimitsInvalid:     "the limit of rows is negative",
	UsedDuringCommit:       "the transaction was used during its commit, or after it without a reset",
	MapperBadIndex:         "mapper: no such element of the index key or value",
	MapperNoSuchKey:        "mapper: no such key",
	MapperBadRange:         "mapper: {...} is not its last element",
	QuickGetHasMore:        "mapper: a row of the index has more than 2,000 pairs or 10,000,000 bytes",
	MappedReadsOwnWrites:   "a mapped range over keys that the transaction has written",
	KeyNotTuple:            "mapper: the index key is not a tuple",
	ValueNotTuple:          "mapper: the index value is not a tuple",
	MapperNotTuple:         "the mapper is not a tuple",
	TransactionTooLarge:    "the transaction is larger than 10,000,000 bytes",
	KeyTooLarge:            "the key is larger than 10,000 bytes",
	ValueTooLarge:          "the value is larger than 100,000 bytes",
	UnsupportedOperation:   "the operation is not supported here",
	ExactModeWithoutLimits: "streaming mode exact wants a limit",
}
