package user

import (
	"context"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
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

type linkFetch struct {
	Time      time.Time `json:"time"`
	Token     string    `json:"token_fingerprint" doc:"Eight hex digits by which two tokens of a user can be told apart; nothing leads from them to the token"`
	IsCurrent bool      `json:"is_current" doc:"Whether it was fetched with the token that counts now"`
	IP        string    `json:"ip"`
	Area      string    `json:"area" doc:"ISO 3166-1; ZZ: unknown"`
	Client    string    `json:"client"`
	Version   string    `json:"version"`
	UserAgent string    `json:"user_agent"`
	Format    string    `json:"format"`
	Status    int       `json:"status" doc:"HTTP status of the answer"`
	Nodes     int       `json:"nodes" doc:"Nodes in the file"`
	LeftOut   int       `json:"left_out" doc:"Nodes that the client can't use"`
	Bytes     int64     `json:"bytes" doc:"Of the body, as it was sent"`
}

type linkLogResult struct {
	Total int64       `json:"total"`
	Items []linkFetch `json:"items"`
}

type nodeLinks struct {
	Entries []nodeEntry `json:"entries" doc:"The node at its own address, then at its relays"`
}

type nodeEntry struct {
	Name    string       `json:"name"`
	Address string       `json:"address"`
	Port    int          `json:"port"`
	Configs []nodeConfig `json:"configs" doc:"In the formats that can express the node"`
}

type nodeConfig struct {
	Format string `json:"format" enum:"link,pinned_link,clash_meta,sing_box" doc:"pinned_link: a share link for clients that check the certificate by its fingerprint, such as v2rayN since 7.17.1"`
	Text   string `json:"text" doc:"With the user's credentials in it"`
}

// LinkToken adds the operations on a user's subscription link and on their credentials for nodes.
func LinkToken(links *link.Links, services *service.Services) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/services/link-token/link-token").
			Named("link_token_get", "The subscription link"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (linkTokenResult, error) {
				token, err := links.Token(ctx, who.UserID)
				if err != nil {
					return linkTokenResult{}, err
				}
				last, err := links.LastFetch(ctx, who.UserID)
				return showToken(token, last), err
			})
		v2.Handle(r, v2.UserOp("POST /user/services/link-token/link-token/reset").
			Named("link_token_reset", "Make another subscription link; the old one ends at once"),
			func(ctx context.Context, who account.Identity, in *struct {
				Nodes bool `query:"is_reset_ss_password" doc:"Make the credentials for nodes anew as well"`
			},
			) (linkTokenResult, error) {
				token, err := links.Reset(ctx, who.UserID, in.Nodes)
				return showToken(token, nil), err
			})
		v2.Handle(r, v2.UserOp("GET /user/services/ss-password").
			Named("ss_password_get", "The user's credentials on nodes"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (ssPasswordResult, error) {
				a, err := services.Access(ctx, who.UserID)
				return ssPasswordResult{a.Password, a.UUID.String()}, err
			})
		v2.Handle(r, v2.UserOp("POST /user/services/ss-password/reset").
			Named("ss_password_reset", "Make the credentials for nodes anew; clients must update their link"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (ssPasswordResult, error) {
				if err := links.ResetCredentials(ctx, who.UserID); err != nil {
					return ssPasswordResult{}, err
				}
				a, err := services.Access(ctx, who.UserID)
				return ssPasswordResult{a.Password, a.UUID.String()}, err
			})
		v2.Handle(r, v2.UserOp("GET /user/services/nodes/{node_id}/links").
			Named("node_links", "One node as a share link, and for programs that take a single node"),
			func(ctx context.Context, who account.Identity, in *v2.NodeID) (nodeLinks, error) {
				entries, err := links.Node(ctx, who.UserID, in.ID, api.CallerOf(ctx).Lang)
				return showEntries(entries), err
			})
		v2.Handle(r, v2.UserOp("GET /user/services/link-log").OpenToVisits().
			Named("link_log", "Who fetched the link, the newest first"),
			func(ctx context.Context, who account.Identity, in *struct {
				Limit  int64 `query:"limit" default:"50" minimum:"1" maximum:"500"`
				Offset int64 `query:"offset" default:"0" minimum:"0"`
			},
			) (linkLogResult, error) {
				token, err := links.Token(ctx, who.UserID)
				if err != nil {
					return linkLogResult{}, err
				}
				fetches, total, err := links.Fetches(ctx, who.UserID, in.Limit, in.Offset)
				out := linkLogResult{total, []linkFetch{}}
				for _, f := range fetches {
					out.Items = append(out.Items, linkFetch{
						f.FetchedAt, f.Token, f.Token == token.Fingerprint(), f.IP, f.Area, f.Client, f.Version,
						f.UserAgent, f.Format, f.Status, f.Nodes, f.LeftOut, f.Bytes,
					})
				}
				return out, err
			})
	}
}

func showEntries(entries []link.NodeEntry) nodeLinks {
	out := nodeLinks{Entries: []nodeEntry{}}
	for _, e := range entries {
		configs := []nodeConfig{}
		for _, c := range e.Configs {
			configs = append(configs, nodeConfig{c.Format, c.Text})
		}
		out.Entries = append(out.Entries, nodeEntry{e.Name, e.Address, e.Port, configs})
	}
	return out
}

func showToken(t link.Token, last *time.Time) linkTokenResult {
	out := linkTokenResult{
		Token: t.Token, URLs: append([]string{}, t.URLs...), UpdatedAt: t.UpdatedAt,
		LastFetchAt: last,
	}
	if len(t.URLs) > 0 {
		out.URL = t.URLs[0]
	}
	return out
}
