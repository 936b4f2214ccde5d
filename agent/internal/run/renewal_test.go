package run_test

import (
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	. "airstrip/agent/internal/xraytest"
)

// Connections over TCP continue when the certificate changes, except those of gRPC, which xray ends with its listener.
func TestEveryProtocol_CertificateRenewed_KeepsConnections(t *testing.T) {
	for _, s := range Setups(t) {
		if s.Node.Settings.TLS.Certificate == "" || s.Node.Protocol == "hysteria2" || s.Node.Settings.Transport == "grpc" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			WithoutRepeats(t, func(t *testing.T) {
				s, dir := s, t.TempDir()
				settings := &s.Node.Settings.TLS
				file := func(name, text string) string {
					path := filepath.Join(dir, name)
					if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
					return path
				}
				settings.CertificateFile = file("c.pem", settings.Certificate)
				settings.KeyFile = file("k.pem", settings.Key)
				settings.Certificate, settings.Key = "", ""
				e := newTestEnvWith(t, s, User(1))
				e.start()
				conn := e.client(User(1)).Dial(e.echo)
				e.mustExchange(conn, 1000)
				next := SelfSigned(t, settings.ServerName)
				file("c.pem", next.PEM)
				file("k.pem", next.Key)
				eventually(t, 10*time.Second, "new clients see the new certificate", func() bool {
					shown, err := tls.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.Node.Port),
						&tls.Config{RootCAs: next.Pool(), ServerName: settings.ServerName})
					if err == nil {
						shown.Close()
					}
					return err == nil
				})
				e.mustExchange(conn, 1000)
				e.well()
			})
		})
	}
}

func TestEveryProtocol_NodeChangesToIt_IsServed(t *testing.T) {
	t.Parallel()
	all := slices.DeleteFunc(Setups(t), func(s Setup) bool { return s.PacketUp }) // What they repeat is billed.
	e := newTestEnvWith(t, all[0], User(1))
	e.node.ReportSeconds = 1
	e.start()
	for _, next := range all[1:] {
		node := next.Node
		node.ReportSeconds = 1
		e.publish(api.Change{Node: &node})
		e.setup = next
		e.listening()
		isServed := t.Run(next.Name, func(t *testing.T) {
			MustExchange(t, NewClient(t, next.Client(User(1))).Dial(e.echo), 1000)
		})
		if !isServed {
			t.FailNow()
		}
	}
	e.mustBill(1, 2000*int64(len(all)-1))
	e.well()
}
