package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// demo is what `airstrip seed --demo` prints.
type demo struct {
	SiteURL string `json:"site_url"`
	Admin   struct{ Email, Password string }
	User    struct {
		ID              int64
		Email, Password string
		LinkToken       string `json:"link_token"`
	}
	Nodes []struct {
		ID               int64
		Secret, Protocol string
		Port             int
	}
}

// server is a running airstrip on a data folder of its own.
type server struct {
	cmd   *exec.Cmd
	url   string
	dir   string
	env   []string
	ready time.Duration // from start to the first good answer of /ready
	log   bytes.Buffer
}

const binary = "bin/airstrip"

func freePort() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// newServer returns a server on a data folder, which is not started; env may select another database.
func newServer(dir string, env ...string) *server {
	address := freePort()
	s := &server{url: "http://" + address, dir: dir, env: append(os.Environ(), "AIRSTRIP_DATA="+dir,
		"AIRSTRIP_DEMO=true", "AIRSTRIP_LISTEN="+address, "AIRSTRIP_TRUSTED_PROXIES=127.0.0.1",
		"AIRSTRIP_LOG_LEVEL=warn")}
	s.env = append(s.env, env...)
	return s
}

// seeded creates a data folder with the demo and so many more users, and starts a server on it; env may select another
// database.
func seeded(dir string, users, nodes int, env ...string) (*server, demo, error) {
	s := newServer(dir, env...)
	var d demo
	out, err := s.command("seed", "--demo", "--users", strconv.Itoa(users), "--nodes", strconv.Itoa(nodes))
	if err != nil {
		return nil, d, err
	}
	if err := json.Unmarshal(out, &d); err != nil {
		return nil, d, fmt.Errorf("read what seed printed: %w", err)
	}
	// The limits are tested elsewhere; here they would be all that is measured.
	if _, err := s.command("setting", "set", "link_per_minute=100000000", "link_per_day=100000000",
		"link_per_ip_minute=100000000"); err != nil {
		return nil, d, err
	}
	return s, d, s.start()
}

func (s *server) command(args ...string) ([]byte, error) {
	cmd := exec.Command(binary, args...)
	cmd.Env = s.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("airstrip %s: %w\n%s", args[0], err, stderr.Bytes())
	}
	return out, nil
}

func (s *server) start() error {
	s.cmd = exec.Command(binary, "serve")
	s.cmd.Env, s.cmd.Stderr = s.env, &s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	begin := time.Now()
	if err := s.cmd.Start(); err != nil {
		return err
	}
	for time.Since(begin) < 30*time.Second {
		if res, err := http.Get(s.url + "/ready"); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				s.ready = time.Since(begin)
				return nil
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	return errors.New("the server did not get ready:\n" + s.log.String())
}

func (s *server) stop() {
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd.Wait()
}

// resident returns the server's resident memory in MB, highest the most that it was.
func (s *server) resident() float64 { return s.memory("VmRSS:") }

func (s *server) highest() float64 { return s.memory("VmHWM:") }

func (s *server) memory(field string) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1000
		}
	}
	return 0
}

// cpu returns the processor time that the server has used.
func (s *server) cpu() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest) // from the third on, as proc(5) counts them
	var ticks int64
	for _, f := range fields[11:13] {
		n, _ := strconv.ParseInt(f, 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
