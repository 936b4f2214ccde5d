package run

import (
	"fmt"
	"os"
	"strings"
)

// The functions below read the files of proc(5). A value that cannot be read is zero.

func readLoad() (load [3]float64) {
	data, _ := os.ReadFile("/proc/loadavg")
	fmt.Sscan(string(data), &load[0], &load[1], &load[2])
	return load
}

// cpuTimes are clock ticks since the machine started.
type cpuTimes struct{ busy, total float64 }

func readCPU() (t cpuTimes) {
	data, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(data), "\n")
	for i, field := range strings.Fields(line) {
		var ticks float64
		// Fields after 8 are guest time, which user time includes.
		if _, err := fmt.Sscan(field, &ticks); err != nil || i > 8 {
			continue
		}
		t.total += ticks
		if i != 4 && i != 5 { // Fields 4 and 5 are idle and iowait.
			t.busy += ticks
		}
	}
	return t
}

func (t cpuTimes) busySince(before cpuTimes) float64 {
	if t.total <= before.total {
		return 0
	}
	return (t.busy - before.busy) / (t.total - before.total)
}

func readMemory() float64 {
	data, _ := os.ReadFile("/proc/meminfo")
	var total, available float64
	for line := range strings.Lines(string(data)) {
		fmt.Sscanf(line, "MemTotal: %f", &total)
		fmt.Sscanf(line, "MemAvailable: %f", &available)
	}
	if total == 0 {
		return 0
	}
	return 1 - available/total
}
