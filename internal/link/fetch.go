package link

import (
	"context"
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/detached"
	"airstrip/internal/job"
)

// Fetch is one fetch of a user's link, for the log. It does not contain the token, only a fingerprint to tell two
// tokens of a user apart.
type Fetch struct {
	bun.BaseModel `bun:"table:link_fetch"`
	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	FetchedAt     time.Time
	Token         string // Fingerprint.
	IP            string
	Network       string // The /24 or /48 of the address.
	Area          string // ISO 3166-1, ZZ if unknown.
	Client        string
	Version       string
	UserAgent     string
	Format        string
	Status        int
	Nodes         int
	LeftOut       int
	Bytes         int64 // Size of the body as sent.
}

// The log is written in batches of one transaction. Under a flood that the database cannot follow, some entries are
// lost.
const (
	fetchQueue = 4096
	fetchBatch = 500
	fetchDelay = time.Second
	maxAgent   = 200 // Bytes of a User-Agent that are stored.
)

// Log queues a fetch that was answered with a status and a body of this size. It never blocks.
func (l *Links) Log(f Fetch, status int, bytes int64) {
	f.Status, f.Bytes = status, bytes
	select {
	case l.fetches <- f:
	default:
		l.lost.Add(1)
	}
}

// Run writes the log until ctx ends, and then what is still queued. A failed write is retried while ctx lasts.
func (l *Links) Run(ctx context.Context) {
	for more := true; more; {
		var batch []Fetch
		batch, more = l.collect(ctx)
		for len(batch) > 0 {
			err := l.write(ctx, batch)
			if err == nil {
				break
			}
			slog.ErrorContext(ctx, "could not write the log of link fetches", "fetches", len(batch), "error", err)
			if ctx.Err() != nil {
				break
			}
			select {
			case <-time.After(fetchDelay):
			case <-ctx.Done():
			}
		}
		if lost := l.lost.Swap(0); lost > 0 {
			slog.WarnContext(ctx, "link fetches came faster than they could be logged", "lost", lost)
		}
	}
}

// write stores a batch, also after ctx has ended. Details of an address are looked up here, not during the fetch.
func (l *Links) write(ctx context.Context, batch []Fetch) error {
	for i := range batch {
		ip, _ := netip.ParseAddr(batch[i].IP)
		batch[i].Network, batch[i].Area = network(ip), l.areas.Of(ip)
	}
	ctx, cancel := detached.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewInsert().Model(&batch).ExcludeColumn("id").Exec(ctx)
		return err
	})
}

// network returns the part of an address that one home or office uses at a time: its /24, or the /48 of IPv6.
func network(ip netip.Addr) string {
	bits := 48
	if ip = ip.Unmap().WithZone(""); ip.Is4() {
		bits = 24
	}
	prefix, err := ip.Prefix(bits)
	if err != nil {
		return ""
	}
	return prefix.String()
}

// collect waits for a fetch and adds those that follow soon. more is false once ctx has ended and nothing is queued.
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

// Fetches returns the user's fetches, newest first, and their total number.
func (l *Links) Fetches(ctx context.Context, userID, limit, offset int64) ([]Fetch, int64, error) {
	var rows []Fetch
	total, err := l.db.NewSelect().Model(&rows).Where("user_id = ?",
		userID).OrderExpr("id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
	return rows, total, err
}

// LastFetch returns when the user's link was last fetched, or nil if the log contains no fetch.
func (l *Links) LastFetch(ctx context.Context, userID int64) (*time.Time, error) {
	var rows []Fetch
	err := l.db.NewSelect().Model(&rows).Column("fetched_at").Where("user_id = ?",
		userID).OrderExpr("id DESC").Limit(1).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0].FetchedAt, nil
}

// Register adds the cleaning of the log and the notices about many networks to the timetable.
func (l *Links) Register(q *job.Queue) {
	q.Every("link.forget", l.forget)
	q.Every("link.watch", l.Watch)
}

func (l *Links) forget(ctx context.Context) error {
	return l.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		before := l.db.Now().AddDate(0, 0, -l.settings.Get().LinkLogDays)
		_, err := tx.NewDelete().Model((*Fetch)(nil)).Where("fetched_at < ?", before).Exec(ctx)
		return err
	})
}

func (l *Links) fetch(userID int64, token string, ip netip.Addr, userAgent string) Fetch {
	if len(userAgent) > maxAgent {
		userAgent = userAgent[:maxAgent]
	}
	userAgent = strings.Map(func(r rune) rune {
		if r < ' ' { // PostgreSQL does not store NUL.
			return ' '
		}
		return r
	}, strings.ToValidUTF8(userAgent, ""))
	return Fetch{
		UserID: userID, FetchedAt: l.db.Now(), Token: fingerprint(token), IP: ip.String(),
		UserAgent: userAgent,
	}
}
