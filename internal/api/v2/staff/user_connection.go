package staff

import (
	"context"
	"net/netip"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/ipban"
	"airstrip/internal/link"
	"airstrip/internal/node"
	"airstrip/internal/permission"
	"airstrip/internal/service"
	"airstrip/internal/traffic"
)

// connectionStep is one thing that keeps a user from connecting, or does not.
type connectionStep struct {
	Key    string     `json:"key" enum:"account,ban,service,quota,nodes,online,fetch,devices,address,rules"`
	State  string     `json:"state" enum:"ok,warning,failing,skipped" doc:"skipped: an earlier step decides it"`
	Code   string     `json:"code" doc:"What was found, in one word"`
	Count  *int64     `json:"count" nullable:"true"`
	Of     *int64     `json:"of" nullable:"true" doc:"Of how many, or the limit"`
	At     *time.Time `json:"at" nullable:"true"`
	Detail string     `json:"detail" doc:"The reason of a ban, an address, the name of a rule"`
}

type connectedAddress struct {
	IP      string    `json:"ip"`
	NodeID  int64     `json:"node_id"`
	Node    string    `json:"node" doc:"Its name; empty: it was removed"`
	Since   time.Time `json:"since"`
	LastAt  time.Time `json:"last_at"`
	Blocked bool      `json:"blocked" doc:"Nodes refuse it, because it attacked one"`
}

type connectionCheck struct {
	Steps     []connectionStep   `json:"steps" doc:"In the order in which they are met"`
	Addresses []connectedAddress `json:"addresses" doc:"That are connected now, the last reported first"`
}

type userTrafficDay struct {
	At     time.Time `json:"at" doc:"When the day of the site began"`
	Up     int64     `json:"up_bytes"`
	Down   int64     `json:"down_bytes"`
	Billed int64     `json:"billed_bytes"`
}

// UserConnection adds why a user does not connect, from where they do, and what they moved.
func UserConnection(
	a *account.Accounts, services *service.Services, nodes *node.Nodes, links *link.Links, bans *ipban.Bans,
	t *traffic.Traffic,
) v2.Resource {
	check := connection{a, services, nodes, links, bans}
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/users/{user_id}/connection", permission.UserHistoryRead).
			Named("staff_user_connection", "Why a user does not connect, step by step, and from where they do"),
			func(ctx context.Context, _ account.Identity, in *userPath) (connectionCheck, error) {
				return check.of(ctx, in.ID)
			})
		type days struct {
			ID   int64 `path:"user_id" minimum:"1"`
			Days int   `query:"days" minimum:"1" maximum:"366" default:"30"`
		}
		v2.HandleList(r, v2.StaffOp("GET /staff/users/{user_id}/traffic", permission.UserHistoryRead).
			Named("staff_user_traffic", "What a user moved, by day; days without any are left out"),
			func(ctx context.Context, _ account.Identity, in *days) ([]userTrafficDay, error) {
				now := t.Now()
				points, err := t.Days(ctx, in.ID, now.AddDate(0, 0, -in.Days), now, int64(in.Days)+1)
				out := make([]userTrafficDay, len(points))
				for i, p := range points {
					out[i] = userTrafficDay{p.At, p.Up, p.Down, p.Billed}
				}
				return out, err
			})
	}
}

type connection struct {
	accounts *account.Accounts
	services *service.Services
	nodes    *node.Nodes
	links    *link.Links
	bans     *ipban.Bans
}

// How recent a fetch of the link, and a hit of a rule, must be.
const (
	freshFetch = 30 * 24 * time.Hour
	recentHit  = 24 * time.Hour
	lastHits   = 20
)

func (c connection) of(ctx context.Context, id int64) (out connectionCheck, err error) {
	u, err := c.accounts.User(ctx, id)
	if err != nil {
		return out, err
	}
	access, err := c.services.Access(ctx, id)
	if err != nil {
		return out, err
	}
	bans, err := c.accounts.Bans.Of(ctx, id)
	if err != nil {
		return out, err
	}
	out.Steps = append(out.Steps, accountStep(u.ClosedAt), banStep(&access, bans))
	out.Steps = append(out.Steps, rightsSteps(&access)...)
	names, steps, err := c.nodeSteps(ctx, &access)
	if err != nil {
		return out, err
	}
	out.Steps = append(out.Steps, steps...)
	online, err := c.nodes.Presence.OnlineOf(ctx, id)
	if err != nil {
		return out, err
	}
	steps, blocked, err := c.addressSteps(ctx, &access, online)
	if err != nil {
		return out, err
	}
	out.Steps = append(out.Steps, steps...)
	out.Addresses = []connectedAddress{}
	for _, o := range online {
		out.Addresses = append(out.Addresses,
			connectedAddress{o.IP, o.NodeID, names[o.NodeID], o.Since, o.LastAt, blocked[o.IP]})
	}
	rules, err := c.rulesStep(ctx, id)
	out.Steps = append(out.Steps, rules)
	return out, err
}

func accountStep(closedAt *time.Time) connectionStep {
	if closedAt != nil {
		return connectionStep{Key: "account", State: "failing", Code: "closed", At: closedAt}
	}
	return connectionStep{Key: "account", State: "ok", Code: "open"}
}

func banStep(access *service.Access, bans []account.BanTask) connectionStep {
	if !access.Banned {
		return connectionStep{Key: "ban", State: "ok", Code: "none"}
	}
	step := connectionStep{Key: "ban", State: "failing", Code: "banned"}
	for i := range bans {
		if bans[i].StartedAt != nil && bans[i].EndedAt == nil {
			step.Detail, step.At = bans[i].Reason, bans[i].EndsAt
			break
		}
	}
	return step
}

