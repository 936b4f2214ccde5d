package run_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/run"
	. "airstrip/agent/internal/xraytest"
)

func TestCheck_NamesProblems(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	problems := func(c run.Config) (bad []string) {
		for _, f := range run.Check(t.Context(), c, new(run.Ports)) {
			if f.Wrong != "" {
				bad = append(bad, f.What+": "+f.Wrong)
			}
		}
		return bad
	}
	good := e.config(t.Output())
	if bad := problems(good); len(bad) > 0 {
		t.Errorf("nothing is wrong, but: %v", bad)
	}
	other := good
	other.Node = 99
	if bad := problems(other); len(bad) != 1 || !strings.Contains(bad[0], "another node") {
		t.Errorf("with another node's secret: %v", bad)
	}
	stranger := good
	stranger.Secret = "guess"
	if bad := problems(stranger); len(bad) != 1 || !strings.Contains(bad[0], "401") {
		t.Errorf("with a wrong secret: %v", bad)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	cert := SelfSigned(t, "a.test")
	e.set(func() {
		e.node.Port = taken.Addr().(*net.TCPAddr).Port
		e.node.Settings.TLS.ServerName, e.node.Settings.TLS.Certificate, e.node.Settings.TLS.Key = "b.test", cert.PEM,
			cert.Key
	})
	if bad := problems(good); len(bad) != 2 || !strings.Contains(bad[0], "a.test") ||
		!strings.Contains(bad[1], "in use") {
		t.Errorf("with a port in use and another name's certificate: %v", bad)
	}
	e.set(func() { e.node.Port, e.node.Settings.TLS.ACME = FreePort(t), &api.ACME{Challenge: "dns-01"} })
	if bad := problems(good); len(bad) != 1 || !strings.Contains(bad[0], "certificate for b.test") ||
		!strings.Contains(bad[0], "dns_file") {
		t.Errorf("with dns-01 and nowhere to put a record: %v", bad)
	}
}

func TestCheck_FindsConfigurationMistakes(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cert, other := SelfSigned(t, "a.test"), SelfSigned(t, "a.test")
	over := SelfSignedUntil(t, "a.test", time.Now().Add(-time.Minute))
	tls := func(certificate, key string) func(*api.Node) {
		return func(n *api.Node) {
			n.Settings.TLS = api.TLS{ServerName: "a.test", CertificateFile: certificate, KeyFile: key}
		}
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	used := taken.Addr().(*net.TCPAddr).Port
	page := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved/api/agent/v1/snapshot":
			http.Redirect(rw, r, "https://panel.example/", http.StatusMovedPermanently)
		case "/none/api/agent/v1/snapshot":
			http.NotFound(rw, r)
		default:
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(rw, "<!doctype html>")
		}
	}))
	defer page.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	at := func(server string) func(*run.Config) { return func(c *run.Config) { c.Server = server } }

	for name, mistake := range map[string]struct {
		config func(*run.Config)
		node   func(*api.Node)
		says   string // Part of a bad finding, or of a note with this prefix.
	}{
		"a path": {
			config: at(page.URL + "/admin"),
			says:   "server " + page.URL + "/admin: the server answered 200 unknown: a page",
		},
		"sent on":     {config: at(page.URL + "/moved"), says: "it sends on to https://panel.example/"},
		"no Airstrip": {config: at(page.URL + "/none"), says: "there is no Airstrip at this address"},
		"https where there is none": {
			config: at(strings.Replace(page.URL, "http:", "https:", 1)),
			says:   "there is no TLS at this address",
		},
		"http where there is TLS": {
			config: at(strings.Replace(secure.URL, "https:", "http:", 1)),
			says:   "it speaks https; the server has to be https://",
		},
		"an unknown authority": {config: at(secure.URL), says: "unknown authority"},
		"no scheme": {
			config: at("panel.example"),
			says:   "server: server \"panel.example\" is not an http or https address",
		},
		"a query":             {config: at(page.URL + "?x=1"), says: "server has to end after the host"},
		"no name":             {config: at("https://panel.invalid"), says: "panel.invalid"},
		"nobody there":        {config: at("http://127.0.0.1:1"), says: "connection refused"},
		"a file for a folder": {config: func(c *run.Config) { c.Data = file("file", "") }, says: "data folder"},
		"a folder in /proc": {
			config: func(c *run.Config) { c.Data = "/proc/self" },
			says:   "nothing can be kept in it",
		},

		"swapped": {
			node: tls(file("swapped.key", cert.Key), file("swapped.pem", cert.PEM)),
			says: "certificate for a.test: certificate_file",
		},
		"two that are not one": {
			node: tls(file("one.pem", cert.PEM), file("other.key", other.Key)),
			says: "private key does not match",
		},
		"ended": {
			node: tls(file("over.pem", over.PEM), file("over.key", over.Key)),
			says: "it is valid from",
		},
		"no file": {node: tls(dir+"/nowhere", dir+"/nowhere"), says: "certificate_file: open"},
		"no key":  {node: tls(file("alone.pem", cert.PEM), dir+"/nowhere"), says: "key_file: open"},
		"untrusted": {
			node: tls(file("good.pem", cert.PEM), file("good.key", cert.Key)),
			says: "note certificate for a.test: clients will not trust it",
		},
		"a relay's port": {node: func(n *api.Node) {
			n.Forwards = []api.Forward{{
				Port:   used,
				Target: "b.test:443", TCP: true,
			}}
		}, says: fmt.Sprintf("relay of b.test:443: port %d: listen tcp", used)},
		"no such address": {
			node: func(n *api.Node) { n.Listen = "192.0.2.1" },
			says: "this machine has no such address",
		},
		"closed": {node: func(n *api.Node) { n.Closed = true }, says: "the service has it closed"},
		"spent":  {node: func(n *api.Node) { n.Spent = true }, says: "its quota of the month is used up"},
		"REALITY's site": {node: func(n *api.Node) {
			n.Settings.Security, n.Settings.Reality = "reality", api.Reality{Dest: strings.TrimPrefix(page.URL,
				"http://"), ServerNames: []string{"a.test"}}
		}, says: "note reality dest"},
	} {
		c, was := e.config(t.Output()), e.setup.Node
		if mistake.config != nil {
			mistake.config(&c)
		}
		if mistake.node != nil {
			mistake.node(&was)
		}
		e.set(func() { e.node = was })
		var lines []string
		for _, f := range run.Check(t.Context(), c, new(run.Ports)) {
			if f.Wrong != "" {
				lines = append(lines, f.What+": "+f.Wrong)
			} else if f.Note != "" {
				lines = append(lines, "note "+f.What+": "+f.Note)
			}
		}
		if len(lines) != 1 || !strings.Contains(lines[0], mistake.says) {
			t.Errorf("%s: %q, not %q alone", name, lines, mistake.says)
		}
	}

	e.set(func() {
		e.node = e.setup.Node
		e.fault = func(rw http.ResponseWriter, r *http.Request) bool {
			rw.Header().Set("Date", time.Now().Add(-10*time.Minute-30*time.Second).UTC().Format(http.TimeFormat))
			return false
		}
	})
	if found := run.Check(t.Context(), e.config(t.Output()), new(run.Ports)); !slices.ContainsFunc(found,
		func(f run.Finding) bool {
			return f.What == "clock" && strings.HasPrefix(f.Wrong, "it is 10m") && strings.Contains(f.Wrong, "ahead")
		}) {
		t.Errorf("a clock 10 minutes ahead: %+v", found)
	}
}

