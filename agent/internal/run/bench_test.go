package run_test

import (
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	. "airstrip/agent/internal/xraytest"
)

// greeting is sent through each connection in both directions before it is idle.
const greeting = "hello"

// residentMB returns the resident memory of a process in MB.
func residentMB(b *testing.B, pid int) float64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var kB float64
		if n, _ := fmt.Sscanf(line, "VmRSS: %f", &kB); n == 1 {
			return kB / 1024
		}
	}
	b.Fatal("the system does not say how much memory a process has")
	return 0
}

// buildAgent builds the agent's binary and returns its path.
func buildAgent(b *testing.B) string {
	path := filepath.Join(b.TempDir(), "airstrip-node")
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path,
		"../..").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return path
}

// BenchmarkIdle holds 10,000 idle connections of VLESS over TLS, or as many as the limit of open files permits. It
// reports the memory of the agent, a process of its own, and what 10,000 would need.
func BenchmarkIdle(b *testing.B) {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		b.Fatal(err)
	}
	many := min(10_000, int(files.Cur-200)/2) // The clients and the destinations are in this process.
	var setup Setup
	for _, s := range Setups(b) {
		if s.Name == "vless tls vision" {
			setup = s
		}
	}
	setup.Node.Settings.Flow, setup.Node.ReportSeconds = "", 60
	e := newTestEnvWith(b, setup, User(1))
	file := filepath.Join(e.data, "secret")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		b.Fatal(err)
	}
	agent := exec.Command(buildAgent(b), "run", "--server", e.http.URL, "--node", "1", "--data", e.data,
		"--secret-file", file)
	if err := agent.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() { agent.Process.Kill(); agent.Wait() }()
	e.listening()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	var arrived atomic.Int64
	var conns []net.Conn // The garbage collector closes connections without a reference.
	go func() {
		var kept []net.Conn
		for {
			conn, err := listener.Accept()
			if err != nil {
				for _, c := range kept {
					c.Close()
				}
				return
			}
			kept = append(kept, conn)
			// The client sends it with its header.
			if _, err := io.CopyN(conn, conn, int64(len(greeting))); err == nil {
				arrived.Add(1)
			}
		}
	}()
	defer listener.Close()
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	target := listener.Addr().(*net.TCPAddr)
	id, _ := hex.DecodeString(strings.ReplaceAll(User(1).UUID, "-", ""))
	head := append([]byte{0}, id...)
	// VLESS: no addons, TCP, port, IPv4.
	head = append(head, 0, 1, byte(target.Port>>8), byte(target.Port), 1, 127, 0, 0, 1)
	head = append(head, greeting...)
	address := fmt.Sprintf("127.0.0.1:%d", setup.Node.Port)
	empty := residentMB(b, agent.Process.Pid)
	for b.Loop() {
		for len(conns) < many {
			conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true}) // The test's own certificate.
			if err == nil {
				_, err = conn.Write(head)
			}
			if err == nil {
				_, err = io.ReadFull(conn, make([]byte, 2+len(greeting))) // VLESS: version, no addons.
			}
			if err != nil {
				b.Fatal(err)
			}
			conns = append(conns, conn)
		}
		eventually(b, time.Minute, "all connections have come through",
			func() bool { return arrived.Load() == int64(many) })
	}
	time.Sleep(75 * time.Second) // The agent releases unused memory once a minute.
	full := residentMB(b, agent.Process.Pid)
	b.ReportMetric(full, "MB")
	b.ReportMetric(empty+(full-empty)*10_000/float64(many), "MB/10000")
}
