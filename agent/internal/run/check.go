package run

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/certificate"
	"airstrip/agent/internal/engine"
)

// most that a clock may be wrong without a word: TLS and some protocols need the time.
const clockTolerance = 30 * time.Second

// Check tries what an agent with this configuration needs, without serving. What is wrong will keep it from serving. Ports
// are those of the nodes beside it that were checked before; its own are added.
func Check(ctx context.Context, c Config, ports *Ports) []Finding {
	var found []Finding
	say := func(err error, what string, args ...any) {
		f := Finding{What: fmt.Sprintf(what, args...)}
		if err != nil {
			f.Wrong = err.Error()
		}
		found = append(found, f)
	}
	note := func(err error) {
		if err != nil {
			found[len(found)-1].Note = err.Error()
		}
	}
	if _, err := os.Stat(c.Data); errors.Is(err, fs.ErrNotExist) {
		defer os.Remove(c.Data) // who serves may be another user, who can do nothing with a folder of ours
	}
	folder, err := claim(c.Data)
	running := errors.Is(err, errInUse)
	if err == nil {
		defer folder.Close()
		err = tryFolder(c)
	}
	if running {
		say(nil, "data folder %s: an agent works on it", c.Data)
	} else {
		say(err, "data folder %s", c.Data)
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
	note(plain(c.Server))
	if err != nil {
		return found
	}
	say(clockTrouble(client.Now()), "clock")
	node := snapshot.Node
	found = append(found, standingOf(node, len(snapshot.Users), ""))
	if node.ID != c.Node {
		found[len(found)-1].Wrong = fmt.Sprintf("%v: secret_file holds node %d's, and this one was told to be node %d", errOtherNode, node.ID, c.Node)
		return found
	}
	if t := node.Settings.TLS; hasCertificate(t) {
		err, doubt := checkCertificate(ctx, c, t)
		say(err, "certificate for %s", t.ServerName)
		note(doubt)
	}
	if node.Settings.Security == "reality" {
		say(nil, "reality dest %s", node.Settings.Reality.Dest)
		note(checkReality(ctx, node.Settings.Reality))
	}
	open := func(w wanted, what string, args ...any) {
		w.by, w.listen = fmt.Sprintf("node %d of %s", c.Node, c.Server), node.Listen
		err := ports.add(w)
		if err == nil && running {
			return
		}
		if err == nil {
			err = w.try()
		}
		say(err, what, args...)
	}
	tcp, udp := engine.Networks(node)
	open(wanted{port: node.Port, tcp: tcp, udp: udp}, "listener: %s", place(node))
	for _, f := range node.Forwards {
		open(wanted{port: f.Port, tcp: f.TCP, udp: f.UDP}, "relay of %s: port %d", f.Target, f.Port)
	}
	return found
}

// tryFolder writes into the data folder, where no agent works, and looks at what one left there.
func tryFolder(c Config) error {
	path := filepath.Join(c.Data, "check.tmp")
	err := os.WriteFile(path, []byte("check"), 0o600)
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return fmt.Errorf("nothing can be kept in it: %w", err)
	}
	saved, err := read(filepath.Join(c.Data, "state.json"))
	if err == nil && saved != nil && saved.Snapshot.Node.ID != c.Node {
		var s Summary
		if s.count(c.Data, nil); s.Waiting > 0 {
			return fmt.Errorf("it is that of node %d, of which %d reports wait: they would be counted as this node's", saved.Snapshot.Node.ID, s.Waiting)
		}
	}
	return nil
}

// plain is what to know of an address without TLS.
func plain(server string) error {
	u, err := url.Parse(server)
	if err != nil || u.Scheme == "https" || u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback() {
		return nil
	}
	return errors.New("it is http: everybody on the way can read the node's secret and the users'")
}

// clockTrouble compares the machine's clock with the server's.
func clockTrouble(theirs time.Time) error {
	off := time.Until(theirs).Round(time.Second)
	if off.Abs() <= clockTolerance {
		return nil
	}
	if off > 0 {
		return fmt.Errorf("it is %s behind the server's", off)
	}
	return fmt.Errorf("it is %s ahead of the server's", -off)
}

