package uniproxy

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"strings"

	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/node"
)

// configJSON is a node as these agents read it. Each agent reads some of the fields; fields with the same content are
// for different agents.
type configJSON struct {
	Protocol   string `json:"protocol"`
	ListenIP   string `json:"listen_ip"`
	ServerPort int    `json:"server_port"`
	Host       string `json:"host"`
	ServerName string `json:"server_name"`

	Network           string         `json:"network,omitempty"`
	NetworkSettings   *transportJSON `json:"networkSettings,omitempty"`
	NetworkSettingsSn *transportJSON `json:"network_settings,omitempty"` // XrayR reads only these for VLESS.

	TLS         int       `json:"tls"` // 0 none, 1 TLS, 2 REALITY
	TLSSettings *tlsJSON  `json:"tls_settings,omitempty"`
	CertConfig  *certJSON `json:"cert_config,omitempty"` // For Xboard-node.

	Flow   string `json:"flow,omitempty"`
	Cipher string `json:"cipher,omitempty"`
	// Only for Shadowsocks 2022: V2bX recognises it by this field.
	ServerKey             string `json:"server_key,omitempty"`
	Version               int    `json:"version,omitempty"` // Of Hysteria or TUIC.
	UpMbps                *int   `json:"up_mbps,omitempty"`
	DownMbps              *int   `json:"down_mbps,omitempty"`
	IgnoreClientBandwidth *bool  `json:"ignore_client_bandwidth,omitempty"`
	Obfs                  string `json:"obfs,omitempty"`
	ObfsPassword          string `json:"obfs-password,omitempty"`
	ObfsPasswordSn        string `json:"obfs_password,omitempty"`

	CongestionControl string   `json:"congestion_control,omitempty"`
	ZeroRTTHandshake  *bool    `json:"zero_rtt_handshake,omitempty"` // Of TUIC.
	PaddingScheme     []string `json:"padding_scheme,omitempty"`     // Empty for the protocol's default.

	BaseConfig baseJSON    `json:"base_config"` // Without it V2bX and v2node panic.
	Routes     []routeJSON `json:"routes"`
}

type transportJSON struct {
	Path        string            `json:"path,omitempty"`
	Host        string            `json:"host,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"` // XrayR reads the host of ws here.
	ServiceName string            `json:"serviceName,omitempty"`
}

// tlsJSON has numbers as strings, which the agents require.
type tlsJSON struct {
	ServerName  string   `json:"server_name"`
	ServerNames []string `json:"server_names,omitempty"`
	Dest        string   `json:"dest,omitempty"`
	ServerPort  string   `json:"server_port,omitempty"`
	PrivateKey  string   `json:"private_key,omitempty"`
	PublicKey   string   `json:"public_key,omitempty"`
	ShortID     string   `json:"short_id,omitempty"`
	ShortIDs    []string `json:"short_ids,omitempty"`
	Xver        string   `json:"xver,omitempty"`
	CertMode    string   `json:"cert_mode,omitempty"`
	CertFile    string   `json:"cert_file,omitempty"`
	KeyFile     string   `json:"key_file,omitempty"`
}

type certJSON struct {
	CertMode    string `json:"cert_mode"`
	Domain      string `json:"domain"`
	Email       string `json:"email,omitempty"`
	CertFile    string `json:"cert_file,omitempty"`
	KeyFile     string `json:"key_file,omitempty"`
	CertContent string `json:"cert_content,omitempty"`
	KeyContent  string `json:"key_content,omitempty"`
}

type baseJSON struct {
	PushInterval           int `json:"push_interval"` // In seconds.
	PullInterval           int `json:"pull_interval"`
	NodeReportMinTraffic   int `json:"node_report_min_traffic"`
	DeviceOnlineMinTraffic int `json:"device_online_min_traffic"`
}

// config describes what the agent has to serve, including private keys.
func (s *server) config(w http.ResponseWriter, c call) error {
	out, err := s.describe(c.Context(), c.node.ID, c.nodeType)
	if err != nil {
		return err
	}
	rules, err := s.nodes.Rules.InForce(c.Context())
	if err != nil {
		return err
	}
	out.Routes = routes(rules, c)
	body, err := json.Marshal(out)
	if err != nil {
		return err
	}
	api.WriteTagged(w, c.Request, body)
	return nil
}

