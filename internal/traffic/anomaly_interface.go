package traffic

import (
	"context"
	"time"
)

const (
	// minCounted is what a node must have counted in a day before that is compared with its interface.
	minCounted = gigabyte
	// minCovered is of how many thousandths of the time the interface's rates must be known.
	minCovered = 800
	// minWatched is from when on a day that has not ended is compared.
	minWatched = time.Hour
)

// interfaceAnomalies finds nodes that counted more than half again what the interface of their machine carried: a proxy
// receives and sends each byte once, so either direction carries the users' up and down together. Their rates are
// known of agents that report them; minutes without a report are taken for as busy as the others.
func (t *Traffic) interfaceAnomalies(ctx context.Context, day time.Time) (found []Anomaly, err error) {
	from, to := t.startOf(dayOf(day)), t.startOf(dayOf(day.AddDate(0, 0, 1)))
	if now := t.db.Now(); to.After(now) {
		to = now
	}
	if to.Sub(from) < minWatched {
		return nil, nil
	}
	var rows []struct{ NodeID, Up, Down int64 }
	if err := t.db.NewRaw(`SELECT node_id, up, down FROM node_day WHERE day = ? ORDER BY node_id`, dayOf(day)).
		Scan(ctx, &rows); err != nil {
		return nil, err
	}
	for _, r := range rows {
		counted := saturate(r.Up, r.Down)
		if counted < minCounted {
			continue
		}
		rates, err := t.nodes.Monitor.Rates(ctx, r.NodeID, from, to)
		if err != nil {
			return nil, err
		}
		if 1000*rates.Minutes < minCovered*int64(to.Sub(from)/time.Minute) || rates.BytesPerSecond == 0 {
			continue
		}
		carried := rates.BytesPerSecond * int64(to.Sub(from)/time.Second)
		if counted/3*2 > carried {
			found = append(found, Anomaly{OfInterface, r.NodeID, day, counted, carried})
		}
	}
	return found, nil
}
