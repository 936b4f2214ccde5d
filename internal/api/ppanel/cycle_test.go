package ppanel_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"airstrip/internal/node"
)

func TestAnswers_MatchAgent(t *testing.T) {
	each(t, func(s *site) {
		if _, err := s.Nodes.Rules.Add(t.Context(), "torrent", "no torrents", `(.*\.|^)torrent\.`); err != nil {
			t.Fatal(err)
		}
		for name := range s.IDs {
			_, _, config := s.call(name, "GET", s.config(name), "")
			s.Golden("config-"+name+".json", config)
			if name == "empty" { // Its only user is a placeholder with a secret of its own.
				continue
			}
			_, _, users := s.call(name, "GET", "/v1/server/user", "")
			s.Golden("user-"+name+".json", users)
		}
		for _, c := range []struct{ file, path, body string }{
			{"push", "/v1/server/push", `{"traffic":[{"uid":1,"upload":80,"download":300}]}`},
			{"push", "/v1/server/push", `{"traffic":null}`},
			{
				"push-refused", "/v1/server/push",
				`{"traffic":[{"uid":77,"upload":1,"download":1},{"uid":2,"upload":"x","download":1},null,{"uid":2,"upload":5,"download":-1}]}`,
			},
			{"push-unreadable", "/v1/server/push", `[1]`},
			{"push-unreadable", "/v1/server/push", `{}`},
			{"online", "/v1/server/online", `{"users":[{"UID":1,"IP":"1.2.3.4"}]}`},
			{"status", "/v1/server/status", `{"cpu":12.5,"mem":40.1,"disk":7,"updated_at":1764000000000}`},
		} {
			_, header, got := s.call("vmess", "POST", c.path, c.body)
			s.Golden(c.file+".json", got)
			if header.Get("ETag") != "" {
				t.Errorf("%s has an ETag", c.path)
			}
		}
	})
}

