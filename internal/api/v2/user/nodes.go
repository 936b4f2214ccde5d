package user

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/node"
	"airstrip/internal/service"
	"airstrip/internal/setting"
)

type nodesResult struct {
	TotalNodes     int        `json:"total_nodes" doc:"All nodes of the site that are shown, also those of higher classes"`
	AvailableNodes []nodeInfo `json:"available_nodes" doc:"Those that the user may use now"`
	LockedNodes    []nodeInfo `json:"locked_nodes" doc:"Those of the user's groups that the user may not use now, without their addresses"`
	UserTier       string     `json:"user_tier"`
}

type nodeInfo struct {
	NodeID          int64       `json:"node_id"`
	NodeName        string      `json:"node_name"`
	ServerAddress   string      `json:"server_address" doc:"Empty where the user may not use the node"`
	Location        string      `json:"location" doc:"As country_code"`
	CountryCode     string      `json:"country_code" doc:"ISO 3166-1 alpha-2; ZZ: unknown"`
	Ping            *int        `json:"ping" doc:"Always null: only the client can measure it"`
	Load            float64     `json:"load" doc:"Percent of the processor"`
	Status          node.Health `json:"status" enum:"online,late,offline"`
	ProtocolSupport []string    `json:"protocol_support" doc:"Protocol, transport, security"`
	Bandwidth       string      `json:"bandwidth"`
	IsPremium       bool        `json:"is_premium" doc:"Whether it asks for a class above 0"`
	Rate            string      `json:"rate" doc:"Decimal; traffic counts so many times now" example:"1.50"`
	HourRates       []string    `json:"hour_rates" doc:"The rate in each hour of the site's day; empty: always the same"`
	Tags            []string    `json:"tags"`
	Class           int         `json:"class"`
	ClassName       string      `json:"class_name" doc:"What users call the class; empty: it has no name"`
	SpeedMbps       *int        `json:"speed_mbps" doc:"Limit of the node for each user; null: none"`
	OnlineUsers     int64       `json:"online_users"`
}

// Nodes adds the nodes that a user may use.
func Nodes(nodes *node.Nodes, services *service.Services, settings *setting.Settings) v2.Resource {
	list := func(ctx context.Context, userID int64) (out nodesResult, err error) {
		access, err := services.Access(ctx, userID)
		if err != nil {
			return out, err
		}
		all, err := nodes.List(ctx)
		if err != nil {
			return out, err
		}
		group, err := nodes.LinkGroups.Of(ctx, userID)
		if err != nil {
			return out, err
		}
		states, err := nodes.Monitor.States(ctx)
		site, lang := settings.Get(), api.CallerOf(ctx).Lang
		now := nodes.Limits.LocalTime()
		out = nodesResult{
			AvailableNodes: []nodeInfo{}, LockedNodes: []nodeInfo{}, UserTier: tier(site, access.Class, lang),
		}
		for _, n := range all {
			if !n.Visible || !n.Serves() {
				continue
			}
			out.TotalNodes++
			info := showNode(n.Localized(lang).In(group), states[n.ID], now)
			info.ClassName = site.ClassName(n.Class, lang)
			switch {
			case access.Admits(n.Class, n.GroupID):
				out.AvailableNodes = append(out.AvailableNodes, info)
			case access.InGroup(n.GroupID):
				info.ServerAddress = ""
				out.LockedNodes = append(out.LockedNodes, info)
			}
		}
		return out, err
	}
	get := func(ctx context.Context, who account.Identity, in *v2.NodeID) (nodeInfo, error) {
		usable, err := list(ctx, who.UserID)
		for _, n := range usable.AvailableNodes {
			if n.NodeID == in.ID {
				return n, err
			}
		}
		if err == nil {
			err = node.ErrNotFound
		}
		return nodeInfo{}, err
	}
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/services/nodes").OpenToVisits().
			Named("nodes_list", "The nodes that the user may use"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (nodesResult, error) {
				return list(ctx, who.UserID)
			})
		v2.Handle(r, v2.UserOp("GET /user/services/nodes/{node_id}").OpenToVisits().
			Named("node_get", "One node that the user may use"), get)
		v2.Handle(r, v2.UserOp("GET /user/services/{node_id}").OpenToVisits().
			Named("node_get_old", "The same by its older path"), get)
	}
}

// tier is what older clients show of a class.
func tier(site setting.Site, class int, lang fault.Lang) string {
	return cmp.Or(site.ClassName(class, lang), fmt.Sprintf("VIP %d", class))
}

func showNode(n node.Node, st node.State, now time.Time) nodeInfo {
	info := nodeInfo{
		NodeID: n.ID, NodeName: n.Name, ServerAddress: n.Address, Location: n.Country, CountryCode: n.Country,
		Load: float64(st.CPUPermille) / 10, Status: st.Health(now),
		Bandwidth: bandwidth(n.LinkMbps), IsPremium: n.Class > 0, Rate: v2.RateText(n.Rate(now)),
		HourRates: v2.RateTexts(n.HourRates), Tags: append([]string{}, n.Tags...), Class: n.Class,
		SpeedMbps: n.SpeedMbps, OnlineUsers: st.OnlineUsers,
	}
	for _, word := range []string{string(n.Protocol), n.Settings.Transport, n.Settings.Security} {
		if word != "" && word != "none" {
			info.ProtocolSupport = append(info.ProtocolSupport, word)
		}
	}
	return info
}

func bandwidth(mbps int) string {
	if mbps >= 1000 && mbps%1000 == 0 {
		return fmt.Sprintf("%d Gbps", mbps/1000)
	}
	return fmt.Sprintf("%d Mbps", mbps)
}
