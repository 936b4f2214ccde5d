package node_test

import (
	"context"
	"crypto/ecdh"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/node"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
)

func newNodes(t *testing.T, d *db.DB) *node.Nodes {
	t.Helper()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return node.New(d, seal.Key{7}, settings, service.New(d, seal.Key{1}, settings))
}

func draft(protocol node.Protocol, s node.Settings) node.Node {
	n := node.Draft("HK 01", protocol, "hk.example", 443)
	n.Settings = s
	return n
}

func TestAdd_MissingKeys_AreGenerated(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		nodes := newNodes(t, d)
		add := func(n node.Node) node.Node {
			t.Helper()
			added, secret, err := nodes.Add(t.Context(), n)
			if err != nil || len(secret) < 43 {
				t.Fatal(secret, err)
			}
			read, err := nodes.Get(t.Context(), added.ID)
			if err != nil {
				t.Fatal(err)
			}
			return read
		}
		r := add(draft(node.VLESS, node.Settings{
			Security: "reality", Flow: "xtls-rprx-vision",
			Reality: &node.Reality{Dest: "www.example:443", ServerNames: []string{"www.example"}},
		})).Settings.Reality
		raw, err := base64.RawURLEncoding.DecodeString(r.PrivateKey)
		if err != nil {
			t.Fatal(err)
		}
		key, err := ecdh.X25519().NewPrivateKey(raw)
		if err != nil || base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()) != r.PublicKey ||
			len(r.ShortIDs) != 1 || len(r.ShortIDs[0]) != 8 {
			t.Fatalf("REALITY has %+v, %v", r, err)
		}
		for method, size := range map[string]int{
			"2022-blake3-aes-128-gcm": 16, "2022-blake3-aes-256-gcm": 32,
			"aes-128-gcm": 0,
		} {
			got, err := base64.StdEncoding.DecodeString(add(draft(node.Shadowsocks,
				node.Settings{Method: method})).Settings.ServerKey)
			if err != nil || len(got) != size {
				t.Errorf("%s has a server key of %d bytes, %v", method, len(got), err)
			}
		}
		n := add(draft(node.Hysteria2, node.Settings{Obfs: "salamander"}))
		pair, err := tls.X509KeyPair([]byte(n.Settings.TLS.Certificate), []byte(n.Settings.TLS.Key))
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := x509.ParseCertificate(pair.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		pin := sha256.Sum256(leaf.Raw)
		if leaf.VerifyHostname("hk.example") != nil || n.Settings.TLS.Pin != hex.EncodeToString(pin[:]) ||
			leaf.NotAfter.Before(d.Now().AddDate(9, 11, 0)) || n.Settings.ObfsPassword == "" {
			t.Fatalf("the certificate is %v until %s, the pin %s", leaf.DNSNames, leaf.NotAfter, n.Settings.TLS.Pin)
		}
	})
}

func TestPrivateKeys_LeaveTheServerOnlyToTheAgent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		nodes := newNodes(t, d)
		n, _, err := nodes.Add(t.Context(), draft(node.Trojan, node.Settings{}))
		if err != nil {
			t.Fatal(err)
		}
		listed, err := nodes.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if listed[0].Settings.TLS.Key != "" {
			t.Fatal("a list carries the private key")
		}
		var stored string
		if err := d.NewRaw(`SELECT CAST(settings AS TEXT) FROM node`).Scan(t.Context(), &stored); err != nil ||
			strings.Contains(stored, "PRIVATE KEY") {
			t.Fatal("the database has the private key in clear", err)
		}
		if _, err := nodes.Change(t.Context(), n.ID, func(n *node.Node) { n.Name = "other" }); err != nil {
			t.Fatal(err)
		}
		if read, err := nodes.Get(t.Context(), n.ID); err != nil || read.Settings.TLS.Key != n.Settings.TLS.Key ||
			read.Name != "other" || read.Settings.TLS.Pin != n.Settings.TLS.Pin {
			t.Fatal("a change lost the private key", err)
		}
	})
}

func TestAdd_WithACME_GeneratesNoCertificate(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		n := draft(node.TUIC, node.Settings{TLS: &node.TLS{
			ServerName: "hk.example",
			ACME:       &node.ACME{Challenge: "tls-alpn-01"},
		}})
		n.Port, n.ListenPort = 443, 443 // of UDP: the challenge's port is free
		made, _, err := newNodes(t, d).Add(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		if s := made.Settings.TLS; s.Certificate != "" || s.Pin != "" || s.ACME.Challenge != "tls-alpn-01" {
			t.Errorf("%+v", s)
		}
	})
}

func TestAdd_DNSChallenge_AllowsEveryPort(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		nodes := newNodes(t, d)
		for _, port := range []int{80, 443} {
			n := draft(node.AnyTLS, node.Settings{TLS: &node.TLS{
				ServerName: "hk.example",
				ACME:       &node.ACME{Challenge: "dns-01"},
			}})
			n.Port, n.ListenPort = port, port
			made, _, err := nodes.Add(t.Context(), n)
			if err != nil {
				t.Fatal(err)
			}
			if s := made.Settings.TLS; s.Certificate != "" || s.ACME.Challenge != "dns-01" {
				t.Errorf("%+v", s)
			}
		}
	})
}

