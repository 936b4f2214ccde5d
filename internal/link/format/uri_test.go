package format_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"airstrip/internal/link/format"
	"airstrip/internal/node"
)

// link is a share link as an independent reader parses it.
type link struct {
	scheme, name, host, port, user, password string
	query                                    url.Values
	json                                     map[string]string // For vmess.
}

func readLink(t *testing.T, text string) link {
	t.Helper()
	if encoded, ok := strings.CutPrefix(text, "vmess://"); ok {
		plain, err := base64.StdEncoding.Strict().DecodeString(encoded)
		if err != nil {
			t.Fatal(err)
		}
		l := link{scheme: "vmess"}
		if err := json.Unmarshal(plain, &l.json); err != nil {
			t.Fatal(err)
		}
		l.name, l.host, l.port, l.user = l.json["ps"], l.json["add"], l.json["port"], l.json["id"]
		return l
	}
	u, err := url.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "+") {
		t.Errorf("a + in %s, which some read as a space", text)
	}
	l := link{
		scheme: u.Scheme, name: u.Fragment, host: u.Hostname(), port: u.Port(), user: u.User.Username(),
		query: query,
	}
	l.password, _ = u.User.Password()
	for name, values := range query {
		if len(values) != 1 {
			t.Errorf("%s is repeated in %s", name, text)
		}
	}
	if u.Scheme == "ss" {
		plain, err := base64.RawURLEncoding.Strict().DecodeString(l.user)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		l.user = string(plain)
	}
	return l
}

func TestURI_ReadsBack(t *testing.T) {
	f := allCombinations()
	body := string(format.Render(f.proxies(t), format.Options{Client: client(t, "NodeList", "v2rayN/7.23.4")}).Body)
	byPort := map[string]int{}
	for i, n := range f.nodes {
		byPort[strconv.Itoa(n.Port)] = i
	}
	schemes := map[node.Protocol]string{
		node.Shadowsocks: "ss", node.VMess: "vmess", node.VLESS: "vless",
		node.Trojan: "trojan", node.Hysteria2: "hysteria2", node.TUIC: "tuic", node.AnyTLS: "anytls",
	}
	names := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(body), "\n") {
		l := readLink(t, line)
		n := f.nodes[byPort[l.port]]
		s, secret := n.Settings, f.secrets[byPort[l.port]]
		if l.scheme != schemes[n.Protocol] || l.host != n.Address || l.name == "" || names[l.name] {
			t.Errorf("%s\nis %+v", line, l)
		}
		names[l.name] = true
		switch {
		case n.Protocol == node.Shadowsocks && s.ServerKey != "":
			secret = s.Method + ":" + s.ServerKey + ":" + secret
		case n.Protocol == node.Shadowsocks:
			secret = s.Method + ":" + secret
		}
		if l.user != secret {
			t.Errorf("%s\nthe secret came back as %q", line, l.user)
		}
		want := map[string]string{}
		switch n.Protocol {
		case node.VMess:
			for name, value := range map[string]string{
				"net": s.Transport, "aid": "0", "v": "2",
				"tls": map[bool]string{true: "tls", false: ""}[s.Security == "tls"],
			} {
				if l.json[name] != value {
					t.Errorf("%s is %q in %v", name, l.json[name], l.json)
				}
			}
			if s.TLS != nil && l.json["pcs"] != s.TLS.Pin {
				t.Errorf("the pin is %q", l.json["pcs"])
			}
			continue
		case node.VLESS:
			want["encryption"], want["flow"] = "none", s.Flow
			fallthrough
		case node.Trojan:
			want["type"], want["security"], want["serviceName"] = s.Transport, s.Security, s.ServiceName
			if s.Path != "" {
				want["path"], want["host"] = s.Path, s.Host
			}
		case node.Hysteria2:
			want["obfs"], want["obfs-password"] = s.Obfs, s.ObfsPassword
		case node.TUIC:
			want["congestion_control"], want["alpn"], want["udp_relay_mode"] = s.Congestion, "h3", "native"
			if l.password != secret {
				t.Errorf("%s\nthe password came back as %q", line, l.password)
			}
		}
		if s.Reality != nil {
			want["pbk"], want["sid"], want["sni"], want["fp"] = s.Reality.PublicKey, s.Reality.ShortIDs[0],
				s.Reality.ServerNames[0], "chrome"
		}
		if s.TLS != nil {
			want["sni"] = s.TLS.ServerName
			pinned := map[node.Protocol]string{node.Hysteria2: "pinSHA256"}[n.Protocol]
			if pinned == "" {
				pinned = "pcs"
			}
			want[pinned] = s.TLS.Pin
			if insecure := l.query.Get("insecure") == "1"; insecure != (s.TLS.Pin != "") {
				t.Errorf("insecure without a pin, or a pin without it: %s", line)
			}
		}
		for name, value := range want {
			if l.query.Get(name) != value {
				t.Errorf("%s is %q, not %q, in %s", name, l.query.Get(name), value, line)
			}
		}
		if l.query.Has("allowInsecure") {
			t.Errorf("a link that Xray refuses: %s", line)
		}
	}
	if len(names) < 40 {
		t.Errorf("only %d links", len(names))
	}
}

func TestURI_EncodedList_IsBase64OfPlainOne(t *testing.T) {
	proxies := allCombinations().proxies(t)
	plain := format.Render(proxies, format.Options{Client: client(t, "Mixed", ""), NodesOnly: true}).Body
	wrapped := format.Render(proxies, format.Options{Client: client(t, "Mixed", "")}).Body
	if string(decode(t, wrapped)) != string(plain) || strings.ContainsAny(string(wrapped), "\r\n -_") {
		t.Errorf("wrapped: %s", wrapped)
	}
}

func TestURI_SIP002Encoding_OnlyOnRequest(t *testing.T) {
	body := string(decode(t, format.Render(allCombinations().proxies(t),
		format.Options{Client: client(t, "SIP002", "")}).Body))
	if !strings.Contains(body, "ss://2022-blake3-aes-128-gcm:a%2F") {
		t.Error(body)
	}
}

func TestShadowrocket_BeginsWithStatus(t *testing.T) {
	o := format.Options{Client: client(t, "Shadowrocket", ""), Status: "1 GB left\nEvil"}
	if body := string(decode(t, format.Render(allCombinations().proxies(t), o).Body)); !strings.HasPrefix(body,
		"STATUS=1 GB left Evil\n") {
		t.Error(body[:60])
	}
}
