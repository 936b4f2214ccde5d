package app

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/node"
)

func TestNodes_AreManagedByRole(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		const draft = `{"protocol":"vless","name":"HK","address":"hk.example","port":443,"settings":{"security":"reality","reality":{"dest":"www.example:443","server_names":["www.example"]}}}`
		for _, role := range []account.Role{account.Support, account.Finance, account.Viewer} {
			h.ask(h.staff[role], 403, "POST", "/api/v2/staff/nodes", draft, nil)
		}
		h.ask(h.users[0], 403, "GET", "/api/v2/staff/nodes", "", nil)
		h.ask(testUser{}, 401, "GET", "/api/v2/staff/nodes", "", nil)
		var a added
		text := h.ask(h.staff[account.Admin], 200, "POST", "/api/v2/staff/nodes", draft, &a)
		if len(a.Secret) < 43 || !strings.Contains(a.Install, a.Secret) ||
			!strings.Contains(a.Install, fmt.Sprintf(" %d ", a.Node.ID)) || strings.ContainsRune(a.Install, '\n') ||
			strings.Contains(text, `"private_key":`) {
			h.Fatal(text)
		}
		path := fmt.Sprintf("/api/v2/staff/nodes/%d", a.Node.ID)
		for _, p := range []string{path, "/api/v2/staff/nodes"} {
			if text := h.ask(h.staff[account.Viewer], 200, "GET", p, "", nil); strings.Contains(text,
				`"private_key":`) || strings.Contains(text, a.Secret) {
				h.Error(text)
			}
		}
		key := func() string {
			n, err := h.Nodes.Get(h.Context(), a.Node.ID)
			if err != nil {
				h.Fatal(err)
			}
			return n.Settings.Reality.PrivateKey
		}
		before := key()
		h.ask(h.staff[account.Admin], 200, "PATCH", path,
			`{"settings":{"security":"reality","reality":{"dest":"www.example:443","server_names":["www.example"]}},"tags":["fast"]}`, nil)
		if before == "" || key() != before {
			h.Error("settings that leave the private key out changed it")
		}

		var rotated struct{ Secret string }
		h.ask(h.staff[account.Support], 403, "POST", path+"/secret", "{}", nil)
		h.ask(h.staff[account.Support], 403, "POST", path+"/certificate", "{}", nil)
		h.ask(h.staff[account.Admin], 409, "POST", path+"/certificate", "{}", nil) // REALITY has none
		b, err := h.Nodes.Change(h.Context(), a.Node.ID,
			func(n *node.Node) { n.Settings = node.Settings{Security: "tls"} })
		if err != nil {
			h.Fatal(err)
		}
		var cert struct{ Pin, Certificate, Key string }
		h.ask(h.staff[account.Admin], 200, "POST", path+"/certificate", "{}", &cert)
		if cert.Pin != b.Settings.TLS.Pin || cert.Certificate != b.Settings.TLS.Certificate ||
			cert.Key != b.Settings.TLS.Key {
			h.Errorf("staff was given another certificate: %+v", cert)
		}
		h.ask(h.staff[account.Admin], 200, "POST", path+"/secret", `{"honour_old_minutes":60}`, &rotated)
		for _, secret := range []string{a.Secret, rotated.Secret} {
			h.ask(testUser{}, 200, "GET", "/v1/mod_mu/func/ping?key="+secret, "", nil)
		}
		h.now = h.now.Add(time.Hour)
		h.ask(testUser{}, 401, "GET", "/v1/mod_mu/func/ping?key="+a.Secret, "", nil)
		h.ask(testUser{}, 200, "GET", "/v1/mod_mu/func/ping?key="+rotated.Secret, "", nil)

		h.ask(h.staff[account.Admin], 200, "DELETE", path, "", nil)
		h.ask(h.staff[account.Admin], 404, "GET", path, "", nil)
		h.ask(testUser{}, 401, "GET", "/v1/mod_mu/func/ping?key="+rotated.Secret, "", nil)
	})
}

