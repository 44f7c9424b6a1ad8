package spawn

// pinThread pins the calling thread, which its goroutine must have locked, to one CPU.
func pinThread(cpu int) error {
	set, err := cpuSet([]int{cpu})
	if err != nil {
		return err
	}
	return setAffinity(0, set, []int{cpu})
}
