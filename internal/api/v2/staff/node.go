package staff

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/node"
)

type staffNode struct {
	ID         int64                   `json:"id"`
	Name       string                  `json:"name"`
	NameZH     string                  `json:"name_zh" doc:"Empty: there is none in Chinese"`
	NameEN     string                  `json:"name_en" doc:"Empty: there is none in English"`
	Protocol   node.Protocol           `json:"protocol"`
	Address    string                  `json:"address"`
	Port       int                     `json:"port"`
	Listen     string                  `json:"listen"`
	ListenPort int                     `json:"listen_port"`
	Settings   nodeSettings            `json:"settings" doc:"Without their secrets"`
	SecretsSet []string                `json:"secrets_set" doc:"Which secrets the settings have: server_key, obfs_password, tls.key, reality.private_key. Nobody is shown them; a change that leaves them out keeps them"`
	Rate       string                  `json:"rate" example:"1.50"`
	HourRates  []string                `json:"hour_rates" doc:"Of each hour of the site's day, or none"`
	RateNow    string                  `json:"rate_now" example:"1.50"`
	QuotaBytes *int64                  `json:"quota_bytes" nullable:"true" doc:"A month, up and down together; null: none"`
	ResetDay   int                     `json:"reset_day"`
	UsedBytes  int64                   `json:"used_bytes" doc:"Since the last reset"`
	ResetsAt   time.Time               `json:"resets_at"`
	Spent      bool                    `json:"spent" doc:"Nobody may use it until the reset"`
	GroupHosts map[string]nodeEndpoint `json:"group_hosts" doc:"By link group, where its users dial"`
	Relays     []nodeRelay             `json:"relays"`
	Tags       []string                `json:"tags"`
	Remark     string                  `json:"remark"`
	Class      int                     `json:"class"`
	GroupID    int                     `json:"group_id"`
	Country    string                  `json:"country"`
	SpeedMbps  *int                    `json:"speed_mbps" nullable:"true"`
	LinkMbps   int                     `json:"link_mbps" doc:"Of the machine. What the node reports beyond what that can have carried is not counted; airstrip-node keeps it and brings it again"`
	Sort       int                     `json:"sort"`
	Visible    bool                    `json:"visible"`
	Enabled    bool                    `json:"enabled"`
	Status     node.Health             `json:"status" enum:"online,late,offline"`
	SeenAt     *time.Time              `json:"seen_at" nullable:"true" doc:"null: never"`
	Agent      string                  `json:"agent" doc:"The agent's version, where it says"`
	Uptime     int64                   `json:"uptime_seconds"`
	Load       []float64               `json:"load"`
	CPU        float64                 `json:"cpu" doc:"Percent"`
	Memory     float64                 `json:"memory" doc:"Percent"`
	UpBPS      int64                   `json:"up_bps" doc:"Bytes a second"`
	DownBPS    int64                   `json:"down_bps"`
	Connected  int64                   `json:"connections"`
	Online     int64                   `json:"online_users"`
	CreatedAt  time.Time               `json:"created_at"`
	UpdatedAt  time.Time               `json:"updated_at"`

	SilencedUntil *time.Time `json:"silenced_until" nullable:"true" doc:"Until then staff is told of none of its outages and alarms; null: it is"`
	ratePermille  int64
	v2.Version
}

// sortNodes sorts by what the query names, with a minus the largest first; empty: not at all.
func sortNodes(nodes []staffNode, by string) {
	field, down := strings.CutPrefix(by, "-")
	compare, known := map[string]func(a, b staffNode) int{
		"name":  func(a, b staffNode) int { return cmp.Compare(a.Name, b.Name) },
		"cpu":   func(a, b staffNode) int { return cmp.Compare(a.CPU, b.CPU) },
		"users": func(a, b staffNode) int { return cmp.Compare(a.Online, b.Online) },
		"used":  func(a, b staffNode) int { return cmp.Compare(a.UsedBytes, b.UsedBytes) },
		"rate":  func(a, b staffNode) int { return cmp.Compare(a.ratePermille, b.ratePermille) },
	}[field]
	if !known {
		return
	}
	slices.SortStableFunc(nodes, func(a, b staffNode) int {
		if down {
			a, b = b, a
		}
		return compare(a, b)
	})
}

// The names of node's types are too general for the contract.
type (
	nodeSettings node.Settings
	nodeEndpoint node.Endpoint
	nodeRelay    node.Relay

	nodeCertificate node.Certificate
)

