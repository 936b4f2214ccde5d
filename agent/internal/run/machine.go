package run

import (
	"fmt"
	"os"
	"strings"
)

// The readers below follow proc(5). What cannot be read counts as zero.

func readLoad() (load [3]float64) {
	data, _ := os.ReadFile("/proc/loadavg")
	fmt.Sscan(string(data), &load[0], &load[1], &load[2])
	return load
}

// cpuTimes are ticks since the machine started.
type cpuTimes struct{ busy, total float64 }

func readCPU() (t cpuTimes) {
	data, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(data), "\n")
	for i, field := range strings.Fields(line) {
		var ticks float64
		if _, err := fmt.Sscan(field, &ticks); err != nil || i > 8 { // guest time, past 8, is within user time
			continue
		}
		t.total += ticks
		if i != 4 && i != 5 { // idle, iowait
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
