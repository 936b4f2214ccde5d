package cli

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"airstrip/internal/app"
	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

func TestCommandsSayHowANodeIsAndWas(t *testing.T) {
	forEachDatabase(t, func(s testSite) {
		s.mustRun(nil, "seed", "--demo")
		var listed []struct {
			ID    int64
			Month struct{ Used int64 }
		}
		s.mustRun(&listed, "node", "list")
		if len(listed) == 0 {
			s.Fatal("the list is empty")
		}
		id := listed[0].ID
		number := strconv.FormatInt(id, 10)

		var users []struct{ UserID, Up, Down, Billed int64 }
		s.mustRun(&users, "node", "users", number, "--hours", "1000", "--limit", "2")
		if len(users) != 2 || users[0].Up+users[0].Down < users[1].Up+users[1].Down || users[1].Billed == 0 {
			s.Fatalf("the users are %+v", users)
		}

		// Twenty minutes ago it was heard of, and then no more, until it tested its speed and somebody connected.
		began := time.Now().Add(-20 * time.Minute)
		a, err := app.Open(s.Context(), s.config, "test")
		if err != nil {
			s.Fatal(err)
		}
		n, err := a.Nodes.Get(s.Context(), id)
		if err != nil {
			s.Fatal(err)
		}
		for minute := range 10 {
			a.DB.SetClock(func() time.Time { return began.Add(time.Duration(minute) * time.Minute) })
			if minute == 0 {
				err = a.Nodes.Monitor.SetVitals(s.Context(), id, node.Vitals{
					CPUPermille: new(int64(125)),
					Connections: new(int64(7)),
				})
			}
			if err := errors.Join(err, a.Queue.Trigger(s.Context(), "node.watch")); err != nil {
				s.Fatal(err)
			}
		}
		a.DB.SetClock(time.Now)
		if _, err := a.Nodes.Presence.SetOnline(s.Context(), n,
			[]node.OnlineIP{{UserID: users[0].UserID, IP: "192.0.2.7"}}); err != nil {
			s.Fatal(err)
		}
		_, err = a.Nodes.Monitor.AddSpeedTests(s.Context(), id, []map[string]string{{"telecomping": "31 ms"}})
		if err != nil {
			s.Fatal(err)
		}
		// the demo's may all be of the month before
		_, counted := a.Traffic.Record(s.Context(),
			traffic.Report{Node: n, Rows: []traffic.Row{{UserID: users[0].UserID, Up: 1, Down: 1}}})
		if err := errors.Join(counted, a.Queue.Trigger(s.Context(), "node.watch"), a.Close()); err != nil {
			s.Fatal(err)
		}

		if s.mustRun(&listed, "node", "list"); listed[0].Month.Used == 0 {
			s.Errorf("the list is %+v", listed)
		}
		var history struct {
			Moments []struct{ CPUPermille, Connections int64 }
			Outages []struct {
				BeganAt time.Time
				EndedAt *time.Time
			}
		}
		s.mustRun(&history, "node", "history", number)
		if len(history.Moments) == 0 || history.Moments[0].CPUPermille != 125 || history.Moments[0].Connections != 7 {
			s.Errorf("it was %+v", history.Moments)
		}
		if len(history.Outages) != 1 || history.Outages[0].BeganAt.Sub(began).Abs() > time.Second ||
			history.Outages[0].EndedAt == nil {
			s.Errorf("it was away: %+v", history.Outages)
		}
		var online []struct {
			UserID int64
			IP     string
		}
		if s.mustRun(&online, "node", "online", number); len(online) != 1 || online[0].UserID != users[0].UserID ||
			online[0].IP != "192.0.2.7" {
			s.Errorf("online are %+v", online)
		}
		var tests []struct{ Results map[string]string }
		if s.mustRun(&tests, "node", "speed-tests", number); len(tests) != 1 ||
			tests[0].Results["telecomping"] != "31 ms" {
			s.Errorf("the tests are %+v", tests)
		}
		for _, command := range []string{"history", "online", "users", "speed-tests"} {
			if err := s.run(nil, "node", command, "999"); !errors.Is(err, node.ErrNotFound) {
				s.Errorf("%s of a node that is none: %v", command, err)
			}
		}
	})
}

