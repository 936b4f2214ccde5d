package uniproxy_test

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"airstrip/internal/node"
)

// typeOf returns what agents call a node's protocol.
func typeOf(n node.Node) string {
	if n.Protocol == node.Hysteria2 {
		return "hysteria"
	}
	return string(n.Protocol)
}

func TestAnswers_MatchAgents(t *testing.T) {
	each(t, func(s *site) {
		rule, err := s.Nodes.Rules.Add(t.Context(), "torrent", "no torrents", `(.*\.|^)torrent\.`)
		if err != nil || rule.ID != 1 {
			t.Fatal(rule.ID, err)
		}
		for _, draft := range drafts() {
			name := draft.Name
			_, _, config := s.call(name, typeOf(draft), "GET", "config", "")
			s.Golden("config-"+name+".json", config)
			_, _, users := s.call(name, typeOf(draft), "GET", "user", "")
			s.Golden("user-"+name+".json", users)
		}
		_, _, config := s.call("hysteria2", "v2node", "GET", "config", "")
		s.Golden("config-hysteria2-v2node.json", config)
		for _, c := range []struct{ file, method, path, body string }{
			{"alivelist-none", "GET", "alivelist", ""},
			{"alive", "POST", "alive", `{"1":["1.2.3.4"]}`},
			{"alivelist", "GET", "alivelist", ""},
			{"push", "POST", "push", `{"1":[80,300]}`},
			{"push-none", "POST", "push", `{}`},
			{"push-refused", "POST", "push", `{"2":[1,"x"],"77":[1,1]}`},
			{"push-unreadable", "POST", "push", `[1]`},
			{
				"status", "POST", "status",
				`{"cpu":12.5,"mem":{"total":1000,"used":400},"swap":{"total":0,"used":0},"disk":{"total":9,"used":1}}`,
			},
		} {
			_, header, got := s.call("ss", "shadowsocks", c.method, c.path, c.body)
			s.Golden(c.file+".json", got)
			if header.Get("ETag") != "" {
				t.Errorf("%s has an ETag", c.path)
			}
		}
		later := s.v2()
		for _, c := range []struct{ file, method, path, body string }{
			{"handshake", "GET", "handshake", ""},
			{"handshake", "POST", "handshake", "{}"},
			{"report", "POST", "report", `{"type":"traffic","traffic":{"1":[80,301]}}`},
			{"report", "POST", "report", `{"type":"alive","alive":{"1":["1.2.3.4_6"]}}`},
			{"report", "POST", "report", `{}`},
			{"report-refused", "POST", "report", `{"traffic":{"2":[1,"x"],"77":[1,1]}}`},
			{"push-unreadable", "POST", "report", `[1]`},
			{"push-unreadable", "POST", "report", `{"traffic":[1]}`},
			{"alivelist", "GET", "alivelist", ""},
			{"alive", "POST", "alive", `{"1":["1.2.3.4"]}`},
			{"push", "POST", "push", `{"1":[80,302]}`},
			{"status", "POST", "status", `{"cpu":1}`},
		} {
			_, _, got := later.call("ss", "", c.method, c.path, c.body)
			s.Golden(c.file+".json", got)
		}
		for _, name := range []string{"reality", "tuic", "anytls"} {
			_, _, config := later.call(name, "", "GET", "config", "")
			s.Golden("config-"+name+".json", config)
			_, _, users := later.call(name, "", "GET", "user", "")
			s.Golden("user-"+name+".json", users)
		}
	})
}

