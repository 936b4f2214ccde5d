package install_test

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"airstrip/deploy"
	"airstrip/internal/api"
	"airstrip/internal/api/install"
)

// machine is a node's machine in a folder, an amd64 with systemd, together with the server that it installs from.
type machine struct {
	*testing.T
	root   string // Folders for programs, units and settings.
	given  string // Folder of the server's binary.
	tools  string // Replacements of systemctl and uname.
	site   string
	agents *install.Agents
	more   []string // Additional environment variables.
}

func newMachine(t *testing.T, tls bool) *machine {
	m := &machine{T: t, root: t.TempDir(), given: t.TempDir(), tools: t.TempDir()}
	for _, folder := range []string{"bin", "units", "etc"} {
		if err := os.Mkdir(filepath.Join(m.root, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(m.tools, "systemctl"), "#!/bin/sh\necho \"$*\" >>'"+filepath.Join(m.tools, "called")+"'\n")
	m.is("x86_64")
	m.serveVersion("v1")
	mux := http.NewServeMux()
	server := httptest.NewUnstartedServer(api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler())
	t.Cleanup(server.Close)
	m.site = "http://" + server.Listener.Addr().String()
	if tls {
		server.StartTLS()
		m.site = server.URL
		roots := filepath.Join(m.tools, "roots.pem")
		put(t, roots, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
		m.more = append(m.more, "CURL_CA_BUNDLE="+roots)
	} else {
		server.Start()
	}
	m.agents = install.New(m.given, m.site)
	m.agents.Register(mux)
	return m
}

func (m *machine) is(architecture string) {
	put(m.T, filepath.Join(m.tools, "uname"), "#!/bin/sh\necho "+architecture+"\n")
}

// serveVersion makes the server offer an agent of that version.
func (m *machine) serveVersion(version string) {
	m.gone()
	put(m.T, filepath.Join(m.given, "airstrip-node-linux-amd64"), "#!/bin/sh\necho airstrip-node "+version+"\n")
}

func (m *machine) gone() {
	if err := os.RemoveAll(filepath.Join(m.given, "airstrip-node-linux-amd64")); err != nil {
		m.Fatal(err)
	}
}

// run executes a command in root's shell.
func (m *machine) run(line string, more ...string) (string, error) {
	m.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Env = append([]string{
		"PATH=" + m.tools + ":" + os.Getenv("PATH"),
		"BIN_DIR=" + filepath.Join(m.root, "bin"), "UNIT_DIR=" + filepath.Join(m.root, "units"), "ETC_DIR=" +
			filepath.Join(m.root, "etc"),
	}, append(m.more, more...)...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (m *machine) must(line string) {
	m.Helper()
	if out, err := m.run(line); err != nil {
		m.Fatalf("%s\n%s%v", line, out, err)
	}
}

// files returns all files with their modes, and the calls of systemctl.
func (m *machine) files() map[string]string {
	m.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(m.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") { // Leftover folders count.
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text, _ := os.ReadFile(path)
		all[strings.TrimPrefix(path, m.root+"/")] = info.Mode().String() + " " + string(text)
		return nil
	})
	if err != nil {
		m.Fatal(err)
	}
	called, _ := os.ReadFile(filepath.Join(m.tools, "called"))
	all["systemctl"] = string(called)
	return all
}

// mustRefuse runs a command that must fail with a reason and change nothing.
func (m *machine) mustRefuse(line, reason string, more ...string) {
	m.Helper()
	before := m.files()
	out, err := m.run(line, more...)
	if err == nil || !strings.Contains(out, reason) {
		m.Errorf("%s\nanswers %v, %s\nnot %s", line, err, out, reason)
	}
	if after := m.files(); !maps.Equal(before, after) {
		m.Errorf("%s\nchanged %v\nto %v", line, before, after)
	}
}

func TestScript_InstallsAndUpdates(t *testing.T) {
	for name, tls := range map[string]bool{"over TLS": true, "on the machine itself": false} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, tls)
			unit, err := os.ReadFile("../../../deploy/airstrip-node.service")
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{
				"bin/airstrip-node":           "-rwxr-xr-x #!/bin/sh\necho airstrip-node v1\n",
				"units/airstrip-node.service": "-rw-r--r-- " + string(unit),
				"etc/airstrip-node.secret":    "-rw------- first",
				"etc/airstrip-node.env":       "-rw------- AIRSTRIP_NODE_SERVER=" + m.site + "\nAIRSTRIP_NODE_ID=7\n",
				"systemctl":                   "daemon-reload\nenable airstrip-node\nrestart airstrip-node\n",
			}
			m.must(m.agents.Line(7, "first"))
			if got := m.files(); !maps.Equal(got, want) {
				t.Fatalf("installed %v\nnot %v", got, want)
			}

			m.serveVersion("v2")
			put(t, filepath.Join(m.root, "etc/airstrip-node.env"),
				"AIRSTRIP_NODE_ID=7\nAIRSTRIP_NODE_LOG_LEVEL=debug\nAIRSTRIP_NODE_SERVER="+m.site+"\n")
			m.must(m.agents.Line(8, "second"))
			want["bin/airstrip-node"] = "-rwxr-xr-x #!/bin/sh\necho airstrip-node v2\n"
			want["etc/airstrip-node.secret"] = "-rw------- second"
			want["etc/airstrip-node.env"] = "-rw------- AIRSTRIP_NODE_SERVER=" + m.site +
				"\nAIRSTRIP_NODE_ID=8\nAIRSTRIP_NODE_LOG_LEVEL=debug\n"
			want["systemctl"] += want["systemctl"]
			if got := m.files(); !maps.Equal(got, want) {
				t.Fatalf("updated to %v\nnot %v", got, want)
			}

			m.serveVersion("v3") // By hand, with the present secret.
			m.must(strings.Replace(m.agents.Line(8, "x"), "AIRSTRIP_NODE_SECRET='x'", "", 1))
			if got := m.files(); got["etc/airstrip-node.secret"] != "-rw------- second" ||
				!strings.HasSuffix(got["bin/airstrip-node"], "v3\n") {
				t.Fatalf("without a secret: %v", got)
			}
		})
	}
}

