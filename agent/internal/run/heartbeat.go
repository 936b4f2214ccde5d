package run

import (
	"context"
	"errors"
	"time"

	"airstrip/agent/internal/api"
)

const (
	heartbeatInterval = 20 * time.Second
	heartbeatTimeout  = 10 * time.Second // A heartbeat that takes longer counts as lost.
)

// sendHeartbeats sends the heartbeat every 20 s, and repeats a lost one soon: the server considers the node, and
// connected users, offline 90 s after the last heartbeat.
func (a *agent) sendHeartbeats(ctx context.Context) error {
	gap := backoff{max: heartbeatInterval}
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
		duplicate, err := a.status(ctx, api.Status{
			Boot: a.meter.Boot(), Version: a.version, Revision: a.revision(),
			UptimeSeconds: int64(time.Since(a.started).Seconds()),
			Load:          readLoad(), CPU: load.busySince(cpu), Memory: readMemory(),
			UpBPS:   int64(float64(upNow-up) / seconds),
			DownBPS: int64(float64(downNow-down) / seconds),
			Online:  append([]api.Online{}, online...), Connections: connections,
		})
		switch {
		case err == nil:
			a.noteDuplicate(duplicate)
			gap.reset()
			wait = heartbeatInterval
		case ctx.Err() == nil:
			a.log.Debug("the heartbeat was not answered", "err", err)
			wait = gap.next()
		}
		last, cpu, up, down = now, load, upNow, downNow
	}
	return nil
}

func (a *agent) status(ctx context.Context, s api.Status) (duplicate bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, heartbeatTimeout)
	defer cancel()
	return a.client.Status(ctx, s)
}

var errDuplicateAgent = errors.New("another agent serves with this node's secret, too: users reach one of the two " +
	"by chance; each machine needs a node and a secret of its own")

// noteDuplicate records whether the server sees another agent with the same secret.
func (a *agent) noteDuplicate(duplicate bool) {
	var err error
	if duplicate {
		err = errDuplicateAgent
	}
	if a.problems.record(identity, err) {
		a.log.Error(err.Error())
	}
}