// standingOf a node is whether its settings let anybody use it.
func standingOf(node api.Node, users int, more string) Finding {
	f := Finding{What: fmt.Sprintf("node %d: %s, %s, %d users%s", node.ID, node.Name, node.Protocol, users, more)}
	switch {
	case node.Closed:
		f.Wrong = "the service has it closed: nobody may use it until it is enabled there"
	case node.Spent:
		f.Wrong = "its quota of the month is used up: nobody may use it until that begins anew or is raised"
	case users == 0:
		f.Note = "nobody may use it: no user has a service of its class and group"
	case node.Hidden:
		f.Note = "the service hides it: it is in no list and no link"
	}
	return f
}

func hasCertificate(t api.TLS) bool {
	return t.ACME != nil || t.Certificate != "" || t.CertificateFile != ""
}

// checkCertificate looks at files, and tries what a challenge needs; it orders nothing from an issuer. Doubt is what clients
// may take exception to.
func checkCertificate(ctx context.Context, c Config, t api.TLS) (err, doubt error) {
	keeper := certificate.New(filepath.Join(c.Data, "certificates"), c.DNS, slog.New(slog.NewTextHandler(io.Discard, nil)))
	defer keeper.Close()
	if t.ACME != nil && t.ACME.Challenge == "dns-01" {
		return keeper.RehearseDNS(ctx, t.ServerName), nil
	}
	if t.ACME != nil {
		port := map[string]int{"http-01": 80, "tls-alpn-01": 443}[t.ACME.Challenge]
		if err := portAdvice(engine.Try("", port, true, false)); err != nil {
			return fmt.Errorf("the issuer will ask at port %d: %w", port, err), nil
		}
		return nil, nil
	}
	filled, err := keeper.Fill(t)
	if err != nil {
		return err, nil
	}
	pair, err := tls.X509KeyPair([]byte(filled.Certificate), []byte(filled.Key))
	if err != nil {
		return err, nil
	}
	if now := time.Now(); now.After(pair.Leaf.NotAfter) || now.Before(pair.Leaf.NotBefore) {
		return fmt.Errorf("it is valid from %s to %s", clock(pair.Leaf.NotBefore), clock(pair.Leaf.NotAfter)), nil
	}
	if err := pair.Leaf.VerifyHostname(t.ServerName); err != nil {
		return err, nil
	}
	if t.Certificate == "" {
		doubt = errors.Join(untrusted(pair, t.ServerName), readableBy(t.KeyFile))
	}
	_, ending := keeper.Standing()
	return nil, errors.Join(doubt, ending)
}

// untrusted is why clients that know only this system's authorities refuse a certificate from a file.
func untrusted(pair tls.Certificate, name string) error {
	between := x509.NewCertPool()
	for _, der := range pair.Certificate[1:] {
		if c, err := x509.ParseCertificate(der); err == nil {
			between.AddCert(c)
		}
	}
	if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: name, Intermediates: between}); err != nil {
		return fmt.Errorf("clients will not trust it: %w; is the whole chain in the file?", err)
	}
	return nil
}

// readableBy says when root alone can read a file: the unit's agent is not root.
func readableBy(path string) error {
	info, err := os.Stat(path)
	if err != nil || os.Geteuid() != 0 || info.Mode().Perm()&0o044 != 0 {
		return nil
	}
	return fmt.Errorf("only its owner can read %s, and the agent of the systemd unit is another user: README.md, Certificates", path)
}

// checkReality asks the site that a REALITY node shows for the TLS that it needs.
func checkReality(ctx context.Context, r api.Reality) error {
	ctx, cancel := context.WithTimeout(ctx, firstCall)
	defer cancel()
	name := ""
	if len(r.ServerNames) > 0 {
		name = r.ServerNames[0]
	}
	dialer := tls.Dialer{Config: &tls.Config{ServerName: name, MinVersion: tls.VersionTLS13, InsecureSkipVerify: true}} // it is shown, not trusted
	conn, err := dialer.DialContext(ctx, "tcp", r.Dest)
	if err != nil {
		return fmt.Errorf("it does not answer by TLS 1.3 as %s, so nobody gets in: %w", name, err)
	}
	return conn.Close()
}

// place is where a node listens.
func place(node api.Node) string {
	return fmt.Sprintf("port %d of %s", node.Port, cmp.Or(node.Listen, "all addresses"))
}

// portAdvice adds what an operator can do about a port that cannot be opened.
func portAdvice(err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%w; `ss -lntup` tells by whom", err)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("%w: this machine has no such address", err)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("%w: ports below 1024 are root's and the systemd unit's", err)
	}
	return err
}