type staffNodePage struct {
	Total int         `json:"total"`
	Nodes []staffNode `json:"nodes"`
}

type madeNode struct {
	Node    staffNode `json:"node"`
	Secret  string    `json:"secret" doc:"Of the node's agent; shown this once"`
	Install string    `json:"install" doc:"One line for root's shell on the node, which installs the agent and starts it; where the server has no agent to give away, airstrip-node and its unit have to be there already"`
}

// SetVersion sets the version of the node that was made.
func (m *madeNode) SetVersion(to audit.Version) { m.Node.SetVersion(to) }

type madeSecret struct {
	Secret  string `json:"secret" doc:"Shown this once"`
	Install string `json:"install" doc:"As in the answer to a new node; it brings the agent up to date, too"`
}

func newStaffNode(n node.Node, st node.State, month node.Month, now time.Time) staffNode {
	out := staffNode{
		ID: n.ID, Name: n.Name, NameZH: n.Names[fault.ZH], NameEN: n.Names[fault.EN], Protocol: n.Protocol,
		Address: n.Address, Port: n.Port, Listen: n.Listen, ListenPort: n.ListenPort,
		Settings: nodeSettings(n.Settings.Shown()), SecretsSet: n.Settings.SecretsSet(),
		Rate: v2.RateText(n.RatePermille), HourRates: v2.RateTexts(n.HourRates), RateNow: v2.RateText(n.Rate(now)),
		QuotaBytes: n.QuotaBytes, ResetDay: n.ResetDay,
		UsedBytes: month.Used, ResetsAt: month.Ends.UTC(), Spent: n.Spent, GroupHosts: map[string]nodeEndpoint{},
		Relays: []nodeRelay{}, Tags: append([]string{}, n.Tags...), Remark: n.Remark,
		Class: n.Class, GroupID: n.GroupID, Country: n.Country, SpeedMbps: n.SpeedMbps, LinkMbps: n.LinkMbps,
		Sort: n.Sort, Visible: n.Visible, Enabled: n.Enabled,
		Status: st.Health(now), Agent: st.Version, Uptime: st.UptimeSeconds, Load: append([]float64{}, st.Load...),
		CPU: float64(st.CPUPermille) / 10, Memory: float64(st.MemoryPermille) / 10,
		UpBPS: st.UpBPS, DownBPS: st.DownBPS, Connected: st.Connections, Online: st.OnlineUsers, CreatedAt: n.CreatedAt,
		UpdatedAt: n.UpdatedAt, ratePermille: n.Rate(now),
	}
	if !st.SeenAt.IsZero() {
		out.SeenAt = &st.SeenAt
	}
	for group, e := range n.GroupHosts {
		out.GroupHosts[strconv.Itoa(group)] = nodeEndpoint(e)
	}
	for _, r := range n.Relays {
		out.Relays = append(out.Relays, nodeRelay(r))
	}
	return out
}

// NodeChange is what a new node and a change have in common; exported because it is embedded.
type NodeChange struct {
	Name       *string                  `json:"name,omitempty"`
	NameZH     *string                  `json:"name_zh,omitempty" doc:"In Chinese; empty: name"`
	NameEN     *string                  `json:"name_en,omitempty" doc:"In English; empty: name"`
	Address    *string                  `json:"address,omitempty"`
	Port       *int                     `json:"port,omitempty"`
	Listen     *string                  `json:"listen,omitempty"`
	ListenPort *int                     `json:"listen_port,omitempty"`
	Settings   *nodeSettings            `json:"settings,omitempty" doc:"All of them, in place of the present ones; keys that are left out stay, or are made"`
	Rate       *string                  `json:"rate,omitempty" example:"1.5"`
	HourRates  *[]string                `json:"hour_rates,omitempty" doc:"24 of them, or none"`
	QuotaBytes *int64                   `json:"quota_bytes,omitempty" minimum:"0" doc:"0: none"`
	ResetDay   *int                     `json:"reset_day,omitempty"`
	GroupHosts *map[string]nodeEndpoint `json:"group_hosts,omitempty"`
	Relays     *[]nodeRelay             `json:"relays,omitempty"`
	Tags       *[]string                `json:"tags,omitempty"`
	Remark     *string                  `json:"remark,omitempty"`
	Class      *int                     `json:"class,omitempty"`
	GroupID    *int                     `json:"group_id,omitempty"`
	Country    *string                  `json:"country,omitempty"`
	SpeedMbps  *int                     `json:"speed_mbps,omitempty" minimum:"0" doc:"0: no limit"`
	LinkMbps   *int                     `json:"link_mbps,omitempty" doc:"Of the machine; better too high than too low, since what the node reports beyond it is not counted"`
	Sort       *int                     `json:"sort,omitempty"`
	Visible    *bool                    `json:"visible,omitempty"`
	Enabled    *bool                    `json:"enabled,omitempty"`
	NewKeys    bool                     `json:"new_keys,omitempty" doc:"Make the keys, passwords and self-signed certificate of the settings anew; clients need their link again"`
}

