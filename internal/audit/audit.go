// Package audit records what members of staff and the operator change: who, what, before and after, and why, in the
// transaction of the change, so that neither exists without the other. The database refuses to change or remove an
// entry. A job seals the entries in order into a chain of hashes, apart from the changes, so that no lock makes them
// wait for each other. Whoever changes the database by hand leaves an entry whose MAC is wrong or a chain that does not
// hold: CheckKey and Check find them.
package audit

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
	"airstrip/internal/seal"
	"airstrip/internal/text"
)

// Kind says who an actor is.
type Kind string

// The kinds of actors.
const (
	Member   Kind = "member"   // of staff, signed in
	Token    Kind = "token"    // a program with an API token that a member of staff gave
	Operator Kind = "operator" // at the command line of the server's machine
)

// Actor is somebody who changes something.
type Actor struct {
	Kind      Kind
	UserID    int64           // of the member or the token's owner; of an operator who named a member; else 0
	Role      permission.Role // of a member
	Name      string          // of an operator, on the machine
	Address   string
	RequestID string
}

// Object is what is changed: its kind, such as node or order, and its number or name.
type Object struct{ Kind, ID string }

// ID returns the object of this kind with a number.
func ID(kind string, id int64) Object { return Object{kind, strconv.FormatInt(id, 10)} }

// Entry is one row of the log.
type Entry struct {
	bun.BaseModel `bun:"table:audit_entry"`
	ID            int64 `bun:",pk,autoincrement"`
	Key           uuid.UUID
	At            time.Time
	Actor         Kind
	ActorID       *int64
	ActorRole     permission.Role
	ActorName     string
	Address       string
	RequestID     string
	Action        string
	Object        string
	ObjectID      string
	Before        string // JSON of the fields that differ, or empty
	After         string
	Reason        string
	MAC           []byte `bun:"mac"`
	Seq           *int64 `bun:",scanonly"` // position in the chain; nil: not sealed yet
}

// Log is the audit log in a database.
type Log struct {
	db         *db.DB
	key        []byte
	onFault    []func(ctx context.Context, tx bun.Tx) error
	notifying  sync.Mutex
	notifiedAt time.Time // when staff was last notified that the chain is not continued
}

// New returns the log in d, which Open began. Its entries are signed with a key derived from key.
func New(d *db.DB, key seal.Key) *Log { return &Log{db: d, key: key.For("audit")} }

type actingKey struct{}

type acting struct {
	log *Log
	who Actor
}

// As returns the context in which who acts. The routers of the API call it for each operation of staff, so that no
// function below them can lose the actor on its way to the transaction.
func (l *Log) As(ctx context.Context, who Actor) context.Context {
	return context.WithValue(ctx, actingKey{}, &acting{l, who})
}

// Prepare returns the context of a command, which begins before the database is open. Begin sets the actor in it.
func Prepare(ctx context.Context) context.Context {
	return context.WithValue(ctx, actingKey{}, &acting{})
}

// Begin sets the actor of a context that Prepare returned, from now on.
func (l *Log) Begin(ctx context.Context, who Actor) {
	if a, ok := ctx.Value(actingKey{}).(*acting); ok {
		*a = acting{l, who}
	}
}

// actingIn returns the actor of ctx; nil: a user acts for themselves, or a job.
func actingIn(ctx context.Context) *acting {
	if a, ok := ctx.Value(actingKey{}).(*acting); ok && a.log != nil {
		return a
	}
	return nil
}

// Acting tells whether a member of staff or the operator acts in ctx, so that Record writes an entry.
func Acting(ctx context.Context) bool { return actingIn(ctx) != nil }

type reasonKey struct{}

// Because returns a context in which entries without a reason of their own get this one.
func Because(ctx context.Context, reason string) context.Context {
	return context.WithValue(ctx, reasonKey{}, reason)
}

func reasonIn(ctx context.Context) string {
	reason, _ := ctx.Value(reasonKey{}).(string)
	return reason
}