func TestNodes_Add_AnswersWithInstallCommand(t *testing.T) {
	eachEngine(t, func(t *testing.T, c Config) {
		c.AgentFolder = t.TempDir()
		h := newFixture(t, c)
		a := h.add("before", "")
		if strings.Contains(a.Install, "curl") {
			h.Errorf("without an agent: %s", a.Install)
		}
		agent := filepath.Join(c.AgentFolder, "airstrip-node-linux-arm64")
		if err := os.WriteFile(agent, []byte("agent"), 0o700); err != nil {
			h.Fatal(err)
		}
		line := func(node int64, secret string) string {
			return fmt.Sprintf("curl -fsS '%[1]s/node/install.sh' | AIRSTRIP_NODE_SECRET='%[2]s' sh -s -- '%[1]s' "+
				"%[3]d arm64=%[4]x", h.SiteURL(), secret, node, sha256.Sum256([]byte("agent")))
		}
		b := h.add("after", "")
		if b.Install != line(b.Node.ID, b.Secret) {
			h.Errorf("%s\nnot\n%s", b.Install, line(b.Node.ID, b.Secret))
		}
		h.ask(h.staff[account.Admin], 200, "POST", fmt.Sprintf("/api/v2/staff/nodes/%d/secret", a.Node.ID), "{}", &a)
		if a.Install != line(a.Node.ID, a.Secret) {
			h.Errorf("%s\nnot\n%s", a.Install, line(a.Node.ID, a.Secret))
		}
		if w := h.call(h.Context(), testUser{}, "GET", "/node/airstrip-node-linux-arm64", ""); w.Code != 200 ||
			w.Body.String() != "agent" {
			h.Errorf("%d %s", w.Code, w.Body)
		}
		if w := h.call(h.Context(), testUser{}, "GET", "/node/none", ""); w.Code != 404 ||
			!strings.Contains(w.Body.String(), "route_not_found") {
			h.Errorf("%d %s", w.Code, w.Body)
		}
	})
}

func TestNodes_InvalidFields_AreNamed(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		a := h.add("good", "")
		b := h.add("relayed", fmt.Sprintf(`,"relays":[{"name":"A","host":"a.example","port":7000,"node_id":%d}]`,
			a.Node.ID))
		for body, field := range map[string]string{
			`{"rate":"1.2345"}`:                                    "rate",
			`{"rate":"200"}`:                                       "rate",
			`{"hour_rates":["1","2"]}`:                             "hour_rates",
			`{"hour_rates":["x"]}`:                                 "hour_rates.0",
			`{"reset_day":32}`:                                     "reset_day",
			`{"group_hosts":{"0":{"host":"a"}}}`:                   "group_hosts.0",
			`{"group_hosts":{"b":{"host":"a"}}}`:                   "group_hosts.b",
			`{"group_hosts":{"2":{"host":"a b"}}}`:                 "group_hosts.2.host",
			`{"relays":[{"name":"IX","host":"a","port":0}]}`:       "relays.0.port",
			`{"relays":[{"name":"","host":"a.example","port":1}]}`: "relays.0.name",
			`{"tags":[""]}`:                                        "tags",
			`{"port":1e30}`:                                        "port",
			`{"settings":{"up_mbps":1e30}}`:                        "settings.up_mbps",
			`{"listen_port":7000}`:                                 "listen_port",
			fmt.Sprintf(`{"relays":[{"name":"B","host":"b.example","port":9,"node_id":%d}]}`,
				a.Node.ID): "relays.0.node_id",
			`{"relays":[{"name":"B","host":"b.example","port":9,"node_id":999}]}`: "relays.0.node_id",
			fmt.Sprintf(`{"relays":[{"name":"B","host":"b.example","port":8080,"node_id":%d}]}`,
				b.Node.ID): "relays.0.port",
			fmt.Sprintf(`{"relays":[{"name":"B","host":"b.example","port":9,"node_id":%d},{"name":"C","host":"c.example","port":9,"node_id":%[1]d}]}`, b.Node.ID): "relays.1.port",
		} {
			if text := h.ask(h.staff[account.Admin], 422, "PATCH", fmt.Sprintf("/api/v2/staff/nodes/%d", a.Node.ID),
				body, nil); !strings.Contains(text, `"field":"`+field+`"`) {
				h.Errorf("%s: %s", body, text)
			}
		}
	})
}

func TestNodes_ListenPort_FollowsPortUnlessSet(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		a := h.add("moving", "")
		for _, c := range []struct {
			change       string
			port, listen int
		}{
			{`{"port":8443}`, 8443, 8443},
			{`{"port":443,"listen_port":8443}`, 443, 8443}, // as before, and said
			{`{"port":8080}`, 8080, 8443},
			{`{"listen_port":8080}`, 8080, 8080},
			{`{"port":8081,"listen_port":8082}`, 8081, 8082},
		} {
			var got struct {
				Port       int `json:"port"`
				ListenPort int `json:"listen_port"`
			}
			h.ask(h.staff[account.Admin], 200, "PATCH", fmt.Sprintf("/api/v2/staff/nodes/%d", a.Node.ID), c.change,
				&got)
			if got.Port != c.port || got.ListenPort != c.listen {
				h.Errorf("%s: clients dial %d, the agent listens at %d", c.change, got.Port, got.ListenPort)
			}
		}
	})
}

