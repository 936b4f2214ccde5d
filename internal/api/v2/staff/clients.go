package staff

import (
	"context"
	"slices"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/link"
	"airstrip/internal/permission"
)

// AppBody is a program of the catalogue as staff writes it; exported because it is embedded.
type AppBody struct {
	Name      string   `json:"name"`
	Icon      string   `json:"icon,omitempty" doc:"A letter, an emoji, or an image (png, jpeg, webp, svg) of at most 12 KB as a data: address; empty: the name's first letter"`
	Platforms []string `json:"platforms" doc:"windows, macos, ios, android, linux, harmonyos"`
	ImportURL string   `json:"import_url,omitempty" doc:"Deep link with {url}, {url_raw} or {url_base64}, and {name}; empty: the link is pasted by hand"`
	Download  string   `json:"download_url" doc:"Where it is got, by https"`
	Formats   []string `json:"formats" doc:"Values of client_type that it reads, the best first"`
	Sort      int      `json:"sort,omitempty" minimum:"0" maximum:"1000000" doc:"Smaller ones come first"`
	Enabled   bool     `json:"is_enabled" doc:"Whether users are offered it"`
}

type staffApp struct {
	ID string `json:"id"`
	AppBody
	v2.Version
}

type newAppBody struct {
	ID string `json:"id" doc:"Lower-case letters, digits and hyphens" example:"clash-verge-rev"`
	AppBody
}

type appPath struct {
	ClientID string `path:"client_id" maxLength:"40"`
}

func (b AppBody) app(id string) link.App {
	return link.App{
		ID: id, Name: b.Name, Icon: b.Icon, Platforms: b.Platforms, ImportURL: b.ImportURL,
		DownloadURL: b.Download, Formats: b.Formats, Sort: b.Sort, Enabled: b.Enabled,
	}
}

func showStaffApp(a link.App, version v2.Version) staffApp {
	return staffApp{a.ID, AppBody{
		a.Name, a.Icon, a.Platforms, a.ImportURL, a.DownloadURL, a.Formats, a.Sort,
		a.Enabled,
	}, version}
}

// Clients adds what staff changes in the catalogue of programs that read the link.
func Clients(links *link.Links) v2.Resource {
	return func(r *v2.Router) {
		v2.HandleList(r, v2.StaffOp("GET /staff/clients", permission.ClientRead).
			Named("staff_clients_list", "All programs of the catalogue, also those turned off"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (out []staffApp, err error) {
				versions, err := r.Versions(ctx, "client")
				if err != nil {
					return nil, err
				}
				apps, err := links.Apps(ctx, true)
				for _, a := range apps {
					out = append(out, showStaffApp(a, versions.OfName(a.ID)))
				}
				return out, err
			})
		v2.HandleMake(r, v2.StaffOp("POST /staff/clients", permission.ClientWrite).
			Named("staff_client_add", "Add a program to the catalogue"), "client",
			func(ctx context.Context, _ account.Identity, in *struct{ Body newAppBody }) (staffApp, error) {
				a := in.Body.app(in.Body.ID)
				return showStaffApp(a, v2.Version{}), links.AddApp(ctx, a)
			})
		type change struct {
			ClientID string `path:"client_id" maxLength:"40"`
			Body     AppBody
		}
		v2.HandleChange(r, v2.StaffOp("PUT /staff/clients/{client_id}", permission.ClientWrite).
			Named("staff_client_change", "Change a program of the catalogue"),
			func(in *change) audit.Object { return audit.Object{Kind: "client", ID: in.ClientID} },
			func(ctx context.Context, in *change) (staffApp, error) {
				apps, err := links.Apps(ctx, true)
				if err != nil {
					return staffApp{}, err
				}
				i := slices.IndexFunc(apps, func(a link.App) bool { return a.ID == in.ClientID })
				if i < 0 {
					return staffApp{}, link.ErrNoApp
				}
				return showStaffApp(apps[i], v2.Version{}), nil
			},
			func(ctx context.Context, _ account.Identity, in *change) (staffApp, error) {
				a := in.Body.app(in.ClientID)
				return showStaffApp(a, v2.Version{}), links.ChangeApp(ctx, a)
			})
		type orderWish struct {
			IDs []string `json:"ids" minItems:"1" maxItems:"500" doc:"The first comes first; those left out follow"`
		}
		v2.Handle(r, v2.StaffOp("POST /staff/clients/order", permission.ClientWrite).
			Named("staff_clients_order", "Put the programs of the catalogue into an order"),
			func(ctx context.Context, _ account.Identity, in *v2.Body[orderWish]) (v2.Empty, error) {
				return v2.Empty{}, links.OrderApps(ctx, in.Body.IDs)
			})
		v2.Handle(r, v2.StaffOp("DELETE /staff/clients/{client_id}", permission.ClientWrite).
			Named("staff_client_remove", "Take a program out of the catalogue"),
			func(ctx context.Context, _ account.Identity, in *appPath) (v2.Empty, error) {
				return v2.Empty{}, links.RemoveApp(ctx, in.ClientID)
			})
	}
}
