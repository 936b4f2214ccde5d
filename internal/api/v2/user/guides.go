package user

import (
	"context"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/guide"
)

// GuideItem is a guide in a list; exported because it is embedded.
type GuideItem struct {
	Slug      string    `json:"slug"`
	Title     string    `json:"title"`
	Category  string    `json:"category"`
	ClientID  string    `json:"client_id" doc:"The program of the catalogue that it is about; empty: none"`
	Systems   []string  `json:"systems" doc:"windows, macos, ios, android, linux, harmonyos; empty: all"`
	UpdatedAt time.Time `json:"updated_at"`
}

type guidePage struct {
	GuideItem
	Markdown string `json:"markdown_text" doc:"With the user's own subscription link in it where the text speaks of it"`
}

func newGuide(p *guide.Page) GuideItem {
	out := GuideItem{p.Slug, p.TitleNow, p.CategoryNow, "", append([]string{}, p.Systems...), p.UpdatedAt}
	if p.ClientID != nil {
		out.ClientID = *p.ClientID
	}
	return out
}

// Guides adds the help pages.
func Guides(g *guide.Guides) v2.Resource {
	return func(r *v2.Router) {
		type wish struct {
			Words    string `query:"q" maxLength:"100" doc:"Words that are all in the guide"`
			ClientID string `query:"client_id" maxLength:"40"`
			System   string `query:"system" enum:"windows,macos,ios,android,linux,harmonyos" required:"false"`
		}
		v2.HandleList(r, v2.UserOp("GET /user/guides").OpenToVisits().
			Named("guides_list", "The help pages, in the operator's order"),
			func(ctx context.Context, _ account.Identity, in *wish) (out []GuideItem, err error) {
				list := g.Published(api.CallerOf(ctx).Lang, guide.Wish{
					Words: in.Words, ClientID: in.ClientID, System: in.System,
				})
				for i := range list {
					out = append(out, newGuide(&list[i]))
				}
				return out, nil
			})
		type path struct {
			Slug string `path:"slug" maxLength:"60"`
		}
		v2.Handle(r, v2.UserOp("GET /user/guides/{slug}").OpenToVisits().
			Named("guide_get", "A help page, with the user's link and the site's name filled in"),
			func(ctx context.Context, who account.Identity, in *path) (guidePage, error) {
				reader := who.UserID
				if who.Visiting() {
					reader = 0 // whose link is not shown
				}
				page, err := g.Read(ctx, in.Slug, api.CallerOf(ctx).Lang, reader)
				if err != nil {
					return guidePage{}, err
				}
				return guidePage{newGuide(&page), page.BodyNow}, nil
			})
	}
}