func TestScript_Refused_ChangesNothing(t *testing.T) {
	for _, installed := range []bool{false, true} {
		m := newMachine(t, false)
		if installed {
			m.must(m.agents.Line(7, "first"))
			m.serveVersion("v2")
		}
		line := m.agents.Line(7, "second")
		m.mustRefuse(line+" amd64=", "has no airstrip-node for amd64")
		other := strings.Replace(line, "' 7 ", "' 9 ", 1)
		m.mustRefuse(strings.Replace(other, "AIRSTRIP_NODE_SECRET='second'", "", 1), "AIRSTRIP_NODE_SECRET is missing")
		m.mustRefuse(regexp.MustCompile("amd64=.*").ReplaceAllString(line, "amd64="+strings.Repeat("0", 64)),
			"another checksum")
		m.mustRefuse(regexp.MustCompile("amd64=.*").ReplaceAllString(line, "amd64="+strings.Repeat("0", 63)),
			"not a SHA-256")
		m.mustRefuse(regexp.MustCompile("amd64=.*").ReplaceAllString(line, "arm64="+hex("x")),
			"has no airstrip-node for amd64")
		m.mustRefuse(strings.Replace(line, "' 7 ", "' seven ", 1), "not the number")
		m.mustRefuse(line, "could not be fetched", "AIRSTRIP_NODE_DOWNLOAD="+m.site+"/elsewhere")
		m.mustRefuse(line, "not an https address", "AIRSTRIP_NODE_DOWNLOAD=http://panel.example/node")
		m.mustRefuse(line, "as root", "ETC_DIR="+filepath.Join(m.root, "none"))
		for _, site := range []string{
			"http://panel.example", "http://localhost.example",
			"http://127.0.0.1:80@panel.example", "ftp://localhost", "panel.example", "https://", "https://a b",
		} {
			m.mustRefuse(strings.Replace(line, "-- '"+m.site+"'", "-- '"+site+"'", 1), "not an https address")
		}
		for _, architecture := range []string{"riscv64", "aarch64"} {
			m.is(architecture)
			m.mustRefuse(line, "has no airstrip-node for")
		}
		m.is("x86_64")

		m.gone()
		m.mustRefuse(line, "could not be fetched")
		put(t, filepath.Join(m.given, "airstrip-node-linux-amd64"), "#!/bin/sh\nexit 1\n")
		m.mustRefuse(m.agents.Line(7, "second"), "does not run here")
	}
}

func TestScript_AgentFails_SaysSo(t *testing.T) {
	m := newMachine(t, false)
	put(t, filepath.Join(m.given, "airstrip-node-linux-amd64"),
		"#!/bin/sh\ncase $1 in status) echo 'bad  server: refused'; exit 1 ;; esac\necho airstrip-node v1\n")
	out, err := m.run(m.agents.Line(7, "first"))
	if err == nil || !strings.Contains(out, "bad  server: refused") ||
		!strings.Contains(out, "is installed as node 7") || strings.Contains(out, "serves node 7") {
		t.Errorf("%v %s", err, out)
	}
	if got := m.files(); got["etc/airstrip-node.secret"] != "-rw------- first" ||
		got["systemctl"] != "daemon-reload\nenable airstrip-node\nrestart airstrip-node\n" {
		t.Error(got)
	}
}

func TestScript_Truncated_DoesNothing(t *testing.T) {
	m := newMachine(t, false)
	lines := bytes.Count(deploy.InstallNode, []byte("\n"))
	for n := range lines {
		before := m.files()
		// Whatever it answers.
		_, _ = m.run(strings.Replace(m.agents.Line(7, "first"), "| ", fmt.Sprintf("| head -n %d | ", n), 1))
		if after := m.files(); !maps.Equal(before, after) {
			t.Errorf("%d lines changed %v\nto %v", lines, before, after)
		}
	}
}

func TestBinary_IsThatOfArchitecture(t *testing.T) {
	m := newMachine(t, false)
	put(t, filepath.Join(m.given, "airstrip-node-linux-arm64"), "#!/bin/sh\necho airstrip-node v1 on ARM\n")
	m.is("aarch64")
	m.must(m.agents.Line(7, "first"))
	if got := m.files(); !strings.HasSuffix(got["bin/airstrip-node"], "on ARM\n") {
		t.Error(got)
	}
}

func TestScript_BinaryFromOtherAddress_IsInstalled(t *testing.T) {
	m := newMachine(t, true)
	line := m.agents.Line(7, "first")
	other := newMachine(t, false)
	m.gone()
	if out, err := m.run(line, "AIRSTRIP_NODE_DOWNLOAD="+other.site+"/node"); err != nil {
		t.Fatal(out, err)
	}
	if got := m.files(); !strings.HasSuffix(got["bin/airstrip-node"], "v1\n") ||
		!strings.Contains(got["etc/airstrip-node.env"], m.site) {
		t.Error(got)
	}
}
