package mail_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// server is a real SMTP server of a test's own.
type server struct {
	*smtp.Server
	host      string
	port      int
	password  string // of the user airstrip; empty: nobody has to say who they are
	immediate bool   // TLS from the first byte

	mu       sync.Mutex
	outcomes []error // of the mails to come, in this order; then all are taken
	mails    []received
	heard    bytes.Buffer
}

type received struct {
	from      string
	to        []string
	user      string
	encrypted bool
	raw       []byte
}

// errHangUp takes a mail and cuts the connection before saying so.
var errHangUp = errors.New("hang up")

func withTLS(c tls.Certificate) func(*server) {
	return func(s *server) { s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{c}} }
}

func fromTheStart(s *server) { s.immediate = true }

func listen(t *testing.T, outcomes []error, options ...func(*server)) *server {
	t.Helper()
	s := &server{outcomes: outcomes}
	s.Server = smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session,
		error,
	) {
		return &session{server: s, conn: c}, nil
	}))
	s.Debug = writer(func(p []byte) (int, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.heard.Write(p)
	})
	s.ErrorLog = quiet{}
	for _, o := range options {
		o(s)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().(*net.TCPAddr)
	s.host, s.port = addr.IP.String(), addr.Port
	if s.immediate {
		l = tls.NewListener(l, s.TLSConfig)
	}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return s
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

func (s *server) all() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]received(nil), s.mails...)
}

// leaked tells whether anybody said word to the server.
func (s *server) leaked(word string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.heard.String(), word)
}

type session struct {
	*server
	conn *smtp.Conn
	received
}

func (s *session) Reset()        { s.received = received{user: s.user} }
func (s *session) Logout() error { return nil }

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "airstrip" || password != s.password {
			return smtp.ErrAuthFailed
		}
		s.user = user
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.password != "" && s.user == "" {
		return smtp.ErrAuthRequired
	}
	_, s.encrypted = s.conn.TLSConnectionState()
	s.from = from
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.outcomes) > 0 {
		err, s.outcomes = s.outcomes[0], s.outcomes[1:]
	}
	if err == nil || err == errHangUp {
		s.raw = raw
		s.mails = append(s.mails, s.received)
	}
	if err == errHangUp {
		s.conn.Conn().Close()
	}
	return err
}

// read gives the header and the parts by media type, decoded.
func (m received) read(t *testing.T) (netmail.Header, map[string]string) {
	t.Helper()
	msg, err := netmail.ReadMessage(bytes.NewReader(m.raw))
	if err != nil {
		t.Fatal(err)
	}
	media, params, err := mime.ParseMediaType(msg.Header.Get("Content-Type"))
	if err != nil || media != "multipart/alternative" {
		t.Fatal(media, err)
	}
	parts := map[string]string{}
	for r := multipart.NewReader(msg.Body, params["boundary"]); ; {
		p, err := r.NextRawPart()
		if err == io.EOF {
			return msg.Header, parts
		}
		if err != nil {
			t.Fatal(err)
		}
		media, _, err := mime.ParseMediaType(p.Header.Get("Content-Type"))
		if err != nil || p.Header.Get("Content-Transfer-Encoding") != "quoted-printable" {
			t.Fatal(p.Header, err)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(p))
		if err != nil {
			t.Fatal(err)
		}
		parts[media] = string(text)
	}
}

// Two certificates for 127.0.0.1: one that the machine of the tests trusts, one that nobody does.
var trusted, stranger tls.Certificate

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "airstrip-mail-")
	if err != nil {
		panic(err)
	}
	roots := filepath.Join(dir, "roots.pem")
	trusted, stranger = certificate(roots), certificate(filepath.Join(dir, "stranger.pem"))
	os.Setenv("SSL_CERT_FILE", roots) // read at the first TLS connection of the process
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

func certificate(path string) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: path},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:   time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
