package run

import (
	"context"
	"errors"
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
	if a.troubles.note(identity, err) {
		a.log.Error(err.Error())
	}
}
