package modmu

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"airstrip/internal/api"
	"airstrip/internal/node"
)

// version is below 2023.2, so that XrayR still posts its load, and at least 2021.11, so that it reads custom_config.
const version = "2023.1.0"

type infoJSON struct {
	NodeGroup      int            `json:"node_group"`
	NodeClass      int            `json:"node_class"`
	NodeSpeedLimit int            `json:"node_speedlimit"` // Mbit/s; 0 for none.
	TrafficRate    float64        `json:"traffic_rate"`
	MuOnly         int            `json:"mu_only"`
	Sort           int            `json:"sort"`
	Server         string         `json:"server"`
	CustomConfig   map[string]any `json:"custom_config"`
	Type           string         `json:"type"`
	Version        string         `json:"version"`
}

// nodeInfo describes the node. It has no ETag: two forks of XrayR request it twice at their start and exit on a 304.
func (s *server) nodeInfo(r *http.Request, n node.Node) (any, error) {
	if r.PathValue("id") != strconv.FormatInt(n.ID, 10) {
		return nil, api.ErrOtherNode
	}
	s.recordContact(r.Context(), n)
	return s.info(r.Context(), n.ID)
}

func (s *server) freshInfo(ctx context.Context, id int64) (infoJSON, error) {
	n, err := s.nodes.Get(ctx, id)
	if err != nil {
		return infoJSON{}, err
	}
	return infoJSON{
		NodeGroup: n.GroupID, NodeClass: n.Class, NodeSpeedLimit: orZero(n.SpeedMbps),
		TrafficRate: float64(n.Rate(s.nodes.Limits.LocalTime())) / 1000,
		MuOnly:      1, Sort: sort(n), Server: legacyServer(n), CustomConfig: customConfig(n),
		Type:    "ss-panel-v3-mod_Uim",
		Version: version,
	}, nil
}

// sort is the number by which some forks select the protocol.
func sort(n node.Node) int {
	switch n.Protocol {
	case node.VMess:
		return 11
	case node.VLESS:
		return 2
	case node.Trojan:
		return 14
	case node.Hysteria2:
		return 15
	case node.AnyTLS:
		return 16
	case node.TUIC:
		return 17
	}
	return 0
}

// customConfig is the node as XrayR reads it. Every scalar is a string, except verify_cert and enable_reality.
// Hysteria2, TUIC and AnyTLS use the names of ECYCloud's fork.
func customConfig(n node.Node) map[string]any {
	s := n.Settings
	c := map[string]any{
		"offset_port_node": strconv.Itoa(n.ListenPort), "offset_port_user": strconv.Itoa(n.Port),
		"server_user": n.Address, "server_sub": n.Address,
		"verify_cert": s.TLS == nil || s.TLS.Pin == "",
	}
	put := func(name, value string) {
		if value != "" {
			c[name] = value
		}
	}
	put("host", s.Host)
	put("path", s.Path)
	put("servicename", s.ServiceName)
	put("flow", s.Flow)
	put("method", s.Method)
	put("server_key", s.ServerKey)
	switch n.Protocol {
	case node.VMess, node.VLESS, node.Trojan:
		put("network", s.Transport)
		security := s.Security
		if security == "reality" {
			security = "none" // Otherwise the agent looks for a certificate.
		}
		put("security", security)
	}
	switch n.Protocol {
	case node.VLESS:
		c["enable_vless"] = "1"
	case node.Hysteria2:
		put("obfs", s.Obfs)
		put("obfs_password", s.ObfsPassword)
		c["up_mbps"], c["down_mbps"] = strconv.Itoa(s.UpMbps), strconv.Itoa(s.DownMbps)
	case node.TUIC:
		c["congestion_control"], c["udp_relay_mode"], c["heartbeat"] = s.Congestion, "native", "10"
		c["zero_rtt_handshake"] = map[bool]string{true: "1", false: "0"}[s.ZeroRTT]
		if s.TLS != nil && len(s.TLS.ALPN) > 0 {
			c["alpn"] = s.TLS.ALPN
		} else {
			c["alpn"] = []string{"h3"}
		}
	case node.AnyTLS:
		if len(s.Padding) > 0 {
			c["padding_scheme"] = s.Padding
		}
	}
	if s.TLS != nil {
		put("sni", s.TLS.ServerName)
		// Over HTTP the agent answers 404 to any other host, and users who connect through a relay or a link group's
		// address send that host.
		if s.Host == "" && s.Transport != "ws" && s.Transport != "httpupgrade" && s.Transport != "xhttp" {
			put("host", s.TLS.ServerName)
		}
	}
	if r := s.Reality; r != nil && s.Security == "reality" {
		c["enable_reality"] = true
		c["reality-opts"] = map[string]any{
			"dest": r.Dest, "proxy_protocol_ver": 0, "server_names": r.ServerNames, "private_key": r.PrivateKey,
			"min_client_ver": "", "max_client_ver": "", "max_time_diff": 0, "short_ids": r.ShortIDs,
		}
	}
	return c
}

