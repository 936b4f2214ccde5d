package loki

import (
	"context"
	"encoding/json"
	"time"

	"airstrip/internal/db"
)

// line is one row of a log; text is JSON, and no two rows have the same.
type line struct {
	id   int64
	at   time.Time
	text string
}

// span is the rows of a log that are asked for: those above an id, without older ones, up to the first that is too
// young.
type span struct {
	after       int64
	from, until time.Time
}

// log is one that is copied.
type log struct {
	name string
	read func(ctx context.Context, d *db.DB, part span) ([]line, error)
}

var logs = []log{
	{"sign_in", lines[signIn](`SELECT id, at, email, ip, user_agent, wrong FROM sign_in AS l WHERE `, "at")},
	{"audit_hit", lines[auditHit](`SELECT l.id, l.at, l.user_id, l.node_id, n.name AS node, l.rule_id, r.name AS rule, l.count
		FROM rule_hit AS l JOIN rule AS r ON r.id = l.rule_id LEFT JOIN node AS n ON n.id = l.node_id WHERE `, "at")},
	{"link_fetch", lines[linkFetch](`SELECT id, fetched_at AS at, user_id, ip, area, client, version, user_agent, format, status, nodes, bytes
		FROM link_fetch AS l WHERE `, "fetched_at")},
}

// Head is what all rows have.
type Head struct {
	ID int64     `json:"id"`
	At time.Time `json:"at"`
}

func (h Head) head() Head { return h }

type signIn struct {
	Head
	Email     string `json:"email"`
	IP        string `json:"ip"`
	UserAgent string `json:"user_agent"`
	Wrong     string `json:"wrong"` // empty: a sign-in
}

type auditHit struct {
	Head
	UserID int64   `json:"user_id"`
	NodeID int64   `json:"node_id"`
	Node   *string `json:"node"` // nil: it was removed
	RuleID int64   `json:"rule_id"`
	Rule   string  `json:"rule"`
	Count  int64   `json:"count"`
}

type linkFetch struct {
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

// lines returns what reads the rows of a log, a batch at the most, from a query that ends in its condition.
func lines[T interface{ head() Head }](query, at string) func(context.Context, *db.DB, span) ([]line, error) {
	query += "l.id > ? AND l." + at + " > ? ORDER BY l.id LIMIT ?"
	return func(ctx context.Context, d *db.DB, part span) ([]line, error) {
		var rows []T
		if err := d.NewRaw(query, part.after, part.from, batch).Scan(ctx, &rows); err != nil {
			return nil, err
		}
		var out []line
		for _, r := range rows {
			if r.head().At.After(part.until) {
				break
			}
			text, err := json.Marshal(r)
			if err != nil {
				return nil, err
			}
			out = append(out, line{r.head().ID, r.head().At, string(text)})
		}
		return out, nil
	}
}
