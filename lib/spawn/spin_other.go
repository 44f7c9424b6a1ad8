//go:build unix && !linux

package spawn

func pinThread(int) error { return ErrUnsupported }