// legacyServer is the node for agents without custom_config. XrayR's parser needs at least six parts, the last of them
// with a = in each key.
func legacyServer(n node.Node) string {
	s := n.Settings
	switch n.Protocol {
	case node.Shadowsocks:
		return n.Address + ";port=" + strconv.Itoa(n.ListenPort) + "#" + strconv.Itoa(n.Port)
	case node.Trojan, node.Hysteria2, node.TUIC, node.AnyTLS:
		out := n.Address + ";port=" + strconv.Itoa(n.Port) + "#" + strconv.Itoa(n.ListenPort)
		if s.TLS != nil && s.TLS.ServerName != "" {
			out += "|host=" + s.TLS.ServerName
		}
		if s.Transport == "grpc" {
			out += "|grpc=1|servicename=" + s.ServiceName
		}
		return out
	}
	extra := []string{"server=" + n.Address, "outside_port=" + strconv.Itoa(n.Port)}
	for _, pair := range [][2]string{
		{"path", s.Path},
		{"host", s.Host},
		{"servicename", s.ServiceName},
		{"flow", s.Flow},
	} {
		if pair[1] != "" {
			extra = append(extra, pair[0]+"="+pair[1])
		}
	}
	if n.Protocol == node.VLESS {
		extra = append(extra, "enable_vless=true")
	}
	security := ""
	if s.Security == "tls" {
		security = "tls"
	}
	return strings.Join([]string{
		n.Address, strconv.Itoa(n.ListenPort), "0", s.Transport, security,
		strings.Join(extra, "|"),
	}, ";")
}

type statusJSON struct {
	Uptime string `json:"uptime"`
	Load   string `json:"load"`
}

func readInfo(r *http.Request) (statusJSON, error) {
	var in statusJSON
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			return in, err
		}
		return in, api.ErrUnreadable.Because(err)
	}
	return in, nil
}

// listNodes lists the addresses that the Python agent permits.
func (s *server) listNodes(r *http.Request, _ node.Node) (any, error) {
	nodes, err := s.nodes.List(r.Context())
	type row struct {
		ID     int64  `json:"id"`
		Name   string `json:"name"`
		NodeIP string `json:"node_ip"`
	}
	out := []row{}
	for _, n := range nodes {
		if n.Enabled {
			out = append(out, row{n.ID, n.Name, n.Address})
		}
	}
	return out, err
}

// nodesConfig answers the certificate settings that XrayR's forks request, empty: an error stops their polling. Some
// panels give their own DNS credentials away here.
func (s *server) nodesConfig(*http.Request, node.Node) (any, error) {
	return map[string]any{"provider": "", "email": "", "dns_env": map[string]string{}}, nil
}

// unlockConfig tells a fork of XrayR not to test which streaming sites the node reaches: it would run a script as root
// for that. A report is accepted and dropped, since the fork would repeat it otherwise.
func (s *server) unlockConfig(*http.Request, node.Node) (any, error) {
	return map[string]any{"enabled": false, "check_interval": 24}, nil
}

// relayRuleJSON is a row of SSPanel's relay table with the port of the target, which that table lacks.
type relayRuleJSON struct {
	ID             int64  `json:"id"`
	UserID         int64  `json:"user_id"` // 0 for all users.
	SourceNodeID   int64  `json:"source_node_id"`
	DistNodeID     int64  `json:"dist_node_id"`
	DistIP         string `json:"dist_ip"`
	DistPort       int    `json:"dist_port"`
	Port           int    `json:"port"` // Port at which the source listens.
	Priority       int    `json:"priority"`
	SourceNodeSort int    `json:"source_node_sort"`
	DistNodeSort   int    `json:"dist_node_sort"`
	DistNodeServer string `json:"dist_node_server"`
}

// relayRules lists the nodes that this node relays to. With the key of all nodes it lists all relays.
func (s *server) relayRules(r *http.Request, n node.Node) (any, error) {
	relayed, err := s.nodes.RelayedBy(r.Context(), n.ID)
	out := make([]relayRuleJSON, len(relayed))
	for i, v := range relayed {
		out[i] = relayRuleJSON{
			ID: v.ID, SourceNodeID: v.By.ID, DistNodeID: v.Target.ID, DistIP: v.Target.Address, DistPort: v.Target.Port,
			Port:           v.Port,
			SourceNodeSort: sort(v.By), DistNodeSort: sort(v.Target), DistNodeServer: legacyServer(v.Target),
		}
	}
	return out, err
}

type ruleJSON struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Text  string `json:"text"`
	Regex string `json:"regex"`
	Type  int    `json:"type"`
}

// detectRules lists the audit rules. It has no ETag: after rebuilding its inbound XrayR applies rules only from an
// answer that is not a 304. An empty list would leave the old rules in force, so there is always a rule that matches
// nothing.
func (s *server) detectRules(r *http.Request, _ node.Node) (any, error) {
	rules, err := s.nodes.Rules.InForce(r.Context())
	out := []ruleJSON{}
	for _, rule := range rules {
		out = append(out, ruleJSON{rule.ID, rule.Name, rule.Text, rule.Grammar().Network, 1})
	}
	if len(out) == 0 {
		out = append(out, ruleJSON{0, "none", "matches nothing", `^\b$`, 1})
	}
	return out, err
}
