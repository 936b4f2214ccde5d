package cli

import (
	"math"
	"net"
	"slices"
	"strconv"
	"strings"

	"airstrip/internal/fault"
	"airstrip/internal/node"
)

// nodeFields are the parts of a node that both add and change take; what is not given stays as it is.
type nodeFields struct {
	Name    *string  `help:"Name that users see."`
	NameZH  *string  `name:"name-zh" help:"Its name in Chinese; empty: --name."`
	NameEN  *string  `name:"name-en" help:"Its name in English; empty: --name."`
	Address *string  `help:"Host name or IP that clients dial."`
	Port    *int     `help:"Port that clients dial."`
	Country *string  `help:"Two-letter country code, ZZ where unknown."`
	Rate    *float64 `help:"How often a byte counts, as 1.5; 1 by default."`
	Hours   []string `name:"hour-rates" help:"24 rates, of each hour of the site's day from midnight on; empty: always --rate." sep:","`
	Quota   *float64 `help:"GiB that the node may move in a month, up and down together, before nobody may use it; 0: no limit."`
	Reset   *int     `name:"reset-day" help:"Day of the month on which that begins anew."`
	Hosts   []string `name:"group-host" help:"GROUP=HOST or GROUP=HOST:PORT where users of a link group dial; empty: all dial the address." sep:","`
	Relays  []string `name:"relay" help:"NAME=HOST:PORT of another way to the node, an entry of its own in links; with @ID behind it the agent of that node is the relay; empty: no more." sep:","`
	Tags    []string `help:"Short words that users see." sep:","`
	Remark  *string  `help:"For staff alone."`
	Class   *int     `help:"Users of this class and above may use it; 0: of every class."`
	Group   *int     `help:"Users of this group may use it; 0: of every group."`
	Speed   *int     `help:"Mbit/s for each user; 0: no limit."`
	Link    *int     `help:"Mbit/s of the machine; what a node reports beyond that waits."`
	Sort    *int     `help:"Place in lists, lowest first."`
	Hidden  *bool    `help:"Not in lists and links." negatable:""`
	Enabled *bool    `help:"Whether anybody may use it." negatable:""`

	Listen     *string `name:"listen-ip" help:"IP that the agent listens on."`
	ListenPort *int    `name:"listen-port" help:"Port that the agent listens on, where clients dial another."`

	Transport         *string  `help:"tcp, ws, grpc, httpupgrade or xhttp."`
	Path              *string  `help:"Path of ws, httpupgrade and xhttp."`
	Host              *string  `help:"Host header of ws, httpupgrade and xhttp."`
	XHTTPMode         *string  `name:"xhttp-mode" help:"How clients of xhttp send: auto, packet-up, stream-up or stream-one; empty: auto."`
	ServiceName       *string  `help:"Service name of grpc."`
	Security          *string  `help:"none, tls or reality; VLESS has no encryption of its own, so that there tls is the default."`
	Flow              *string  `help:"xtls-rprx-vision, for VLESS over tcp."`
	ServerName        *string  `help:"Name on the TLS certificate; the address by default."`
	ALPN              []string `help:"Application protocols offered in TLS." sep:","`
	CertificateFile   *string  `help:"Certificate on the node's machine; without one a self-signed certificate is made and pinned in links."`
	KeyFile           *string  `help:"Its key on the node's machine."`
	ACME              *string  `name:"acme" help:"http-01, tls-alpn-01 or dns-01: the agent gets a certificate for the name and proves by port 80, by port 443 or by a DNS record (see --dns-file of airstrip-node) that it is its own; empty: no more."`
	ACMEEmail         *string  `name:"acme-email" help:"Address that the certificate's issuer may write to."`
	ACMEDirectory     *string  `name:"acme-directory" help:"Address of the issuer; Let's Encrypt by default."`
	RealityDest       *string  `help:"host:port of the TLS 1.3 site that REALITY shows to others."`
	RealityServerName []string `help:"Names that site answers for; the host of the above by default." sep:","`
	Method            *string  `help:"Cipher of Shadowsocks: 2022-blake3-aes-128-gcm, 2022-blake3-aes-256-gcm, aes-128-gcm, aes-256-gcm or chacha20-ietf-poly1305."`
	Obfs              *string  `help:"salamander, for Hysteria2."`
	UpMbps            *int     `help:"Bandwidth that Hysteria2 tells clients."`
	DownMbps          *int     `help:"Bandwidth that Hysteria2 tells clients."`
	Congestion        *string  `help:"bbr, cubic or new_reno, for TUIC."`
	ZeroRTT           *bool    `name:"zero-rtt" help:"Take data in the first packet of TUIC; open to replays." negatable:""`
	Padding           []string `help:"Lines of the padding scheme of AnyTLS." sep:";"`
}