// describe returns the configuration for an agent that calls the node a nodeType, without audit rules.
func (s *server) describe(ctx context.Context, nodeID int64, nodeType string) (configJSON, error) {
	n, err := s.nodes.Get(ctx, nodeID)
	if err != nil {
		return configJSON{}, err
	}
	if nodeType == anyType && n.Protocol == node.Trojan && slices.Contains(nonTrojanTransports, n.Settings.Transport) {
		return configJSON{}, errTrojanTransport
	}
	out := protocolConfig(n)
	if nodeType == anyType {
		forAnyType(&out)
	}
	if n.Protocol == node.Hysteria2 && nodeType != anyType {
		out.Protocol = "hysteria" // With version 2. Only v2node uses the other name.
	}
	seconds := s.settings.Get().NodeReportSeconds
	out.BaseConfig, out.Routes = baseJSON{PushInterval: seconds, PullInterval: seconds}, []routeJSON{}
	return out, nil
}

// nonTrojanTransports are transports that v2node supports only for other protocols. Given one of them for Trojan, it
// reports an invalid network type without naming the node.
var nonTrojanTransports = []string{"httpupgrade", "xhttp"}

var errTrojanTransport = fault.Conflict("transport_not_in_v2node",
	"v2node 的 Trojan 只支持 tcp、ws 和 grpc，请更换该节点的传输方式或代理",
	"v2node has Trojan over tcp, ws and grpc only; give this node one of them, or another agent")

// forAnyType adds fields that v2node needs and other agents have from their operator. It requires a network for every
// protocol, and exits with all of its nodes if AnyTLS has none. Without a certificate it would serve in clear text what
// links encrypt. It looks for a certificate of the server's in its own folder, where the operator puts it, and does not
// start without it.
func forAnyType(out *configJSON) {
	if out.Network == "" {
		out.Network = "tcp"
	}
	if out.TLSSettings != nil && out.TLS == 1 && out.TLSSettings.CertMode == "" {
		out.TLSSettings.CertMode = "file"
	}
}

func protocolConfig(n node.Node) configJSON {
	s := n.Settings
	out := configJSON{Protocol: string(n.Protocol), ListenIP: n.Listen, ServerPort: n.ListenPort, Host: n.Address}
	switch n.Protocol {
	case node.Shadowsocks:
		out.Cipher, out.ServerKey = s.Method, s.ServerKey
		return out
	case node.Hysteria2:
		free := s.UpMbps == 0 && s.DownMbps == 0
		out.Version, out.UpMbps, out.DownMbps, out.IgnoreClientBandwidth = 2, &s.UpMbps, &s.DownMbps, &free
		out.Obfs, out.ObfsPassword, out.ObfsPasswordSn = s.Obfs, s.ObfsPassword, s.ObfsPassword
	case node.TUIC:
		out.Version, out.CongestionControl, out.ZeroRTTHandshake = 5, s.Congestion, &s.ZeroRTT
	case node.AnyTLS:
		out.PaddingScheme = s.Padding
	default:
		out.Flow, out.Network, out.NetworkSettings = s.Flow, s.Transport, transport(s)
		out.NetworkSettingsSn = out.NetworkSettings
	}
	switch {
	case s.Security == "tls" && s.TLS != nil:
		out.TLS, out.ServerName, out.TLSSettings, out.CertConfig = 1, s.TLS.ServerName, tlsFiles(s.TLS),
			certificate(s.TLS)
	case s.Security == "reality" && s.Reality != nil:
		out.TLS, out.ServerName, out.TLSSettings = 2, s.Reality.ServerNames[0], reality(s.Reality)
	}
	return out
}

func transport(s node.Settings) *transportJSON {
	switch s.Transport {
	case "ws":
		t := &transportJSON{Path: s.Path, Host: s.Host}
		if s.Host != "" {
			t.Headers = map[string]string{"Host": s.Host}
		}
		return t
	case "httpupgrade", "xhttp": // XHTTP without a mode: all are served, as older links may have them.
		return &transportJSON{Path: s.Path, Host: s.Host}
	case "grpc":
		return &transportJSON{ServiceName: s.ServiceName}
	}
	return &transportJSON{}
}

