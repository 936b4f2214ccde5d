package run

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/certificate"
)

// Finding is the outcome of one test; Err is nil where all is well.
type Finding struct {
	What string
	Err  error
}

// most that a clock may be wrong without a word: TLS and some protocols need the time.
const clockTolerance = 30 * time.Second

// Check tries what an agent with this configuration needs, without serving.
func Check(ctx context.Context, c Config) []Finding {
	var found []Finding
	say := func(err error, what string, args ...any) {
		found = append(found, Finding{fmt.Sprintf(what, args...), err})
	}
	unlock, err := claim(c.Data)
	running := errors.Is(err, errInUse)
	switch {
	case running:
		say(nil, "data folder %s: an agent works on it", c.Data)
	default:
		say(err, "data folder %s", c.Data)
	}
	if err == nil {
		defer unlock()
	}
	client, err := api.New(c.Server, c.Secret, c.Version)
	if err != nil {
		say(err, "server")
		return found
	}
	asking, cancel := context.WithTimeout(ctx, firstCall)
	defer cancel()
	snapshot, _, err := client.Snapshot(asking, "")
	say(err, "server %s", c.Server)
	if err != nil {
		return found
	}
	off := time.Until(client.Now()).Round(time.Second)
	if off.Abs() > clockTolerance {
		err = fmt.Errorf("it is %s from the server's", off)
	}
	say(err, "clock")
	node := snapshot.Node
	err = nil
	if node.ID != c.Node {
		err = fmt.Errorf("%w: it is node %d's", errOtherNode, node.ID)
	}
	say(err, "node %d: %s, %s, %d users", c.Node, node.Name, node.Protocol, len(snapshot.Users))
	if t := node.Settings.TLS; t.ACME != nil || t.Certificate != "" || t.CertificateFile != "" {
		say(checkCertificate(ctx, c, t), "certificate for %s", t.ServerName)
	}
	if !running {
		say(checkPort(node), "port %d", node.Port)
	}
	return found
}

// checkCertificate looks at files, and tries what a challenge needs; it orders nothing from an issuer.
func checkCertificate(ctx context.Context, c Config, t api.TLS) error {
	keeper := certificate.New(filepath.Join(c.Data, "certificates"), c.DNS, slog.New(slog.NewTextHandler(io.Discard, nil)))
	defer keeper.Close()
	if t.ACME != nil && t.ACME.Challenge == "dns-01" {
		return keeper.RehearseDNS(ctx, t.ServerName)
	}
	if t.ACME != nil {
		port := map[string]int{"http-01": 80, "tls-alpn-01": 443}[t.ACME.Challenge]
		l, err := net.Listen("tcp", ":"+strconv.Itoa(port))
		if err != nil {
			return fmt.Errorf("the port that the issuer will ask at: %w", err)
		}
		return l.Close()
	}
	filled, err := keeper.Fill(t)
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair([]byte(filled.Certificate), []byte(filled.Key))
	if err != nil {
		return err
	}
	if now := time.Now(); now.After(pair.Leaf.NotAfter) || now.Before(pair.Leaf.NotBefore) {
		return fmt.Errorf("it is valid from %s to %s", pair.Leaf.NotBefore.Format(time.RFC3339), pair.Leaf.NotAfter.Format(time.RFC3339))
	}
	return pair.Leaf.VerifyHostname(t.ServerName)
}

func checkPort(node api.Node) error {
	address := net.JoinHostPort(cmp.Or(node.Listen, "::"), strconv.Itoa(node.Port))
	var problems []error
	if node.Protocol != "hysteria2" && node.Protocol != "tuic" {
		l, err := net.Listen("tcp", address)
		if err == nil {
			err = l.Close()
		}
		problems = append(problems, err)
	}
	if node.Protocol == "hysteria2" || node.Protocol == "tuic" || node.Protocol == "shadowsocks" {
		l, err := net.ListenPacket("udp", address)
		if err == nil {
			err = l.Close()
		}
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// Summary of a data folder.
type Summary struct {
	Running  bool  `json:"running"`
	Node     int64 `json:"node"`
	Revision int64 `json:"revision"`
	Users    int   `json:"users"`
	// Waiting reports are not answered yet, the first since Oldest; Refused ones never will be counted.
	Waiting int        `json:"reports_waiting"`
	Oldest  *time.Time `json:"oldest_waiting,omitempty"`
	Refused int        `json:"reports_refused"`
}

// Summarize says how an agent stands by what is in its folder, whether it runs or not.
func Summarize(data string) (*Summary, error) {
	if _, err := os.Stat(data); err != nil {
		return nil, err
	}
	var s Summary
	unlock, err := claim(data)
	if s.Running = errors.Is(err, errInUse); !s.Running {
		if err != nil {
			return nil, err
		}
		unlock()
	}
	saved, err := read(filepath.Join(data, "state.json"))
	if err != nil {
		return nil, err
	}
	if saved != nil {
		s.Node, s.Revision, s.Users = saved.Snapshot.Node.ID, saved.Snapshot.Revision, len(saved.Snapshot.Users)
	}
	waiting, err := filepath.Glob(filepath.Join(data, "spool", "*.batch"))
	if err != nil {
		return nil, err
	}
	refused, err := filepath.Glob(filepath.Join(data, "spool", "refused", "*.batch"))
	if err != nil {
		return nil, err
	}
	s.Waiting, s.Refused = len(waiting), len(refused)
	if s.Waiting > 0 {
		if info, err := os.Stat(waiting[0]); err == nil {
			at := info.ModTime().UTC()
			s.Oldest = &at
		}
	}
	return &s, nil
}
