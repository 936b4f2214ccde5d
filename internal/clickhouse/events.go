package clickhouse

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/eventlog"
)

// eventRows is how many rows of a log one insert has.
const eventRows = 10_000

// A log is one of the logs of events, with what sends the rows of a part of it.
type log struct {
	name string
	send func(ctx context.Context, l *lease, part eventlog.Span) (rows int, lastID int64, err error)
}

var logs = []log{
	{"sign_in", sender(eventlog.SignIns, (*lease).insertSignIns)},
	{"audit_hit", sender(eventlog.AuditHits, (*lease).insertAuditHits)},
	{"link_fetch", sender(eventlog.LinkFetches, (*lease).insertLinkFetches)},
}

func sender[T eventlog.Row](
	read func(context.Context, *db.DB, eventlog.Span) ([]T, error),
	insert func(*lease, context.Context, []T) error,
) func(context.Context, *lease, eventlog.Span) (int, int64, error) {
	return func(ctx context.Context, l *lease, part eventlog.Span) (int, int64, error) {
		rows, err := read(ctx, l.c.DB, part)
		if err != nil || len(rows) == 0 {
			return 0, 0, err
		}
		return len(rows), rows[len(rows)-1].RowHead().ID, insert(l, ctx, rows)
	}
}

// sendEvents sends the rows of all logs that ClickHouse does not have, and returns how many they were.
func (l *lease) sendEvents(ctx context.Context) (sent int64, err error) {
	for _, log := range logs {
		for more := true; more && hasTime(ctx); {
			rows, err := l.sendPart(ctx, log)
			if err != nil {
				return sent, err
			}
			sent += int64(rows)
			more = rows == eventRows
		}
	}
	return sent, nil
}

// sendPart sends the rows of a log that come next. They are noted after they were sent, and sent again where that
// failed, which changes nothing.
func (l *lease) sendPart(ctx context.Context, log log) (rows int, err error) {
	var last []int64
	if err := l.c.DB.NewRaw(`SELECT last_id FROM clickhouse_event WHERE log = ?`, log.name).Scan(ctx, &last); err != nil {
		return 0, err
	}
	part := eventlog.Span{Until: l.c.DB.Now().Add(-eventlog.Settled), Limit: eventRows}
	if len(last) > 0 {
		part.After = last[0]
	}
	if err := l.held(ctx, nil); err != nil {
		return 0, err
	}
	rows, lastID, err := log.send(ctx, l, part)
	if err != nil || rows == 0 {
		return 0, err
	}
	return rows, l.held(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`INSERT INTO clickhouse_event (log, last_id) VALUES (?, ?)
			ON CONFLICT (log) DO UPDATE SET last_id = EXCLUDED.last_id`, log.name, lastID).Exec(ctx)
		return err
	})
}

// heads are the columns that all tables of events begin with.
type heads struct {
	user, id []uint64
	at       []time.Time
}

func (h *heads) add(userID int64, row eventlog.Head) {
	h.user, h.at, h.id = append(h.user, uint64(userID)), append(h.at, row.At), append(h.id, uint64(row.ID))
}

// insertSignIns sends sign-ins and tries under the user's id, without the email: 0 where nobody has that email.
func (l *lease) insertSignIns(ctx context.Context, rows []eventlog.SignIn) error {
	var emails []string
	for _, r := range rows {
		emails = append(emails, r.Email)
	}
	ids, err := l.c.UserIDs(ctx, emails)
	if err != nil {
		return err
	}
	var h heads
	var ip, agent, wrong []string
	for _, r := range rows {
		if id := ids[r.Email]; !l.forgotten[id] {
			h.add(id, r.Head)
			ip, agent, wrong = append(ip, r.IP), append(agent, r.UserAgent), append(wrong, r.Wrong)
		}
	}
	return l.insertEvents(ctx, "sign_in (user_id, at, id, ip, user_agent, wrong)", h, ip, agent, wrong)
}

func (l *lease) insertAuditHits(ctx context.Context, rows []eventlog.AuditHit) error {
	var h heads
	var node, rule, hits []uint64
	var name []string
	for _, r := range rows {
		if !l.forgotten[r.UserID] {
			h.add(r.UserID, r.Head)
			node, rule, name = append(node, uint64(r.NodeID)), append(rule, uint64(r.RuleID)), append(name, r.Rule)
			hits = append(hits, uint64(r.Count))
		}
	}
	return l.insertEvents(ctx, "audit_hit (user_id, at, id, node_id, rule_id, rule, hits)", h, node, rule, name, hits)
}

func (l *lease) insertLinkFetches(ctx context.Context, rows []eventlog.LinkFetch) error {
	var h heads
	var ip, area, client, version, agent, format []string
	var status []uint16
	var nodes []uint32
	var size []uint64
	for _, r := range rows {
		if l.forgotten[r.UserID] {
			continue
		}
		h.add(r.UserID, r.Head)
		ip, area, client = append(ip, r.IP), append(area, r.Area), append(client, r.Client)
		version, agent, format = append(version, r.Version), append(agent, r.UserAgent), append(format, r.Format)
		status, nodes = append(status, uint16(r.Status)), append(nodes, uint32(r.Nodes))
		size = append(size, uint64(r.Bytes))
	}
	return l.insertEvents(ctx, `link_fetch (user_id, at, id, ip, area, client, version, user_agent, format, status, nodes,
		bytes)`, h, ip, area, client, version, agent, format, status, nodes, size)
}

func (l *lease) insertEvents(ctx context.Context, into string, h heads, columns ...any) error {
	if len(h.id) == 0 {
		return nil
	}
	return l.c.insert(ctx, into, append([]any{h.user, h.at, h.id}, columns...)...)
}
