package main

import (
	"context"
	"net"
	"time"

	"airstrip/internal/app"
	"airstrip/internal/node"
)

type nodeCommand struct {
	Add    nodeAdd    `cmd:"" help:"Add a node and print its secret, once. Keys and certificates that it needs and that are not given are made."`
	List   nodeList   `cmd:"" help:"List all nodes as JSON, without their private keys."`
	Change nodeChange `cmd:"" help:"Change a node; its agent follows at once."`
	Remove nodeRemove `cmd:"" help:"Remove a node."`
	Secret nodeSecret `cmd:"" help:"Give a node another secret and print it, once."`
}

// nodeFields are the parts of a node that both add and change take; what is not given stays as it is.
type nodeFields struct {
	Name    *string  `help:"Name that users see."`
	Address *string  `help:"Host name or IP that clients dial."`
	Port    *int     `help:"Port that clients dial."`
	Country *string  `help:"Two-letter country code, ZZ where unknown."`
	Rate    *float64 `help:"What a byte counts, as 1.5."`
	Class   *int     `help:"Users of this class and above may use it."`
	Group   *int     `help:"Users of this group may use it; 0: of every group."`
	Speed   *int     `help:"Mbit/s for each user; 0: no limit."`
	Link    *int     `help:"Mbit/s of the machine; a report of more than that is refused."`
	Sort    *int     `help:"Place in lists, lowest first."`
	Hidden  *bool    `help:"Not in lists and links."`
	Enabled *bool    `help:"Whether anybody may use it." negatable:""`

	Listen     *string `name:"listen-ip" help:"IP that the agent listens on."`
	ListenPort *int    `name:"listen-port" help:"Port that the agent listens on, where clients dial another."`

	Transport         *string  `help:"tcp, ws, grpc or httpupgrade."`
	Path              *string  `help:"Path of ws and httpupgrade."`
	Host              *string  `help:"Host header of ws and httpupgrade."`
	ServiceName       *string  `help:"Service name of grpc."`
	Security          *string  `help:"none, tls or reality."`
	Flow              *string  `help:"xtls-rprx-vision, for VLESS over tcp."`
	ServerName        *string  `help:"Name on the TLS certificate; the address by default."`
	ALPN              []string `help:"Application protocols offered in TLS." sep:","`
	CertificateFile   *string  `help:"Certificate on the node's machine; without one a self-signed certificate is made and pinned in links."`
	KeyFile           *string  `help:"Its key on the node's machine."`
	ACME              *string  `name:"acme" help:"http-01 or tls-alpn-01: the agent gets a certificate for the name and proves by port 80 or 443 that it is its own; empty: no more."`
	ACMEEmail         *string  `name:"acme-email" help:"Address that the certificate's issuer may write to."`
	ACMEDirectory     *string  `name:"acme-directory" help:"Address of the issuer; Let's Encrypt by default."`
	RealityDest       *string  `help:"host:port of the TLS 1.3 site that REALITY shows to others."`
	RealityServerName []string `help:"Names that site answers for; the host of the above by default." sep:","`
	Method            *string  `help:"Cipher of Shadowsocks, as 2022-blake3-aes-128-gcm."`
	Obfs              *string  `help:"salamander, for Hysteria2."`
	UpMbps            *int     `help:"Bandwidth that Hysteria2 tells clients."`
	DownMbps          *int     `help:"Bandwidth that Hysteria2 tells clients."`
	Congestion        *string  `help:"bbr, cubic or new_reno, for TUIC."`
	ZeroRTT           *bool    `name:"zero-rtt" help:"Take data in the first packet of TUIC; open to replays."`
	Padding           []string `help:"Lines of the padding scheme of AnyTLS." sep:";"`
}

func (f nodeFields) apply(n *node.Node) {
	set(&n.Name, f.Name)
	set(&n.Address, f.Address)
	set(&n.Port, f.Port)
	set(&n.Country, f.Country)
	set(&n.Class, f.Class)
	set(&n.GroupID, f.Group)
	set(&n.LinkMbps, f.Link)
	set(&n.Sort, f.Sort)
	set(&n.Enabled, f.Enabled)
	set(&n.Listen, f.Listen)
	set(&n.ListenPort, f.ListenPort)
	if f.Rate != nil {
		n.RatePermille = int64(*f.Rate*1000 + 0.5)
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

func (f nodeFields) applyTLS(s *node.Settings) {
	if f.ServerName == nil && f.ALPN == nil && f.CertificateFile == nil && f.KeyFile == nil && f.ACME == nil && f.ACMEEmail == nil && f.ACMEDirectory == nil {
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

type nodeAdd struct {
	Protocol string `required:"" enum:"shadowsocks,vmess,vless,trojan,hysteria2,tuic,anytls" help:"shadowsocks, vmess, vless, trojan, hysteria2, tuic or anytls."`
	nodeFields
}

func (c nodeAdd) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		n := node.Draft("", node.Protocol(c.Protocol), "", 0)
		c.apply(&n)
		made, secret, err := a.Nodes.Add(ctx, n)
		if err != nil {
			return err
		}
		return printJSON(map[string]any{"id": made.ID, "secret": secret, "protocol": made.Protocol, "port": made.Port})
	})
}

type nodeList struct{}

func (nodeList) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		nodes, err := a.Nodes.List(ctx)
		if err != nil {
			return err
		}
		for i := range nodes {
			nodes[i].Private = nil
		}
		return printJSON(nodes)
	})
}

type nodeChange struct {
	ID int64 `arg:""`
	nodeFields
}

func (c nodeChange) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		_, err := a.Nodes.Change(ctx, c.ID, c.apply)
		return err
	})
}

type nodeRemove struct {
	ID int64 `arg:""`
}

func (c nodeRemove) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error { return a.Nodes.Remove(ctx, c.ID) })
}

type nodeSecret struct {
	ID        int64         `arg:""`
	HonourOld time.Duration `help:"How long the old secret still works." default:"0s"`
}

func (c nodeSecret) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		secret, err := a.Nodes.RotateSecret(ctx, c.ID, c.HonourOld)
		if err != nil {
			return err
		}
		return printJSON(map[string]any{"id": c.ID, "secret": secret})
	})
}
