package node_test

import (
	"context"
	"encoding/base64"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/node"
)

func TestAdd_InvalidFields_AreNamed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		nodes := newNodes(t, d)
		zero := 0
		for _, c := range []struct {
			change func(*node.Node)
			fields []string
		}{
			{func(n *node.Node) { n.Name, n.Port, n.Country = " ", 0, "hk" }, []string{"country", "name", "port"}},
			{func(n *node.Node) { n.Address, n.Listen = "http://x", "localhost" }, []string{"address", "listen"}},
			{func(n *node.Node) { n.Protocol = "wireguard" }, []string{"protocol"}},
			{
				func(n *node.Node) {
					n.RatePermille, n.Class, n.GroupID, n.SpeedMbps, n.LinkMbps = -1, -1, -1, &zero,
						0
				},
				[]string{"class", "group_id", "link_mbps", "rate", "speed_mbps"},
			},
			{func(n *node.Node) { n.Settings.Method = "2022-blake3-chacha20-poly1305" }, []string{"settings.method"}},
			{
				func(n *node.Node) { n.Settings = node.Settings{Method: "2022-blake3-aes-256-gcm", ServerKey: "AAAA"} },
				[]string{"settings.server_key"},
			},
			{func(n *node.Node) {
				n.Settings = node.Settings{Method: "2022-blake3-aes-128-gcm", ServerKey: "AAAAAAAAAAAAAAAAAAAAAA=="}
			}, []string{"settings.server_key"}},
			{func(n *node.Node) {
				key := base64.StdEncoding.EncodeToString([]byte("0123456789abcdef"))
				n.Settings = node.Settings{Method: "2022-blake3-aes-128-gcm", ServerKey: key}
			}, []string{"settings.server_key"}},
			{
				func(n *node.Node) { n.Protocol, n.Settings = node.VMess, node.Settings{Transport: "ws", Path: "x"} },
				[]string{"settings.path"},
			},
			{func(n *node.Node) {
				n.Protocol, n.Settings = node.VMess, node.Settings{Transport: "grpc", Security: "reality"}
			}, []string{
				"settings.service_name", "settings.reality.dest", "settings.reality.server_names",
				"settings.reality.private_key",
			}},
			{func(n *node.Node) {
				n.Protocol, n.Settings = node.VLESS, node.Settings{
					Transport: "ws", Path: "/a", Security: "reality",
					Reality: &node.Reality{
						Dest: "www.example.org:443", ServerNames: []string{"www.example.org"},
					},
				}
			}, []string{"settings.transport"}},
			{func(n *node.Node) {
				n.Protocol, n.Settings = node.VLESS, node.Settings{Security: "none", Flow: "xtls-rprx-vision"}
			}, []string{"settings.flow"}},
			{func(n *node.Node) {
				n.Protocol, n.Settings = node.Trojan, node.Settings{TLS: &node.TLS{Certificate: "x", Key: "y"}}
			}, []string{"settings.tls.certificate"}},
			{func(n *node.Node) {
				n.Protocol, n.Settings = node.Trojan, node.Settings{TLS: &node.TLS{CertificateFile: "/c"}}
			}, []string{"settings.tls.key_file"}},
			{func(n *node.Node) {
				n.Protocol, n.ListenPort = node.AnyTLS, 443
				n.Settings = node.Settings{TLS: &node.TLS{
					ServerName: "198.51.100.7",
					ACME:       &node.ACME{Challenge: "tls-alpn-01", Email: "me", Directory: "ca"},
				}}
			}, []string{
				"settings.tls.acme.challenge", "settings.tls.acme.directory", "settings.tls.acme.email",
				"settings.tls.server_name",
			}},
			{func(n *node.Node) {
				n.Protocol = node.TUIC
				n.Settings = node.Settings{TLS: &node.TLS{
					ServerName: "hk.example",
					ACME:       &node.ACME{Challenge: "dns-02"},
				}}
			}, []string{"settings.tls.acme.challenge"}},
			{func(n *node.Node) {
				n.Protocol, n.ListenPort = node.AnyTLS, 80
				n.Settings = node.Settings{TLS: &node.TLS{
					ServerName: "hk.example",
					ACME:       &node.ACME{Challenge: "http-01"},
				}}
			}, []string{"settings.tls.acme.challenge"}},
			{func(n *node.Node) {
				n.Name, n.Tags, n.Relays = "a\nb", []string{"a\tb"},
					[]node.Relay{{Name: "r\r", Host: "r.example", Port: 1}}
			}, []string{"name", "relays.0.name", "tags"}},
			{func(n *node.Node) {
				huge := 1 << 40
				bytes := int64(math.MaxInt64)
				n.Class, n.GroupID, n.SpeedMbps, n.LinkMbps, n.QuotaBytes = huge, huge, &huge, huge, &bytes
			}, []string{"class", "group_id", "link_mbps", "quota_bytes", "speed_mbps"}},
			// one wrong number is named once
			{func(n *node.Node) { n.Port, n.ListenPort = 99999, 99999 }, []string{"port"}},
			{
				func(n *node.Node) { n.Protocol, n.Address, n.Settings = node.Trojan, "", node.Settings{} },
				[]string{"address"},
			},
			{func(n *node.Node) {
				n.Protocol, n.Settings.Transport, n.Settings.Security = node.Trojan, "quic", "none"
			}, []string{"settings.security", "settings.transport"}},
			{func(n *node.Node) {
				n.GroupHosts = node.GroupHosts{}
				for g := range 1001 {
					n.GroupHosts[g+1] = node.Endpoint{Host: "g.example"}
				}
			}, []string{"group_hosts"}},
			{func(n *node.Node) {
				n.Protocol, n.Settings = node.VMess, node.Settings{Transport: "ws", Path: "/a b", Host: "a;b"}
			}, []string{"settings.host", "settings.path"}},
			{func(n *node.Node) {
				n.Protocol, n.Settings = node.VMess, node.Settings{
					Transport: "httpupgrade",
					Path:      "/" + strings.Repeat("a", 256),
				}
			}, []string{"settings.path"}},
			{func(n *node.Node) {
				n.Protocol, n.Settings = node.VMess, node.Settings{Transport: "grpc", ServiceName: "a\nb"}
			}, []string{"settings.service_name"}},
			{func(n *node.Node) {
				n.Protocol, n.Settings = node.Trojan, node.Settings{TLS: &node.TLS{ALPN: []string{"h2", ""}}}
			}, []string{"settings.tls.alpn"}},
			{func(n *node.Node) {
				n.Protocol, n.Settings = node.Hysteria2, node.Settings{
					Obfs: "salamander", ObfsPassword: "a\nb",
					UpMbps: 1 << 40, DownMbps: 1 << 40,
				}
			}, []string{"settings.down_mbps", "settings.obfs_password", "settings.up_mbps"}},
			{func(n *node.Node) {
				n.Protocol, n.Settings = node.VMess, node.Settings{
					Transport: "xhttp", Path: "/x", Host: "a;b",
					XHTTPMode: "stream-down",
				}
			}, []string{"settings.host", "settings.xhttp_mode"}},
			{func(n *node.Node) {
				n.Protocol, n.Settings = node.VLESS, node.Settings{
					Transport: "xhttp", Path: "/x",
					TLS: &node.TLS{ALPN: []string{"h3"}},
				}
			}, []string{"settings.tls.alpn"}},
			{func(n *node.Node) {
				n.Protocol, n.Settings = node.VLESS, node.Settings{
					Transport: "xhttp", Path: "/x",
					TLS: &node.TLS{ALPN: []string{"http/1.1"}},
				}
			}, []string{"settings.tls.alpn"}},
			{func(n *node.Node) {
				n.Protocol, n.Settings = node.VLESS, node.Settings{
					Transport: "xhttp", Path: "/x",
					Flow: "xtls-rprx-vision",
				}
			}, []string{"settings.flow"}},
			{func(n *node.Node) {
				n.Protocol, n.Settings = node.Shadowsocks, node.Settings{
					Transport: "xhttp", Path: "/x",
					Method: "aes-128-gcm",
				}
			}, []string{"settings.transport"}},
			{
				func(n *node.Node) { n.Protocol, n.Settings.Padding = node.AnyTLS, []string{"0=30-30"} },
				[]string{"settings.padding_scheme"},
			},
			{
				func(n *node.Node) { n.Protocol, n.Settings.Padding = node.AnyTLS, []string{"stop=2", "0=30"} },
				[]string{"settings.padding_scheme"},
			},
			{func(n *node.Node) {
				n.Protocol, n.Settings = node.VLESS, node.Settings{
					Security: "reality",
					Reality: &node.Reality{
						Dest: "x", ServerNames: []string{"a b"}, PrivateKey: "!",
						ShortIDs: []string{"abc"},
					},
				}
			}, []string{
				"settings.reality.dest", "settings.reality.private_key", "settings.reality.server_names",
				"settings.reality.short_ids",
			}},
		} {
			n := draft(node.Shadowsocks, node.Settings{Method: "aes-128-gcm"})
			c.change(&n)
			_, _, err := nodes.Add(t.Context(), n)
			f, ok := fault.As(err)
			if !ok || f.Status != 422 {
				t.Errorf("%v: %v", c.fields, err)
				continue
			}
			var got []string
			for _, field := range f.Fields {
				got = append(got, field.Name)
			}
			slices.Sort(got)
			slices.Sort(c.fields)
			if !slices.Equal(got, c.fields) {
				t.Errorf("named %v, want %v", got, c.fields)
			}
		}
		if all, err := nodes.List(t.Context()); err != nil || len(all) != 0 {
			t.Fatal("a refused node was stored", err)
		}
	})
}

