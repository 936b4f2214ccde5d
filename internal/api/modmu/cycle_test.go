package modmu_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// agent sends the requests of one agent of the family, in its order.
type agent struct {
	*site
	prefix  string
	query   string // With the key under the agent's name for it.
	headers []string
}

func (s *site) agent(name, prefix, keys string, headers ...string) agent {
	var query []string
	for key := range strings.SplitSeq(keys, " ") {
		query = append(query, key+"="+s.Keys[name])
	}
	return agent{s, prefix, strings.Join(query, "&"), headers}
}

// ask returns the data of an answer, and the header.
func (a agent) ask(method, path, body string, more ...string) (json.RawMessage, http.Header) {
	a.Helper()
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	status, header, got := a.raw(method, a.prefix+path+sep+a.query, body, append(more, a.headers...)...)
	return a.envelope(status, 200, 1, got), header
}

// decode decodes data as strictly as a typed agent, which fails on a key of another type.
func decode[T any](t *testing.T, data json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

type xrayUser struct {
	ID            int    `json:"id"`
	UUID          string `json:"uuid"`
	Passwd        string `json:"passwd"`
	Port          uint32 `json:"port"`
	Method        string `json:"method"`
	SpeedLimit    float64
	DeviceLimit   int `json:"node_iplimit"`
	NodeConnector int `json:"node_connector"`
	AliveIP       int `json:"alive_ip"`
}

// XrayR requests the node, its users and the rules at its start and every minute, and then reports.
func TestCycle_XrayR(t *testing.T) {
	each(t, func(s *site) {
		a := s.agent("reality", "/mod_mu", "key muKey", "User-Agent",
			"go-resty/2.13.1 (https://github.com/go-resty/resty)")
		id := s.IDs["reality"]
		of := "?node_id=" + strconv.FormatInt(id, 10)
		rule, err := s.Nodes.Rules.Add(t.Context(), "torrent", "", "torrent")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			data, header := a.ask("GET", fmt.Sprintf("/nodes/%d/info", id), "", "If-None-Match", "")
			info := decode[struct {
				Group        int             `json:"node_group"`
				Class        int             `json:"node_class"`
				SpeedLimit   float64         `json:"node_speedlimit"`
				TrafficRate  float64         `json:"traffic_rate"`
				RawServer    string          `json:"server"`
				CustomConfig json.RawMessage `json:"custom_config"`
				Version      string          `json:"version"`
			}](t, data)
			config := decode[struct {
				Port    string `json:"offset_port_node"`
				Host    string `json:"host"`
				TLS     string `json:"tls"`
				VLESS   string `json:"enable_vless"`
				Network string `json:"network"`
				Path    string `json:"path"`
				Flow    string `json:"flow"`
				Reality bool   `json:"enable_reality"`
				Options struct {
					Dest        string   `json:"dest"`
					Version     uint64   `json:"proxy_protocol_ver"`
					Names       []string `json:"server_names"`
					PrivateKey  string   `json:"private_key"`
					MaxTimeDiff uint64   `json:"max_time_diff"`
					ShortIDs    []string `json:"short_ids"`
				} `json:"reality-opts"`
			}](t, info.CustomConfig)
			// From 2021.11 on it reads custom_config; below 2023.2 it posts its load.
			if info.Version != "2023.1.0" || config.Port != "8443" || config.VLESS != "1" ||
				config.Network != "tcp" || !config.Reality || config.Options.PrivateKey == "" {
				t.Fatalf("%+v %+v", info, config)
			}
			if header.Get("ETag") != "" {
				t.Error("its forks die of an ETag here")
			}
			data, header = a.ask("GET", "/users"+of, "", "If-None-Match", "")
			users := decode[[]xrayUser](t, data)
			if len(users) != 2 || users[0].DeviceLimit != 3 || users[0].NodeConnector != 3 || users[0].AliveIP != 0 {
				t.Fatalf("%+v", users)
			}
			if status, _, _ := s.raw("GET", a.prefix+"/users"+of+"&"+a.query, "", "If-None-Match",
				header.Get("ETag")); status != 304 {
				t.Errorf("the users again: %d", status)
			}
			data, header = a.ask("GET", "/func/detect_rules", "", "If-None-Match", "")
			rules := decode[[]struct {
				ID      int    `json:"id"`
				Content string `json:"regex"`
			}](t, data)
			if len(rules) != 1 || header.Get("ETag") != "" {
				t.Errorf("%v with ETag %q", rules, header.Get("ETag"))
			}
			a.ask("POST", fmt.Sprintf("/nodes/%d/info", id), `{"uptime":"2798","load":"0.12 0.34 0.56"}`)
			a.ask("POST", "/users/traffic"+of, `{"data":[{"user_id":1,"u":163,"d":237}]}`)
			a.ask("POST", "/users/aliveip"+of, `{"data":[{"user_id":1,"ip":"203.0.113.5"}]}`)
			a.ask("POST", "/users/detectlog"+of, fmt.Sprintf(`{"data":[{"list_id":%d,"user_id":1,"ip":"203.0.113.5"}]}`,
				rule.ID))
		}
		if s.Used(1) != 600 { // 400 × 1.5; the same body at once is the same report.
			t.Errorf("counted %d", s.Used(1))
		}
		if n, err := s.Nodes.Presence.DeviceCount(t.Context(), 1); err != nil || n != 1 {
			t.Errorf("%d online, %v", n, err)
		}
	})
}

