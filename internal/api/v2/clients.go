package v2

import (
	"context"
	"net/http"

	"airstrip/internal/account"
	"airstrip/internal/link"
	"airstrip/internal/permission"
)

type linkApp struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Icon      string   `json:"icon" doc:"A letter, an emoji or a data: address of an image; empty: the name's first letter"`
	Platforms []string `json:"platforms" doc:"windows, macos, ios, android, linux, harmonyos"`
	ImportURL string   `json:"import_url" doc:"Deep link with {url} and {name} (as encodeURIComponent writes them), {url_raw}, {url_base64}; empty: the link is pasted by hand"`
	Download  string   `json:"download_url"`
	Formats   []string `json:"formats" doc:"Values of client_type that it reads, the best first"`
}

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
}

type newAppBody struct {
	ID string `json:"id" doc:"Lower-case letters, digits and hyphens" example:"clash-verge-rev"`
	AppBody
}

type appPath struct {
	ClientID string `path:"client_id" maxLength:"40"`
}

func (b AppBody) app(id string) link.App {
	return link.App{ID: id, Name: b.Name, Icon: b.Icon, Platforms: b.Platforms, ImportURL: b.ImportURL, DownloadURL: b.Download, Formats: b.Formats, Sort: b.Sort, Enabled: b.Enabled}
}

func showStaffApp(a link.App) staffApp {
	return staffApp{a.ID, AppBody{a.Name, a.Icon, a.Platforms, a.ImportURL, a.DownloadURL, a.Formats, a.Sort, a.Enabled}}
}

// Clients adds the catalogue of programs that read the link.
func Clients(links *link.Links) Resource {
	return func(r *Router) {
		handleList(r, op{method: http.MethodGet, path: "/user/services/clients", id: "clients_list", tag: "user", access: user, summary: "Programs that read the link, with how to import it"},
			func(ctx context.Context, _ account.Identity, _ *Empty) (out []linkApp, err error) {
				apps, err := links.Apps(ctx, false)
				for _, a := range apps {
					out = append(out, linkApp{a.ID, a.Name, a.Icon, a.Platforms, a.ImportURL, a.DownloadURL, a.Formats})
				}
				return out, err
			})
		handleList(r, staffOp("GET /staff/clients", permission.ClientRead).
			named("staff_clients_list", "All programs of the catalogue, also those turned off"),
			func(ctx context.Context, _ account.Identity, _ *Empty) (out []staffApp, err error) {
				apps, err := links.Apps(ctx, true)
				for _, a := range apps {
					out = append(out, showStaffApp(a))
				}
				return out, err
			})
		handle(r, staffOp("POST /staff/clients", permission.ClientWrite).
			named("staff_client_add", "Add a program to the catalogue"),
			func(ctx context.Context, _ account.Identity, in *struct{ Body newAppBody }) (staffApp, error) {
				a := in.Body.app(in.Body.ID)
				return showStaffApp(a), links.AddApp(ctx, a)
			})
		handle(r, staffOp("PUT /staff/clients/{client_id}", permission.ClientWrite).
			named("staff_client_change", "Change a program of the catalogue"),
			func(ctx context.Context, _ account.Identity, in *struct {
				ClientID string `path:"client_id" maxLength:"40"`
				Body     AppBody
			},
			) (staffApp, error) {
				a := in.Body.app(in.ClientID)
				return showStaffApp(a), links.ChangeApp(ctx, a)
			})
		handle(r, staffOp("DELETE /staff/clients/{client_id}", permission.ClientWrite).
			named("staff_client_remove", "Take a program out of the catalogue"),
			func(ctx context.Context, _ account.Identity, in *appPath) (Empty, error) {
				return Empty{}, links.RemoveApp(ctx, in.ClientID)
			})
	}
}