type newNodeBody struct {
	ID       int64         `json:"id,omitempty" minimum:"1" maximum:"2147483647" doc:"The number that agents which move here from another panel name; left out: the next"`
	Protocol node.Protocol `json:"protocol" enum:"shadowsocks,vmess,vless,trojan,hysteria2,tuic,anytls"`
	NodeChange
}

// read returns what the change does to a node, or the fault of what cannot be read.
func (c NodeChange) read() (func(*node.Node), error) {
	var wrong []fault.Field
	rate := func(field, text string) int64 {
		permille, ok := parseRate(text)
		if !ok {
			wrong = append(wrong, fault.Field{Name: field, Code: "format", Text: fault.Text{
				ZH: "倍率为 0 到 100 的数，最多三位小数",
				EN: "A rate is a number from 0 to 100 with at most three places",
			}})
		}
		return permille
	}
	var always int64
	if c.Rate != nil {
		always = rate("rate", *c.Rate)
	}
	hours := []int64{}
	if c.HourRates != nil {
		for i, text := range *c.HourRates {
			hours = append(hours, rate(fmt.Sprintf("hour_rates.%d", i), text))
		}
	}
	hosts := node.GroupHosts{}
	if c.GroupHosts != nil {
		for name, e := range *c.GroupHosts {
			group, err := strconv.Atoi(name)
			if err != nil {
				wrong = append(wrong, fault.Field{
					Name: "group_hosts." + name, Code: "type",
					Text: fault.Text{ZH: "链接分组为正整数", EN: "A link group is a whole number from 1"},
				})
			}
			hosts[group] = node.Endpoint(e)
		}
	}
	if len(wrong) > 0 {
		return nil, fault.ErrInvalid.In(wrong...)
	}
	return func(n *node.Node) {
		assign(&n.Name, c.Name)
		n.Names = n.Names.With(fault.ZH, c.NameZH).With(fault.EN, c.NameEN)
		assign(&n.Address, c.Address)
		assign(&n.Listen, c.Listen)
		n.SetPorts(c.Port, c.ListenPort)
		assign(&n.ResetDay, c.ResetDay)
		assign(&n.Tags, c.Tags)
		assign(&n.Remark, c.Remark)
		assign(&n.Class, c.Class)
		assign(&n.GroupID, c.GroupID)
		assign(&n.Country, c.Country)
		assign(&n.LinkMbps, c.LinkMbps)
		assign(&n.Sort, c.Sort)
		assign(&n.Visible, c.Visible)
		assign(&n.Enabled, c.Enabled)
		if c.Settings != nil {
			n.Settings = node.Settings(*c.Settings).Over(n.Settings)
		}
		if c.NewKeys {
			n.Settings = n.Settings.WithoutKeys()
		}
		if c.Rate != nil {
			n.RatePermille = always
		}
		if c.HourRates != nil {
			n.HourRates = hours
		}
		if c.QuotaBytes != nil {
			n.QuotaBytes = unlessNone(*c.QuotaBytes)
		}
		if c.SpeedMbps != nil {
			n.SpeedMbps = unlessNone(*c.SpeedMbps)
		}
		if c.GroupHosts != nil {
			n.GroupHosts = maps.Clone(hosts)
		}
		if c.Relays != nil {
			n.Relays = []node.Relay{}
			for _, r := range *c.Relays {
				n.Relays = append(n.Relays, node.Relay(r))
			}
		}
	}, nil
}

func unlessNone[T int | int64](n T) *T {
	if n == 0 {
		return nil
	}
	return &n
}

// parseRate reads a decimal with at most three places as per mille.
func parseRate(text string) (permille int64, ok bool) {
	whole, part, _ := strings.Cut(text, ".")
	if len(whole) < 1 || len(whole) > 3 || len(part) > 3 {
		return 0, false
	}
	permille, err := strconv.ParseInt(whole+part+strings.Repeat("0", 3-len(part)), 10, 64)
	return permille, err == nil && permille >= 0
}