func TestAdd_WithID_KeepsIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		nodes := newNodes(t, d)
		add := func(id int64) (int64, error) {
			n := draft(node.VMess, node.Settings{})
			n.ID = id
			made, _, err := nodes.Add(t.Context(), n)
			return made.ID, err
		}
		last := int64(0)
		for _, id := range []int64{0, 37, 0, 5, 0} {
			got, err := add(id)
			if err != nil || (id != 0 && got != id) || (id == 0 && got <= last) {
				t.Fatalf("asked for %d, got %d after %d, %v", id, got, last, err)
			}
			last = max(last, got)
		}
		for id, code := range map[int64]string{37: "taken", -1: "range", 1 << 31: "range"} {
			_, err := add(id)
			if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Name != "id" ||
				f.Fields[0].Code != code {
				t.Errorf("%d: %v", id, err)
			}
		}
		if all, err := nodes.List(t.Context()); err != nil || len(all) != 5 {
			t.Error("a refused node was kept", len(all), err)
		}
	})
}

func TestAdd_VLESS_IsEncryptedByDefault(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		nodes := newNodes(t, d)
		for want, s := range map[string]node.Settings{
			"tls":     {},
			"reality": {Reality: &node.Reality{Dest: "www.example:443", ServerNames: []string{"www.example"}}},
			"none":    {Security: "none"},
		} {
			n, _, err := nodes.Add(t.Context(), draft(node.VLESS, s))
			if err != nil || n.Settings.Security != want {
				t.Errorf("%+v became %q, not %q: %v", s, n.Settings.Security, want, err)
			}
		}
	})
}

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

func TestRemove_SecretOfTheNode_IsInvalid(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		nodes := newNodes(t, d)
		n, secret, err := nodes.Add(t.Context(), draft(node.Shadowsocks, node.Settings{Method: "aes-128-gcm"}))
		if err != nil {
			t.Fatal(err)
		}
		if found, _, err := nodes.Secrets.Node(t.Context(), secret); err != nil || found.ID != n.ID {
			t.Fatal(found.ID, err)
		}
		if _, err := nodes.Secrets.Rotate(t.Context(), n.ID, -time.Hour); err == nil {
			t.Error("a negative time for the old secret was accepted")
		}
		if err := nodes.Remove(t.Context(), n.ID); err != nil {
			t.Fatal(err)
		}
		if _, _, err := nodes.Secrets.Node(t.Context(), secret); !errors.Is(err, node.ErrSecret) {
			t.Fatalf("the secret of the removed node: %v, want ErrSecret", err)
		}
		for _, err := range []error{
			nodes.Remove(t.Context(), n.ID),
			second(nodes.Change(t.Context(), n.ID, func(*node.Node) {})),
			second(nodes.Secrets.Rotate(t.Context(), n.ID, 0)),
		} {
			if !errors.Is(err, node.ErrNotFound) {
				t.Errorf("a removed node: %v, want ErrNotFound", err)
			}
		}
	})
}

func second[T any](_ T, err error) error { return err }

func TestUserSecret_ByProtocol(t *testing.T) {
	id := uuid.MustParse("00000000-0000-4000-8000-000000000001")
	sum := sha256.Sum256([]byte("ss2022:p"))
	letters := base64.RawURLEncoding.EncodeToString(sum[:])
	for want, n := range map[string]node.Node{
		id.String(): draft(node.Trojan, node.Settings{}),
		"p":         draft(node.Shadowsocks, node.Settings{Method: "aes-128-gcm"}),
		base64.StdEncoding.EncodeToString([]byte(letters[:16])): draft(node.Shadowsocks,
			node.Settings{Method: "2022-blake3-aes-128-gcm"}),
		base64.StdEncoding.EncodeToString([]byte(letters[:32])): draft(node.Shadowsocks,
			node.Settings{Method: "2022-blake3-aes-256-gcm"}),
	} {
		if got := node.UserSecret(n, id, "p"); got != want {
			t.Errorf("%s %s: %q, want %q", n.Protocol, n.Settings.Method, got, want)
		}
	}
}

func TestUserList_Empty_HasPlaceholderThatCannotBeGuessed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		settings, err := setting.New(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		services := service.New(d, seal.Key{1}, settings)
		placeholders := map[string]bool{}
		for _, key := range []seal.Key{{1}, {2}} {
			for range 2 { // agents cut everybody's connections when it changes
				admission := node.New(d, key, settings, services).Admission
				users, err := admission.UserList(t.Context(), node.Node{Enabled: true})
				if err != nil || len(users) != 1 || users[0].UserID != 0 {
					t.Fatal(users, err)
				}
				placeholders[users[0].UUID.String()+users[0].Password] = true
			}
		}
		if len(placeholders) != 2 {
			t.Fatalf("servers with two keys have %d placeholders, want 2", len(placeholders))
		}
	})
}

func TestSetSharedKey_ThatCanBeGuessed_IsRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		nodes := newNodes(t, d)
		for _, weak := range []string{
			"short", "000000000000000", strings.Repeat("0", 16), strings.Repeat("0", 64), strings.Repeat("ab", 20),
			strings.Repeat("abc", 12),
			"0123456789012345", "1234567890abcdef", "abcdefghijklmnop", "passwordpassword", "AAAAAAAAAAAAAAAAAAAAAAAB",
			strings.Repeat(" ", 32),
			"a key with spaces in it 29384", "a\x00key293847239847", strings.Repeat("k", 129),
		} {
			err := nodes.Secrets.SetSharedKey(t.Context(), weak, time.Time{})
			if f, ok := fault.As(err); !ok || f.Fields[0].Name != "key" {
				t.Errorf("the shared key %q: %v, want a fault of the field key", weak, err)
			}
		}
		for _, good := range []string{
			"an-old-key-of-all", "NimaQu-sspanel-7Hq", "9f86d081884c7d65",
			"3sQ!x8_Zp-0vYt2m",
		} {
			if err := nodes.Secrets.SetSharedKey(t.Context(), good, time.Time{}); err != nil {
				t.Errorf("the shared key %q: %v", good, err)
			}
		}
	})
}