// rightsSteps are whether a service runs, and whether something is left of the quota.
func rightsSteps(access *service.Access) []connectionStep {
	runs := connectionStep{Key: "service", State: "ok", Code: "runs", At: access.ExpiresAt}
	left := connectionStep{Key: "quota", State: "ok", Code: "unlimited"}
	switch {
	case access.ExpiresAt != nil:
	case access.Allowed:
		runs.Code = "package"
	case access.State == service.None:
		runs.State, runs.Code = "failing", "never"
	default:
		runs.State, runs.Code = "failing", "ended"
	}
	switch {
	case runs.State == "failing":
		left.State, left.Code = "skipped", "skipped"
	case access.RemainingBytes != nil && *access.RemainingBytes == 0:
		left.State, left.Code, left.At = "failing", "used_up", access.ResetsAt
		left.Of = access.QuotaBytes
	case access.RemainingBytes != nil:
		left.Code, left.Count, left.Of = "left", access.RemainingBytes, access.QuotaBytes
	}
	return []connectionStep{runs, left}
}

// nodeSteps are how many nodes the services lend, and how many of those are online. names are those of all nodes.
func (c connection) nodeSteps(ctx context.Context, access *service.Access) (
	names map[int64]string, steps []connectionStep, err error,
) {
	all, err := c.nodes.List(ctx)
	if err != nil {
		return nil, nil, err
	}
	states, err := c.nodes.Monitor.States(ctx)
	if err != nil {
		return nil, nil, err
	}
	lang, now := api.CallerOf(ctx).Lang, c.nodes.Limits.LocalTime()
	names = make(map[int64]string, len(all))
	var total, lent, online int64
	for i := range all {
		n := all[i].Localized(lang)
		names[n.ID] = n.Name
		if !n.Visible || !n.Serves() {
			continue
		}
		total++
		if !access.InGroup(n.GroupID) || access.Class < n.Class {
			continue
		}
		lent++
		if states[n.ID].Health(now) != node.Offline {
			online++
		}
	}
	has := connectionStep{Key: "nodes", State: "ok", Code: "some", Count: &lent, Of: &total}
	up := connectionStep{Key: "online", State: "ok", Code: "some", Count: &online, Of: &lent}
	switch {
	case access.ExpiresAt == nil && !access.Allowed:
		has.State, up.State = "skipped", "skipped"
		has.Code, up.Code = "skipped", "skipped"
	case lent == 0:
		has.State, has.Code = "failing", "none"
		up.State, up.Code = "skipped", "skipped"
	case online == 0:
		up.State, up.Code = "failing", "none"
	case online < lent:
		up.State, up.Code = "warning", "fewer"
	}
	return names, []connectionStep{has, up}, nil
}

// addressSteps are the last fetch of the link, the device limit, and whether an address of the user is refused.
func (c connection) addressSteps(ctx context.Context, access *service.Access, online []node.OnlineIP) (
	steps []connectionStep, blocked map[string]bool, err error,
) {
	fetches, _, err := c.links.Fetches(ctx, access.UserID, 1, 0)
	if err != nil {
		return nil, nil, err
	}
	now := c.nodes.Limits.LocalTime()
	fetch := connectionStep{Key: "fetch", State: "warning", Code: "never"}
	seen := map[string]bool{}
	if len(fetches) > 0 {
		last := fetches[0]
		seen[last.IP] = true
		fetch = connectionStep{Key: "fetch", State: "ok", Code: "fresh", At: &last.FetchedAt, Detail: last.Client}
		switch {
		case last.Status >= 400:
			fetch.State, fetch.Code = "failing", "refused"
		case now.Sub(last.FetchedAt) > freshFetch:
			fetch.State, fetch.Code = "warning", "old"
		}
	}
	connected := map[string]bool{}
	for _, o := range online {
		seen[o.IP], connected[o.IP] = true, true
	}
	devices := connectionStep{Key: "devices", State: "ok", Code: "unlimited", Count: new(int64(len(connected)))}
	if access.Devices != nil {
		devices.Code, devices.Of = "free", new(int64(*access.Devices))
		if len(connected) >= *access.Devices {
			devices.State, devices.Code = "warning", "full"
		}
	}
	address := connectionStep{Key: "address", State: "ok", Code: "free"}
	var ips []string
	for ip := range seen {
		ips = append(ips, ip)
		if at, err := netip.ParseAddr(ip); err == nil && c.bans.Refuse(at) != nil {
			address = connectionStep{Key: "address", State: "failing", Code: "refused", Detail: ip}
		}
	}
	found, err := c.nodes.Blocklist.Blocked(ctx, ips)
	blocked = map[string]bool{}
	for _, ip := range found {
		blocked[ip] = true
		address = connectionStep{Key: "address", State: "failing", Code: "blocked", Detail: ip}
	}
	return []connectionStep{fetch, devices, address}, blocked, err
}

// rulesStep is what the audit rules stopped of the user within a day.
func (c connection) rulesStep(ctx context.Context, userID int64) (connectionStep, error) {
	step := connectionStep{Key: "rules", State: "ok", Code: "none"}
	hits, _, err := c.nodes.Rules.HitLog(ctx, node.HitFilter{UserID: userID}, lastHits, 0)
	since := c.nodes.Limits.LocalTime().Add(-recentHit)
	var count int64
	for i := range hits {
		if hits[i].At.After(since) {
			count += hits[i].Count
		}
	}
	if count > 0 {
		step = connectionStep{
			Key: "rules", State: "warning", Code: "hit", Count: &count, At: &hits[0].At, Detail: hits[0].RuleName,
		}
	}
	return step, err
}
