package role

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/uptrace/bun"
	"golang.org/x/text/unicode/norm"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
)

const (
	maxRoles = 100
	maxName  = 32 // characters
)

var errTooMany = fault.Conflict("too_many_roles", "角色数量已达上限，请先删除不用的",
	"There are too many roles; please delete one that is not used")

// Roles makes, changes and removes the roles of the operator's own. Each call names what who makes it may do, which no
// role that it makes, changes or removes goes beyond: ErrBeyond. The operator may do what owners may.
type Roles struct {
	db       *db.DB
	onChange func(ctx context.Context, tx bun.Tx) error // nil: nothing depends on what a role may do
}

// New returns the roles in d.
func New(d *db.DB) *Roles { return &Roles{db: d} }

// OnChange has fn called after each change of what a role may do, in its transaction. It must be called before the
// server starts.
func (r *Roles) OnChange(fn func(ctx context.Context, tx bun.Tx) error) { r.onChange = fn }

// List returns all roles by their names.
func (r *Roles) List(ctx context.Context) ([]Own, error) { return List(ctx, r.db) }

// Get returns the role with this id, or ErrNoRole.
func (r *Roles) Get(ctx context.Context, id int64) (Own, error) { return Get(ctx, r.db, id) }

// Named returns the role with this name, or ErrNoRole.
func (r *Roles) Named(ctx context.Context, name permission.Role) (Own, error) {
	return Named(ctx, r.db, name)
}

// Make makes a role. Invalid input names the fields name and permissions.
func (r *Roles) Make(ctx context.Context, by permission.Set, name string, permissions []string, reason string,
) (Own, error) {
	own := Own{Name: normalName(name), CreatedAt: r.db.Now()}
	err := r.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		all, err := List(ctx, tx)
		if err != nil {
			return err
		}
		wrong := checkName(own.Name, all)
		own.Permissions = sorted(permissions, nil, &wrong)
		switch {
		case wrong.Err() != nil:
			return wrong.Err()
		case !by.Covers(own.Set()):
			return ErrBeyond
		case len(all) >= maxRoles:
			return errTooMany
		}
		own.ID = 0
		if _, err := tx.NewInsert().Model(&own).Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "staff.role.make", Object(own.ID), nil, own.entry(), reason)
	})
	return own, err
}

// Change gives a role other permissions. They count at once for all who have the role. Those that a newer program
// stored and this one does not know may stay; others that it does not know are refused.
func (r *Roles) Change(ctx context.Context, by permission.Set, id int64, permissions []string, reason string,
) (own Own, err error) {
	err = r.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		was, err := db.LockRow[Own](ctx, tx, id, ErrNoRole)
		if err != nil {
			return err
		}
		own = was
		var wrong fault.Problems
		own.Permissions = sorted(permissions, was.Unknown(), &wrong)
		switch {
		case wrong.Err() != nil:
			return wrong.Err()
		case !by.Covers(was.Set()), !by.Covers(own.Set()):
			return ErrBeyond
		}
		own.Revision++
		if _, err := tx.NewUpdate().Model(&own).Column("permissions", "revision").WherePK().Exec(ctx); err != nil {
			return err
		}
		err = audit.Record(ctx, tx, "staff.role.change", Object(id), was.entry(), own.entry(), reason)
		if err == nil && r.onChange != nil {
			err = r.onChange(ctx, tx)
		}
		return err
	})
	return own, err
}

// Remove deletes a role, or returns ErrHeld where members have it.
func (r *Roles) Remove(ctx context.Context, by permission.Set, id int64, reason string) error {
	err := r.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		was, err := db.LockRow[Own](ctx, tx, id, ErrNoRole)
		switch {
		case err != nil:
			return err
		case !by.Covers(was.Set()):
			return ErrBeyond
		}
		// The schema refuses it while an account has the role.
		if _, err := tx.NewDelete().Model(&was).WherePK().Exec(ctx); err != nil {
			return db.Error(err)
		}
		return audit.Record(ctx, tx, "staff.role.remove", Object(id), was.entry(), nil, reason)
	})
	if errors.Is(err, db.ErrForeignKey) {
		err = ErrHeld
	}
	return err
}

// entry is what the audit log stores of a role.
func (o *Own) entry() map[string]any {
	return map[string]any{"name": o.Name, "permissions": o.Permissions}
}

// normalName returns a name in the one form in which names are stored and compared: letters of another width are the
// plain ones, and words are apart by one space.
func normalName(name string) permission.Role {
	return permission.Role(strings.Join(strings.Fields(norm.NFKC.String(name)), " "))
}

// mixed tells whether a name has Latin letters beside Cyrillic or Greek ones, some of which look the same.
func mixed(name string) bool {
	is := func(tables ...*unicode.RangeTable) bool {
		return strings.ContainsFunc(name, func(c rune) bool { return unicode.IsOneOf(tables, c) })
	}
	return is(unicode.Latin) && is(unicode.Cyrillic, unicode.Greek)
}

// checkName finds what is wrong with the name of a role that is to be made beside the others. Commands, filters and the
// audit log name roles, so that a name is words of one line.
func checkName(name permission.Role, others []Own) (wrong fault.Problems) {
	n := utf8.RuneCountInString(string(name))
	odd := func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != ' ' && c != '-' && c != '_'
	}
	wrong.When(n < 1 || n > maxName || strings.ContainsFunc(string(name), odd) || mixed(string(name)), "name",
		"format",
		"名称需为 1 至 32 个字符，只能包含文字、数字、空格、- 和 _，且拉丁字母不能与西里尔或希腊字母混用",
		"The name has 1 to 32 letters, digits, spaces, - and _, and no Latin letters beside Cyrillic or Greek ones")
	same := func(other permission.Role) bool { return strings.EqualFold(string(other), string(name)) }
	wrong.When(same("none") || slices.ContainsFunc(permission.Roles, same) ||
		slices.ContainsFunc(others, func(o Own) bool { return same(o.Name) }), "name", "taken",
		"已有这个名称的角色", "There is a role with this name already")
	return wrong
}

// sorted returns the permissions in one order, each once. Those that are neither known nor among kept are wrong.
func sorted(permissions, kept []string, wrong *fault.Problems) []string {
	wrong.When(slices.ContainsFunc(permissions, func(name string) bool {
		return !permission.Permission(name).Known() && !slices.Contains(kept, name)
	}), "permissions", "choice", "没有这项权限", "There is no such permission")
	all := slices.Compact(slices.Sorted(slices.Values(permissions)))
	return slices.DeleteFunc(all, func(name string) bool { return name == string(permission.RoleRead) })
}
