package uniproxy_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"airstrip/internal/node"
)

// handshakeAnswer is the answer to a handshake.
type handshakeAnswer struct {
	WebSocket struct {
		Enabled bool
		URL     string `json:"ws_url"`
	}
	Settings struct {
		PushInterval int `json:"push_interval"`
		PullInterval int `json:"pull_interval"`
	}
}

// path returns the path of the WebSocket; the test server has another address.
func (h handshakeAnswer) path(s *site) string {
	s.Helper()
	u, err := url.Parse(h.WebSocket.URL)
	if err != nil || !h.WebSocket.Enabled || u.Scheme != "wss" || u.Host != "panel.example" {
		s.Fatalf("the WebSocket is at %+v", h)
	}
	return u.Path
}

// Xboard-node shakes hands, requests the configuration and the users under v1, opens the socket, requests both once
// more, and then follows the socket. It reports everything in one post, with its token in the body.
func TestCycleV2_XboardNode(t *testing.T) {
	each(t, func(s *site) {
		later, agent := s.v2(), []string{
			"User-Agent", "Go-http-client/1.1", "Content-Type", "application/json",
			"Accept", "application/json",
		}
		who := fmt.Sprintf(`"node_id":%d,"token":%q`, s.IDs["hysteria2"], s.Keys["hysteria2"])
		var hello handshakeAnswer
		status, _, got := later.Send("POST", "handshake", "{"+who+"}", append(agent, "Host", "evil.example")...)
		later.read(&hello, status, got)
		if hello.path(s) != "/api/v2/server/ws" || hello.Settings.PushInterval != 60 ||
			hello.Settings.PullInterval != 60 {
			t.Fatalf("%+v", hello)
		}
		fetch := func(path, tag string) (int, string, any) {
			t.Helper()
			status, header, got := s.Send("GET", path+s.of("hysteria2"), "", append(agent, "If-None-Match", tag)...)
			var out any
			if status == 200 {
				s.read(&out, status, got)
			}
			return status, header.Get("ETag"), out
		}
		_, configTag, config := fetch("config", "")
		_, usersTag, users := fetch("user", "")
		k := s.connect(s.of("hysteria2"))
		if f := k.next("auth.success"); f.Data.NodeID != s.IDs["hysteria2"] {
			t.Fatalf("%s", f.raw)
		}
		for path, tag := range map[string]string{"config": configTag, "user": usersTag} {
			if status, _, _ := fetch(path, tag); status != 304 {
				t.Fatalf("%s again: %d", path, status)
			}
		}
		fetched := func(f frame) (data any) {
			t.Helper()
			var out struct{ Data any }
			if err := json.Unmarshal(f.raw, &out); err != nil {
				t.Fatal(err)
			}
			return out.Data
		}
		if got := fetched(k.next("sync.config")); !reflect.DeepEqual(got, map[string]any{"config": config}) {
			t.Fatalf("sent %v, answered %v; a difference would make it restart the node", got, config)
		}
		if got := fetched(k.next("sync.users")); !reflect.DeepEqual(got, users) {
			t.Fatalf("sent %v, answered %v", got, users)
		}
		k.next("sync.devices")
		k.send(`{"event":"node.status","data":{"active_users":0,"active_connections":0,"cpu_per_core":[1.5],"load":{"load1":1,"load5":1,"load15":1},"uptime":1,"ws":{"connected":true,"enabled":true}},"timestamp":1}`)
		report := `{"traffic":{"1":[10,20],"2":[0,5]},"alive":{"1":["1.2.3.4"]},"online":{"1":1},
			"status":{"cpu":25.5,"mem":{"total":8000,"used":2000},"swap":{"total":0,"used":0},"disk":{"total":9,"used":1}},
			"metrics":{"uptime":100,"goroutines":9,"active_connections":7,"total_connections":0,"total_users":2,"active_users":1,"inbound_speed":3,"outbound_speed":2,
			"load":{"load1":0.1,"load5":0.2,"load15":0.3},"gc":{"num_gc":1},"limits":{},"kernel_status":true},` + who + `}`
		for range 3 { // The answers are lost.
			var receipt map[string]any
			status, _, got := later.Send("POST", "report", report, agent...)
			later.read(&receipt, status, got)
			if !maps.Equal(receipt, map[string]any{"data": true}) {
				t.Fatalf("%s", got)
			}
		}
		if st := s.state("hysteria2"); s.Used(1) != 30 || s.Used(2) != 5 || st.CPUPermille != 255 ||
			st.MemoryPermille != 250 || st.UptimeSeconds != 100 ||
			st.Connections != 7 || st.OnlineUsers != 1 || st.DownBPS != 3 || st.UpBPS != 2 ||
			!slices.Equal(st.Load, []float64{.1, .2, .3}) {
			t.Fatalf("counted %d and %d, kept %+v", s.Used(1), s.Used(2), st)
		}
		if status, _, got := later.Send("POST", "report", `{"traffic":{"1":[9970,0]},`+who+`}`,
			agent...); status != 200 {
			t.Fatalf("%d %s", status, got)
		}
		if f := k.next("sync.user.delta"); f.Data.Action != "remove" || !slices.Equal(f.ids(s), []int64{1}) {
			t.Fatalf("a used-up quota came as %s", f.raw)
		}
	})
}