func TestOldShadowsocksNodesAreRebuiltWhenToldSo(t *testing.T) {
	forEachDatabase(t, func(s testSite) {
		s.mustRun(nil, "node", "add", "--protocol", "shadowsocks", "--name", "old", "--address", "old.example",
			"--port", "8388", "--method", "aes-128-gcm")
		s.mustRun(nil, "node", "add", "--protocol", "shadowsocks", "--name", "new", "--address", "new.example",
			"--port", "8388", "--method", "2022-blake3-aes-128-gcm")
		for _, step := range []struct {
			args     []string
			protocol string
		}{{nil, "shadowsocks"}, {[]string{"--apply"}, "vmess"}} {
			var rebuilt struct {
				Applied bool
				Nodes   []struct{ Name, Method string }
			}
			s.mustRun(&rebuilt, append([]string{"node", "rebuild"}, step.args...)...)
			if len(rebuilt.Nodes) != 1 || rebuilt.Nodes[0].Name != "old" || rebuilt.Nodes[0].Method != "aes-128-gcm" ||
				rebuilt.Applied != (step.args != nil) {
				s.Fatalf("%+v", rebuilt)
			}
			var listed []struct{ Name, Protocol string }
			if s.mustRun(&listed, "node", "list"); listed[0].Name != "old" || listed[0].Protocol != step.protocol ||
				listed[1].Protocol != "shadowsocks" {
				s.Fatalf("%v: %+v", step.args, listed)
			}
		}
	})
}

// Third-party agents take the certificate that links pin from files.
func TestNodeCertificate_IsTheOneThatLinksPin(t *testing.T) {
	forEachDatabase(t, func(s testSite) {
		var added struct{ ID int64 }
		s.mustRun(&added, "node", "add", "--name", "A", "--protocol", "anytls", "--address", "a.example", "--port",
			"443")
		id := strconv.FormatInt(added.ID, 10)
		var nodes []node.Node
		s.mustRun(&nodes, "node", "list")
		var shown node.Certificate
		s.mustRun(&shown, "node", "certificate", id)
		pair, err := tls.X509KeyPair([]byte(shown.Certificate), []byte(shown.Key))
		if err != nil {
			s.Fatal(err)
		}
		sum := sha256.Sum256(pair.Leaf.Raw)
		if hex.EncodeToString(sum[:]) != shown.Pin || len(nodes) != 1 || nodes[0].Settings.TLS.Pin != shown.Pin {
			s.Errorf("the certificate is %x, its pin %s", sum, shown.Pin)
		}
		dir := s.TempDir()
		s.mustRun(&struct{}{}, "node", "certificate", id, "--dir", dir)
		for name, want := range map[string]string{
			"anytls" + id + ".cer": shown.Certificate,
			"anytls" + id + ".key": shown.Key,
		} {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil {
				s.Fatal(err)
			}
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want || info.Mode().
				Perm() != 0o600 {
				s.Errorf("%s: %v %v", name, info.Mode(), err)
			}
		}
		s.mustRun(&added, "node", "add", "--name", "B", "--protocol", "trojan", "--address", "b.example", "--port",
			"443",
			"--certificate-file", "/c", "--key-file", "/k")
		if err := s.run(nil, "node", "certificate", strconv.FormatInt(added.ID, 10)); !errors.Is(err,
			node.ErrNoCertificate) {
			s.Errorf("of a certificate in the agent's files: %v", err)
		}
		if err := s.run(nil, "node", "certificate", "77"); !errors.Is(err, node.ErrNotFound) {
			s.Errorf("of no node: %v", err)
		}
	})
}

// What users read is stored next to the name for every language; an empty one is no more.
func TestNames_ByLanguage_AreSetAndRemovedByCommand(t *testing.T) {
	forEachDatabase(t, func(s testSite) {
		type named struct {
			ID           int64
			Name, Info   string
			Names, Infos map[string]string
		}
		var n []named
		s.mustRun(nil, "node", "add", "--name", "香港", "--name-en", " Hong Kong ", "--protocol", "shadowsocks",
			"--method", "aes-128-gcm", "--address", "a.example", "--port", "443")
		if s.mustRun(&n, "node", "list"); n[0].Name != "香港" || len(n[0].Names) != 1 || n[0].Names["en"] != "Hong Kong" {
			s.Errorf("the node is %+v", n[0])
		}
		s.mustRun(nil, "node", "change", strconv.FormatInt(n[0].ID, 10), "--name-en=", "--name-zh", "港")
		n = nil
		if s.mustRun(&n, "node", "list"); len(n[0].Names) != 1 || n[0].Names["zh-CN"] != "港" {
			s.Errorf("changed, the node is %+v", n[0])
		}
		var p named
		s.mustRun(&p, "plan", "add", "--name", "标准", "--info", "高清", "--name-en", "Standard", "--info-en", "HD",
			"--quota-gb", "1", "--price", "1=5")
		if p.Name != "标准" || p.Names["en"] != "Standard" || p.Infos["en"] != "HD" {
			s.Errorf("the plan is %+v", p)
		}
		p = named{}
		s.mustRun(&p, "plan", "change", "1", "--name-en=", "--info-zh", "清")
		if len(p.Names) != 0 || p.Infos["en"] != "HD" || p.Infos["zh-CN"] != "清" {
			s.Errorf("changed, the plan is %+v", p)
		}
	})
}