func TestNodes_UnknownID_IsNotFound(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		for _, of := range []string{"", "/history", "/online", "/users", "/speed-tests"} {
			if text := h.ask(h.staff[account.Owner], 404, "GET", "/api/v2/staff/nodes/4711"+of, "",
				nil); !strings.Contains(text, `"node_not_found"`) {
				h.Errorf("%s: %s", of, text)
			}
		}
		text := h.ask(h.staff[account.Owner], 422, "PUT", "/api/v2/staff/node-shared-key",
			`{"key":"0123456789abcdef","until":"tomorrow"}`, nil)
		if !strings.Contains(text, `"field":"until","code":"format"`) {
			h.Error(text)
		}
		a := h.add("hk", "")
		text = h.ask(h.staff[account.Owner], 422, "POST", fmt.Sprintf("/api/v2/staff/nodes/%d/secret", a.Node.ID),
			`{"honour_old_minutes":1.5e1}`, nil)
		if !strings.Contains(text, `"field":"honour_old_minutes"`) {
			h.Error(text)
		}
	})
}

func TestSharedKey_Off_OpensNothing(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		a, b := h.add("a", ""), h.add("b", "")
		const key = "an-old-panels-key"
		path := func(id int64) []string {
			return []string{
				fmt.Sprintf("/v1/mod_mu/users?key=%s&node_id=%d", key, id),
				fmt.Sprintf("/v1/mod_mu/nodes/%d/info?key=%s", id, key),
				fmt.Sprintf("/api/v1/server/UniProxy/user?token=%s&node_id=%d&node_type=vmess", key, id),
			}
		}
		closed := func() {
			h.Helper()
			for _, p := range path(a.Node.ID) {
				h.ask(testUser{}, 401, "GET", p, "", nil)
			}
			h.ask(testUser{}, 401, "GET", "/v1/mod_mu/func/ping?key="+key, "", nil)
		}
		closed()
		on := func(as account.Role, status int, body string) {
			h.Helper()
			h.ask(h.staff[as], status, "PUT", "/api/v2/staff/node-shared-key", body, nil)
		}
		on(account.Admin, 403, `{"key":"`+key+`"}`)
		on(account.Owner, 422, `{"key":"short"}`)
		on(account.Owner, 422, `{"key":"`+a.Secret+`"}`)
		on(account.Owner, 200, `{"key":"`+key+`","until":"2026-02-01T00:00:00Z"}`)
		for _, id := range []int64{a.Node.ID, b.Node.ID} {
			for _, p := range path(id) {
				h.ask(testUser{}, 200, "GET", p, "", nil)
			}
		}
		h.ask(testUser{}, 401, "GET", path(999)[0], "", nil)
		h.ask(testUser{}, 422, "GET", "/api/v1/server/UniProxy/user?node_type=vmess&token="+key, "", nil)
		if text := h.ask(testUser{}, 200, "GET", "/v1/mod_mu/users?key="+key, "", nil); !strings.Contains(text,
			`"ret":0`) {
			h.Errorf("without a node_id: %s", text)
		}
		h.ask(testUser{bearer: key}, 401, "GET", "/api/agent/v1/snapshot", "", nil)
		h.ask(testUser{}, 403, "POST", "/v1/mod_mu/check_job?key="+key, "", nil)
		// A node's own secret opens that node alone, also while the other key is on.
		if text := h.ask(testUser{}, 200, "GET", fmt.Sprintf("/v1/mod_mu/users?key=%s&node_id=%d", a.Secret, b.Node.ID),
			"", nil); !strings.Contains(text, `"ret":0`) {
			h.Error(text)
		}
		h.ask(testUser{}, 403, "GET", fmt.Sprintf("/api/v1/server/UniProxy/user?token=%s&node_id=%d&node_type=vmess",
			a.Secret, b.Node.ID), "", nil)
		h.now = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
		closed()
		on(account.Owner, 200, `{"key":"`+key+`"}`)
		on(account.Owner, 200, `{"key":""}`)
		closed()
	})
}

