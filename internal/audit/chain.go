package audit

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/job"
	"airstrip/internal/seal"
)

type sealRow struct {
	bun.BaseModel `bun:"table:audit_seal"`
	Seq           int64 `bun:",pk"`
	EntryID       int64
	Hash          []byte
	At            time.Time
	Version       int64
}

// sealVersion is the version of new seals. The hash of version 1, which earlier programs wrote, does not cover the
// seal's time.
const sealVersion = 2

// head is the row with the end of the chain.
type head struct {
	bun.BaseModel `bun:"table:audit_head"`
	ID            int64 `bun:",pk"`
	Seq           int64
	Hash          []byte
	MAC           []byte `bun:"mac"`
}

func (h *head) sign(key []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte("head"))
	m.Write(binary.BigEndian.AppendUint64(nil, uint64(h.Seq)))
	m.Write(h.Hash)
	return m.Sum(nil)
}

// hash returns the hash of the seal of e, which follows the seal with the hash before.
func (r *sealRow) hash(before []byte, e *Entry) []byte {
	s := sha256.New()
	s.Write(before)
	if r.Version > 1 {
		s.Write(binary.BigEndian.AppendUint64([]byte("seal"), uint64(r.Version)))
		s.Write(binary.BigEndian.AppendUint64(nil, uint64(r.At.UnixNano())))
	}
	s.Write(binary.BigEndian.AppendUint64(nil, uint64(r.Seq)))
	s.Write(binary.BigEndian.AppendUint64(nil, uint64(e.ID)))
	s.Write(e.MAC)
	s.Write(e.canonical())
	return s.Sum(nil)
}

const (
	sealsAtOnce = 500
	// lateIDs is how far behind the newest sealed entry one may be that is still sealed: PostgreSQL gives numbers
	// before the commit, so that a slow transaction brings a lower number later. No transaction lives for so many
	// others.
	lateIDs = 10_000
	// lateFor is how much older than the newest seal an entry may be that has none.
	lateFor = 5 * time.Minute
	// faultInterval is the time between two notifications of a chain that is not continued.
	faultInterval = 24 * time.Hour
)

// mark is the name of the sealed row that says that the log was begun, and when. It is stored apart from the log, so
// that it survives the deletion of the log's tables.
const mark = "audit_log"

func markPurpose() string { return "secret " + mark }

// errTampered means that the chain is not continued: the end that a server signed is missing or was moved.
var errTampered = errors.New("the end of the audit log's chain is missing or was changed; run airstrip doctor")

// Open returns the log in d and begins it if that never happened: it creates the head of the chain and the mark. A head
// that was removed stays missing: Check finds it, and Seal refuses to work.
func Open(ctx context.Context, d *db.DB, key seal.Key) (*Log, error) {
	l := New(d, key)
	if _, marked, err := readMark(ctx, d); err != nil || marked {
		return l, err
	}
	return l, d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		end, found, err := readHead(ctx, tx)
		if err != nil {
			return err
		}
		if found && !hmac.Equal(end.MAC, end.sign(l.key)) {
			return nil
		}
		if !found {
			var used bool
			err := tx.NewRaw(`SELECT EXISTS (SELECT 1 FROM audit_entry) OR EXISTS (SELECT 1 FROM audit_seal)`).
				Scan(ctx, &used)
			if err != nil || used {
				return err
			}
			end = head{ID: 1, Hash: []byte{}}
			end.MAC = end.sign(l.key)
			if _, err := tx.NewInsert().Model(&end).On("CONFLICT (id) DO NOTHING").Exec(ctx); err != nil {
				return err
			}
			slog.InfoContext(ctx, "began the audit log")
		}
		now := d.Now()
		_, err = tx.NewRaw(`INSERT INTO secret (name, sealed, updated_at) VALUES (?, ?, ?)
			ON CONFLICT (name) DO NOTHING`,
			mark, key.Seal(markPurpose(), []byte(now.UTC().Format(time.RFC3339Nano))), now).Exec(ctx)
		return err
	})
}

func readMark(ctx context.Context, idb bun.IDB) (sealed []byte, found bool, err error) {
	err = idb.NewRaw(`SELECT sealed FROM secret WHERE name = ?`, mark).Scan(ctx, &sealed)
	if errors.Is(err, db.ErrNoRows) {
		return nil, false, nil
	}
	return sealed, err == nil, err
}

