package main

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"airstrip/internal/app"
	"airstrip/internal/audit"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

// desk is where an operator types commands, with a site that has begun.
type desk struct {
	*testing.T
	config app.Config
}

func eachDesk(t *testing.T, test func(d desk)) {
	site := app.Config{Listen: "127.0.0.1:0", SiteURL: "http://localhost:8080", TelegramAPI: "https://api.telegram.org"}
	begun := func(d desk) desk {
		d.prints(nil, "migrate")
		return d
	}
	t.Run("sqlite", func(t *testing.T) {
		site.Data = t.TempDir()
		test(begun(desk{t, site}))
	})
	t.Run("postgres", func(t *testing.T) {
		site.Data, site.DatabaseURL, site.SecretKey = t.TempDir(), dbtest.PostgresURL(t), strings.Repeat("ab12", 16)
		test(begun(desk{t, site}))
	})
}

// run runs a command and reads what it prints into into.
func (d desk) run(into any, args ...string) error {
	d.Helper()
	var c cli
	k, err := kong.New(&c, kong.Configuration(kong.JSON), kong.BindTo(audit.Prepare(d.Context()), (*context.Context)(nil)))
	if err != nil {
		d.Fatal(err)
	}
	parsed, err := k.Parse(append(args, "--data", d.config.Data, "--database-url", d.config.DatabaseURL, "--secret-key", d.config.SecretKey))
	if err != nil {
		d.Fatal(args, err)
	}
	printed, err := os.Create(filepath.Join(d.TempDir(), "printed"))
	if err != nil {
		d.Fatal(err)
	}
	defer printed.Close()
	terminal := os.Stdout
	os.Stdout = printed
	failed := parsed.Run(&c.Config)
	os.Stdout = terminal
	text, err := os.ReadFile(printed.Name())
	if err != nil {
		d.Fatal(err)
	}
	if failed == nil && into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			d.Fatalf("%v prints %s: %v", args, text, err)
		}
	}
	return failed
}

// prints insists that the command does what it is told.
func (d desk) prints(into any, args ...string) {
	d.Helper()
	if err := d.run(into, args...); err != nil {
		d.Fatal(args, err)
	}
}

func TestCommandsSayHowANodeIsAndWas(t *testing.T) {
	eachDesk(t, func(d desk) {
		d.prints(nil, "seed", "--demo")
		var listed []struct {
			ID    int64
			Month struct{ Used int64 }
		}
		d.prints(&listed, "node", "list")
		if len(listed) == 0 {
			d.Fatal("the list is empty")
		}
		id := listed[0].ID
		number := strconv.FormatInt(id, 10)

		var users []struct{ UserID, Up, Down, Billed int64 }
		d.prints(&users, "node", "users", number, "--hours", "1000", "--limit", "2")
		if len(users) != 2 || users[0].Up+users[0].Down < users[1].Up+users[1].Down || users[1].Billed == 0 {
			d.Fatalf("the users are %+v", users)
		}

		// Twenty minutes ago it was heard of, and then no more, until it tested its speed and somebody connected.
		began := time.Now().Add(-20 * time.Minute)
		a, err := app.Open(d.Context(), d.config, "test")
		if err != nil {
			d.Fatal(err)
		}
		n, err := a.Nodes.Get(d.Context(), id)
		if err != nil {
			d.Fatal(err)
		}
		for minute := range 10 {
			a.DB.SetClock(func() time.Time { return began.Add(time.Duration(minute) * time.Minute) })
			if minute == 0 {
				err = a.Nodes.SetVitals(d.Context(), id, node.Vitals{CPUPermille: new(int64(125)), Connections: new(int64(7))})
			}
			if err := errors.Join(err, a.Queue.Trigger(d.Context(), "node.watch")); err != nil {
				d.Fatal(err)
			}
		}
		a.DB.SetClock(time.Now)
		if _, err := a.Nodes.SetOnline(d.Context(), n, []node.OnlineIP{{UserID: users[0].UserID, IP: "192.0.2.7"}}); err != nil {
			d.Fatal(err)
		}
		if _, err := a.Nodes.AddSpeedTests(d.Context(), id, []map[string]string{{"telecomping": "31 ms"}}); err != nil {
			d.Fatal(err)
		}
		_, counted := a.Traffic.Record(d.Context(), traffic.Report{Node: n, Rows: []traffic.Row{{UserID: users[0].UserID, Up: 1, Down: 1}}}) // the demo's may all be of the month before
		if err := errors.Join(counted, a.Queue.Trigger(d.Context(), "node.watch"), a.Close()); err != nil {
			d.Fatal(err)
		}

		if d.prints(&listed, "node", "list"); listed[0].Month.Used == 0 {
			d.Errorf("the list is %+v", listed)
		}
		var history struct {
			Moments []struct{ CPUPermille, Connections int64 }
			Outages []struct {
				BeganAt time.Time
				EndedAt *time.Time
			}
		}
		d.prints(&history, "node", "history", number)
		if len(history.Moments) == 0 || history.Moments[0].CPUPermille != 125 || history.Moments[0].Connections != 7 {
			d.Errorf("it was %+v", history.Moments)
		}
		if len(history.Outages) != 1 || history.Outages[0].BeganAt.Sub(began).Abs() > time.Second || history.Outages[0].EndedAt == nil {
			d.Errorf("it was away: %+v", history.Outages)
		}
		var online []struct {
			UserID int64
			IP     string
		}
		if d.prints(&online, "node", "online", number); len(online) != 1 || online[0].UserID != users[0].UserID || online[0].IP != "192.0.2.7" {
			d.Errorf("online are %+v", online)
		}
		var tests []struct{ Results map[string]string }
		if d.prints(&tests, "node", "speed-tests", number); len(tests) != 1 || tests[0].Results["telecomping"] != "31 ms" {
			d.Errorf("the tests are %+v", tests)
		}
		for _, command := range []string{"history", "online", "users", "speed-tests"} {
			if err := d.run(nil, "node", command, "999"); !errors.Is(err, node.ErrNotFound) {
				d.Errorf("%s of a node that is none: %v", command, err)
			}
		}
	})
}