// ECYCloud's fork selects the protocol by sort, requests certificate settings and posts alive addresses each time.
func TestCycle_ECYCloud(t *testing.T) {
	each(t, func(s *site) {
		for name, want := range map[string]int{
			"reality": 2, "vmess": 11, "trojan": 14, "hysteria2": 15, "anytls": 16,
			"tuic": 17, "ss": 0,
		} {
			a := s.agent(name, "/mod_mu", "key muKey", "User-Agent",
				"go-resty/2.16.5 (https://github.com/go-resty/resty)")
			data, _ := a.ask("GET", fmt.Sprintf("/nodes/%d/info", s.IDs[name]), "")
			info := decode[struct {
				Sort   int `json:"sort"`
				Config struct {
					Port       string   `json:"offset_port_node"`
					Host       string   `json:"host"`
					Congestion string   `json:"congestion_control"`
					UDPMode    string   `json:"udp_relay_mode"`
					ZeroRTT    string   `json:"zero_rtt_handshake"`
					Heartbeat  string   `json:"heartbeat"`
					ALPN       []string `json:"alpn"`
					Padding    []string `json:"padding_scheme"`
					Obfs       string   `json:"obfs"`
					UpMbps     string   `json:"up_mbps"`
				} `json:"custom_config"`
			}](t, data)
			if info.Sort != want || info.Config.Port == "" {
				t.Errorf("%s: %+v", name, info)
			}
			if c := info.Config; (name == "tuic") != (c.Congestion == "bbr" && c.ZeroRTT == "1" &&
				c.Heartbeat == "10" && len(c.ALPN) == 1) {
				t.Errorf("%s: %+v", name, c)
			}
			if c := info.Config; (name == "anytls") != (len(c.Padding) == 3) {
				t.Errorf("%s: %+v", name, c)
			}
			// Twice: the fork exits on a 304.
			a.ask("GET", fmt.Sprintf("/nodes/%d/info", s.IDs[name]), "", "If-None-Match", "")
			certificate, _ := a.ask("POST", "/nodes/config", `{"type":"xrayr_cert"}`)
			if got := decode[struct {
				Provider, Email string
				DNSEnv          map[string]string `json:"dns_env"`
			}](t, certificate); got.Provider != "" || got.Email != "" || len(got.DNSEnv) != 0 {
				t.Errorf("%+v", got)
			}
			unlock, _ := a.ask("GET", "/unlock/config?node_id="+fmt.Sprint(s.IDs[name]), "")
			if got := decode[struct {
				Enabled  *bool `json:"enabled"`
				Interval *int  `json:"check_interval"`
			}](t, unlock); got.Enabled == nil || *got.Enabled || got.Interval == nil {
				t.Errorf("%s: %s", name, unlock)
			}
			a.ask("POST", "/unlock/report", fmt.Sprintf(`{"node_id":%d,"result":"{\"Netflix\":\"Yes\"}"}`, s.IDs[name]))
			a.ask("POST", "/users/aliveip", `{"data":null}`)
			data, _ = a.ask("GET", "/users", "")
			for _, u := range decode[[]xrayUser](t, data) {
				if _, err := uuid.Parse(u.UUID); err != nil || u.Passwd == "" {
					t.Errorf("%s: %+v", name, u)
				}
			}
		}
	})
}

