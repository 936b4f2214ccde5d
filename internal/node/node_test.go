package node_test

import (
	"crypto/ecdh"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

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
