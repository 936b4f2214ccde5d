package staff

import (
	"context"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/permission"
)

type staffRole struct {
	Role  account.Role `json:"role" enum:"owner,admin,finance,support,viewer"`
	Areas []staffArea  `json:"areas" doc:"What the role may do; areas in which it may do nothing are left out"`
}

type staffArea struct {
	Name        string            `json:"name" doc:"In the caller's language"`
	Commands    []string          `json:"commands" doc:"Words after airstrip that do the same in the server's shell"`
	Permissions []staffPermission `json:"permissions"`
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
				lang := api.CallerOf(ctx).Lang
				out := staffRole{who.Role, []staffArea{}}
				for _, a := range who.Role.May() {
					area := staffArea{a.Name.In(lang), append([]string{}, a.Commands...), []staffPermission{}}
					for _, g := range a.Grants {
						area.Permissions = append(area.Permissions, staffPermission{
							g.Permission, g.Allows.In(lang),
							r.Needs(g.Permission),
						})
					}
					out.Areas = append(out.Areas, area)
				}
				return out, nil
			})
	}
}