// The Python agent fails on any status but 200, on more or fewer than two keys, and on a missing key.
func TestCycle_PythonAgent(t *testing.T) {
	each(t, func(s *site) {
		a := s.agent("ss", "/mod_mu", "key", "User-Agent", "python-requests/2.31.0")
		id := s.IDs["ss"]
		of := "?node_id=" + strconv.FormatInt(id, 10)
		keys := func(data json.RawMessage, names ...string) {
			t.Helper()
			rows := []map[string]any{}
			if data[0] == '{' {
				rows = append(rows, decode[map[string]any](t, data))
			} else {
				rows = decode[[]map[string]any](t, data)
			}
			for _, row := range rows {
				for _, name := range names {
					if _, ok := row[name]; !ok {
						t.Errorf("no %s in %v", name, row)
					}
				}
			}
		}
		for range 2 {
			if pong, _ := a.ask("GET", "/func/ping", ""); string(pong) != `"pong"` {
				t.Errorf("ping: %s", pong)
			}
			a.ask("POST", "/users/traffic"+of, `{"data": []}`)
			a.ask("POST", fmt.Sprintf("/nodes/%d/info", id),
				"{\"uptime\": \"351.23\", \"load\": \"0.00 0.01 0.05\\n\"}")
			a.ask("POST", "/users/aliveip"+of, `{"data": []}`)
			a.ask("POST", "/users/detectlog"+of, `{"data": []}`)
			data, _ := a.ask("GET", fmt.Sprintf("/nodes/%d/info", id), "")
			keys(data, "node_group", "node_class", "node_speedlimit", "traffic_rate", "mu_only", "sort")
			data, _ = a.ask("GET", "/users"+of, "")
			keys(data, "id", "port", "passwd", "method", "obfs", "obfs_param", "protocol", "protocol_param",
				"is_multi_user", "node_speedlimit", "forbidden_ip", "forbidden_port")
			data, _ = a.ask("GET", "/nodes", "")
			keys(data, "node_ip")
			data, _ = a.ask("GET", "/func/detect_rules", "")
			keys(data, "id", "regex", "type")
			for _, path := range []string{"/func/block_ip", "/func/unblock_ip", "/func/relay_rules", "/func/autoexec"} {
				data, _ = a.ask("GET", path+of, "")
				keys(data, "ip")
			}
			a.ask("POST", "/func/speedtest"+of,
				`{"data": [{"telecomping": "30 ms", "telecomeupload": "1", "telecomedownload": "2"}]}`)
			a.ask("POST", "/func/autoexec"+of, `{"data": [{"value": "NOTHING", "sign": "x", "type": 2}]}`)
		}
	})
}

// soga is closed source. It is known to use XrayR's routes, with another name for the key in old versions, and to read
// either name of the limit and either form of the node.
func TestCycle_Soga(t *testing.T) {
	each(t, func(s *site) {
		for _, keys := range []string{"key", "muKey", "token"} {
			for _, prefix := range []string{"/mod_mu", "/v1/mod_mu"} {
				a := s.agent("trojan", prefix, keys)
				id := s.IDs["trojan"]
				of := "?node_id=" + strconv.FormatInt(id, 10)
				data, _ := a.ask("GET", fmt.Sprintf("/nodes/%d/info", id), "")
				info := decode[struct {
					Server string         `json:"server"`
					Config map[string]any `json:"custom_config"`
				}](t, data)
				if !strings.HasPrefix(info.Server, "t.example;port=443#443") ||
					info.Config["offset_port_user"] != "443" {
					t.Errorf("%+v", info)
				}
				a.ask("GET", "/users"+of, "")
				a.ask("GET", "/func/detect_rules"+of, "")
				a.ask("GET", "/func/relay_rules"+of, "")
				a.ask("POST", fmt.Sprintf("/nodes/%d/info", id), `{"uptime":"12","load":"0.1 0.1 0.1"}`)
				a.ask("POST", "/users/traffic"+of, `{"data":[]}`)
				a.ask("POST", "/users/aliveip"+of, `{"data":[]}`)
				a.ask("POST", "/users/detectlog"+of, `{"data":[]}`)
			}
		}
	})
}