// The agent requests what to serve, then who may use it, and exits if the list is empty. From then on it requests both
// with their ETags, and posts traffic, addresses in capitalised fields, and its load.
func TestCycle_PPanelNode(t *testing.T) {
	each(t, func(s *site) {
		var config struct {
			Code int
			Data struct {
				PushInterval int `json:"push_interval"`
				PullInterval int `json:"pull_interval"`
				Protocols    *[]struct {
					Type              string
					Port              int
					Security          string
					SNI               string `json:"sni"`
					Flow              string
					RealityServerAddr string `json:"reality_server_addr"`
					RealityServerPort int    `json:"reality_server_port"`
					RealityPrivateKey string `json:"reality_private_key"`
				}
			}
		}
		configTag := s.ok(&config, "reality", "GET", s.config("reality"), "").Get("ETag")
		if config.Data.Protocols == nil || len(*config.Data.Protocols) != 1 || config.Data.PushInterval != 60 ||
			config.Data.PullInterval != 60 || config.Code != 200 {
			t.Fatalf("%+v", config)
		}
		if p := (*config.Data.Protocols)[0]; p.Type != "vless" || p.Port != 8443 || p.Security != "reality" ||
			p.SNI != "www.example" || p.RealityServerAddr != "origin.example" || p.RealityServerPort != 8443 ||
			p.RealityPrivateKey == "" || p.Flow == "" {
			t.Fatalf("%+v", p)
		}
		var list struct {
			Users []struct {
				ID          int64  `json:"id"`
				UUID        string `json:"uuid"`
				SpeedLimit  int    `json:"speed_limit"`
				DeviceLimit int    `json:"device_limit"`
			}
		}
		usersTag := s.ok(&list, "reality", "GET", "/v1/server/user", "").Get("ETag")
		if len(list.Users) != 2 || list.Users[0].SpeedLimit != 50 || list.Users[0].DeviceLimit != 3 {
			t.Fatalf("%+v", list)
		}
		for range 2 { // Minutes.
			for path, tag := range map[string]string{s.config("reality"): configTag, "/v1/server/user": usersTag} {
				if status, _, _ := s.call("reality", "GET", path, "", "If-None-Match",
					tag); status != http.StatusNotModified {
					t.Fatalf("%s again: %d", path, status)
				}
			}
		}
		for range 2 { // The same body at once counts once.
			s.ok(&struct{}{}, "reality", "POST", "/v1/server/push",
				`{"traffic":[{"uid":1,"upload":163,"download":300},{"uid":2,"upload":0,"download":7}]}`)
		}
		s.ok(&struct{}{}, "reality", "POST", "/v1/server/online",
			`{"users":[{"UID":1,"IP":"1.2.3.4"},{"UID":1,"IP":"::ffff:1.2.3.4"},{"UID":1,"IP":"5.6.7.8"},{"UID":2,"IP":"9.9.9.9"},{"UID":3,"IP":"9.9.9.9"},{"UID":"x"}]}`)
		s.ok(&struct{}{}, "reality", "POST", "/v1/server/status",
			`{"cpu":12.5,"mem":250,"disk":7,"updated_at":1764000000000}`)
		states, err := s.Nodes.Monitor.States(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		devices, err := s.Nodes.Presence.DeviceCount(t.Context(), 1)
		if st := states[s.IDs["reality"]]; s.Used(1) != 463 || s.Used(2) != 7 || devices != 2 ||
			st.OnlineUsers != 2 || st.CPUPermille != 125 || st.MemoryPermille != 1000 ||
			st.Health(s.DB.Now()) != node.Online {
			t.Fatalf("counted %d and %d, %d devices, %+v, %v", s.Used(1), s.Used(2), devices, st, err)
		}
		s.ok(&struct{}{}, "reality", "POST", "/v1/server/push", `{"traffic":[{"uid":1,"upload":0,"download":10000}]}`)
		status, _, got := s.call("reality", "GET", "/v1/server/user", "", "If-None-Match", usersTag)
		if err := json.Unmarshal(got, &list); err != nil || status != 200 || len(list.Users) != 1 ||
			list.Users[0].ID != 2 {
			t.Fatalf("after user 1 used up the quota: %d %s", status, got)
		}
		if _, err := s.Nodes.Change(t.Context(), s.IDs["reality"],
			func(n *node.Node) { n.ListenPort = 9443 }); err != nil {
			t.Fatal(err)
		}
		if status, _, got := s.call("reality", "GET", s.config("reality"), "", "If-None-Match",
			configTag); status != 200 || !strings.Contains(string(got), `"port":9443`) {
			t.Fatalf("after a change: %d %s", status, got)
		}
		s.ok(&list, "empty", "GET", "/v1/server/user", "")
		if len(list.Users) != 1 || list.Users[0].ID != 0 || len(list.Users[0].UUID) != 36 {
			t.Fatalf("where nobody may use the node: %+v", list)
		}
	})
}

// ppanel-node panics when it stops a protocol that it did not start, so enabling a disabled node again crashed it.
func TestUsers_DisabledNode_ListsNobody(t *testing.T) {
	each(t, func(s *site) {
		if _, err := s.Nodes.Change(t.Context(), s.IDs["vmess"], func(n *node.Node) { n.Enabled = false }); err != nil {
			t.Fatal(err)
		}
		var config struct {
			Data struct{ Protocols []struct{ Enable bool } }
		}
		s.ok(&config, "vmess", "GET", s.config("vmess"), "")
		if p := config.Data.Protocols; len(p) != 1 || !p[0].Enable {
			t.Fatalf("%+v", config)
		}
		var list struct{ Users []struct{ ID int64 } }
		s.ok(&list, "vmess", "GET", "/v1/server/user", "")
		if len(list.Users) != 1 || list.Users[0].ID != 0 {
			t.Fatalf("a disabled node has users: %+v", list)
		}
	})
}

func TestKey_IdentifiesNode(t *testing.T) {
	each(t, func(s *site) {
		push := `{"traffic":[{"uid":1,"upload":1,"download":1}]}`
		for path, method := range map[string]string{
			s.config("vmess"): "GET", "/v1/server/user": "GET",
			"/v1/server/push": "POST", "/v1/server/online": "POST", "/v1/server/status": "POST",
		} {
			own := fmt.Sprintf("&protocol=vmess&server_id=%d", s.IDs["vmess"])
			for query, want := range map[string]int{
				"":                                      401,
				"?secret_key=" + own:                    401,
				"?secret_key=wrong" + own:               401,
				"?secret_key=an-old-key-of-all":         401,
				"?secret_key=" + s.Keys["trojan"] + own: 403,
				fmt.Sprintf("?secret_key=%s&protocol=trojan&server_id=%d", s.Keys["vmess"], s.IDs["vmess"]): 404,
			} {
				status, _, got := s.Send(method, path+query, push)
				var f struct {
					Code int
					Msg  string
				}
				if err := json.Unmarshal(got, &f); err != nil || status != want || f.Code != want || f.Msg == "" ||
					strings.Contains(string(got), "protocols") {
					t.Errorf("%s %s: %d %s, want %d", path, query, status, got, want)
				}
			}
		}
		if s.Used(1) != 0 {
			t.Fatal("a refused push was counted")
		}
		if err := s.Nodes.Secrets.SetSharedKey(t.Context(), "an-old-key-of-all", time.Time{}); err != nil {
			t.Fatal(err)
		}
		if status, _, got := s.Send("GET", s.config("tuic")+"?secret_key=an-old-key-of-all", ""); status != 200 ||
			!strings.Contains(string(got), `"type":"tuic"`) {
			t.Errorf("with the one key of all nodes: %d %s", status, got)
		}
		if status, _, got := s.Send("GET", "/v1/server/user?secret_key=an-old-key-of-all", ""); status != 422 {
			t.Errorf("with it and no server: %d %s", status, got)
		}
	})
}

// JSON cannot represent the bytes of most keys. The agent must not derive another key from them.
func TestConfig_ServerKeyNotText_IsRefused(t *testing.T) {
	each(t, func(s *site) {
		if _, err := s.Nodes.Change(t.Context(), s.IDs["ss2022"],
			func(n *node.Node) { n.Settings.ServerKey = "/579MfsH+WL3GPXE813xhg==" }); err != nil {
			t.Fatal(err)
		}
		status, _, got := s.call("ss2022", "GET", s.config("ss2022"), "")
		if status != http.StatusConflict || !strings.Contains(string(got), `"code":409`) ||
			strings.Contains(string(got), "protocols") {
			t.Fatalf("%d %s", status, got)
		}
	})
}

func TestConfig_TransportThatAgentLacks_IsRefused(t *testing.T) {
	each(t, func(s *site) {
		s.CheckTrojanTransports(func() (int, []byte) {
			status, _, got := s.call("trojan", "GET", s.config("trojan"), "")
			return status, got
		})
	})
}

func TestConfig_GeneratedServerKey_IsSent(t *testing.T) {
	each(t, func(s *site) {
		for i := range 5 {
			draft := node.Draft(fmt.Sprint("made", i), node.Shadowsocks, "ss.example", 8390+i)
			draft.Settings.Method = "2022-blake3-aes-256-gcm"
			made := s.Add(draft)
			var got struct {
				Data struct {
					Protocols []struct {
						ServerKey string `json:"server_key"`
					}
				}
			}
			s.ok(&got, draft.Name, "GET", s.config(draft.Name), "")
			if p := got.Data.Protocols; len(p) != 1 ||
				base64.StdEncoding.EncodeToString([]byte(p[0].ServerKey)) != made.Settings.ServerKey {
				t.Fatalf("the agent makes of %+v a key that is not %s", p, made.Settings.ServerKey)
			}
		}
	})
}

func TestDatabaseAway_AnswersAreErrors(t *testing.T) {
	each(t, func(s *site) {
		s.ok(&struct{}{}, "vmess", "GET", "/v1/server/user", "")
		if err := s.DB.Close(); err != nil {
			t.Fatal(err)
		}
		for path, method := range map[string]string{
			s.config("vmess"): "GET", "/v1/server/user": "GET",
			"/v1/server/push": "POST", "/v1/server/online": "POST", "/v1/server/status": "POST",
		} {
			status, _, got := s.call("vmess", method, path,
				`{"traffic":[{"uid":1,"upload":1,"download":1}],"users":[]}`)
			if status < 500 || strings.Contains(string(got), "success") || strings.Contains(string(got), `"users"`) {
				t.Errorf("%s: %d %s", path, status, got)
			}
		}
	})
}
