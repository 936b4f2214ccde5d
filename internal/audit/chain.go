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

// The rules that Check and CheckKey test.
const (
	chainRule   = "audit: the log is as it was written, and whole"
	writtenRule = "audit: every entry was written by a server"
)

const checkedAtOnce = 1000

// faults are the first violations of a rule that were found. There may be one for every seal of a chain that was cut.
type faults struct {
	rule  string
	found []db.Violation
}

func (f *faults) add(format string, args ...any) {
	if len(f.found) < 20 {
		f.found = append(f.found, db.Violation{Rule: f.rule, What: fmt.Sprintf(format, args...)})
	}
}

// Check walks the chain and returns where it is broken: an entry that was changed, removed or put in among those
// that are sealed, and an end that was cut off. That the triggers are in place is what db.DB.Check tests.
func Check(ctx context.Context, d *db.DB) ([]db.Violation, error) {
	broken := faults{rule: chainRule}
	var hash []byte
	var newest time.Time
	seq := int64(0)
	for {
		var page []struct {
			Entry       `bun:",extend"`
			SealSeq     int64     `bun:"seal_seq"`
			SealHash    []byte    `bun:"seal_hash"`
			SealAt      time.Time `bun:"seal_at"`
			SealVersion int64     `bun:"seal_version"`
			Sealed      int64     `bun:"sealed"`
		}
		err := d.NewRaw(`SELECT e.*, s.seq AS seal_seq, s.hash AS seal_hash, s.at AS seal_at, s.version AS seal_version, s.entry_id AS sealed FROM
			(SELECT * FROM audit_seal WHERE seq > ? ORDER BY seq LIMIT ?) s
			LEFT JOIN audit_entry e ON e.id = s.entry_id ORDER BY s.seq`,
			seq, checkedAtOnce).Scan(ctx, &page)
		if err != nil {
			return nil, err
		}
		for i := range page {
			p := &page[i]
			row := sealRow{Seq: p.SealSeq, At: p.SealAt, Version: p.SealVersion}
			switch {
			case p.SealSeq != seq+1:
				broken.add("seals %d to %d are missing", seq+1, p.SealSeq-1)
			case p.ID == 0:
				broken.add("entry %d was removed", p.Sealed)
			case !bytes.Equal(row.hash(hash, &p.Entry), p.SealHash):
				broken.add("entry %d is not the one that was sealed, or its seal was changed", p.ID)
			}
			seq, hash = p.SealSeq, p.SealHash
			if p.SealAt.After(newest) {
				newest = p.SealAt
			}
		}
		if len(page) < checkedAtOnce {
			break
		}
	}
	end, found, err := readHead(ctx, d)
	if err != nil {
		return nil, err
	}
	_, marked, err := readMark(ctx, d)
	if err != nil {
		return nil, err
	}
	var entries bool
	if err := d.NewRaw(`SELECT EXISTS (SELECT 1 FROM audit_entry)`).Scan(ctx, &entries); err != nil {
		return nil, err
	}
	switch used := entries || seq > 0; {
	case !found && (marked || used):
		broken.add("the head of the chain is missing: entries were removed, or the chain was")
	case found && !marked:
		broken.add("nothing says that the log was begun: the row %s of the table secret was removed", mark)
	case end.Seq != seq || !bytes.Equal(end.Hash, hash):
		broken.add("the chain ends with seal %d, and the head names seal %d", seq, end.Seq)
	}
	if newest.IsZero() {
		return broken.found, nil
	}
	var late []int64
	err = d.NewRaw(`SELECT e.id FROM audit_entry e LEFT JOIN audit_seal s ON s.entry_id = e.id
		WHERE s.seq IS NULL AND e.at < ? ORDER BY e.id LIMIT 20`, newest.Add(-lateFor)).Scan(ctx, &late)
	for _, id := range late {
		broken.add("entry %d was left out of the chain", id)
	}
	return broken.found, err
}

// CheckKey returns what was not signed with the server's key: entries that were put in or changed by hand, sealed or
// not, and a chain that somebody made again.
func CheckKey(ctx context.Context, d *db.DB, key seal.Key) ([]db.Violation, error) {
	broken := faults{rule: writtenRule}
	own := key.For("audit")
	for last, more := int64(0), true; more; {
		var page []Entry
		q := d.NewSelect().Model(&page).Where("id > ?", last).OrderExpr("id").Limit(checkedAtOnce)
		if err := q.Scan(ctx); err != nil {
			return nil, err
		}
		for i := range page {
			if last = page[i].ID; !hmac.Equal(page[i].MAC, page[i].sign(own)) {
				broken.add("entry %d", page[i].ID)
			}
		}
		more = len(page) == checkedAtOnce
	}
	end, found, err := readHead(ctx, d)
	if err != nil {
		return nil, err
	}
	if found && !hmac.Equal(end.MAC, end.sign(own)) {
		broken.add("the end of the chain, seal %d", end.Seq)
	}
	begun, marked, err := readMark(ctx, d)
	if err != nil || !marked {
		return broken.found, err
	}
	if _, err := key.Open(markPurpose(), begun); err != nil {
		broken.add("when the log was begun: the row %s of the table secret", mark)
	}
	return broken.found, nil
}
