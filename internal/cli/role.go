package cli

import (
	"context"

	"airstrip/internal/app"
	"airstrip/internal/permission"
	"airstrip/internal/role"
)

type roleCommand struct {
	List   roleList   `cmd:"" help:"List all roles with their permissions as JSON, the built-in ones first."`
	Show   roleShow   `cmd:"" help:"Show what a role may do, in words."`
	Make   roleMake   `cmd:"" help:"Make a role of permissions."`
	Change roleChange `cmd:"" help:"Give a role other permissions; they count at once for all who have it."`
	Remove roleRemove `cmd:"" help:"Delete a role that no member has."`
}

type listedRole struct {
	ID          int64           `json:"id,omitempty"` // absent: a built-in one
	Name        permission.Role `json:"name"`
	Permissions permission.Set  `json:"permissions"`
	Unknown     []string        `json:"unknown,omitempty"` // of a newer program; they give nothing
}

type roleList struct{}

func (roleList) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		var all []listedRole
		for _, name := range permission.Roles {
			all = append(all, listedRole{Name: name, Permissions: name.Set()})
		}
		own, err := a.Roles.List(ctx)
		for i := range own {
			all = append(all, listed(&own[i]))
		}
		if err != nil {
			return err
		}
		return printJSON(all)
	})
}

func listed(own *role.Own) listedRole {
	return listedRole{own.ID, own.Name, own.Set(), own.Unknown()}
}

type roleShow struct {
	Name string `arg:""`
}

func (c roleShow) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		set := permission.Role(c.Name).Set()
		if set == nil {
			own, err := a.Roles.Named(ctx, permission.Role(c.Name))
			if err != nil {
				return err
			}
			set = own.Set()
		}
		allows := map[string]map[permission.Permission]string{}
		for _, area := range set.Areas() {
			allows[area.Name.EN] = map[permission.Permission]string{}
			for _, g := range area.Grants {
				allows[area.Name.EN][g.Permission] = g.Allows.EN
			}
		}
		return printJSON(map[string]any{"name": c.Name, "allows": allows})
	})
}

type roleMake struct {
	Name        string   `arg:"" help:"1 to 32 letters, digits, spaces, - and _; it stays."`
	Permissions []string `arg:"" optional:"" help:"Such as ticket.read ticket.answer; role show names those of a role."`
}

func (c roleMake) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		made, err := a.Roles.Make(ctx, permission.Owner.Set(), c.Name, c.Permissions, "")
		if err != nil {
			return err
		}
		return printJSON(listed(&made))
	})
}

type roleChange struct {
	Name        string   `arg:""`
	Permissions []string `arg:"" optional:"" help:"In place of the present ones."`
}

func (c roleChange) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		own, err := a.Roles.Named(ctx, permission.Role(c.Name))
		if err != nil {
			return err
		}
		changed, err := a.Roles.Change(ctx, permission.Owner.Set(), own.ID, c.Permissions, "")
		if err != nil {
			return err
		}
		return printJSON(listed(&changed))
	})
}

type roleRemove struct {
	Name string `arg:""`
}

func (c roleRemove) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		own, err := a.Roles.Named(ctx, permission.Role(c.Name))
		if err != nil {
			return err
		}
		return a.Roles.Remove(ctx, permission.Owner.Set(), own.ID, "")
	})
}