func TestOldShadowsocksNodesAreRebuiltWhenToldSo(t *testing.T) {
	eachDesk(t, func(d desk) {
		d.prints(nil, "node", "add", "--protocol", "shadowsocks", "--name", "old", "--address", "old.example", "--port", "8388", "--method", "aes-128-gcm")
		d.prints(nil, "node", "add", "--protocol", "shadowsocks", "--name", "new", "--address", "new.example", "--port", "8388", "--method", "2022-blake3-aes-128-gcm")
		for _, step := range []struct {
			args     []string
			protocol string
		}{{nil, "shadowsocks"}, {[]string{"--apply"}, "vmess"}} {
			var rebuilt struct {
				Applied bool
				Nodes   []struct{ Name, Method string }
			}
			d.prints(&rebuilt, append([]string{"node", "rebuild"}, step.args...)...)
			if len(rebuilt.Nodes) != 1 || rebuilt.Nodes[0].Name != "old" || rebuilt.Nodes[0].Method != "aes-128-gcm" || rebuilt.Applied != (step.args != nil) {
				d.Fatalf("%+v", rebuilt)
			}
			var listed []struct{ Name, Protocol string }
			if d.prints(&listed, "node", "list"); listed[0].Name != "old" || listed[0].Protocol != step.protocol || listed[1].Protocol != "shadowsocks" {
				d.Fatalf("%v: %+v", step.args, listed)
			}
		}
	})
}

// Agents of others take the certificate that links pin from files.
func TestNodeCertificate_IsTheOneThatLinksPin(t *testing.T) {
	eachDesk(t, func(d desk) {
		var added struct{ ID int64 }
		d.prints(&added, "node", "add", "--name", "A", "--protocol", "anytls", "--address", "a.example", "--port", "443")
		id := strconv.FormatInt(added.ID, 10)
		var nodes []node.Node
		d.prints(&nodes, "node", "list")
		var shown node.Certificate
		d.prints(&shown, "node", "certificate", id)
		pair, err := tls.X509KeyPair([]byte(shown.Certificate), []byte(shown.Key))
		if err != nil {
			d.Fatal(err)
		}
		sum := sha256.Sum256(pair.Leaf.Raw)
		if hex.EncodeToString(sum[:]) != shown.Pin || len(nodes) != 1 || nodes[0].Settings.TLS.Pin != shown.Pin {
			d.Errorf("the certificate is %x, its pin %s", sum, shown.Pin)
		}
		dir := d.TempDir()
		d.prints(&struct{}{}, "node", "certificate", id, "--dir", dir)
		for name, want := range map[string]string{"anytls" + id + ".cer": shown.Certificate, "anytls" + id + ".key": shown.Key} {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil {
				d.Fatal(err)
			}
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want || info.Mode().Perm() != 0o600 {
				d.Errorf("%s: %v %v", name, info.Mode(), err)
			}
		}
		d.prints(&added, "node", "add", "--name", "B", "--protocol", "trojan", "--address", "b.example", "--port", "443",
			"--certificate-file", "/c", "--key-file", "/k")
		if err := d.run(nil, "node", "certificate", strconv.FormatInt(added.ID, 10)); !errors.Is(err, node.ErrNoCertificate) {
			d.Errorf("of a certificate in the agent's files: %v", err)
		}
		if err := d.run(nil, "node", "certificate", "77"); !errors.Is(err, node.ErrNotFound) {
			d.Errorf("of no node: %v", err)
		}
	})
}

// What users read stands beside the name for every language; an empty one is no more.
func TestNames_ByLanguage_AreSetAndRemovedByCommand(t *testing.T) {
	eachDesk(t, func(d desk) {
		type named struct {
			ID           int64
			Name, Info   string
			Names, Infos map[string]string
		}
		var n []named
		d.prints(nil, "node", "add", "--name", "香港", "--name-en", " Hong Kong ", "--protocol", "shadowsocks", "--method", "aes-128-gcm", "--address", "a.example", "--port", "443")
		if d.prints(&n, "node", "list"); n[0].Name != "香港" || len(n[0].Names) != 1 || n[0].Names["en"] != "Hong Kong" {
			d.Errorf("the node is %+v", n[0])
		}
		d.prints(nil, "node", "change", strconv.FormatInt(n[0].ID, 10), "--name-en=", "--name-zh", "港")
		n = nil
		if d.prints(&n, "node", "list"); len(n[0].Names) != 1 || n[0].Names["zh-CN"] != "港" {
			d.Errorf("changed, the node is %+v", n[0])
		}
		var p named
		d.prints(&p, "plan", "add", "--name", "标准", "--info", "高清", "--name-en", "Standard", "--info-en", "HD", "--quota-gb", "1", "--price", "1=5")
		if p.Name != "标准" || p.Names["en"] != "Standard" || p.Infos["en"] != "HD" {
			d.Errorf("the plan is %+v", p)
		}
		p = named{}
		d.prints(&p, "plan", "change", "1", "--name-en=", "--info-zh", "清")
		if len(p.Names) != 0 || p.Infos["en"] != "HD" || p.Infos["zh-CN"] != "清" {
			d.Errorf("changed, the plan is %+v", p)
		}
	})
}