// A path that some client cannot reach, or for which a client refuses its file, is refused with the reason.
func TestAdd_PathThatClientsMiss_IsRefusedWithItsReason(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		nodes := newNodes(t, d)
		for _, c := range []struct{ transport, path, reason string }{
			{"ws", "/ray?ed=2048", ""},
			{"ws", "/?ed=4096", ""},
			{"httpupgrade", "/a-b_c.d~e!f$g&h'i(j)k*l+m,n;o=p:q@r/", ""},
			{"ws", "/ray?ed=0", "from 1 to 4096"},
			{"ws", "/ray?ed=2048&a=b", "from 1 to 4096"},
			{"ws", "/ray?ed=99999", "from 1 to 4096"},
			{"httpupgrade", "/ray?ed=2048", "HTTPUpgrade has no early data"},
			{"ws", "/ray?a=b", "no ? and no #"},
			{"httpupgrade", "/ray#a", "no ? and no #"},
			{"xhttp", "/a-b_c.d~e!f$g&h'i(j)k*l+m,n;o=p:q@r/", ""},
			{"xhttp", "/", ""},
			{"xhttp", "/ray?ed=2048", "XHTTP has no early data"},
			{"xhttp", "/ray?a=b", "no ? and no #"},
			{"xhttp", "/a%20b", "no %"},
			{"xhttp", "//a/b", "no //"},
			{"xhttp", "/a b", "and no space"},
			{"xhttp", "", "begins with a slash"},
			{"ws", "/a%zz", "no %"},
			{"ws", "/a%20b", "no %"},
			{"ws", "//a/b", "no //"},
			{"ws", "/a b", "and no space"},
			{"ws", "/路径", "and no space"},
			{"ws", "/a|b", "and no space"},
			{"ws", "ray", "begins with a slash"},
			{"ws", "/" + strings.Repeat("a", 256), "at most 256"},
		} {
			n := draft(node.VMess, node.Settings{Transport: c.transport, Path: c.path})
			_, _, err := nodes.Add(t.Context(), n)
			if c.reason == "" {
				if err != nil {
					t.Errorf("%s %s: %v", c.transport, c.path, err)
				}
				continue
			}
			wrong, ok := fault.As(err)
			if !ok || len(wrong.Fields) != 1 || wrong.Fields[0].Name != "settings.path" ||
				!strings.Contains(wrong.Fields[0].Text.EN, c.reason) {
				t.Errorf("%s %s: %+v, want the reason %q", c.transport, c.path, err, c.reason)
			}
		}
		_, _, err := nodes.Add(t.Context(), draft(node.VLESS, node.Settings{
			Transport: "grpc", Security: "none",
			ServiceName: "服务",
		}))
		wrong, ok := fault.As(err)
		if !ok || wrong.Fields[0].Name != "settings.service_name" || !strings.Contains(wrong.Fields[0].Text.ZH,
			"不能是中文") {
			t.Errorf("a service name in Chinese: %+v", err)
		}

		old, _, err := nodes.Add(t.Context(), draft(node.VMess, node.Settings{Transport: "ws", Path: "/ray"}))
		if err != nil {
			t.Fatal(err)
		}
		old.Settings.Path = "/a%zz" // as an older version let it be saved
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewUpdate().Model(&old).Column("settings").WherePK().Exec(ctx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := nodes.Change(t.Context(), old.ID, func(n *node.Node) { n.Name = "renamed" }); err != nil {
			t.Errorf("a node with an older path cannot be renamed: %v", err)
		}
		if _, err := nodes.Change(t.Context(), old.ID, func(n *node.Node) { n.Settings.Path = "/b%zz" }); err == nil {
			t.Error("another invalid path was accepted")
		}
	})
}