func TestToken_IdentifiesNode(t *testing.T) {
	each(t, func(s *site) {
		fails := func(want int, status int, got []byte) {
			t.Helper()
			var f struct{ Status, Code, Message string }
			if err := json.Unmarshal(got, &f); err != nil || status != want || f.Status != "fail" || f.Code == "" ||
				f.Message == "" {
				t.Fatalf("answered %d %s, want %d", status, got, want)
			}
			if strings.Contains(string(got), "private") || strings.Contains(string(got), `"protocol"`) {
				t.Fatalf("a failure shows a node: %s", got)
			}
		}
		later := s.v2()
		for _, endpoint := range []struct {
			*site
			method, path string
		}{
			{s, "GET", "config"},
			{s, "GET", "user"},
			{s, "GET", "alivelist"},
			{s, "POST", "push"},
			{s, "POST", "alive"},
			{s, "POST", "status"},
			{later, "GET", "config"},
			{later, "GET", "user"},
			{later, "GET", "alivelist"},
			{later, "GET", "handshake"},
			{later, "POST", "handshake"},
			{later, "POST", "push"},
			{later, "POST", "alive"},
			{later, "POST", "status"},
			{later, "POST", "report"},
		} {
			s, method, path := endpoint.site, endpoint.method, endpoint.path
			for _, query := range []string{"", "?token=", "?token=wrong&node_id=1"} {
				status, _, got := s.Send(method, path+query, `{"1":[1,1]}`)
				fails(401, status, got)
			}
			query := fmt.Sprintf("?token=%s&node_id=", s.Keys["ss"])
			for _, id := range []string{"0", fmt.Sprint(s.IDs["reality"]), "x", fmt.Sprintf("%d OR 1=1", s.IDs["ss"])} {
				status, _, got := s.Send(method, path+query+strings.ReplaceAll(id, " ", "+"), `{"1":[1,1]}`)
				fails(403, status, got)
			}
			status, _, got := s.call("ss", "vless", method, path, `{"1":[1,1]}`)
			fails(404, status, got)
		}
		if s.Used(1) != 0 {
			t.Fatal("a refused push was counted")
		}
		for _, c := range []struct{ name, nodeType string }{
			{"vmess", "v2ray"}, {"vmess", "vmess"}, {"reality", "vless"}, {"hysteria2", "hysteria"}, {
				"hysteria2",
				"hysteria2",
			}, {"trojan", "v2node"}, {"ss", ""}, {"tuic", "tuic"}, {"anytls", "anytls"},
		} {
			var config struct {
				ServerPort int `json:"server_port"`
			}
			s.ok(&config, c.name, c.nodeType, "GET", "config", "")
		}
		// The body of an unauthenticated sender is read only up to a limit.
		status, _, got := s.Send("POST", "push", `{"token":"`+s.Keys["ss"]+`"`+strings.Repeat(" ", 1<<20)+`}`)
		fails(413, status, got)
	})
}

func TestUsers_EmptyList_HasPlaceholder(t *testing.T) {
	each(t, func(s *site) { // Nobody is in the group of the trojan node.
		var before, after struct {
			Users []struct {
				ID   int64
				UUID uuid.UUID
			}
		}
		s.ok(&before, "trojan", "trojan", "GET", "user", "")
		s.ok(&after, "trojan", "trojan", "GET", "user", "")
		if len(before.Users) != 1 || before.Users[0].ID != 0 || before.Users[0].UUID == uuid.Nil ||
			before.Users[0] != after.Users[0] {
			t.Fatalf("%v, then %v", before, after)
		}
	})
}

// The agents use the text as the password, except for Shadowsocks 2022, where they encode its first 16 or 32 characters
// as base64. The result must equal what links contain.
func TestUsers_SecretsMatchLinks(t *testing.T) {
	each(t, func(s *site) {
		for _, draft := range drafts() {
			if draft.Name == "trojan" {
				continue
			}
			var list struct {
				Users []struct {
					ID          int64
					UUID        string
					SpeedLimit  int `json:"speed_limit"`
					DeviceLimit int `json:"device_limit"`
				}
			}
			s.ok(&list, draft.Name, typeOf(draft), "GET", "user", "")
			if len(list.Users) != 2 {
				t.Fatalf("%s: %v", draft.Name, list)
			}
			for _, u := range list.Users {
				a, err := s.Services.Access(t.Context(), u.ID)
				if err != nil {
					t.Fatal(err)
				}
				secret := u.UUID
				for method, size := range map[string]int{"2022-blake3-aes-128-gcm": 16, "2022-blake3-aes-256-gcm": 32} {
					if draft.Settings.Method == method {
						secret = base64.StdEncoding.EncodeToString([]byte(secret[:size]))
					}
				}
				if want := node.UserSecret(draft, a.UUID, a.Password); secret != want {
					t.Errorf("%s: the agent makes %q, links have %q", draft.Name, secret, want)
				}
			}
			first, second := list.Users[0], list.Users[1]
			if first.SpeedLimit != 100 || first.DeviceLimit != 3 || second.DeviceLimit != 0 {
				t.Errorf("%s: %+v", draft.Name, list.Users)
			}
			if want := draft.SpeedMbps; (want == nil && second.SpeedLimit != 0) ||
				(want != nil && second.SpeedLimit != *want) {
				t.Errorf("%s: the node's limit of speed is %d for a user who has none", draft.Name, second.SpeedLimit)
			}
		}
	})
}

