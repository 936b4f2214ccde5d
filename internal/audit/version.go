package audit

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// Version names a state of an object that staff changes: it is the newest entry of the log about it, 0 where there is
// none or the object was removed. Nothing else has to be stored, and who made a version is its entry's actor.
type Version int64

// ErrVersion is the fault of a change to an object that somebody else changed after its caller had read it.
var ErrVersion = fault.Conflict("version_conflict", "这项内容已被其他人修改，请对照后重新保存",
	"Somebody else has changed this meanwhile; please compare and save again")

// Edit is one change of an object by a member of staff who had read Seen of it.
type Edit struct {
	Object Object // without an ID where it is about to be made
	Seen   Version
	Any    bool    // whatever it is now
	Made   Version // that the change made; 0: it recorded none

	in *sql.Tx // in which Made was written
}

type editKey struct{}

// Editing returns the context of a change. Record in it refuses with ErrVersion what was not made from the newest
// version of the object: of several changes at once, whose transactions wait for each other at the object's row, the
// first one is made.
func Editing(ctx context.Context, e *Edit) context.Context {
	return context.WithValue(ctx, editKey{}, e)
}

// admit checks the version on which a change of object is based.
func (e *Edit) admit(ctx context.Context, tx bun.Tx, object Object) error {
	if e.in != tx.Tx {
		e.in, e.Made = tx.Tx, 0
	}
	if e.Any || e.Object != object || e.Made != 0 {
		return nil
	}
	now, err := newest(ctx, tx, object)
	if err == nil && now != e.Seen {
		err = ErrVersion
	}
	return err
}

// noteMade keeps the version that an entry is.
func (e *Edit) noteMade(entry *Entry) {
	if e.Object.Kind == entry.Object && (e.Object.ID == "" || e.Object.ID == entry.ObjectID) {
		e.Made = Version(entry.ID)
	}
}

// changing selects entries that say of a change; others say that something was read or sent.
const changing = "(before <> '' OR after <> '')"

func newest(ctx context.Context, idb bun.IDB, object Object) (v Version, err error) {
	e, err := newestEntry(ctx, idb, object)
	if errors.Is(err, db.ErrNoRows) {
		return 0, nil
	}
	return e.Version(), err
}

func newestEntry(ctx context.Context, idb bun.IDB, object Object) (*Entry, error) {
	e := new(Entry)
	err := idb.NewSelect().Model(e).Where("object = ? AND object_id = ?", object.Kind, object.ID).Where(changing).
		OrderExpr("id DESC").Limit(1).Scan(ctx)
	return e, err
}

// Version returns the version that a change made.
func (e *Entry) Version() Version {
	if e.After == "" { // removed
		return 0
	}
	return Version(e.ID)
}

// Version returns the version of an object.
func (l *Log) Version(ctx context.Context, object Object) (Version, error) {
	return newest(ctx, l.db, object)
}

// Versions returns the versions of all objects of a kind by their IDs. It must be called before the objects are read:
// who changes one that was read later is refused, while a version that is read too late would let them overwrite what
// they have not seen.
func (l *Log) Versions(ctx context.Context, kind string) (map[string]Version, error) {
	var rows []struct {
		ObjectID string
		Version  Version
	}
	err := l.db.NewSelect().Model((*Entry)(nil)).Column("object_id").ColumnExpr("MAX(id) AS version").
		Where("object = ?", kind).Where(changing).Group("object_id").Scan(ctx, &rows)
	versions := make(map[string]Version, len(rows))
	for _, r := range rows {
		versions[r.ObjectID] = r.Version
	}
	return versions, err
}

// Newest returns the entry that made the present version of an object, nil where there is none.
func (l *Log) Newest(ctx context.Context, object Object) (*Entry, error) {
	e, err := newestEntry(ctx, l.db, object)
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil
	}
	return e, err
}
