package ppanel

import (
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/node"
)

// serverJSON is a node as the agent reads it. The agent restarts the node whenever a byte of it changes.
type serverJSON struct {
	// Bytes in kB that a user must have transferred to be reported.
	TrafficReportThreshold int            `json:"traffic_report_threshold"`
	PushInterval           int            `json:"push_interval"` // In seconds.
	PullInterval           int            `json:"pull_interval"`
	IPStrategy             string         `json:"ip_strategy"` // Empty for the machine's own.
	DNS                    []any          `json:"dns"`         // Empty for the machine's own.
	Block                  []string       `json:"block"`
	Outbound               []any          `json:"outbound"` // Empty for direct connections.
	Protocols              []protocolJSON `json:"protocols"`
	Total                  int            `json:"total"` // Number of protocols.
}

type protocolJSON struct {
	Type     string `json:"type"`
	Port     int    `json:"port"`
	Enable   bool   `json:"enable"`   // Always true: see protocol.
	Security string `json:"security"` // none, tls or reality; also for protocols without a choice.
	SNI      string `json:"sni,omitempty"`
	CertMode string `json:"cert_mode,omitempty"`

	RealityServerAddr string `json:"reality_server_addr,omitempty"`
	RealityServerPort int    `json:"reality_server_port,omitempty"`
	RealityPrivateKey string `json:"reality_private_key,omitempty"`
	RealityPublicKey  string `json:"reality_public_key,omitempty"`
	RealityShortID    string `json:"reality_short_id,omitempty"`

	Transport   string `json:"transport,omitempty"`
	Host        string `json:"host,omitempty"`
	Path        string `json:"path,omitempty"`
	ServiceName string `json:"service_name,omitempty"`
	Flow        string `json:"flow,omitempty"`

	Cipher    string `json:"cipher,omitempty"`
	ServerKey string `json:"server_key,omitempty"` // The bytes of the key, not base64.

	Obfs         string `json:"obfs,omitempty"`
	ObfsPassword string `json:"obfs_password,omitempty"`
	UpMbps       int    `json:"up_mbps,omitempty"`
	DownMbps     int    `json:"down_mbps,omitempty"`

	CongestionController string `json:"congestion_controller,omitempty"`
	ReduceRTT            bool   `json:"reduce_rtt,omitempty"`
	PaddingScheme        string `json:"padding_scheme,omitempty"` // One element per line.
}

// config describes what the agent has to serve, including private keys.
func (s *server) config(w http.ResponseWriter, c call) error {
	n, err := s.nodes.Get(c.Context(), c.node.ID)
	if err != nil {
		return err
	}
	p, err := protocol(n)
	if err != nil {
		return err
	}
	rules, err := s.nodes.Rules.InForce(c.Context())
	if err != nil {
		return err
	}
	seconds := s.settings.Get().NodeReportSeconds
	out := serverJSON{
		PushInterval: seconds, PullInterval: seconds, DNS: []any{}, Block: []string{},
		Outbound: []any{}, Protocols: []protocolJSON{p}, Total: 1,
	}
	for _, r := range rules { // The agent matches host names only.
		for _, host := range r.Grammar().Hosts {
			out.Block = append(out.Block, "regex:"+host)
		}
	}
	body, err := json.Marshal(answer{http.StatusOK, "success", out})
	if err != nil {
		return err
	}
	api.WriteTagged(w, c.Request, body)
	return nil
}

// protocol describes the node as the agent serves it. It always says enabled: the agent panics when it stops a protocol
// that it did not start, so enabling a disabled node again would crash it. The list of users is empty instead.
func protocol(n node.Node) (protocolJSON, error) {
	s := n.Settings
	p := protocolJSON{
		Type: string(n.Protocol), Port: n.ListenPort, Enable: true, Security: s.Security,
		Transport: s.Transport, Host: s.Host, Path: s.Path, ServiceName: s.ServiceName, Flow: s.Flow, Cipher: s.Method,
		Obfs: s.Obfs, ObfsPassword: s.ObfsPassword, UpMbps: s.UpMbps, DownMbps: s.DownMbps,
		CongestionController: s.Congestion, ReduceRTT: s.ZeroRTT, PaddingScheme: strings.Join(s.Padding, "\n"),
	}
	if n.Protocol == node.Trojan && (s.Transport == "httpupgrade" || s.Transport == "xhttp") {
		return p, errTrojanTransport
	}
	var err error
	if s.ServerKey != "" {
		p.ServerKey, err = keyBytes(s.ServerKey)
	}
	switch {
	case s.Security == "tls" && s.TLS != nil:
		p.SNI, p.CertMode = s.TLS.ServerName, certMode(s.TLS)
	case s.Security == "reality" && s.Reality != nil:
		host, port, _ := net.SplitHostPort(s.Reality.Dest) // Checked when the node was saved.
		p.SNI, p.RealityServerAddr, p.RealityPrivateKey, p.RealityPublicKey = s.Reality.ServerNames[0], host,
			s.Reality.PrivateKey, s.Reality.PublicKey
		p.RealityServerPort, _ = strconv.Atoi(port)
		if len(s.Reality.ShortIDs) > 0 {
			p.RealityShortID = s.Reality.ShortIDs[0]
		}
	}
	return p, err
}

// certMode says where the agent gets its certificate: by HTTP from an issuer, or from files that its operator provides.
// The protocol has no field for a certificate of the server's.
func certMode(t *node.TLS) string {
	if t.ACME != nil {
		return "http"
	}
	return "file"
}

var errNoText = fault.Conflict("server_key_not_text", "PPanel 代理只能使用由文字组成的服务端密钥，请为该节点设置一个",
	"Agents of PPanel accept only a server key that is text; set one for this node")

var errTrojanTransport = fault.Conflict("transport_not_in_ppanel",
	"PPanel 代理的 Trojan 只支持 tcp、ws 和 grpc，请更换该节点的传输方式或代理",
	"Agents of PPanel have Trojan over tcp, ws and grpc only; give this node one of them, or another agent")

// keyBytes returns the bytes of a Shadowsocks 2022 key, which the agent encodes itself. JSON can represent only text.
func keyBytes(key string) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(raw) {
		return "", errNoText
	}
	return string(raw), nil
}
