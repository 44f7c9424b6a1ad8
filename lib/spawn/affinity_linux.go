package spawn

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// startedWith is the process's affinity from before PinSelf narrowed it. It mirrors a state of the whole process.
var startedWith atomic.Pointer[[]int]

// Allowed returns the CPUs that this process may use, sorted, as sched_getaffinity tells; once PinSelf has narrowed
// them, those from before.
func Allowed() ([]int, error) {
	if cpus := startedWith.Load(); cpus != nil {
		return slices.Clone(*cpus), nil
	}
	return affinity(0)
}

// PinSelf puts all threads of this process, and those to come, on the given CPUs. Processes that Run starts are not
// affected: unpinned ones get what Allowed returns.
func PinSelf(cpus []int) error {
	allowed, err := Allowed()
	if err != nil {
		return err
	}
	startedWith.CompareAndSwap(nil, &allowed)
	set, err := cpuSet(cpus)
	if err != nil {
		return err
	}
	// A thread that is not pinned yet may create another meanwhile, so until a pass finds nothing to do.
	for range 100 {
		changed, err := pinThreads(set, cpus)
		if err != nil {
			return fmt.Errorf("pin this process to CPUs %s: %w", FormatCPUs(cpus), err)
		}
		if !changed {
			return nil
		}
	}
	return fmt.Errorf("pin this process to CPUs %s: new threads keep appearing", FormatCPUs(cpus))
}

func pinThreads(set unix.CPUSetDynamic, cpus []int) (changed bool, err error) {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return false, err
	}
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			continue
		}
		now, err := affinity(tid)
		if errors.Is(err, unix.ESRCH) || err == nil && slices.Equal(now, cpus) {
			continue
		}
		if err := setAffinity(tid, set, cpus); errors.Is(err, unix.ESRCH) {
			continue
		} else if err != nil {
			return false, err
		}
		changed = true
	}
	return changed, nil
}

// Siblings returns the CPUs that share a core with cpu, itself included; nil where that cannot be read.
func Siblings(cpu int) []int {
	text, err := os.ReadFile(fmt.Sprintf("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu))
	if err != nil {
		return nil
	}
	cpus, err := ParseCPUs(strings.TrimSpace(string(text)))
	if err != nil {
		return nil
	}
	return cpus
}

// affinity returns the CPUs of a thread, 0 being the calling one.
func affinity(tid int) ([]int, error) {
	// The kernel wants room for all CPUs that it could ever have, and says EINVAL otherwise.
	for size := 1 << 10; size <= maxCPU; size <<= 1 {
		set := unix.NewCPUSet(size)
		err := unix.SchedGetaffinityDynamic(tid, set)
		if errors.Is(err, unix.EINVAL) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("sched_getaffinity: %w", err)
		}
		var cpus []int
		for cpu := range size {
			if set.IsSet(cpu) {
				cpus = append(cpus, cpu)
			}
		}
		return cpus, nil
	}
	return nil, fmt.Errorf("sched_getaffinity: %w", unix.EINVAL)
}

// setAffinity sets the CPUs of a thread and reads them back, since a cpuset may silently leave some out.
func setAffinity(tid int, set unix.CPUSetDynamic, cpus []int) error {
	if err := unix.SchedSetaffinityDynamic(tid, set); err != nil {
		return fmt.Errorf("sched_setaffinity to CPUs %s: %w", FormatCPUs(cpus), err)
	}
	got, err := affinity(tid)
	if err != nil {
		return err
	}
	if want := slices.Sorted(slices.Values(cpus)); !slices.Equal(got, want) {
		return fmt.Errorf("sched_setaffinity to CPUs %s gave CPUs %s: the others are offline or outside this process's cpuset", FormatCPUs(want), FormatCPUs(got))
	}
	return nil
}

func cpuSet(cpus []int) (unix.CPUSetDynamic, error) {
	if len(cpus) == 0 {
		return nil, errors.New("the set of CPUs is empty")
	}
	if low := slices.Min(cpus); low < 0 {
		return nil, fmt.Errorf("there is no CPU %d", low)
	}
	high := slices.Max(cpus)
	if high >= maxCPU {
		return nil, fmt.Errorf("there is no CPU %d", high)
	}
	set := unix.NewCPUSet(high + 1)
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	return set, nil
}
