// Package eventlog reads the logs of sign-ins, audit hits and link fetches in the order of their ids, for what copies
// them elsewhere. It reads tables of other packages as they are and writes nothing.
package eventlog

import (
	"context"
	"time"

	"airstrip/internal/db"
)

// Settled is the age at which no row with a lower id can still come: PostgreSQL gives ids before the commit.
const Settled = time.Minute

// Span is the rows of a log that are asked for: those above an id, without older ones, up to the first that is too
// young, at most Limit.
type Span struct {
	After       int64
	From, Until time.Time
	Limit       int
}

// Head is what all rows have.
type Head struct {
	ID int64     `json:"id"`
	At time.Time `json:"at"`
}

// Row is a row of any of the logs.
type Row interface{ RowHead() Head }

// RowHead returns the id and the time of the row.
func (h Head) RowHead() Head { return h }

// SignIn is a sign-in, or a try.
type SignIn struct {
	Head
	Email     string `json:"email"`
	IP        string `json:"ip"`
	UserAgent string `json:"user_agent"`
	Wrong     string `json:"wrong"` // empty: a sign-in
}

// AuditHit is what a user asked for on a node that an audit rule names.
type AuditHit struct {
	Head
	UserID int64   `json:"user_id"`
	NodeID int64   `json:"node_id"`
	Node   *string `json:"node"` // nil: it was removed
	RuleID int64   `json:"rule_id"`
	Rule   string  `json:"rule"`
	Count  int64   `json:"count"`
}

// LinkFetch is a fetch of a subscription link.
type LinkFetch struct {
	Head
	UserID    int64  `json:"user_id"`
	IP        string `json:"ip"`
	Area      string `json:"area"`
	Client    string `json:"client"`
	Version   string `json:"version"`
	UserAgent string `json:"user_agent"`
	Format    string `json:"format"`
	Status    int64  `json:"status"`
	Nodes     int64  `json:"nodes"`
	Bytes     int64  `json:"bytes"`
}

// SignIns returns rows of the log of sign-ins.
func SignIns(ctx context.Context, d *db.DB, part Span) ([]SignIn, error) {
	return read[SignIn](ctx, d, part, "at", `SELECT id, at, email, ip, user_agent, wrong FROM sign_in AS l WHERE `)
}

// AuditHits returns rows of the log of audit hits.
func AuditHits(ctx context.Context, d *db.DB, part Span) ([]AuditHit, error) {
	return read[AuditHit](ctx, d, part, "at", `SELECT l.id, l.at, l.user_id, l.node_id, n.name AS node, l.rule_id,
		r.name AS rule, l.count
		FROM rule_hit AS l JOIN rule AS r ON r.id = l.rule_id LEFT JOIN node AS n ON n.id = l.node_id WHERE `)
}

// LinkFetches returns rows of the log of link fetches.
func LinkFetches(ctx context.Context, d *db.DB, part Span) ([]LinkFetch, error) {
	return read[LinkFetch](ctx, d, part, "fetched_at", `SELECT id, fetched_at AS at, user_id, ip, area, client, version,
		user_agent, format, status, nodes, bytes FROM link_fetch AS l WHERE `)
}

// read runs a query that ends in its condition. at is the column of the row's time.
func read[T Row](ctx context.Context, d *db.DB, part Span, at, query string) ([]T, error) {
	query += "l.id > ? AND l." + at + " > ? ORDER BY l.id LIMIT ?"
	var rows []T
	if err := d.NewRaw(query, part.After, part.From, part.Limit).Scan(ctx, &rows); err != nil {
		return nil, err
	}
	for i, r := range rows {
		if r.RowHead().At.After(part.Until) {
			return rows[:i], nil
		}
	}
	return rows, nil
}