func TestConfig_CertificateOfServer_IsSentToXboardNode(t *testing.T) {
	each(t, func(s *site) {
		draft := node.Draft("self-signed", node.Trojan, "s.example", 443)
		s.Add(draft)
		var config struct {
			TLSSettings map[string]any `json:"tls_settings"`
			CertConfig  struct {
				CertMode    string `json:"cert_mode"`
				CertContent string `json:"cert_content"`
				KeyContent  string `json:"key_content"`
			} `json:"cert_config"`
		}
		s.ok(&config, "self-signed", "trojan", "GET", "config", "")
		if _, err := tls.X509KeyPair([]byte(config.CertConfig.CertContent),
			[]byte(config.CertConfig.KeyContent)); err != nil || config.CertConfig.CertMode != "content" {
			t.Fatal(config.CertConfig.CertMode, err)
		}
		if keys := slices.Collect(maps.Keys(config.TLSSettings)); !slices.Equal(keys, []string{"server_name"}) {
			t.Fatalf("tls_settings has %v", keys)
		}
	})
}

// Agents that call the node trojan support these transports.
func TestV2node_TransportThatAgentLacks_IsRefused(t *testing.T) {
	each(t, func(s *site) {
		s.CheckTrojanTransports(func() (int, []byte) {
			if status, _, got := s.call("trojan", "trojan", "GET", "config", ""); status != 200 {
				t.Errorf("for V2bX: %d %s", status, got)
			}
			status, _, got := s.call("trojan", "v2node", "GET", "config", "")
			return status, got
		})
	})
}

// v2node exits, with all of its nodes, if AnyTLS has no network, and serves TLS nodes in clear text without a
// cert_mode.
func TestV2node_Config_HasNetworkAndCertificate(t *testing.T) {
	each(t, func(s *site) {
		all := drafts()
		for _, protocol := range []node.Protocol{
			node.VMess, node.VLESS, node.Trojan, node.Hysteria2, node.TUIC,
			node.AnyTLS,
		} {
			draft := node.Draft(string(protocol)+" self-signed", protocol, "s.example", 8443)
			draft.Settings.Security = "tls"
			all = append(all, s.Add(draft))
		}
		for _, draft := range all {
			var config struct {
				Protocol    string
				Network     string
				TLS         int `json:"tls"`
				TLSSettings struct {
					CertMode string `json:"cert_mode"`
				} `json:"tls_settings"`
			}
			s.ok(&config, draft.Name, "v2node", "GET", "config", "")
			if config.Network == "" {
				t.Errorf("%s: no network", draft.Name)
			}
			if config.TLS == 1 && config.TLSSettings.CertMode != "file" {
				t.Errorf("%s: cert_mode %q", draft.Name, config.TLSSettings.CertMode)
			}
		}
	})
}

func TestConfig_ACMECertificate_NamesNoFile(t *testing.T) {
	each(t, func(s *site) {
		draft := node.Draft("acme", node.AnyTLS, "s.example", 8443)
		draft.Settings.TLS = &node.TLS{
			ServerName: "s.example",
			ACME:       &node.ACME{Challenge: "tls-alpn-01", Email: "me@s.example"},
		}
		s.Add(draft)
		var config struct {
			TLSSettings map[string]any `json:"tls_settings"`
			CertConfig  map[string]any `json:"cert_config"`
		}
		s.ok(&config, "acme", "anytls", "GET", "config", "")
		if !maps.Equal(config.TLSSettings, map[string]any{"server_name": "s.example", "cert_mode": "http"}) ||
			!maps.Equal(config.CertConfig, map[string]any{
				"cert_mode": "http", "domain": "s.example",
				"email": "me@s.example",
			}) {
			t.Fatalf("%v", config)
		}
	})
}

