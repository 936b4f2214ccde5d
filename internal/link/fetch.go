package link

import (
	"context"
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/job"
)

// Fetch is one fetch of a user's link, for the log. The token is not in it.
type Fetch struct {
	bun.BaseModel `bun:"table:link_fetch"`
	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	FetchedAt     time.Time
	IP            string
	Client        string
	Version       string
	UserAgent     string
	Format        string
	Status        int
	Nodes         int
	LeftOut       int
}

// The log takes what comes in batches of one transaction; in a flood that the database can't follow some of it is lost.
const (
	fetchQueue = 4096
	fetchBatch = 500
	fetchDelay = time.Second
	maxAgent   = 200 // bytes of a User-Agent that are kept
)

// Log notes a fetch that was answered with status. It never waits.
func (l *Links) Log(f Fetch, status int) {
	f.Status = status
	select {
	case l.fetches <- f:
	default:
		l.lost.Add(1)
	}
}

// Run writes the log until ctx ends, and then what is left of it.
func (l *Links) Run(ctx context.Context) {
	for {
		batch, more := l.collect(ctx)
		if len(batch) > 0 {
			write, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			err := l.db.Tx(write, func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewInsert().Model(&batch).ExcludeColumn("id").Exec(ctx)
				return err
			})
			cancel()
			if err != nil {
				slog.ErrorContext(ctx, "could not write the log of link fetches", "fetches", len(batch), "error", err)
			}
		}
		if lost := l.lost.Swap(0); lost > 0 {
			slog.WarnContext(ctx, "link fetches came faster than they could be logged", "lost", lost)
		}
		if !more {
			return
		}
	}
}

// collect waits for a fetch and takes those that follow soon; more is false once ctx has ended and nothing waits.
func (l *Links) collect(ctx context.Context) (batch []Fetch, more bool) {
	select {
	case f := <-l.fetches:
		batch = append(batch, f)
	case <-ctx.Done():
	}
	delay := time.NewTimer(fetchDelay)
	defer delay.Stop()
	for len(batch) < fetchBatch {
		if ctx.Err() != nil {
			select {
			case f := <-l.fetches:
				batch = append(batch, f)
				continue
			default:
				return batch, false
			}
		}
		select {
		case f := <-l.fetches:
			batch = append(batch, f)
		case <-delay.C:
			return batch, true
		case <-ctx.Done():
		}
	}
	return batch, true
}

// Fetches gives the user's fetches, the newest first, and how many there are.
func (l *Links) Fetches(ctx context.Context, userID, limit, offset int64) ([]Fetch, int64, error) {
	var rows []Fetch
	total, err := l.db.NewSelect().Model(&rows).Where("user_id = ?", userID).OrderExpr("id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
	return rows, total, err
}

// LastFetch tells when the user's link was fetched last; nil: never, as far as the log goes back.
func (l *Links) LastFetch(ctx context.Context, userID int64) (*time.Time, error) {
	var rows []Fetch
	err := l.db.NewSelect().Model(&rows).Column("fetched_at").Where("user_id = ?", userID).OrderExpr("id DESC").Limit(1).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0].FetchedAt, nil
}

// Register adds the cleaning of the log to the timetable.
func (l *Links) Register(q *job.Queue) {
	q.Every("link.forget", job.Interval(6*time.Hour), l.forget)
}

func (l *Links) forget(ctx context.Context) error {
	return l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		before := l.db.Now().AddDate(0, 0, -l.settings.Get().LinkLogDays)
		_, err := tx.NewDelete().Model((*Fetch)(nil)).Where("fetched_at < ?", before).Exec(ctx)
		return err
	})
}

func (l *Links) fetch(userID int64, ip netip.Addr, userAgent string) Fetch {
	if len(userAgent) > maxAgent {
		userAgent = userAgent[:maxAgent]
	}
	userAgent = strings.Map(func(r rune) rune {
		if r < ' ' { // PostgreSQL keeps no NUL
			return ' '
		}
		return r
	}, strings.ToValidUTF8(userAgent, ""))
	return Fetch{UserID: userID, FetchedAt: l.db.Now(), IP: ip.String(), UserAgent: userAgent}
}