// XHTTP works without encryption, as behind a reverse proxy, with TLS and with REALITY, and in each mode.
func TestAdd_XHTTP_InEachMode(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		nodes := newNodes(t, d)
		reality := node.Reality{Dest: "www.example:443", ServerNames: []string{"www.example"}}
		for _, protocol := range []node.Protocol{node.VLESS, node.VMess, node.Trojan} {
			for _, s := range []node.Settings{
				{Security: "none", XHTTPMode: "auto"},
				{Security: "tls", XHTTPMode: "packet-up", Host: "cdn.example"},
				{Security: "tls", XHTTPMode: "stream-up", TLS: &node.TLS{ALPN: []string{"h2", "http/1.1"}}},
				{Security: "reality", XHTTPMode: "stream-one", Reality: &reality},
				{Security: "reality", Reality: &reality},
			} {
				if protocol == node.Trojan && s.Security == "none" {
					continue
				}
				s.Transport, s.Path = "xhttp", "/x"
				n := node.Draft("n", protocol, "hk.example", 443)
				n.Settings = s
				added, _, err := nodes.Add(t.Context(), n)
				if err != nil {
					t.Errorf("%s %+v: %v", protocol, s, err)
					continue
				}
				if got, err := nodes.Get(t.Context(), added.ID); err != nil || got.Settings.XHTTPMode != s.XHTTPMode {
					t.Errorf("%+v: the mode is stored as %q: %v", s, got.Settings.XHTTPMode, err)
				}
			}
		}
	})
}
