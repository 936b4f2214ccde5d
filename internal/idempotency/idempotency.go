// Package idempotency lets a client repeat a request that moves money without moving it twice: the answer is stored in
// the transaction that has the effect, under the key that the client chose.
package idempotency

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/dberr"
	"airstrip/internal/detached"
	"airstrip/internal/fault"
)

// Kept is how long a key answers again.
const Kept = 72 * time.Hour

// ErrOtherRequest is the fault of a key under which another request was done.
var ErrOtherRequest = fault.Unprocessable("idempotency_key_reused",
	"这项操作之前已经以不同的内容提交过，并且已经完成；请先查看结果，再决定是否重新提交",
	"This was sent before with other contents, and that was done. Look at what came of it before you send it again")

// ErrReceived is the fault of a key under which the same request came before. It was done, or goes on, or the server
// stopped in the middle of it.
var ErrReceived = fault.Conflict("already_received",
	"这项操作之前已经收到，可能已经完成，也可能仍在进行；请先查看结果，再决定是否重新提交",
	"This was received before: it is done, or still goes on. Look at what came of it before you send it again")

// Request is one keyed request.
type Request struct {
	UserID int64
	Key    string // up to 128 characters, chosen by the client
	Hash   []byte // SHA-256 over method, path and body
	// Repeated is called where Tx gives the answer to an earlier request; nil: nobody asks.
	Repeated func()
}

type contextKey struct{}

// With binds the request to ctx; the Tx calls below it then act once per key.
func With(ctx context.Context, r Request) context.Context {
	return context.WithValue(ctx, contextKey{}, r)
}

type row struct {
	bun.BaseModel `bun:"table:idempotency"`
	UserID        int64  `bun:",pk"`
	Key           string `bun:",pk"`
	Request       []byte
	Answer        json.RawMessage `bun:"type:jsonb"`
	CreatedAt     time.Time
}

var errSeen = errors.New("idempotency: the key was seen")

// Tx runs fn in a transaction and gives its answer. Where ctx carries a Request whose key was used before, fn does not
// run and the first answer comes again; a failure of fn stores nothing. T must survive JSON.
func Tx[T any](ctx context.Context, d *db.DB, fn func(ctx context.Context, tx bun.Tx) (T, error)) (T, error) {
	answer, err := once(ctx, d, fn)
	if errors.Is(err, dberr.ErrOutcomeUnknown) {
		if _, keyed := ctx.Value(contextKey{}).(Request); keyed {
			// The insert of the key waits for what became of the transaction whose answer was lost, so nothing is done
			// twice.
			return once(ctx, d, fn)
		}
	}
	return answer, err
}

func once[T any](ctx context.Context, d *db.DB, fn func(ctx context.Context, tx bun.Tx) (T, error)) (T, error) {
	var answer T
	r, keyed := ctx.Value(contextKey{}).(Request)
	err := d.Tx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		if keyed {
			n, err := insert(ctx, tx, r, d.Now())
			if err != nil {
				return err
			}
			if n == 0 {
				return errSeen
			}
		}
		if answer, err = fn(ctx, tx); err != nil || !keyed {
			return err
		}
		stored, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		_, err = tx.NewUpdate().Model(&row{UserID: r.UserID, Key: r.Key, Answer: stored}).Column("answer").WherePK().
			Exec(ctx)
		return err
	})
	if !errors.Is(err, errSeen) {
		return answer, err
	}
	first, err := read(ctx, d, r)
	if err != nil {
		return answer, err
	}
	if r.Repeated != nil {
		r.Repeated()
	}
	return answer, json.Unmarshal(first.Answer, &answer)
}

// Keys lets requests be done once that store no answer, such as those for a secret that is shown once.
type Keys struct{ db *db.DB }

// NewKeys returns Keys that are stored in d.
func NewKeys(d *db.DB) *Keys { return &Keys{d} }

// Receipt is the mark that a request was received.
type Receipt struct {
	db        *db.DB
	request   Request
	beginning *db.Beginning
}

// Once returns a context in which the request is done once: the first transaction of a repeat fails with ErrReceived,
// or with ErrOtherRequest.
func (k *Keys) Once(ctx context.Context, r Request) (context.Context, *Receipt) {
	ctx, beginning := db.WithBeginning(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := insert(ctx, tx, r, k.db.Now())
		if err != nil || n > 0 {
			return err
		}
		if _, err := read(ctx, tx, r); err != nil {
			return err
		}
		return ErrReceived
	})
	return ctx, &Receipt{k.db, r, beginning}
}

// settleTimeout is how long Settle goes on after its caller has gone.
const settleTimeout = 5 * time.Second

// Settle ends a request that failed with err, and returns the error that its caller gets. refused tells whether err
// says for certain that nothing was done: the key of such a request is forgotten, so that it may come again. A request
// that failed because the first one with its key changed what it wanted to change gets ErrReceived.
func (r *Receipt) Settle(ctx context.Context, err error, refused bool) error {
	ctx, cancel := detached.WithTimeout(ctx, settleTimeout)
	defer cancel()
	if !r.beginning.Committed() {
		switch _, other := read(ctx, r.db, r.request); {
		case other == nil:
			return ErrReceived
		case errors.Is(other, ErrOtherRequest):
			return other
		}
		return err
	}
	if !refused {
		return err
	}
	return cmp.Or(r.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewDelete().Model((*row)(nil)).Where("user_id = ? AND key = ?", r.request.UserID, r.request.Key).
			Exec(ctx)
		return err
	}), err)
}

// read returns the row of a request that was done, or ErrOtherRequest where another one was done under its key.
func read(ctx context.Context, idb bun.IDB, r Request) (first row, err error) {
	err = idb.NewSelect().Model(&first).Where("user_id = ? AND key = ?", r.UserID, r.Key).Scan(ctx)
	if err == nil && !bytes.Equal(first.Request, r.Hash) {
		err = ErrOtherRequest
	}
	return first, err
}

// insert stores the key of a request and returns 0 where it is stored already. It waits for another request with the
// same key, so nothing is ever in progress where it returns.
func insert(ctx context.Context, tx bun.Tx, r Request, now time.Time) (int64, error) {
	return db.Changed(tx.NewRaw(`INSERT INTO idempotency (user_id, key, request, answer, created_at)
		VALUES (?, ?, ?, 'null', ?)
		ON CONFLICT DO NOTHING`, r.UserID, r.Key, r.Hash, now).Exec(ctx))
}

// Done tells whether ctx carries a Request whose key was used before, so that its Tx gives the first answer or
// ErrOtherRequest. What is used up by the first call, such as the answer to a captcha, is then not asked for again.
func Done(ctx context.Context, d *db.DB) (bool, error) {
	r, keyed := ctx.Value(contextKey{}).(Request)
	if !keyed {
		return false, nil
	}
	return d.NewSelect().Model((*row)(nil)).Where("user_id = ? AND key = ?", r.UserID, r.Key).Exists(ctx)
}

// Forget removes the keys that are older than Kept.
func Forget(ctx context.Context, d *db.DB) error {
	return d.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewDelete().Model((*row)(nil)).Where("created_at < ?", d.Now().Add(-Kept)).Exec(ctx)
		return err
	})
}