// Record writes, as part of tx, that the actor of ctx did action to object, and why. before and after are what it is in
// JSON; of two objects only the fields that differ are stored, and nil means that it did not exist. Nothing is written
// where no member of staff and no operator acts: users and jobs have logs of their own.
func Record(ctx context.Context, tx bun.Tx, action string, object Object, before, after any, reason string) error {
	a := actingIn(ctx)
	if a == nil {
		return nil
	}
	edit, edits := ctx.Value(editKey{}).(*Edit)
	if edits {
		if err := edit.admit(ctx, tx, object); err != nil {
			return err
		}
	}
	was, is, err := differing(before, after)
	if err != nil {
		return err
	}
	e := Entry{
		Key: uuid.New(), At: a.log.db.Now(), Actor: a.who.Kind, ActorRole: a.who.Role, ActorName: a.who.Name,
		Address: a.who.Address, RequestID: a.who.RequestID, Action: action, Object: object.Kind, ObjectID: object.ID,
		Before: was, After: is, Reason: short(cmp.Or(reason, reasonIn(ctx))),
	}
	if a.who.UserID != 0 {
		e.ActorID = &a.who.UserID
	}
	e.MAC = e.sign(a.log.key)
	if _, err = tx.NewInsert().Model(&e).Exec(ctx); err != nil {
		return db.Error(err)
	}
	if edits {
		edit.noteMade(&e)
	}
	return nil
}

// Recording returns what records an act as part of a transaction, for parts that know nothing of the audit log.
func Recording(action string, object Object, before, after any) func(ctx context.Context, tx bun.Tx) error {
	return func(ctx context.Context, tx bun.Tx) error { return Record(ctx, tx, action, object, before, after, "") }
}

// Note is Record in a transaction of its own, for an act that changes nothing in the database but is logged: a secret
// was read, a job was run.
func Note(ctx context.Context, action string, object Object, after any, reason string) error {
	a := actingIn(ctx)
	if a == nil {
		return nil
	}
	return a.log.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		return Record(ctx, tx, action, object, nil, after, reason)
	})
}

// canonical returns what the MAC covers: every column but id, which the database generates.
func (e *Entry) canonical() []byte {
	text, err := json.Marshal([]any{
		1, e.Key, e.At.UnixMilli(), e.Actor, e.ActorID, e.ActorRole, e.ActorName, e.Address, e.RequestID,
		e.Action, e.Object, e.ObjectID, e.Before, e.After, e.Reason,
	})
	if err != nil {
		panic(err) // texts and numbers only
	}
	return text
}

func (e *Entry) sign(key []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write(e.canonical())
	return m.Sum(nil)
}

const maxReason = 500 // characters; the maximum of every operation

// CheckReason trims the reason of an operation. The reason is a fault of the field reason where nothing of it can be
// seen, it is longer than an entry holds, or cannot be stored.
func CheckReason(reason *string) error {
	*reason = strings.TrimSpace(*reason)
	if text.Folded(*reason) == "" || utf8.RuneCountInString(*reason) > maxReason || !text.IsStorable(*reason) {
		return fault.Invalid("reason", "length", "请填写 1 到 500 个字符的原因",
			"Please give a reason of 1 to 500 characters")
	}
	return nil
}

func short(reason string) string {
	reason = strings.ToValidUTF8(strings.ReplaceAll(strings.TrimSpace(reason), "\x00", ""), "\ufffd")
	if utf8.RuneCountInString(reason) <= maxReason {
		return reason
	}
	return string([]rune(reason)[:maxReason])
}

// Filter selects entries; a zero field matches all.
type Filter struct {
	ActorID          int64
	Actor            Kind
	Action           string // all that begin with it where it ends with a dot
	Object, ObjectID string
	From, To         time.Time // To is not included
	Limit, Offset    int64
}

// Find returns a page of the entries, the newest first, and the number of all of them.
func (l *Log) Find(ctx context.Context, f Filter) (entries []Entry, total int64, err error) {
	q := l.db.NewSelect().Model(&entries).ColumnExpr("entry.*, s.seq").
		Join("LEFT JOIN audit_seal AS s ON s.entry_id = entry.id").
		OrderExpr("entry.id DESC").Limit(f.Limit).Offset(f.Offset)
	if f.ActorID != 0 {
		q.Where("actor_id = ?", f.ActorID)
	}
	columns := map[string]string{"actor": string(f.Actor), "object": f.Object, "object_id": f.ObjectID}
	for column, value := range columns {
		if value != "" {
			q.Where("? = ?", bun.Ident(column), value)
		}
	}
	switch {
	case strings.HasSuffix(f.Action, "."):
		q.Where("SUBSTR(action, 1, ?) = ?", utf8.RuneCountInString(f.Action), f.Action)
	case f.Action != "":
		q.Where("action = ?", f.Action)
	}
	if !f.From.IsZero() {
		q.Where("entry.at >= ?", f.From.UTC())
	}
	if !f.To.IsZero() {
		q.Where("entry.at < ?", f.To.UTC())
	}
	total, err = q.ScanAndCount(ctx)
	return slices.Clip(entries), total, err
}
