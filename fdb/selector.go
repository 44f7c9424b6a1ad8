package fdb

// FirstGreaterOrEqual selects the first key that is not before key.
func FirstGreaterOrEqual(key []byte) Selector { return Selector{Key: key, Offset: 1} }

// FirstGreaterThan selects the first key after key.
func FirstGreaterThan(key []byte) Selector { return Selector{Key: key, OrEqual: true, Offset: 1} }

// LastLessOrEqual selects the last key that is not after key.
func LastLessOrEqual(key []byte) Selector { return Selector{Key: key, OrEqual: true} }

// LastLessThan selects the last key before key.
func LastLessThan(key []byte) Selector { return Selector{Key: key} }

// Keys is the range of the keys from begin to before end, in the fewest pages.
func Keys(begin, end []byte) Range {
	return Range{Begin: FirstGreaterOrEqual(begin), End: FirstGreaterOrEqual(end), Mode: StreamingWantAll}
}