func TestRules_AreInGrammarOfAgent(t *testing.T) {
	each(t, func(s *site) {
		type route struct {
			ID     int
			Match  []string
			Action string
		}
		routes := func(nodeType string, headers ...string) []route {
			t.Helper()
			var config struct{ Routes []route }
			s.ok(&config, "vmess", nodeType, "GET", "config", "", headers...)
			return config.Routes
		}
		none := routes("vmess")
		if len(none) != 1 || len(none[0].Match) != 1 {
			t.Fatalf("without a rule: %v; XrayR keeps its old rules when it receives none", none)
		}
		if p, err := regexp.Compile(none[0].Match[0]); err != nil || p.MatchString("tcp:a.example:443") {
			t.Fatal(none, err)
		}
		rule, err := s.Nodes.Rules.Add(t.Context(), "torrent", "", `torrent/x\.`)
		if err != nil {
			t.Fatal(err)
		}
		for nodeType, want := range map[string]string{
			"v2ray": `torrent/x\.`, "vmess": `torrent/x\.`,
			"v2node": `regexp:torrent/x\.`,
		} {
			got := routes(nodeType)
			if len(got) != 1 || int64(got[0].ID) != rule.ID || got[0].Action != "block" ||
				!slices.Equal(got[0].Match, []string{want}) {
				t.Errorf("%s: %v", nodeType, got)
			}
		}
		mail, err := s.Nodes.Rules.Add(t.Context(), "mail", "", `:(25|465)$|^203\.0\.113\.9:|(^|\.)example\.com:`)
		if err != nil {
			t.Fatal(err)
		}
		fetched := map[string][]string{}
		for _, r := range routes("v2node") {
			if int64(r.ID) == mail.ID {
				fetched[r.Action] = r.Match
			}
		}
		if len(fetched) != 3 || !slices.Equal(fetched["block_port"], []string{"25", "465"}) ||
			!slices.Equal(fetched["block_ip"], []string{"203.0.113.9"}) ||
			!slices.Equal(fetched["block"], []string{`regexp:\.example\.com$`, `regexp:\Aexample\.com$`}) {
			t.Errorf("v2node: %v", fetched)
		}
		refuses := func(destination string) bool {
			return slices.ContainsFunc(routes("vmess"), func(r route) bool {
				return regexp.MustCompile(strings.Join(r.Match, "|")).MatchString(destination)
			})
		}
		// XrayR matches network:host:port, V2bX the host alone.
		for destination, want := range map[string]bool{
			"tcp:mail.other:25": true, "udp:mail.other:465": true, "tcp:mail.other:443": false,
			"tcp:example.com:443": true, "tcp:a.example.com:1": true,
			"tcp:203.0.113.9:80": true, "tcp:203.0.113.99:80": false, "tcp:notexample.com:443": false,
			"example.com": true, "a.example.com": true, "notexample.com": false, "203.0.113.9": true,
			"2001:db8::25": false,
		} {
			if refuses(destination) != want {
				t.Errorf("%s is refused: %v", destination, !want)
			}
		}
		if got := routes("vmess", "User-Agent", "Go-http-client/1.1"); len(got) != 0 {
			t.Errorf("Xboard-node cannot start with %v", got)
		}
	})
}

func TestETags_Unchanged_Answers304(t *testing.T) {
	each(t, func(s *site) {
		for _, path := range []string{"config", "user"} {
			// As agents send it at first.
			_, header, _ := s.call("ss", "shadowsocks", "GET", path, "", "If-None-Match", "")
			tag := header.Get("ETag")
			if !strings.HasPrefix(tag, `"`) {
				t.Fatalf("%s: the ETag is %s", path, tag)
			}
			for _, has := range []string{tag, "W/" + tag, strings.Trim(tag, `"`)} {
				if status, _, body := s.call("ss", "shadowsocks", "GET", path, "", "If-None-Match",
					has); status != http.StatusNotModified || len(body) != 0 {
					t.Errorf("%s with %s: %d", path, has, status)
				}
			}
		}
		states, err := s.Nodes.Monitor.States(t.Context())
		if err != nil || states[s.IDs["ss"]].Health(s.DB.Now()) != node.Online {
			t.Fatal("the call is no heartbeat", err)
		}
	})
}
