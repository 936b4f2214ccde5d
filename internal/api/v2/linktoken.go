package v2

import (
	"context"
	"net/http"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/link"
	"airstrip/internal/service"
)

type linkTokenResult struct {
	Token       string     `json:"token" doc:"32 characters of base62"`
	URL         string     `json:"url" doc:"The subscription link to show"`
	URLs        []string   `json:"urls" doc:"The link on each of the site's addresses, the first as in url"`
	UpdatedAt   time.Time  `json:"updated_at"`
	LastFetchAt *time.Time `json:"last_fetch_at" doc:"When a client fetched the link last; null: never"`
}

type ssPasswordResult struct {
	Password string `json:"password" doc:"The user's password on Shadowsocks nodes"`
	UUID     string `json:"uuid" doc:"The user's UUID on all other nodes"`
}

type linkApp struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Platforms []string `json:"platforms" doc:"windows, macos, ios, android, linux, harmonyos"`
	ImportURL string   `json:"import_url" doc:"Deep link with {url} and {name} (as encodeURIComponent writes them), {url_raw}, {url_base64}; empty: the link is pasted by hand"`
	Download  string   `json:"download_url"`
	Formats   []string `json:"formats" doc:"Values of client_type that it reads, the best first"`
}

type linkFetch struct {
	Time      time.Time `json:"time"`
	IP        string    `json:"ip"`
	Client    string    `json:"client"`
	Version   string    `json:"version"`
	UserAgent string    `json:"user_agent"`
	Format    string    `json:"format"`
	Status    int       `json:"status" doc:"HTTP status of the answer"`
	Nodes     int       `json:"nodes" doc:"Nodes in the file"`
	LeftOut   int       `json:"left_out" doc:"Nodes that the client can't use"`
}

type linkLogResult struct {
	Total int64       `json:"total"`
	Items []linkFetch `json:"items"`
}

// LinkToken adds the operations on a user's subscription link and on their credentials for nodes.
func LinkToken(links *link.Links, services *service.Services) Resource {
	return func(r *Router) {
		handle(r, op{method: http.MethodGet, path: "/user/services/link-token/link-token", id: "link_token_get", tag: "user", access: user, summary: "The subscription link"},
			func(ctx context.Context, who account.Identity, _ *Empty) (linkTokenResult, error) {
				token, err := links.Token(ctx, who.UserID)
				if err != nil {
					return linkTokenResult{}, err
				}
				last, err := links.LastFetch(ctx, who.UserID)
				return showToken(token, last), err
			})
		handle(r, op{method: http.MethodPost, path: "/user/services/link-token/link-token/reset", id: "link_token_reset", tag: "user", access: user, summary: "Make another subscription link; the old one ends at once"},
			func(ctx context.Context, who account.Identity, in *struct {
				Nodes bool `query:"is_reset_ss_password" doc:"Make the credentials for nodes anew as well"`
			},
			) (linkTokenResult, error) {
				token, err := links.Reset(ctx, who.UserID, in.Nodes)
				return showToken(token, nil), err
			})
		handle(r, op{method: http.MethodGet, path: "/user/services/ss-password", id: "ss_password_get", tag: "user", access: user, summary: "The user's credentials on nodes"},
			func(ctx context.Context, who account.Identity, _ *Empty) (ssPasswordResult, error) {
				a, err := services.Access(ctx, who.UserID)
				return ssPasswordResult{a.Password, a.UUID.String()}, err
			})
		handle(r, op{method: http.MethodPost, path: "/user/services/ss-password/reset", id: "ss_password_reset", tag: "user", access: user, summary: "Make the credentials for nodes anew; clients must update their link"},
			func(ctx context.Context, who account.Identity, _ *Empty) (ssPasswordResult, error) {
				if err := links.ResetCredentials(ctx, who.UserID); err != nil {
					return ssPasswordResult{}, err
				}
				a, err := services.Access(ctx, who.UserID)
				return ssPasswordResult{a.Password, a.UUID.String()}, err
			})
		handleList(r, op{method: http.MethodGet, path: "/user/services/clients", id: "clients_list", tag: "user", access: user, summary: "Programs that read the link, with how to import it"},
			func(context.Context, account.Identity, *Empty) ([]linkApp, error) {
				var out []linkApp
				for _, a := range link.Apps {
					out = append(out, linkApp{a.ID, a.Name, a.Platforms, a.Import, a.Download, a.Formats})
				}
				return out, nil
			})
		handle(r, op{method: http.MethodGet, path: "/user/services/link-log", id: "link_log", tag: "user", access: user, summary: "Who fetched the link, the newest first"},
			func(ctx context.Context, who account.Identity, in *struct {
				Limit  int64 `query:"limit" default:"50" minimum:"1" maximum:"500"`
				Offset int64 `query:"offset" default:"0" minimum:"0"`
			},
			) (linkLogResult, error) {
				fetches, total, err := links.Fetches(ctx, who.UserID, in.Limit, in.Offset)
				out := linkLogResult{total, []linkFetch{}}
				for _, f := range fetches {
					out.Items = append(out.Items, linkFetch{f.FetchedAt, f.IP, f.Client, f.Version, f.UserAgent, f.Format, f.Status, f.Nodes, f.LeftOut})
				}
				return out, err
			})
	}
}

func showToken(t link.Token, last *time.Time) linkTokenResult {
	out := linkTokenResult{Token: t.Token, URLs: append([]string{}, t.URLs...), UpdatedAt: t.UpdatedAt, LastFetchAt: last}
	if len(t.URLs) > 0 {
		out.URL = t.URLs[0]
	}
	return out
}