// Root runs the check, and the agent runs as another user, who could not use a folder of root's.
func TestCheck_LeavesNoFolder(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	c := e.config(t.Output())
	above := filepath.Join(t.TempDir(), "airstrip-node")
	c.Data = filepath.Join(above, "panel.example-7")
	for _, f := range run.Check(t.Context(), c, new(run.Ports)) {
		if f.Wrong != "" {
			t.Errorf("%s: %s", f.What, f.Wrong)
		}
	}
	if _, err := os.Stat(above); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder: %v", err)
	}
}

func TestCheck_TwoNodesWithOnePort_IsFound(t *testing.T) {
	t.Parallel()
	first, second := newTestEnv(t, User(1)), newTestEnv(t, User(1))
	first.start() // Whether it runs or not.
	first.well()
	for name, c := range map[string]struct {
		node  func(*api.Node)
		wrong string
	}{
		"the same port":    {func(n *api.Node) {}, "listener: "},
		"at all addresses": {func(n *api.Node) { n.Listen = "0.0.0.0" }, "listener: "},
		"as a relay's": {func(n *api.Node) {
			n.Forwards, n.Port = []api.Forward{{Port: n.Port, Target: "b.test:443", TCP: true}}, FreePort(t)
		}, "relay of b.test:443: "},
		"for UDP":           {func(n *api.Node) { n.Protocol = "tuic" }, ""},
		"another":           {func(n *api.Node) { n.Port = FreePort(t) }, ""},
		"at another's side": {func(n *api.Node) { n.Listen = "127.0.0.2" }, ""},
	} {
		node := first.setup.Node
		c.node(&node)
		second.set(func() { second.node = node })
		var ports run.Ports
		wrong := ""
		for _, config := range []run.Config{first.config(t.Output()), second.config(t.Output())} {
			for _, f := range run.Check(t.Context(), config, &ports) {
				if f.Wrong != "" {
					wrong += f.What + ": " + f.Wrong
				}
			}
		}
		if c.wrong == "" && wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
		if !strings.HasPrefix(wrong, c.wrong) || c.wrong != "" &&
			!strings.Contains(wrong, "node 1 of "+first.http.URL+" wants the same port") {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}
