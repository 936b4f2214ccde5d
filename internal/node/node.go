// Package node owns the exits that users connect to: their settings and secrets, who may use them, and how they are.
// Nodes joins the parts, one type for each concern; a part knows only those made before it in New.
//
// What an agent must know is read as a Feed, complete or since a revision: whoever changes a node, a rule or a blocked
// address stamps it with the revision that its transaction bumped, so that an agent misses no change. Secrets in the
// settings are sealed in the database and leave the server only to the node's agent and, where clients need them, in
// links. A node's secret opens the data of that node alone, and everything that its holder may send is bounded. Device
// slots are given out under a lock on the user, so that a device limit holds over all nodes together.
package node

import (
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/fault"
)

// Protocol is the proxy protocol between a node and its clients.
type Protocol string

// The protocols of nodes.
const (
	Shadowsocks Protocol = "shadowsocks"
	VMess       Protocol = "vmess"
	VLESS       Protocol = "vless"
	Trojan      Protocol = "trojan"
	Hysteria2   Protocol = "hysteria2"
	TUIC        Protocol = "tuic" // version 5
	AnyTLS      Protocol = "anytls"
)

// Node is one exit.
type Node struct {
	bun.BaseModel `bun:"table:node"`
	ID            int64        `bun:",pk,autoincrement"`
	Name          string       // where the reader's language has none of its own
	Names         fault.ByLang `bun:"type:jsonb"`
	Protocol      Protocol
	Address       string // host name or IP that clients dial
	Port          int    // that clients dial
	Listen        string // address the agent listens on
	ListenPort    int
	Settings      Settings `bun:"type:jsonb"`
	// the private keys, sealed; Nodes puts them back into Settings where the agent is meant
	Private []byte
	// secrets that clients know too, sealed; nil: none. Nodes puts them back into Settings of what it gives
	ClientSecrets []byte
	// billed = (up + down) × rate / 1000, rounded down per report row; where HourRates has none
	RatePermille int64
	// in per mille, of each hour of the site's day; empty: always RatePermille
	HourRates         []int64    `bun:"type:jsonb"`
	PublishedPermille int64      `bun:"told_permille"` // the rate at the time of Revision
	QuotaBytes        *int64     // up and down together, from a reset to the next; nil: none
	ResetDay          int        // of the month, in the site's time zone; the last day of months that are shorter
	Spent             bool       // the quota is used up: nobody may use it until the reset
	GroupHosts        GroupHosts `bun:"type:jsonb"`
	Relays            []Relay    `bun:"type:jsonb"`
	Tags              []string   `bun:"type:jsonb"` // that users see
	Remark            string     // for staff alone
	Class             int        // users of this class and above may use it
	GroupID           int        // 0: users of every group
	Country           string     // ISO 3166-1 alpha-2, ZZ where unknown
	SpeedMbps         *int       // per user; nil: none
	LinkMbps          int        // of the machine; nobody's reports count for more than it can have carried
	Sort              int
	Visible           bool // in links and lists; agents serve hidden nodes too
	Enabled           bool
	Revision          int64 // value of the revision "access" at the last change
	// the same, of Class, GroupID, Enabled and Spent, which decide who may use it, and of the rate
	ScopeRevision int64
	ScopeAt       *time.Time // when who may use it last changed; nil: never since the node was added
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Endpoint is where clients dial.
type Endpoint struct {
	Host string `json:"host"`
	Port int    `json:"port,omitempty"` // 0: the node's own
}

// GroupHosts are the endpoints of link groups. An endpoint that leaks or is blocked then concerns its group only.
type GroupHosts map[int]Endpoint

// Serves reports whether the node may be used now.
func (n *Node) Serves() bool { return n.Enabled && !n.Spent }

// Rate returns the rate in per mille at a time in the site's time zone.
func (n *Node) Rate(at time.Time) int64 {
	if len(n.HourRates) == 24 {
		return n.HourRates[at.Hour()]
	}
	return n.RatePermille
}

// MaxRate returns the highest rate in per mille of any hour.
func (n *Node) MaxRate() int64 {
	if len(n.HourRates) == 24 {
		return slices.Max(n.HourRates)
	}
	return n.RatePermille
}

// In returns the node with the endpoint of a link group; without one, the node's own.
func (n Node) In(group int) Node {
	if e, ok := n.GroupHosts[group]; ok {
		n.Address = e.Host
		if e.Port != 0 {
			n.Port = e.Port
		}
	}
	return n
}

// Localized returns the node with its name in the reader's language.
func (n Node) Localized(lang fault.Lang) Node {
	n.Name = n.Names.In(lang, n.Name)
	return n
}

// Entries returns the node with each endpoint that users of a link group dial: its own address first, then its relays.
func (n Node) Entries(group int) []Node {
	entries := []Node{n.In(group)}
	for _, r := range n.Relays {
		by := n
		by.Name, by.Address, by.Port = n.Name+" · "+r.Name, r.Host, r.Port
		entries = append(entries, by)
	}
	return entries
}

// Draft returns a node with the defaults: rate 1, for everybody who has a service, listening on the port that clients
// dial.
func Draft(name string, protocol Protocol, address string, port int) Node {
	return Node{
		Name: name, Protocol: protocol, Address: address, Port: port, Listen: "0.0.0.0", ListenPort: port,
		RatePermille: 1000, ResetDay: 1, Country: "ZZ", LinkMbps: 10_000, Visible: true, Enabled: true,
	}
}

// SetPorts changes the port that clients dial and the one on which the agent listens; nil: unchanged. If both were
// equal, they stay so.
func (n *Node) SetPorts(dial, listen *int) {
	if dial != nil {
		if n.ListenPort == n.Port {
			n.ListenPort = *dial
		}
		n.Port = *dial
	}
	if listen != nil {
		n.ListenPort = *listen
	}
}

// Settings are those of the protocol; which of them apply follows from Protocol, Transport and Security. What secrets
// returns leaves the server only to the node's agent and, where clients need it, in links; the certificate's key also
// to an owner or admin who asks for it. The doc tags are part of the contract.
type Settings struct {
	Transport    string   `json:"transport,omitempty" doc:"tcp, ws, grpc, httpupgrade or xhttp, of VLESS, VMess and Trojan; tcp by default"`
	Path         string   `json:"path,omitempty" doc:"Of ws, httpupgrade and xhttp: letters A to Z, digits and . _ ~ ! $ & ' ( ) * + , ; = : @ - /. That of ws may end with ?ed= and how many bytes of early data clients may send, 2048 for example"`
	Host         string   `json:"host,omitempty" doc:"Host header of ws, httpupgrade and xhttp"`
	XHTTPMode    string   `json:"xhttp_mode,omitempty" doc:"How clients of xhttp send: auto, packet-up, stream-up or stream-one; auto by default. Nodes serve all"`
	ServiceName  string   `json:"service_name,omitempty" doc:"Of grpc: letters A to Z, digits and . _ ~ $ & + = : @ -"`
	Security     string   `json:"security,omitempty" doc:"tls, none (VLESS and VMess) or reality (VLESS, VMess and Trojan, over tcp, grpc or xhttp); none by default for VMess, else tls"`
	Flow         string   `json:"flow,omitempty" doc:"xtls-rprx-vision, for VLESS over tcp with tls or reality"`
	TLS          *TLS     `json:"tls,omitempty"`
	Reality      *Reality `json:"reality,omitempty"`
	Method       string   `json:"method,omitempty" doc:"Cipher of Shadowsocks, such as 2022-blake3-aes-128-gcm"`
	ServerKey    string   `json:"server_key,omitempty" doc:"Of Shadowsocks 2022, base64; never shown, made where it is left out"`
	Obfs         string   `json:"obfs,omitempty" doc:"salamander, of Hysteria2"`
	ObfsPassword string   `json:"obfs_password,omitempty" doc:"Never shown; made where it is left out"`
	UpMbps       int      `json:"up_mbps,omitempty" doc:"What Hysteria2 tells clients"`
	DownMbps     int      `json:"down_mbps,omitempty"`
	Congestion   string   `json:"congestion,omitempty" doc:"bbr, cubic or new_reno, of TUIC"`
	ZeroRTT      bool     `json:"zero_rtt,omitempty" doc:"Of TUIC; open to replays, so off unless asked for"`
	Padding      []string `json:"padding_scheme,omitempty" doc:"Of AnyTLS, a line each; empty: the protocol's own"`
}

// TLS is the node's certificate. Certificate and Key are PEM and sent to the agent; the files are on its machine.
type TLS struct {
	ServerName      string   `json:"server_name,omitempty" doc:"Name on the certificate; the address by default"`
	ALPN            []string `json:"alpn,omitempty"`
	Certificate     string   `json:"certificate,omitempty" doc:"PEM; a self-signed one is made where no other is named"`
	Key             string   `json:"key,omitempty" doc:"PEM; never shown again"`
	CertificateFile string   `json:"certificate_file,omitempty" doc:"On the node's machine"`
	KeyFile         string   `json:"key_file,omitempty"`
	Pin             string   `json:"pin,omitempty" doc:"SHA-256 of the leaf certificate in hex, set where it is self-signed"`
	ACME            *ACME    `json:"acme,omitempty" doc:"The agent gets and renews a certificate for server_name itself"`
}

// ACME says where the agent obtains the certificate and how it proves that it controls the name.
type ACME struct {
	Email     string `json:"email,omitempty"`
	Challenge string `json:"challenge" doc:"http-01, on port 80 of the node, tls-alpn-01, on 443, or dns-01, by the agent's own dns_file"`
	Directory string `json:"directory,omitempty" doc:"https address; empty: Let's Encrypt"`
}

// Reality configures REALITY: Dest answers the handshakes of everybody but clients.
type Reality struct {
	Dest        string   `json:"dest" doc:"host:port of a TLS 1.3 server"`
	ServerNames []string `json:"server_names" doc:"Names that it answers for"`
	PrivateKey  string   `json:"private_key,omitempty" doc:"X25519, base64url without padding; never shown again, made where it is left out"`
	PublicKey   string   `json:"public_key,omitempty"`
	ShortIDs    []string `json:"short_ids,omitempty" doc:"Hex, of even length, at most 16 digits"`
}

// secrets returns pointers to the secrets of s by their names in the API.
func (s *Settings) secrets() map[string]*string {
	all := map[string]*string{"server_key": &s.ServerKey, "obfs_password": &s.ObfsPassword}
	if s.TLS != nil {
		all["tls.key"] = &s.TLS.Key
	}
	if s.Reality != nil {
		all["reality.private_key"] = &s.Reality.PrivateKey
	}
	return all
}

// Shown returns the settings without their secrets.
func (s Settings) Shown() Settings {
	s = s.clone()
	for _, secret := range s.secrets() {
		*secret = ""
	}
	return s
}

// SecretsSet returns the names of the secrets that are set, sorted.
func (s Settings) SecretsSet() []string {
	names := []string{}
	for name, secret := range s.secrets() {
		if *secret != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Over returns the settings as the replacement of was. It takes over secrets that are left out and still apply: a
// Shadowsocks key applies to its cipher only.
func (s Settings) Over(was Settings) Settings {
	s = s.clone()
	if s.TLS != nil && was.TLS != nil && s.TLS.Key == "" && s.TLS.Certificate == was.TLS.Certificate {
		s.TLS.Key = was.TLS.Key
	}
	if s.Reality != nil && was.Reality != nil && s.Reality.PrivateKey == "" {
		s.Reality.PrivateKey = was.Reality.PrivateKey
	}
	if s.ServerKey == "" && s.Method == was.Method {
		s.ServerKey = was.ServerKey
	}
	if s.ObfsPassword == "" && s.Obfs == was.Obfs {
		s.ObfsPassword = was.ObfsPassword
	}
	return s
}

// WithoutKeys returns the settings without what is made where it is left out: keys, passwords, short ids and the
// certificate that the server signed itself. Certificates of others stay.
func (s Settings) WithoutKeys() Settings {
	s = s.clone()
	s.ServerKey, s.ObfsPassword = "", ""
	if s.Reality != nil {
		s.Reality.PrivateKey, s.Reality.PublicKey, s.Reality.ShortIDs = "", "", nil
	}
	if s.TLS != nil && s.TLS.Pin != "" {
		s.TLS.Certificate, s.TLS.Key, s.TLS.Pin = "", "", ""
	}
	return s
}

// WithSampleKeys returns the settings with made-up values in place of the secrets that clients know too.
func (s Settings) WithSampleKeys() Settings {
	s = s.clone()
	if size := keySize(s.Method); size > 0 {
		s.ServerKey = key2022(make([]byte, size), size)
	}
	if s.Obfs != "" {
		s.ObfsPassword = "sample-password"
	}
	return s
}

// clone returns a deep copy.
func (s Settings) clone() Settings {
	if s.TLS != nil {
		t := *s.TLS
		if t.ACME != nil {
			a := *t.ACME
			t.ACME = &a
		}
		s.TLS = &t
	}
	if s.Reality != nil {
		r := *s.Reality
		s.Reality = &r
	}
	return s
}