// The forks of XrayR shake hands by a GET, report one kind of data per post, and request both again after a message of
// the socket.
func TestCycleV2_XrayR(t *testing.T) {
	each(t, func(s *site) {
		later := s.v2()
		var hello handshakeAnswer
		later.ok(&hello, "vmess", "vmess", "GET", "handshake", "")
		hello.path(s)
		var list struct{ Users []struct{ ID int64 } }
		tag := s.ok(&list, "vmess", "vmess", "GET", "user", "").Get("Etag")
		k := s.follow("vmess")
		s.ban(2, true)
		k.next("sync.user.delta")
		if s.ok(&list, "vmess", "vmess", "GET", "user", "", "If-None-Match", tag); len(list.Users) != 1 ||
			list.Users[0].ID != 1 {
			t.Fatalf("after the message about the ban the list is %v", list)
		}
		for _, report := range []string{
			`{"type":"status","status":{"cpu":12.5,"uptime":99,"mem":{"total":100,"used":40},"swap":{"total":0,"used":0},"disk":{"total":100,"used":7}}}`,
			fmt.Sprintf(`{"type":"alive","alive":{"1":["127.0.0.1_%d"]}}`, s.IDs["vmess"]),
			`{"type":"alive","alive":{}}`,
			`{"type":"traffic","traffic":{"1":[7,8]}}`,
			`{"type":"traffic","traffic":{"1":[7,8]}}`,
		} {
			var receipt struct{ Data bool }
			if later.ok(&receipt, "vmess", "vmess", "POST", "report", report); !receipt.Data {
				t.Fatal(report)
			}
		}
		if st := s.state("vmess"); s.Used(1) != 15 || st.CPUPermille != 125 || st.MemoryPermille != 400 ||
			st.UptimeSeconds != 99 {
			t.Fatalf("counted %d, kept %+v", s.Used(1), st)
		}
		// Without an answer to the handshake it tries a path of its own.
		conn, _, err := websocket.Dial(t.Context(), s.URL+"ws"+s.of("vmess"), nil)
		if err != nil {
			t.Fatal(err)
		}
		conn.CloseNow()
	})
}

// v2node uses the v2 paths for a node of any type, and accepts JSON though it requests MessagePack.
func TestCycle_V2node(t *testing.T) {
	each(t, func(s *site) {
		later := s.v2()
		var config struct {
			Protocol   string
			ListenIP   string `json:"listen_ip"`
			ServerPort int    `json:"server_port"`
			BaseConfig *struct {
				PushInterval int `json:"push_interval"`
			} `json:"base_config"`
			ObfsPassword string `json:"obfs_password"`
		}
		tag := later.ok(&config, "hysteria2", "v2node", "GET", "config", "").Get("Etag")
		if config.Protocol != "hysteria2" || config.ListenIP == "" || config.ServerPort != 443 ||
			config.BaseConfig == nil || config.ObfsPassword != "o" {
			t.Fatalf("%+v", config)
		}
		_, header, users := later.call("hysteria2", "v2node", "GET", "user", "", "X-Response-Format", "msgpack")
		if !strings.HasPrefix(header.Get("Content-Type"), "application/json") ||
			!strings.HasPrefix(string(users), `{"users":[{`) {
			t.Fatalf("%s: %s", header.Get("Content-Type"), users)
		}
		for path, tag := range map[string]string{"config": tag, "user": header.Get("Etag")} {
			if status, _, _ := later.call("hysteria2", "v2node", "GET", path, "", "If-None-Match", tag); status != 304 {
				t.Fatalf("%s again: %d", path, status)
			}
		}
		var receipt struct{ Data bool }
		for range 2 {
			later.ok(&receipt, "hysteria2", "v2node", "POST", "push", `{"1":[1,2]}`)
		}
		s.ok(&receipt, "hysteria2", "v2node", "POST", "push", `{"1":[1,2]}`) // The same handler.
		later.ok(&receipt, "hysteria2", "v2node", "POST", "alive", `{"1":["1.2.3.4"]}`)
		var alive struct{ Alive map[int64]int }
		if later.ok(&alive, "hysteria2", "v2node", "GET", "alivelist", ""); s.Used(1) != 3 ||
			!maps.Equal(alive.Alive, map[int64]int{1: 1}) {
			t.Fatalf("counted %d, alive %v", s.Used(1), alive)
		}
	})
}

