package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/console"
	"airstrip/internal/link"
	"airstrip/internal/permission"
)

type linkFetchRow struct {
	UserLinkFetch
	User personRef `json:"user"`
}

type linkSpread struct {
	User     personRef `json:"user"`
	Networks int64     `json:"networks" doc:"From which the present link was fetched"`
	Areas    int64     `json:"areas" doc:"Countries of these"`
	Fetches  int64     `json:"fetches"`
	LastAt   time.Time `json:"last_at"`
	ResetAt  time.Time `json:"reset_at" doc:"When the link was made"`
}

type linkSpreads struct {
	Links      []linkSpread `json:"links" doc:"Those from most networks first"`
	TotalCount int64        `json:"total_count"`
}

// LinkFetches adds the fetches of all links, and the links that many seem to share.
func LinkFetches(c *console.Console, a *account.Accounts, l *link.Links) v2.Resource {
	load := func(ctx context.Context, _ account.Identity, ids []int64) ([]linkFetchRow, error) {
		fetches, err := l.FetchesByID(ctx, ids)
		if err != nil {
			return nil, err
		}
		known, err := ownersOf(ctx, a, fetches, func(row *link.Fetch) int64 { return row.UserID })
		rows := make([]linkFetchRow, len(fetches))
		for i, f := range fetches {
			rows[i] = linkFetchRow{newUserLinkFetch(f), known.ref(f.UserID)}
		}
		return rows, err
	}
	return func(r *v2.Router) {
		v2.HandleListing(r, c.Lists, v2.List[linkFetchRow]{
			Path: "/staff/link-fetches", ID: "staff_link_fetches", Summary: "Fetches of links",
			Needs: permission.UserHistoryRead, Resource: c.LinkFetches(), Load: load,
			Key: func(f *linkFetchRow) int64 { return f.ID },
			CSV: []v2.Column[linkFetchRow]{
				{Name: "at", Cell: func(f *linkFetchRow) string { return moment(&f.At) }},
				{Name: "user_id", Cell: func(f *linkFetchRow) string { return text(f.User.ID) }},
				{Name: "email", Cell: func(f *linkFetchRow) string { return f.User.Email }},
				{Name: "ip", Cell: func(f *linkFetchRow) string { return f.IP }},
				{Name: "area", Cell: func(f *linkFetchRow) string { return f.Area }},
				{Name: "client", Cell: func(f *linkFetchRow) string { return f.Client }},
				{Name: "client_version", Cell: func(f *linkFetchRow) string { return f.Version }},
				{Name: "format", Cell: func(f *linkFetchRow) string { return f.Format }},
				{Name: "status", Cell: func(f *linkFetchRow) string { return text(int64(f.Status)) }},
				{Name: "nodes", Cell: func(f *linkFetchRow) string { return text(int64(f.Nodes)) }},
				{Name: "left_out", Cell: func(f *linkFetchRow) string { return text(int64(f.LeftOut)) }},
				{Name: "user_agent", Cell: func(f *linkFetchRow) string { return f.UserAgent }},
			},
		})
		type spreadQuery struct {
			Hours  int   `query:"hours" default:"24" minimum:"1" maximum:"720"`
			Least  int64 `query:"least" default:"3" minimum:"2" maximum:"1000" doc:"Networks, /24 or /48, at least"`
			Limit  int64 `query:"limit" default:"50" minimum:"1" maximum:"500"`
			Offset int64 `query:"offset" default:"0" minimum:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/link-spreads", permission.UserHistoryRead).
			Named("staff_link_spreads", "The links that were fetched from many networks in the last hours"),
			func(ctx context.Context, _ account.Identity, in *spreadQuery) (linkSpreads, error) {
				spreads, total, err := l.Spreads(ctx, time.Duration(in.Hours)*time.Hour, in.Least, in.Limit, in.Offset)
				if err != nil {
					return linkSpreads{}, err
				}
				known, err := ownersOf(ctx, a, spreads, func(row *link.Spread) int64 { return row.UserID })
				out := linkSpreads{[]linkSpread{}, total}
				for _, s := range spreads {
					out.Links = append(out.Links, linkSpread{
						known.ref(s.UserID), s.Networks, s.Areas, s.Fetches, s.LastAt, s.ResetAt,
					})
				}
				return out, err
			})
	}
}
