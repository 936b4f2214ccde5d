package uniproxy_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"airstrip/internal/node"
)

// XrayR requests the configuration and the users, then both every minute with their ETags, and posts traffic, which it
// repeats when the answer is lost.
func TestCycle_XrayR(t *testing.T) {
	each(t, func(s *site) {
		var config struct {
			Network         string
			NetworkSettings struct {
				Path    string
				Headers struct{ Host string }
			} `json:"networkSettings"`
			ServerPort int `json:"server_port"`
			TLS        int
		}
		configTag := s.ok(&config, "vmess", "v2ray", "GET", "config", "").Get("Etag")
		if config.ServerPort != 80 || config.Network != "ws" || config.NetworkSettings.Path != "/v2" ||
			config.NetworkSettings.Headers.Host != "cdn.example" || config.TLS != 0 {
			t.Fatalf("%+v", config)
		}
		var list struct{ Users []map[string]any }
		usersTag := s.ok(&list, "vmess", "v2ray", "GET", "user", "").Get("Etag")
		if len(list.Users) != 2 {
			t.Fatal(list)
		}
		for range 2 { // Minutes.
			for path, tag := range map[string]string{"config": configTag, "user": usersTag} {
				if status, _, _ := s.call("vmess", "v2ray", "GET", path, "", "If-None-Match",
					tag); status != http.StatusNotModified {
					t.Fatalf("%s again: %d", path, status)
				}
			}
		}
		for range 3 {
			var receipt struct{ Data bool }
			s.ok(&receipt, "vmess", "v2ray", "POST", "push", `{"1":[163,300],"2":[0,7]}`)
			if !receipt.Data {
				t.Fatal("the push was not taken")
			}
		}
		if s.Used(1) != 463 || s.Used(2) != 7 {
			t.Fatalf("counted %d and %d", s.Used(1), s.Used(2))
		}
		s.ok(&struct{}{}, "vmess", "v2ray", "POST", "push", `{"1":[0,10000]}`)
		s.ok(&list, "vmess", "v2ray", "GET", "user", "", "If-None-Match", usersTag)
		if len(list.Users) != 1 || list.Users[0]["id"] != float64(2) {
			t.Fatalf("after user 1 used up the quota: %v", list.Users)
		}
	})
}

// V2bX dereferences base_config, accepts JSON though it requests MessagePack, and applies the device limit by the list
// of alive users.
func TestCycle_V2bX(t *testing.T) {
	each(t, func(s *site) {
		var config struct {
			TLS         int
			TLSSettings struct {
				ServerName string `json:"server_name"`
				ServerPort string `json:"server_port"`
				ShortID    string `json:"short_id"`
				PrivateKey string `json:"private_key"`
				Xver       uint64 `json:"xver,string"`
			} `json:"tls_settings"`
			Flow       string
			BaseConfig *struct {
				PushInterval int `json:"push_interval"`
				PullInterval int `json:"pull_interval"`
			} `json:"base_config"`
		}
		s.ok(&config, "reality", "vless", "GET", "config", "")
		if tls := config.TLSSettings; config.TLS != 2 || tls.ServerName != "www.example" || tls.ServerPort != "443" ||
			tls.ShortID != "38e92059" || tls.PrivateKey == "" || config.Flow == "" {
			t.Fatalf("%+v", config)
		}
		if config.BaseConfig == nil || config.BaseConfig.PushInterval != 60 || config.BaseConfig.PullInterval != 60 {
			t.Fatalf("base_config is %+v", config.BaseConfig)
		}
		_, header, users := s.call("reality", "vless", "GET", "user", "", "X-Response-Format", "msgpack")
		if !strings.HasPrefix(header.Get("Content-Type"), "application/json") ||
			!strings.HasPrefix(string(users), `{"users":[{`) {
			t.Fatalf("%s: %s", header.Get("Content-Type"), users)
		}
		alive := func() map[int]int {
			t.Helper()
			var list struct{ Alive map[int]int }
			s.ok(&list, "reality", "vless", "GET", "alivelist", "")
			if list.Alive == nil {
				t.Fatal("alive is no object")
			}
			return list.Alive
		}
		if got := alive(); len(got) != 0 {
			t.Fatal(got)
		}
		var receipt struct{ Data bool }
		s.ok(&receipt, "reality", "vless", "POST", "alive",
			`{"1":["1.2.3.4","1.2.3.4_1","::ffff:1.2.3.4","1.2.3.4:5678","[::ffff:1.2.3.4]:9","2001:db8::1_6","[2001:db8::1]:443"," 5.6.7.8","not an address",""],"2":["9.9.9.9"],"3":["9.9.9.9"],"x":["1.1.1.1"],"77":["1.1.1.1"],"1e1":7}`)
		s.ok(&receipt, "ss", "shadowsocks", "POST", "alive", `{"1":["5.6.7.8","8.8.8.8"]}`)
		if got := alive(); !maps.Equal(got, map[int]int{1: 4, 2: 1}) {
			t.Fatalf("at addresses, over both nodes and only of their users: %v", got)
		}
		var others struct{ Alive map[int]int }
		if s.ok(&others, "trojan", "trojan", "GET", "alivelist", ""); others.Alive == nil || len(others.Alive) != 0 {
			t.Fatalf("a node lists users who may not use it: %v", others)
		}
		states, err := s.Nodes.Monitor.States(t.Context())
		if err != nil || states[s.IDs["reality"]].OnlineUsers != 2 {
			t.Fatal(states[s.IDs["reality"]].OnlineUsers, err)
		}
	})
}