// tlsFiles names the agent's own files. A certificate of the server's has no field here: only Xboard-node reads one, in
// cert_config. Operators of other agents get it by "airstrip node certificate".
func tlsFiles(t *node.TLS) *tlsJSON {
	out := &tlsJSON{ServerName: t.ServerName}
	switch {
	case t.ACME != nil:
		out.CertMode = acmeMode
	case t.Certificate == "":
		out.CertMode, out.CertFile, out.KeyFile = "file", t.CertificateFile, t.KeyFile
	}
	return out
}

// acmeMode is how agents that obtain certificates themselves prove the name, independent of our own setting: it is the
// only way they support that needs nothing from the operator.
const acmeMode = "http"

func certificate(t *node.TLS) *certJSON {
	switch {
	case t.ACME != nil:
		return &certJSON{CertMode: acmeMode, Domain: t.ServerName, Email: t.ACME.Email}
	case t.Certificate != "":
		return &certJSON{CertMode: "content", Domain: t.ServerName, CertContent: t.Certificate, KeyContent: t.Key}
	}
	return &certJSON{CertMode: "file", Domain: t.ServerName, CertFile: t.CertificateFile, KeyFile: t.KeyFile}
}

// reality omits dest if the server name is the same, which all agents accept. Xboard-node requires a port in dest where
// the others permit none, so it can serve the node too.
func reality(r *node.Reality) *tlsJSON {
	host, port, _ := net.SplitHostPort(r.Dest) // Checked when the node was saved.
	out := &tlsJSON{
		ServerName: r.ServerNames[0], ServerNames: r.ServerNames, ServerPort: port, PrivateKey: r.PrivateKey,
		PublicKey: r.PublicKey, Xver: "0",
	}
	if host != out.ServerName {
		out.Dest = host
	}
	if len(r.ShortIDs) > 0 {
		out.ShortID, out.ShortIDs = r.ShortIDs[0], r.ShortIDs
	}
	return out
}

type routeJSON struct {
	ID          int64    `json:"id"`
	Match       []string `json:"match"`
	Action      string   `json:"action"`
	ActionValue *string  `json:"action_value"`
}

// routes returns the audit rules in the agent's grammar. v2node refuses host names by expressions with a prefix,
// addresses and ports. V2bX matches the host alone and XrayR network:host:port, and nothing distinguishes the two, so
// both get what either matches. Xboard-node, the only client that is not resty, supports no rules, and a slash in one
// would keep it from starting. Without rules there is one that matches nothing: XrayR would keep its old rules after an
// empty list.
func routes(rules []node.Rule, c call) []routeJSON {
	out := []routeJSON{}
	if strings.HasPrefix(c.UserAgent(), "Go-http-client/") {
		return out
	}
	prefix, put := "", func(r node.Rule, action string, match []string) {
		if len(match) > 0 {
			out = append(out, routeJSON{r.ID, match, action, nil})
		}
	}
	if c.nodeType == anyType {
		prefix = "regexp:"
	}
	for _, r := range rules {
		g := r.Grammar()
		if c.nodeType != anyType {
			put(r, "block", hostOrNetwork(g))
			continue
		}
		var names []string
		for _, host := range g.Hosts {
			names = append(names, prefix+host)
		}
		put(r, "block", names)
		put(r, "block_ip", g.IPs)
		put(r, "block_port", g.Ports)
	}
	if len(out) == 0 {
		out = append(out, routeJSON{0, []string{prefix + `^\b$`}, "block", nil})
	}
	return out
}

// hostOrNetwork returns a rule for agents of which some match the host and others network:host:port. A pattern about a
// port must not match a host alone, as :25$ would match an IPv6 address.
func hostOrNetwork(g node.Grammar) []string {
	match := []string{g.Network}
	if !g.Complete || len(g.Ports) > 0 {
		match = slices.Clone(g.ByNetwork)
	}
	for _, host := range slices.Concat(g.Hosts, g.Addresses) {
		if !slices.Contains(match, host) {
			match = append(match, host)
		}
	}
	return match
}