// Begun returns when the log was begun, as signed by a server with this key. found is false if it never was, and if the
// mark was removed or not signed by such a server, which Check and CheckKey report.
func Begun(ctx context.Context, d *db.DB, key seal.Key) (at time.Time, found bool, err error) {
	sealed, marked, err := readMark(ctx, d)
	if err != nil || !marked {
		return time.Time{}, false, err
	}
	text, err := key.Open(markPurpose(), sealed)
	if err != nil {
		return time.Time{}, false, nil
	}
	at, err = time.Parse(time.RFC3339Nano, string(text))
	return at, err == nil, err
}

// OnFault has fn called when the chain cannot be continued, in a transaction of its own, once per faultInterval.
func (l *Log) OnFault(fn func(ctx context.Context, tx bun.Tx) error) {
	l.onFault = append(l.onFault, fn)
}

// Register adds the job that seals.
func (l *Log) Register(q *job.Queue) {
	q.Every("audit.seal", l.Seal)
}

// Seal adds all entries that are not in the chain to its end, in the order of their numbers. One that no server wrote
// is left out, for CheckKey to find. A chain whose end is not the one that was signed is not continued.
func (l *Log) Seal(ctx context.Context) error {
	for {
		n, err := l.sealSome(ctx)
		if errors.Is(err, errTampered) {
			l.tell(ctx, err)
		}
		if err != nil || n < sealsAtOnce {
			return err
		}
	}
}

func (l *Log) tell(ctx context.Context, what error) {
	l.notifying.Lock()
	defer l.notifying.Unlock()
	if now := l.db.Now(); l.notifiedAt.IsZero() || now.Sub(l.notifiedAt).Abs() >= faultInterval {
		slog.ErrorContext(ctx, "the audit log is not sealed any more", "error", what)
		err := l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			for _, fn := range l.onFault {
				if err := fn(ctx, tx); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			slog.WarnContext(ctx, "nobody could be told of the audit log", "error", err)
			return
		}
		l.notifiedAt = now
	}
}

// end returns the head, or errTampered where it is not the one that a server signed, or the chain ends elsewhere.
func (l *Log) end(ctx context.Context, tx bun.Tx) (end head, err error) {
	end, found, err := readHead(ctx, tx)
	if err != nil {
		return end, err
	}
	last := sealRow{}
	err = tx.NewSelect().Model(&last).OrderExpr("seq DESC").Limit(1).Scan(ctx)
	if err != nil && !errors.Is(err, db.ErrNoRows) {
		return end, err
	}
	if !found || !hmac.Equal(end.MAC, end.sign(l.key)) || last.Seq != end.Seq || !bytes.Equal(last.Hash, end.Hash) {
		return end, errTampered
	}
	return end, nil
}

func (l *Log) sealSome(ctx context.Context) (sealed int, err error) {
	var end head
	err = l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		sealed = 0
		if end, err = l.end(ctx, tx); err != nil {
			return err
		}
		var entries []Entry
		err = tx.NewSelect().Model(&entries).
			Join("LEFT JOIN audit_seal AS s ON s.entry_id = entry.id").Where("s.seq IS NULL").
			Where("entry.id > (SELECT COALESCE(MAX(entry_id), 0) FROM audit_seal) - ?", lateIDs).
			OrderExpr("entry.id").Limit(sealsAtOnce).Scan(ctx)
		if err != nil {
			return err
		}
		var rows []sealRow
		for i := range entries {
			if !hmac.Equal(entries[i].MAC, entries[i].sign(l.key)) {
				slog.ErrorContext(ctx, "an entry of the audit log was not written by a server", "entry", entries[i].ID)
				continue
			}
			end.Seq++
			row := sealRow{Seq: end.Seq, EntryID: entries[i].ID, At: l.db.Now(), Version: sealVersion}
			row.Hash = row.hash(end.Hash, &entries[i])
			rows, end.Hash = append(rows, row), row.Hash
		}
		if len(rows) == 0 {
			return nil
		}
		if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
			return db.Error(err)
		}
		end.MAC = end.sign(l.key)
		_, err = tx.NewUpdate().Model(&end).WherePK().Exec(ctx)
		sealed = len(rows)
		return err
	})
	if err == nil && sealed > 0 {
		// Whoever keeps the server's log elsewhere can see by it that the chain was cut back and made again.
		slog.InfoContext(ctx, "sealed the audit log", "seq", end.Seq, "hash", fmt.Sprintf("%x", end.Hash))
	}
	return sealed, err
}

func readHead(ctx context.Context, idb bun.IDB) (h head, found bool, err error) {
	err = idb.NewSelect().Model(&h).Where("id = 1").Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		return head{ID: 1}, false, nil
	}
	return h, err == nil, err
}
