// Package role keeps the roles of the operator's own, made of permissions, beside the built-in ones of package
// permission. What a role may do is read from the database each time that it is asked, so that a permission which is
// taken away opens nothing more on any server. Who changes a role never gives by it what they have not got.
package role

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
)

// Own is a role of the operator's own.
type Own struct {
	bun.BaseModel `bun:"table:staff_role"`
	ID            int64           `bun:",pk,autoincrement"`
	Name          permission.Role // never that of a built-in one; it stays as it is
	Permissions   []string        `bun:"type:jsonb"` // sorted; some may be of a newer program
	Revision      int64           // grows with each change
	CreatedAt     time.Time
}

// Set returns what members with the role may do.
func (o *Own) Set() permission.Set { return permission.SetOf(o.Permissions) }

// Unknown returns the names of permissions that this program does not know, which give nothing.
func (o *Own) Unknown() (names []string) {
	for _, name := range o.Permissions {
		if !permission.Permission(name).Known() {
			names = append(names, name)
		}
	}
	return names
}

// Object names the role in the audit log.
func Object(id int64) audit.Object { return audit.ID("staff_role", id) }

// Faults of roles.
var (
	ErrNoRole = fault.NotFound("role_not_found", "没有这个角色", "There is no such role")
	ErrHeld   = fault.Conflict("role_held", "仍有成员使用此角色，请先为他们更换角色",
		"Members have this role; give them another one first")
	// ErrBeyond refuses to give, change or take what goes beyond the permissions of who does it.
	ErrBeyond = fault.Forbidden("beyond_own_permissions", "此角色的权限超出了你自己的权限",
		"This role may do what you may not do yourself")
)

// Of returns what members with the role may do, a built-in one or one of the operator's own, as the database has it
// now. Nobody without a role may do anything.
func Of(ctx context.Context, idb bun.IDB, role permission.Role) (permission.Set, error) {
	set, _, err := At(ctx, idb, role)
	return set, err
}

// At is Of, with the revision of the role; that of a built-in one is 0.
func At(ctx context.Context, idb bun.IDB, role permission.Role) (set permission.Set, revision int64, err error) {
	if role == "" || role.IsBuiltIn() {
		return role.Set(), 0, nil
	}
	own, err := Named(ctx, idb, role)
	if errors.Is(err, ErrNoRole) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	return own.Set(), own.Revision, nil
}

// With returns the roles whose members may do what needs p.
func With(ctx context.Context, idb bun.IDB, p permission.Permission) ([]permission.Role, error) {
	roles := p.Roles()
	own, err := List(ctx, idb)
	for i := range own {
		if own[i].Set().Has(p) {
			roles = append(roles, own[i].Name)
		}
	}
	return roles, err
}

// Exists tells whether members can have the role.
func Exists(ctx context.Context, idb bun.IDB, role permission.Role) (bool, error) {
	if role.IsBuiltIn() {
		return true, nil
	}
	_, err := Named(ctx, idb, role)
	if errors.Is(err, ErrNoRole) {
		return false, nil
	}
	return err == nil, err
}

// List returns the roles of the operator's own by their names.
func List(ctx context.Context, idb bun.IDB) (all []Own, err error) {
	err = idb.NewSelect().Model(&all).OrderExpr("name").Scan(ctx)
	return all, err
}

// Named returns the role of the operator's own with this name, or ErrNoRole.
func Named(ctx context.Context, idb bun.IDB, name permission.Role) (Own, error) {
	return find(ctx, idb.NewSelect().Where("name = ?", name))
}

// Get returns the role of the operator's own with this id, or ErrNoRole.
func Get(ctx context.Context, idb bun.IDB, id int64) (Own, error) {
	return find(ctx, idb.NewSelect().Where("id = ?", id))
}

func find(ctx context.Context, q *bun.SelectQuery) (own Own, err error) {
	err = q.Model(&own).Scan(ctx)
	return own, db.OrMissing(err, ErrNoRole)
}