func TestHandshake_NamesOnlyAddressOfSite(t *testing.T) {
	each(t, func(s *site) {
		for _, header := range []string{"X-Forwarded-Host", "Forwarded", "Origin"} {
			var hello handshakeAnswer
			s.v2().ok(&hello, "ss", "", "GET", "handshake", "", header, "evil.example")
			hello.path(s)
		}
	})
}

func TestReport_InvalidPart_OthersCount(t *testing.T) {
	each(t, func(s *site) {
		later := s.v2()
		var receipt struct{ Data bool }
		for i, part := range []string{
			`"status":{"cpu":-1}`, `"status":"x"`, `"status":[]`, `"metrics":{"uptime":-5}`,
			`"alive":[1]`, `"alive":7`, `"online":"x"`, `"alive":{"1":7}`, `"machine_id":3`,
			`"status":null,"alive":null,"online":null`,
		} {
			later.ok(&receipt, "ss", "", "POST", "report", fmt.Sprintf(`{"traffic":{"1":[%d,0]},%s}`, 100+i, part))
		}
		if s.Used(1) != 1045 {
			t.Fatalf("counted %d", s.Used(1))
		}
		for _, body := range []string{
			``, `{`, `7`, `"x"`, `[]`, `{"traffic":7}`, `{"traffic":{"1":[1,1]}`,
			`{"traffic":"x","alive":{"1":["1.2.3.4"]}}`,
		} {
			if status, _, got := later.call("ss", "", "POST", "report", body); status != 400 {
				t.Errorf("%q: %d %s", body, status, got)
			}
		}
		if devices, err := s.Nodes.Presence.DeviceCount(t.Context(), 1); err != nil || devices != 0 ||
			s.Used(1) != 1045 {
			t.Fatalf("of an unreadable report something was kept: %d devices, %d bytes, %v", devices, s.Used(1), err)
		}
	})
}

func TestReport_SameBodyLater_CountsAgain(t *testing.T) {
	each(t, func(s *site) {
		now := time.Now()
		for range 3 {
			for range 2 {
				s.v2().ok(&struct{}{}, "ss", "", "POST", "report", `{"traffic":{"1":[5,5]}}`)
			}
			now = now.Add(61 * time.Second)
			s.DB.SetClock(func() time.Time { return now })
		}
		if s.Used(1) != 30 {
			t.Fatalf("counted %d", s.Used(1))
		}
	})
}

// Xboard-node sends its load with the traffic, which differs each time.
func TestReport_Repeated_IsRecognisedByTrafficAlone(t *testing.T) {
	each(t, func(s *site) {
		for cpu := range 3 {
			s.v2().ok(&struct{}{}, "ss", "", "POST", "report",
				fmt.Sprintf(`{"traffic":{"1":[5,5]},"status":{"cpu":%d}}`, cpu))
		}
		if s.Used(1) != 10 {
			t.Fatalf("counted %d", s.Used(1))
		}
	})
}

// Xboard-node sends addresses only when one has changed, and who is online each time.
func TestReport_UnchangedDevices_StayOnline(t *testing.T) {
	each(t, func(s *site) {
		now := time.Now()
		report := func(body string, want map[int64]int) {
			t.Helper()
			s.v2().ok(&struct{}{}, "ss", "", "POST", "report", body)
			alive, err := s.Nodes.Presence.DeviceCounts(t.Context(), node.Node{Enabled: true})
			if err != nil || !maps.Equal(alive, want) {
				t.Fatalf("after %s online are %v, want %v, %v", body, alive, want, err)
			}
			now = now.Add(time.Minute)
			s.DB.SetClock(func() time.Time { return now })
		}
		report(`{"alive":{"1":["1.1.1.1","2.2.2.2"],"2":["3.3.3.3"]},"online":{"1":2,"2":1}}`,
			map[int64]int{1: 2, 2: 1})
		report(`{"online":{"1":2,"2":1}}`, map[int64]int{1: 2, 2: 1})
		report(`{"online":{"1":2,"2":1}}`, map[int64]int{1: 2, 2: 1})
		report(`{"alive":{"1":["1.1.1.1"]},"online":{"1":1}}`, map[int64]int{1: 1})
		report(`{"online":{"1":1,"2":1}}`, map[int64]int{1: 1})
		report(`{}`, map[int64]int{1: 1})
		report(`{}`, map[int64]int{})
		report(`{"online":{"1":1}}`, map[int64]int{}) // Users whose presence has expired stay offline.
	})
}
