package audit

import (
	"bytes"
	"context"
	"crypto/hmac"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/seal"
)

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
// that are sealed, and an end that was cut off. It reads the log as it is at one moment, since servers go on sealing.
// That the triggers are in place is what db.DB.Check tests.
func Check(ctx context.Context, d *db.DB) ([]db.Violation, error) {
	broken := faults{rule: chainRule}
	err := d.LongReadTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		seq, hash, err := broken.walk(ctx, tx)
		if err != nil {
			return err
		}
		if err := broken.checkHead(ctx, tx, seq, hash); err != nil {
			return err
		}
		return broken.checkLate(ctx, tx)
	})
	return broken.found, err
}

// walk adds what is broken within the chain, and returns the number and the hash of its last seal.
func (f *faults) walk(ctx context.Context, tx bun.Tx) (seq int64, hash []byte, err error) {
	for {
		var page []struct {
			Entry       `bun:",extend"`
			SealSeq     int64     `bun:"seal_seq"`
			SealHash    []byte    `bun:"seal_hash"`
			SealAt      time.Time `bun:"seal_at"`
			SealVersion int64     `bun:"seal_version"`
			Sealed      int64     `bun:"sealed"`
		}
		err := tx.NewRaw(`SELECT e.*, s.seq AS seal_seq, s.hash AS seal_hash, s.at AS seal_at, s.version AS seal_version,
			s.entry_id AS sealed FROM (SELECT * FROM audit_seal WHERE seq > ? ORDER BY seq LIMIT ?) s
			LEFT JOIN audit_entry e ON e.id = s.entry_id ORDER BY s.seq`,
			seq, checkedAtOnce).Scan(ctx, &page)
		if err != nil {
			return seq, hash, err
		}
		for i := range page {
			p := &page[i]
			row := sealRow{Seq: p.SealSeq, At: p.SealAt, Version: p.SealVersion}
			switch {
			case p.SealSeq != seq+1:
				f.add("seals %d to %d are missing", seq+1, p.SealSeq-1)
			case p.ID == 0:
				f.add("entry %d was removed", p.Sealed)
			case !bytes.Equal(row.hash(hash, &p.Entry), p.SealHash):
				f.add("entry %d is not the one that was sealed, or its seal was changed", p.ID)
			}
			seq, hash = p.SealSeq, p.SealHash
		}
		if len(page) < checkedAtOnce {
			return seq, hash, nil
		}
	}
}

// checkHead adds what is wrong with the head of a chain that ends with the seal seq and its hash.
func (f *faults) checkHead(ctx context.Context, tx bun.Tx, seq int64, hash []byte) error {
	end, found, err := readHead(ctx, tx)
	if err != nil {
		return err
	}
	_, marked, err := readMark(ctx, tx)
	if err != nil {
		return err
	}
	var entries bool
	if err := tx.NewRaw(`SELECT EXISTS (SELECT 1 FROM audit_entry)`).Scan(ctx, &entries); err != nil {
		return err
	}
	switch used := entries || seq > 0; {
	case !found && (marked || used):
		f.add("the head of the chain is missing: entries were removed, or the chain was")
	case found && !marked:
		f.add("nothing says that the log was begun: the row %s of the table secret was removed", mark)
	case end.Seq != seq || !bytes.Equal(end.Hash, hash):
		f.add("the chain ends with seal %d, and the head names seal %d", seq, end.Seq)
	}
	return nil
}

// checkLate adds the entries without a seal that others followed into the chain more than lateFor after them. The
// newest entries wait for their seal, whatever time older seals have: a clock that was ahead has made some of them.
func (f *faults) checkLate(ctx context.Context, tx bun.Tx) error {
	var unsealed []struct {
		ID           int64
		At, PassedAt time.Time
	}
	err := tx.NewRaw(`SELECT e.id, e.at,
			(SELECT s.at FROM audit_seal s WHERE s.entry_id > e.id ORDER BY s.seq DESC LIMIT 1) AS passed_at
		FROM audit_entry e LEFT JOIN audit_seal own ON own.entry_id = e.id
		WHERE own.seq IS NULL AND e.id < (SELECT MAX(entry_id) FROM audit_seal)
		ORDER BY e.id LIMIT ?`, checkedAtOnce).Scan(ctx, &unsealed)
	for _, e := range unsealed {
		if e.PassedAt.Sub(e.At) > lateFor {
			f.add("entry %d was left out of the chain", e.ID)
		}
	}
	return err
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
