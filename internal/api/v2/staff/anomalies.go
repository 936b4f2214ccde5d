package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/link"
	"airstrip/internal/node"
	"airstrip/internal/permission"
	"airstrip/internal/traffic"
)

// namedNode is a node that something belongs to.
type namedNode struct {
	ID   int64  `json:"id"`
	Name string `json:"name" doc:"In the caller's language; empty: it was removed"`
}

type anomaly struct {
	User  *personRef `json:"user,omitempty" doc:"Absent: of a node"`
	Node  *namedNode `json:"node,omitempty" doc:"Absent: of a user"`
	At    time.Time  `json:"at" doc:"user, node, interface: noon of the day; else when it was last seen"`
	Value int64      `json:"value" doc:"user, node, interface: bytes of the day, up and down, so far; addresses, networks: how many"`
	Usual *int64     `json:"usual" nullable:"true" doc:"user, node: bytes of a usual day; interface: what it carried; null: nothing to compare"`
}

type anomalyPage struct {
	Rows       []anomaly `json:"rows" doc:"The newest day first, of each the most first; addresses and networks: the most first"`
	TotalCount int64     `json:"total_count"`
}

type anomalyQuery struct {
	Kind   string `query:"kind" default:"user" enum:"user,node,interface,addresses,networks" doc:"user, node: days far beyond the usual; interface: days of nodes that counted more than their machine's interface carried; addresses: users connected from many; networks: links fetched from many"`
	Days   int64  `query:"days" default:"7" minimum:"1" maximum:"60" doc:"Of how many days; links are looked at over 30 at most"`
	Least  int64  `query:"least" minimum:"1" maximum:"1000000" doc:"So many times the usual, or so many addresses or networks; by default all that was found, 10 addresses, 3 networks"`
	Limit  int64  `query:"limit" default:"50" minimum:"1" maximum:"500"`
	Offset int64  `query:"offset" default:"0" minimum:"0"`
}

const (
	minAddresses = 10
	minNetworks  = 3
	maxLinkDays  = 30
)

// anomalies finds what staff should look at.
type anomalies struct {
	accounts *account.Accounts
	nodes    *node.Nodes
	traffic  *traffic.Traffic
	links    *link.Links
}

// Anomalies adds what is unusual about users and nodes.
func Anomalies(a *account.Accounts, nodes *node.Nodes, t *traffic.Traffic, l *link.Links) v2.Resource {
	an := anomalies{a, nodes, t, l}
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/anomalies", permission.UserHistoryRead).
			Named("staff_anomalies", "Users and nodes that stand out: by their traffic, addresses or fetches of links"),
			func(ctx context.Context, _ account.Identity, in *anomalyQuery) (anomalyPage, error) {
				switch in.Kind {
				case "addresses":
					return an.addresses(ctx, in)
				case "networks":
					return an.networks(ctx, in)
				}
				return an.days(ctx, in)
			})
	}
}

// days returns the days of users or nodes.
func (an anomalies) days(ctx context.Context, in *anomalyQuery) (anomalyPage, error) {
	found, total, err := an.traffic.Anomalies(ctx, traffic.AnomalyFilter{
		Of: traffic.AnomalyOf(in.Kind), Days: in.Days, Least: in.Least, Limit: in.Limit, Offset: in.Offset,
	})
	if err != nil {
		return anomalyPage{}, err
	}
	names, err := an.nodes.NamesIn(ctx, api.CallerOf(ctx).Lang, nil)
	if err != nil {
		return anomalyPage{}, err
	}
	users := make([]int64, len(found))
	for i, f := range found {
		users[i] = f.ID
	}
	known, err := peopleOf(ctx, an.accounts, users)
	out := anomalyPage{[]anomaly{}, total}
	for _, f := range found {
		row := anomaly{At: f.Day.UTC(), Value: f.Bytes}
		if f.Usual > 0 {
			row.Usual = &f.Usual
		}
		if f.Of == traffic.OfUser {
			user := known.ref(f.ID)
			row.User = &user
		} else {
			row.Node = &namedNode{f.ID, names[f.ID]}
		}
		out.Rows = append(out.Rows, row)
	}
	return out, err
}

// addresses returns the users who were connected from many addresses.
func (an anomalies) addresses(ctx context.Context, in *anomalyQuery) (anomalyPage, error) {
	least := in.Least
	if least == 0 {
		least = minAddresses
	}
	since := an.traffic.Now().AddDate(0, 0, -int(in.Days))
	all, err := an.nodes.Presence.ManyAddresses(ctx, since, least)
	if err != nil {
		return anomalyPage{}, err
	}
	total := int64(len(all))
	all = all[min(in.Offset, total):min(in.Offset+in.Limit, total)]
	known, err := ownersOf(ctx, an.accounts, all, func(row *node.ManyAddresses) int64 { return row.UserID })
	out := anomalyPage{[]anomaly{}, total}
	for _, one := range all {
		user := known.ref(one.UserID)
		out.Rows = append(out.Rows, anomaly{User: &user, At: one.LastAt.UTC(), Value: one.Addresses})
	}
	return out, err
}

// networks returns the users whose link was fetched from many networks.
func (an anomalies) networks(ctx context.Context, in *anomalyQuery) (anomalyPage, error) {
	least := in.Least
	if least == 0 {
		least = minNetworks
	}
	within := time.Duration(min(in.Days, maxLinkDays)) * 24 * time.Hour
	spreads, total, err := an.links.Spreads(ctx, within, least, in.Limit, in.Offset)
	if err != nil {
		return anomalyPage{}, err
	}
	known, err := ownersOf(ctx, an.accounts, spreads, func(row *link.Spread) int64 { return row.UserID })
	out := anomalyPage{[]anomaly{}, total}
	for _, s := range spreads {
		user := known.ref(s.UserID)
		out.Rows = append(out.Rows, anomaly{User: &user, At: s.LastAt.UTC(), Value: s.Networks})
	}
	return out, err
}