func TestRebuildVMess_WithApplyOnly_ChangesNodes(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		var old, fresh added
		h.ask(h.staff[account.Admin], 200, "POST", "/api/v2/staff/nodes",
			`{"protocol":"shadowsocks","name":"old","address":"o.example","port":1,"settings":{"method":"aes-256-gcm"}}`, &old)
		h.ask(h.staff[account.Admin], 200, "POST", "/api/v2/staff/nodes",
			`{"protocol":"shadowsocks","name":"new","address":"n.example","port":1,"settings":{"method":"2022-blake3-aes-128-gcm"}}`, &fresh)
		protocol := func(id int64) string {
			n, err := h.Nodes.Get(h.Context(), id)
			if err != nil {
				h.Fatal(err)
			}
			return string(n.Protocol)
		}
		var rows []struct {
			NodeID  int64 `json:"node_id"`
			Rebuilt bool  `json:"is_rebuilt"`
		}
		const path = "/api/v2/admin_api/old_ss_node_rebuild_vmess"
		h.ask(h.staff[account.Viewer], 403, "GET", path, "", nil)
		h.ask(h.staff[account.Admin], 200, "GET", path, "", &rows)
		if len(rows) != 1 || rows[0].NodeID != old.Node.ID || rows[0].Rebuilt ||
			protocol(old.Node.ID) != "shadowsocks" {
			h.Fatalf("%+v", rows)
		}
		h.ask(h.staff[account.Admin], 200, "GET", path+"?apply=true", "", &rows)
		if !rows[0].Rebuilt || protocol(old.Node.ID) != "vmess" || protocol(fresh.Node.ID) != "shadowsocks" {
			h.Fatalf("%+v", rows)
		}
	})
}

func TestRebuild_OldNodes_AreListedAndChangedWithAReason(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin := h.staff[account.Admin]
		var old, fresh added
		h.ask(admin, 200, "POST", "/api/v2/staff/nodes",
			`{"protocol":"shadowsocks","name":"old","address":"o.example","port":1,"settings":{"method":"aes-256-gcm"}}`, &old)
		h.ask(admin, 200, "POST", "/api/v2/staff/nodes",
			`{"protocol":"shadowsocks","name":"new","address":"n.example","port":1,"settings":{"method":"2022-blake3-aes-128-gcm"}}`, &fresh)
		type rebuilt struct {
			NodeID    int64 `json:"node_id"`
			Method    string
			IsRebuilt bool   `json:"is_rebuilt"`
			Address   string `json:"server_address"`
		}
		const path = "/api/v2/staff/nodes/rebuild"
		var rows []rebuilt
		was := rebuilt{old.Node.ID, "aes-256-gcm", false, "o.example"}
		h.ask(h.staff[account.Viewer], 200, "GET", path, "", &rows)
		if len(rows) != 1 || rows[0] != was {
			h.Fatalf("the preview is %+v, want %+v", rows, was)
		}
		h.ask(h.staff[account.Viewer], 403, "POST", path, `{}`, nil)
		h.ask(admin, 200, "POST", path, `{"reason":"agents refuse it"}`, &rows)
		was.IsRebuilt = true
		if len(rows) != 1 || rows[0] != was {
			h.Fatalf("rebuilt are %+v, want %+v", rows, was)
		}
		for id, want := range map[int64]node.Protocol{old.Node.ID: node.VMess, fresh.Node.ID: node.Shadowsocks} {
			if n, err := h.Nodes.Get(h.Context(), id); err != nil || n.Protocol != want {
				h.Errorf("node %d is %s, %v, want %s", id, n.Protocol, err, want)
			}
		}
		var entries struct {
			Rows []struct {
				Reason string
				After  map[string]any
			}
		}
		h.ask(admin, 200, "GET", fmt.Sprintf("/api/v2/staff/audit?object=node&object_id=%d", old.Node.ID), "", &entries)
		if len(entries.Rows) != 2 || entries.Rows[0].Reason != "agents refuse it" ||
			entries.Rows[0].After["protocol"] != "vmess" {
			h.Errorf("the audit log has %+v", entries.Rows)
		}
		for method, body := range map[string]string{"GET": "", "POST": "{}"} {
			if text := h.ask(admin, 200, method, path, body, nil); !strings.Contains(text, `"result_list":[]`) {
				h.Errorf("%s answers %s where no such node is left", method, text)
			}
		}
	})
}
