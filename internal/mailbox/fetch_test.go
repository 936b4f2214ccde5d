package mailbox_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/mailbox"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

// Two certificates for 127.0.0.1: one that the machine of the tests trusts, one that nobody does; and a trusted one of
// another host.
var trusted, untrusted, otherHost tls.Certificate

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "airstrip-mailbox-")
	if err != nil {
		panic(err)
	}
	roots := filepath.Join(dir, "roots.pem")
	var issued []byte
	trusted, issued = certificate(issued, net.IPv4(127, 0, 0, 1))
	otherHost, issued = certificate(issued, net.IPv4(127, 0, 0, 2))
	untrusted, _ = certificate(nil, net.IPv4(127, 0, 0, 1))
	if err := os.WriteFile(roots, issued, 0o600); err != nil {
		panic(err)
	}
	os.Setenv("SSL_CERT_FILE", roots) // read at the first TLS connection of the process
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// certificate makes one for an address, and adds it to those in PEM.
func certificate(to []byte, address net.IP) (tls.Certificate, []byte) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: rand.Text()}, IPAddresses: []net.IP{address},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	to = append(to, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, to
}

const password = "open sesame"

// server is an IMAP server with one mail that belongs to no ticket.
type server struct {
	port int

	mu     sync.Mutex
	logins []string // the passwords that it was told
}

// session notes what password it is told.
type session struct {
	imapserver.Session
	of *server
}

func (s session) Login(username, password string) error {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.of.logins = append(s.of.logins, password)
	return s.Session.Login(username, password)
}

func (s *server) told() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.logins)
}

type literal struct{ *bytes.Reader }

func (l literal) Size() int64 { return l.Reader.Size() }

// serve starts a server. Its TLS begins with the connection, or by STARTTLS; without a certificate it has none.
func serve(t *testing.T, at time.Time, c *tls.Certificate, immediate bool) *server {
	t.Helper()
	memory, user := imapmemserver.New(), imapmemserver.NewUser("support", password)
	if err := user.Create("INBOX", nil); err != nil {
		t.Fatal(err)
	}
	memory.AddUser(user)
	mail := []byte("From: user@example.com\r\nTo: help@mail.example\r\nSubject: Hello\r\n\r\nHello\r\n")
	if _, err := user.Append("INBOX", literal{bytes.NewReader(mail)}, &imap.AppendOptions{Time: at}); err != nil {
		t.Fatal(err)
	}
	s := new(server)
	options := &imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return session{memory.NewSession(), s}, nil, nil
		},
		InsecureAuth: true, // so that nothing but the client keeps the password from an open line
		Logger:       quiet{},
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.port = l.Addr().(*net.TCPAddr).Port
	switch {
	case c != nil && immediate:
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{*c}})
	case c != nil:
		options.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*c}}
	}
	imap := imapserver.New(options)
	go func() { _ = imap.Serve(l) }()
	t.Cleanup(func() { _ = imap.Close() })
	return s
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

func TestFetch_OverTLS_ReadsFromAServerThatIsTrustedAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		settings, err := setting.New(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		secrets := secret.New(d, seal.Key{1})
		if err := secrets.Set(t.Context(), secret.IMAPPassword, password); err != nil {
			t.Fatal(err)
		}
		box := mailbox.New(d, seal.Key{1}, settings, secrets, nil, nil)
		for name, c := range map[string]struct {
			mode        string
			certificate *tls.Certificate
			immediate   bool
			works       bool
		}{
			"IMAPS":                              {"tls", &trusted, true, true},
			"STARTTLS":                           {"starttls", &trusted, false, true},
			"IMAPS, untrusted certificate":       {"tls", &untrusted, true, false},
			"STARTTLS, untrusted certificate":    {"starttls", &untrusted, false, false},
			"IMAPS, certificate of another host": {"tls", &otherHost, true, false},
			"STARTTLS, certificate of another":   {"starttls", &otherHost, false, false},
			"IMAPS with a server without TLS":    {"tls", nil, false, false},
			"STARTTLS with a server without it":  {"starttls", nil, false, false},
		} {
			t.Run(name, func(t *testing.T) {
				s := serve(t, d.Now(), c.certificate, c.immediate)
				values := map[string]json.RawMessage{}
				text := fmt.Appendf(nil, `{"ticket_mail_address":"help@mail.example","imap_host":"127.0.0.1","imap_port":%d,
					"imap_tls":%q,"imap_username":"support"}`, s.port, c.mode)
				if err := json.Unmarshal(text, &values); err != nil {
					t.Fatal(err)
				}
				if err := settings.Set(t.Context(), values); err != nil {
					t.Fatal(err)
				}
				err := box.Fetch(t.Context())
				trial := setting.Try(t.Context(), box.Try)
				if c.works {
					if err != nil || !trial.OK() || s.told() != 2 {
						t.Errorf("the mailbox was not read: %v, %+v, %d logins", err, trial.Steps, s.told())
					}
					return
				}
				if err == nil || trial.OK() || s.told() != 0 {
					t.Errorf("%v, %+v, and the password was sent %d times", err, trial.Steps, s.told())
				}
				if err != nil && strings.Contains(err.Error(), password) {
					t.Errorf("the error has the password: %v", err)
				}
			})
		}
	})
}