func (f nodeFields) apply(n *node.Node) {
	f.applyEntries(n)
	set(&n.Name, f.Name)
	n.Names = n.Names.With(fault.ZH, f.NameZH).With(fault.EN, f.NameEN)
	set(&n.Address, f.Address)
	set(&n.Country, f.Country)
	set(&n.Class, f.Class)
	set(&n.GroupID, f.Group)
	set(&n.LinkMbps, f.Link)
	set(&n.Sort, f.Sort)
	set(&n.Enabled, f.Enabled)
	set(&n.Listen, f.Listen)
	n.SetPorts(f.Port, f.ListenPort)
	set(&n.Remark, f.Remark)
	set(&n.ResetDay, f.Reset)
	if f.Rate != nil {
		n.RatePermille = permille(*f.Rate)
	}
	if f.Hours != nil {
		n.HourRates = nil
		for _, text := range given(f.Hours) {
			rate, err := strconv.ParseFloat(text, 64)
			if err != nil {
				rate = -1 // named by the check
			}
			n.HourRates = append(n.HourRates, permille(rate))
		}
	}
	if f.Quota != nil {
		n.QuotaBytes = unless(gib(*f.Quota), 0)
	}
	if f.Tags != nil {
		n.Tags = given(f.Tags)
	}
	if f.Speed != nil {
		n.SpeedMbps = unless(*f.Speed, 0)
	}
	if f.Hidden != nil {
		n.Visible = !*f.Hidden
	}
	s := &n.Settings
	set(&s.Transport, f.Transport)
	set(&s.Path, f.Path)
	set(&s.Host, f.Host)
	set(&s.XHTTPMode, f.XHTTPMode)
	set(&s.ServiceName, f.ServiceName)
	set(&s.Security, f.Security)
	set(&s.Flow, f.Flow)
	set(&s.Method, f.Method)
	set(&s.Obfs, f.Obfs)
	set(&s.UpMbps, f.UpMbps)
	set(&s.DownMbps, f.DownMbps)
	set(&s.Congestion, f.Congestion)
	set(&s.ZeroRTT, f.ZeroRTT)
	if f.Padding != nil {
		s.Padding = f.Padding
	}
	f.applyTLS(s)
	f.applyReality(s)
}

// gib returns so many GiB in bytes; what has no place in 64 bits is named by the check.
func gib(n float64) int64 {
	if bytes := n * (1 << 30); math.Abs(bytes) < math.MaxInt64 {
		return int64(bytes)
	}
	return -1
}

func permille(rate float64) int64 { return int64(math.Round(rate * 1000)) }

// given returns the words of a list; one empty word means none.
func given(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
}

// applyEntries reads where else clients dial; what cannot be read is named by the check.
func (f nodeFields) applyEntries(n *node.Node) {
	if f.Hosts != nil {
		n.GroupHosts = node.GroupHosts{}
		for _, text := range given(f.Hosts) {
			group, address, _ := strings.Cut(text, "=")
			number, _ := strconv.Atoi(group)
			host, port := split(address)
			n.GroupHosts[number] = node.Endpoint{Host: host, Port: port}
		}
	}
	if f.Relays != nil {
		n.Relays = nil
		for _, text := range given(f.Relays) {
			name, address, _ := strings.Cut(text, "=")
			address, by, ours := strings.Cut(address, "@")
			host, port := split(address)
			relay := node.Relay{Name: name, Host: host, Port: port}
			if ours {
				id, err := strconv.ParseInt(by, 10, 64)
				if err != nil || id == 0 {
					id = -1
				}
				relay.NodeID = id
			}
			n.Relays = append(n.Relays, relay)
		}
	}
}

// split returns the host and the port of an address; 0 where it has none.
func split(address string) (string, int) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address, 0
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return host, -1
	}
	return host, number
}

func (f nodeFields) applyTLS(s *node.Settings) {
	if f.ServerName == nil && f.ALPN == nil && f.CertificateFile == nil && f.KeyFile == nil && f.ACME == nil &&
		f.ACMEEmail == nil && f.ACMEDirectory == nil {
		return
	}
	if s.TLS == nil {
		s.TLS = &node.TLS{}
	}
	set(&s.TLS.ServerName, f.ServerName)
	if f.ALPN != nil {
		s.TLS.ALPN = f.ALPN
	}
	if f.CertificateFile != nil { // takes the place of a certificate that was made
		s.TLS.Certificate, s.TLS.Key, s.TLS.Pin = "", "", ""
	}
	set(&s.TLS.CertificateFile, f.CertificateFile)
	set(&s.TLS.KeyFile, f.KeyFile)
	if f.ACME != nil && *f.ACME == "" {
		s.TLS.ACME = nil
		return
	}
	if s.TLS.ACME == nil && f.ACME != nil { // takes the place of any other certificate
		s.TLS.ACME = &node.ACME{}
		s.TLS.Certificate, s.TLS.Key, s.TLS.Pin, s.TLS.CertificateFile, s.TLS.KeyFile = "", "", "", "", ""
	}
	if s.TLS.ACME != nil {
		set(&s.TLS.ACME.Challenge, f.ACME)
		set(&s.TLS.ACME.Email, f.ACMEEmail)
		set(&s.TLS.ACME.Directory, f.ACMEDirectory)
	}
}

func (f nodeFields) applyReality(s *node.Settings) {
	if f.RealityDest == nil && f.RealityServerName == nil {
		return
	}
	if s.Reality == nil {
		s.Reality = &node.Reality{}
	}
	if f.Security == nil {
		s.Security = "reality"
	}
	if f.RealityDest != nil {
		s.Reality.Dest = *f.RealityDest
		host, _, _ := net.SplitHostPort(*f.RealityDest) // a wrong one is named by the check
		s.Reality.ServerNames = []string{host}
	}
	if f.RealityServerName != nil {
		s.Reality.ServerNames = f.RealityServerName
	}
}
