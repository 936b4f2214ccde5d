package user

import (
	"context"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/guide"
	"airstrip/internal/link"
)

type linkApp struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Icon      string   `json:"icon" doc:"A letter, an emoji or a data: address of an image; empty: the name's first letter"`
	Platforms []string `json:"platforms" doc:"windows, macos, ios, android, linux, harmonyos"`
	ImportURL string   `json:"import_url" doc:"Deep link with {url} and {name} (as encodeURIComponent writes them), {url_raw}, {url_base64}; empty: the link is pasted by hand"`
	Download  string   `json:"download_url"`
	Formats   []string `json:"formats" doc:"Values of client_type that it reads, the best first"`
	Guide     string   `json:"guide_slug" doc:"The help page about it; empty: there is none"`
}

// Clients adds the catalogue of programs that read the link.
func Clients(links *link.Links, guides *guide.Guides) v2.Resource {
	return func(r *v2.Router) {
		v2.HandleList(r, v2.UserOp("GET /user/services/clients").OpenToVisits().
			Named("clients_list", "Programs that read the link, with how to import it"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (out []linkApp, err error) {
				apps, err := links.Apps(ctx, false)
				for _, a := range apps {
					out = append(out, linkApp{
						a.ID, a.Name, a.Icon, a.Platforms, a.ImportURL, a.DownloadURL, a.Formats, guides.SlugFor(a.ID),
					})
				}
				return out, err
			})
	}
}