// Xboard-node identifies itself in the query of a GET and in the body of a POST, accepts only status 200, and requires
// protocol in the configuration.
func TestCycle_XboardNode(t *testing.T) {
	each(t, func(s *site) {
		agent := []string{"User-Agent", "Go-http-client/1.1", "Content-Type", "application/json"}
		query := fmt.Sprintf("?node_id=%d&token=%s", s.IDs["hysteria2"], s.Keys["hysteria2"])
		var config struct {
			Protocol     string
			Version      int
			ObfsPassword string `json:"obfs-password"`
			CertConfig   struct {
				CertFile string `json:"cert_file"`
			} `json:"cert_config"`
		}
		status, _, got := s.Send("GET", "config"+query, "", agent...)
		s.read(&config, status, got)
		if config.Protocol != "hysteria" || config.Version != 2 || config.ObfsPassword != "o" ||
			config.CertConfig.CertFile != "/c" {
			t.Fatalf("%+v", config)
		}
		who := fmt.Sprintf(`"node_id":%d,"node_type":"hysteria","token":%q`, s.IDs["hysteria2"], s.Keys["hysteria2"])
		for path, report := range map[string]string{
			"push":  `{"1":[10,20],` + who + `}`,
			"alive": `{"1":["1.2.3.4"],` + who + `}`, "status": `{"cpu":250.5,"mem":{"total":8000,"used":2000},` +
				who + `}`,
		} {
			status, _, got := s.Send("POST", path, report, agent...)
			var receipt map[string]any
			s.read(&receipt, status, got)
			if receipt["data"] != true || receipt["refused"] != nil {
				t.Fatalf("%s: %s", path, got)
			}
		}
		states, err := s.Nodes.Monitor.States(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if st := states[s.IDs["hysteria2"]]; s.Used(1) != 30 || st.OnlineUsers != 1 || st.CPUPermille != 1000 ||
			st.MemoryPermille != 250 || st.Health(s.DB.Now()) != node.Online {
			t.Fatalf("counted %d, %+v", s.Used(1), st)
		}
		for _, other := range []string{`"node_id":"9999",`, `"node_id":9999,`} {
			if status, _, got := s.Send("POST", "push", `{"1":[1,1],`+other+`"token":"`+s.Keys["hysteria2"]+`"}`,
				agent...); status != 403 {
				t.Fatalf("as another node: %d %s", status, got)
			}
		}
		for _, body := range []string{``, `{`, `[]`, `{"token":7}`, `{"token":"wrong","1":[1,1]}`} {
			if status, _, got := s.Send("POST", "push", body, agent...); status != 401 {
				t.Fatalf("%s: %d %s", body, status, got)
			}
		}
	})
}

func TestReport_ValidRows_CountOnce(t *testing.T) {
	each(t, func(s *site) {
		type refusal struct {
			UserID string `json:"user_id"`
			Code   string
		}
		push := func(body string) []refusal {
			t.Helper()
			var receipt struct {
				Data    bool
				Refused []refusal
			}
			s.ok(&receipt, "reality", "vless", "POST", "push", body)
			return receipt.Refused
		}
		refused := push(`{"1":[163,300],"1":[5,5],"2":[-5,1],"3":[1,1],"77":[1,1],"text":[1,1],"0":[1,1],"99999999999999999999":[1,1],
			"02":[1,9223372036854775808],"4":"x","5":[1],"6":[1,2,3],"7":[1,null],"8":[1.5,2],"9":{"u":1},"10":["1","2"],"11":null}`)
		codes := map[refusal]bool{}
		for _, r := range refused {
			codes[r] = true
		}
		for _, want := range []refusal{
			{"1", "duplicate_user"},
			{"2", "negative"},
			{"2", "absurd"},
			{"3", "not_on_list"},
			{"77", "not_on_list"},
			{"0", "not_on_list"},
			{"text", "unreadable"},
			{
				"4",
				"unreadable",
			},
			{"11", "unreadable"},
		} {
			if !codes[want] {
				t.Errorf("%v was not refused: %v", want, refused)
			}
		}
		// (163 + 300) × 1.5, rounded down.
		if len(refused) != 16 || s.Used(1) != 694 || s.Used(2) != 0 || s.Used(3) != 0 {
			t.Fatalf("counted %d, %d, %d; refused %v", s.Used(1), s.Used(2), s.Used(3), refused)
		}
		for _, broken := range []string{
			``, `{`, `[1]`, `7`, `"x"`, `{"1":[1,1]`, `{"1":[1,1]}}`, `{"1"}`, "\x00",
			`{1:[1,1]}`,
		} {
			if status, _, got := s.call("reality", "vless", "POST", "push", broken); status != 400 {
				t.Errorf("%q: %d %s", broken, status, got)
			}
		}
		for _, nothing := range []string{`{}`, `[]`, `null`, ` [] `} {
			if refused := push(nothing); len(refused) != 0 {
				t.Error(nothing, refused)
			}
		}
		if status, _, _ := s.call("reality", "vless", "POST", "push",
			`{`+strings.Repeat(" ", 10<<20)+`}`); status != 413 {
			t.Errorf("10 MB: %d", status)
		}
		if s.Used(1) != 694 {
			t.Fatal("a broken report was counted")
		}
		var rows []string
		for id := range 20_001 {
			rows = append(rows, fmt.Sprintf(`"%d":[1,1]`, id))
		}
		if status, _, got := s.call("reality", "vless", "POST", "push",
			"{"+strings.Join(rows, ",")+"}"); status != 422 {
			t.Errorf("20,001 rows: %d %s", status, got)
		}
		rows = slices.DeleteFunc(rows, func(row string) bool {
			return row == rows[0] ||
				strings.HasPrefix(row, `"1":`)
		})
		if got := push("{" + strings.Join(append(rows, `"1":[2,0]`), ",") + "}"); len(got) != 19_998 ||
			s.Used(1) != 697 {
			t.Errorf("of 20,000 rows two are of users of the node; refused %d, counted %d", len(got), s.Used(1))
		}
	})
}

func TestStatus_Impossible_IsRefused(t *testing.T) {
	each(t, func(s *site) {
		for body, want := range map[string]int{
			`{"cpu":-1}`: 422, `{"cpu":1,"mem":{"total":-1,"used":1}}`: 422,
			`{"cpu":"x"}`: 400, `[]`: 400, ``: 400, `{}`: 200, `{"cpu":1e300,"mem":{"total":1e-300,"used":1e300}}`: 200,
		} {
			if status, _, got := s.call("ss", "shadowsocks", "POST", "status", body); status != want {
				t.Errorf("%s: %d %s", body, status, got)
			} else if want == 422 && !strings.Contains(string(got), `"field":"`+body[2:5]+`"`) &&
				!strings.Contains(string(got), `"field":"mem"`) {
				t.Errorf("%s: no field is named by %s", body, got)
			}
		}
	})
}

// Agents keep their state when the answer is an error. An empty list instead would disconnect everybody.
func TestDatabaseAway_AnswersAreErrors(t *testing.T) {
	each(t, func(s *site) {
		var list struct{ Users []map[string]any }
		s.ok(&list, "ss", "shadowsocks", "GET", "user", "")
		if err := s.DB.Close(); err != nil {
			t.Fatal(err)
		}
		for path, method := range map[string]string{
			"config": "GET", "user": "GET", "alivelist": "GET",
			"push": "POST", "alive": "POST", "status": "POST",
		} {
			status, _, got := s.call("ss", "shadowsocks", method, path, `{"1":[1,1]}`)
			if status < 500 || strings.Contains(string(got), `"users"`) ||
				strings.Contains(string(got), `"data":true`) {
				t.Errorf("%s: %d %s", path, status, got)
			}
		}
		if status, _, got := s.v2().call("ss", "", "POST", "report", `{"traffic":{"1":[1,1]}}`); status < 500 {
			t.Errorf("report: %d %s", status, got)
		}
	})
}
