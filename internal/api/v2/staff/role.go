package staff

import (
	"context"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
)

type staffRole struct {
	Role  account.Role `json:"role" doc:"A built-in one, or the name of another"`
	Areas []staffArea  `json:"areas" doc:"What the role may do; areas in which it may do nothing are left out"`
}

type staffArea struct {
	Name        string            `json:"name" doc:"In the caller's language"`
	Commands    []string          `json:"commands" doc:"Words after airstrip that do the same in the server's shell"`
	Permissions []staffPermission `json:"permissions"`
}

// areasOf shows permissions by area.
func areasOf(r *v2.Router, areas []permission.Area, lang fault.Lang) []staffArea {
	out := []staffArea{}
	for _, a := range areas {
		area := staffArea{a.Name.In(lang), append([]string{}, a.Commands...), []staffPermission{}}
		for _, g := range a.Grants {
			area.Permissions = append(area.Permissions, staffPermission{
				g.Permission, g.Allows.In(lang), r.Needs(g.Permission),
			})
		}
		out = append(out, area)
	}
	return out
}

type staffPermission struct {
	Permission permission.Permission `json:"permission" doc:"As x-permission of the operations that need it"`
	Allows     string                `json:"allows" doc:"In the caller's language"`
	InContract bool                  `json:"in_contract" doc:"Whether operations of this contract need it, not older ones alone"`
}

// Role adds what a member of staff may do, as package permission has it.
func Role() v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/role", permission.RoleRead).
			Named("staff_role", "The caller's role and what it may do, by area"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (staffRole, error) {
				return staffRole{who.Role, areasOf(r, who.May().Areas(), api.CallerOf(ctx).Lang)}, nil
			})
	}
}
