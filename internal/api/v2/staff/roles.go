package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/permission"
	"airstrip/internal/role"
)

type ownRole struct {
	ID          int64           `json:"id" doc:"0: a built-in role"`
	Name        permission.Role `json:"name"`
	Permissions []string        `json:"permissions"`
	Unknown     []string        `json:"unknown" doc:"Permissions that this version of the program does not know; they give nothing"`
	Members     int             `json:"members" doc:"How many members have the role"`
	MayGive     bool            `json:"may_give" doc:"Whether the caller has all that it gives, and may so give, change and remove it"`
	CreatedAt   *time.Time      `json:"created_at" nullable:"true" doc:"null: a built-in role"`
	v2.Version
}

type rolePermission struct {
	Permission  permission.Permission `json:"permission"`
	Allows      string                `json:"allows" doc:"In the caller's language"`
	IsDangerous bool                  `json:"is_dangerous" doc:"Whether it asks for a recent password or passkey"`
	IsAlways    bool                  `json:"is_always" doc:"Whether every role has it"`
	MayGive     bool                  `json:"may_give" doc:"Whether the caller has it, and may so give it"`
}

type rolePermissionArea struct {
	Name        string           `json:"name"`
	Permissions []rolePermission `json:"permissions"`
}

type roleList struct {
	Roles []ownRole            `json:"roles" doc:"The built-in ones first, then the others by name"`
	Areas []rolePermissionArea `json:"areas" doc:"All permissions that there are"`
}

type roleDraft struct {
	Name        string   `json:"name" minLength:"1" maxLength:"64" doc:"1 to 32 letters, digits, spaces, - and _; it stays"`
	Permissions []string `json:"permissions" maxItems:"500"`
	Reason      string   `json:"reason,omitempty" maxLength:"500" doc:"For the audit log"`
}

type roleChange struct {
	ID   int64 `path:"role_id" minimum:"1"`
	Body struct {
		Permissions []string `json:"permissions" maxItems:"500" doc:"Those in unknown may stay"`
		Reason      string   `json:"reason,omitempty" maxLength:"500" doc:"For the audit log"`
	}
}

type roles struct {
	roles    *role.Roles
	accounts *account.Accounts
}

// Roles adds the roles of the operator's own beside the built-in ones.
func Roles(all *role.Roles, a *account.Accounts) v2.Resource {
	of := roles{all, a}
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/roles", permission.MemberRead).
			Named("staff_roles", "All roles, and all permissions that a role can be made of"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (roleList, error) {
				versions, err := r.Versions(ctx, role.Object(0).Kind)
				if err != nil {
					return roleList{}, err
				}
				list, err := of.list(ctx, who, versions)
				return roleList{list, permissionsOf(ctx, who)}, err
			})
		v2.HandleMake(r, v2.StaffOp("POST /staff/roles", permission.RoleWrite).
			Named("staff_role_make", "Make a role of permissions that the caller has"), role.Object(0).Kind,
			func(ctx context.Context, who account.Identity, in *v2.Body[roleDraft]) (ownRole, error) {
				made, err := all.Make(ctx, who.May(), in.Body.Name, in.Body.Permissions, in.Body.Reason)
				return showRole(who, &made, 0, v2.Version{}), err
			})
		v2.HandleChange(r, v2.StaffOp("PUT /staff/roles/{role_id}", permission.RoleWrite).
			Named("staff_role_change", "Give a role other permissions, which count at once for all who have it"),
			func(in *roleChange) audit.Object { return role.Object(in.ID) },
			func(ctx context.Context, in *roleChange) (ownRole, error) {
				own, err := all.Get(ctx, in.ID)
				return showRole(account.Identity{}, &own, 0, v2.Version{}), err
			},
			func(ctx context.Context, who account.Identity, in *roleChange) (ownRole, error) {
				changed, err := all.Change(ctx, who.May(), in.ID, in.Body.Permissions, in.Body.Reason)
				return showRole(who, &changed, 0, v2.Version{}), err
			})
		type removal struct {
			ID     int64  `path:"role_id" minimum:"1"`
			Reason string `query:"reason" maxLength:"500" doc:"For the audit log"`
		}
		v2.Handle(r, v2.StaffOp("DELETE /staff/roles/{role_id}", permission.RoleWrite).
			Named("staff_role_remove", "Delete a role that no member has"),
			func(ctx context.Context, who account.Identity, in *removal) (v2.Empty, error) {
				return v2.Empty{}, all.Remove(ctx, who.May(), in.ID, in.Reason)
			})
	}
}

// list returns all roles with the number of their members.
func (r roles) list(ctx context.Context, who account.Identity, versions v2.Versions) ([]ownRole, error) {
	members, err := r.accounts.Members(ctx)
	if err != nil {
		return nil, err
	}
	count := map[permission.Role]int{}
	for _, m := range members {
		count[m.Role]++
	}
	own, err := r.roles.List(ctx)
	var out []ownRole
	for _, name := range permission.Roles {
		shown := showRole(who, &role.Own{Name: name, Permissions: namesOf(name.Set())}, count[name], v2.Version{})
		shown.MayGive = shown.MayGive && (name != permission.Owner || who.Role == permission.Owner)
		shown.CreatedAt = nil
		out = append(out, shown)
	}
	for i := range own {
		out = append(out, showRole(who, &own[i], count[own[i].Name], versions.Of(own[i].ID)))
	}
	return out, err
}

func showRole(who account.Identity, own *role.Own, members int, version v2.Version) ownRole {
	return ownRole{
		own.ID, own.Name, namesOf(own.Set()), append([]string{}, own.Unknown()...), members,
		who.May().Covers(own.Set()), &own.CreatedAt, version,
	}
}

func namesOf(set permission.Set) []string {
	names := make([]string, len(set))
	for i, p := range set {
		names[i] = string(p)
	}
	return names
}

func permissionsOf(ctx context.Context, who account.Identity) (areas []rolePermissionArea) {
	lang := api.CallerOf(ctx).Lang
	for _, a := range permission.Areas {
		area := rolePermissionArea{a.Name.In(lang), []rolePermission{}}
		for _, g := range a.Grants {
			area.Permissions = append(area.Permissions, rolePermission{
				g.Permission, g.Allows.In(lang), g.Permission.Dangerous(), g.Permission == permission.RoleRead,
				who.Has(g.Permission),
			})
		}
		areas = append(areas, area)
	}
	return areas
}
