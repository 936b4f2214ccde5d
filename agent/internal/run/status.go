package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"airstrip/agent/internal/api"
)

const (
	beatEvery  = 20 * time.Second
	beatWithin = 10 * time.Second // after this a heartbeat is lost
)

// beat sends the heartbeat. After one that was lost the next comes soon: the server takes the node, and who is connected,
// for online no longer than 90 s after it has last heard of them.
func (a *agent) beat(ctx context.Context) error {
	gap := backoff{longest: beatEvery}
	var (
		last     = time.Now()
		cpu      = readCPU()
		up, down = a.meter.Totals()
	)
	for wait := time.Second; sleep(ctx, wait); {
		now, load := time.Now(), readCPU()
		upNow, downNow := a.meter.Totals()
		seconds := now.Sub(last).Seconds()
		online, connections := a.gate.Online()
		double, err := a.status(ctx, api.Status{
			Boot: a.meter.Boot(), Version: a.version, Revision: a.revision(),
			UptimeSeconds: int64(time.Since(a.started).Seconds()),
			Load:          readLoad(), CPU: load.busySince(cpu), Memory: readMemory(),
			UpBPS:   int64(float64(upNow-up) / seconds),
			DownBPS: int64(float64(downNow-down) / seconds),
			Online:  append([]api.Online{}, online...), Connections: connections,
		})
		switch {
		case err == nil:
			a.alone(double)
			gap.reset()
			wait = beatEvery
		case ctx.Err() == nil:
			a.log.Debug("the heartbeat was not answered", "err", err)
			wait = gap.next()
		}
		last, cpu, up, down = now, load, upNow, downNow
	}
	return nil
}

func (a *agent) status(ctx context.Context, s api.Status) (double bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, beatWithin)
	defer cancel()
	return a.client.Status(ctx, s)
}

var errDouble = errors.New("another agent serves with this node's secret, too: users reach one of the two by chance; each machine needs a node and a secret of its own")

// alone takes over the server's word on whether another agent says that it is this node.
func (a *agent) alone(double bool) {
	var err error
	if double {
		err = errDouble
	}
	if double && a.troubles.of(identity).err == nil {
		a.log.Error(err.Error())
	}
	a.troubles.note(identity, err)
}

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
