// Package webpushtest is a push service with browsers, for tests. It takes a message as the services of vendors do: it
// checks who sends it (RFC 8292), and the browser decrypts it (RFC 8291) by code of this package alone.
package webpushtest

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"airstrip/internal/webpush"
)

// Service is the push services of all hosts.
type Service struct {
	t      testing.TB
	server *httptest.Server
	now    func() time.Time

	mu       sync.Mutex
	browsers map[string]*Browser // by endpoint
	got      []Message
	requests int
	answer   func(w http.ResponseWriter, endpoint string) (taken bool)
}

// Message is what a browser was told.
type Message struct {
	Browser                *Browser
	Title, Body, Path, Tag string
	TTL                    time.Duration
	Topic                  string
	Wire                   []byte // as the push service saw it
}

// Browser is one that subscribed.
type Browser struct {
	Endpoint string
	siteKey  string // that it subscribed with
	private  *ecdh.PrivateKey
	auth     []byte
}

// New starts a push service that ends with the test. now is the time by which it judges tokens.
func New(t testing.TB, now func() time.Time) *Service {
	s := &Service{t: t, now: now, browsers: map[string]*Browser{}}
	s.server = httptest.NewTLSServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.server.Close)
	return s
}

// Client returns a client that reaches this service whatever host it asks for.
func (s *Service) Client() *http.Client {
	roots := s.server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	return &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: "example.com"},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.server.Listener.Addr().String())
		},
		DisableKeepAlives: true,
	}}
}

// Subscribe returns a new browser that subscribed at a host with the site's key.
func (s *Service) Subscribe(host, siteKey string) *Browser {
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	b := &Browser{Endpoint: "https://" + host + "/send/" + rand.Text(), siteKey: siteKey, private: private}
	b.auth = make([]byte, 16)
	rand.Read(b.auth)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.browsers[b.Endpoint] = b
	return b
}

// Target is what the browser tells the site.
func (b *Browser) Target() webpush.Target {
	return webpush.Target{
		Endpoint: b.Endpoint, P256DH: base64.RawURLEncoding.EncodeToString(b.private.PublicKey().Bytes()),
		Auth: base64.RawURLEncoding.EncodeToString(b.auth),
	}
}

// JSON is what the browser sends to the API.
func (b *Browser) JSON() string {
	t := b.Target()
	body, err := json.Marshal(map[string]string{"endpoint": t.Endpoint, "p256dh": t.P256DH, "auth": t.Auth})
	if err != nil {
		panic(err)
	}
	return string(body)
}

// Answers has fn answer requests. A message is shown only where fn says that it was taken.
func (s *Service) Answers(fn func(w http.ResponseWriter, endpoint string) (taken bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = fn
}

// Status has all requests answered with a status.
func (s *Service) Status(code int) {
	s.Answers(func(w http.ResponseWriter, _ string) bool {
		w.WriteHeader(code)
		return code/100 == 2
	})
}

// Messages returns what browsers were told so far.
func (s *Service) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}

// Requests counts the requests so far.
func (s *Service) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	endpoint := "https://" + r.Host + r.URL.Path
	s.mu.Lock()
	s.requests++
	b, answer := s.browsers[endpoint], s.answer
	s.mu.Unlock()
	if b == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	m, err := s.read(b, r)
	if err != nil {
		s.t.Errorf("the push service refuses a message: %v", err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	taken := true
	if answer != nil {
		taken = answer(w, endpoint)
	} else {
		w.WriteHeader(http.StatusCreated)
	}
	if taken {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.got = append(s.got, m)
	}
}

func (s *Service) read(b *Browser, r *http.Request) (m Message, err error) {
	if r.Method != http.MethodPost || r.Header.Get("Content-Encoding") != "aes128gcm" {
		return m, fmt.Errorf("%s with Content-Encoding %q", r.Method, r.Header.Get("Content-Encoding"))
	}
	if err := s.checkSender(b, r); err != nil {
		return m, err
	}
	ttl, err := strconv.Atoi(r.Header.Get("TTL"))
	if err != nil {
		return m, err
	}
	topic := r.Header.Get("Topic")
	if raw, err := base64.RawURLEncoding.DecodeString(topic); err != nil || len(topic) > 32 || len(raw) == 0 {
		return m, fmt.Errorf("the topic %q", topic)
	}
	wire, err := io.ReadAll(r.Body)
	if err != nil {
		return m, err
	}
	text, err := b.decrypt(wire)
	if err != nil {
		return m, err
	}
	m = Message{Browser: b, TTL: time.Duration(ttl) * time.Second, Topic: topic, Wire: wire}
	return m, json.Unmarshal(text, &m)
}

// checkSender does what RFC 8292 asks of a push service.
func (s *Service) checkSender(b *Browser, r *http.Request) error {
	rest, ok := strings.CutPrefix(r.Header.Get("Authorization"), "vapid t=")
	token, key, both := strings.Cut(rest, ", k=")
	if !ok || !both || key != b.siteKey {
		return errors.New("the sender is not whom the browser subscribed to")
	}
	raw, err := base64.RawURLEncoding.DecodeString(key)
	if err != nil {
		return err
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), raw)
	if err != nil {
		return err
	}
	claims := jwt.RegisteredClaims{}
	if _, err := jwt.ParseWithClaims(token, &claims, func(*jwt.Token) (any, error) { return public, nil },
		jwt.WithValidMethods([]string{"ES256"}), jwt.WithTimeFunc(s.now), jwt.WithExpirationRequired(),
		jwt.WithAudience("https://"+r.Host)); err != nil {
		return err
	}
	if life := claims.ExpiresAt.Sub(s.now()); life > 24*time.Hour {
		return fmt.Errorf("the token lives for %s", life)
	}
	if claims.Subject != "" && !strings.HasPrefix(claims.Subject, "https://") {
		return fmt.Errorf("the subject is %q", claims.Subject)
	}
	return nil
}

// decrypt reads a body of one record.
func (b *Browser) decrypt(body []byte) ([]byte, error) {
	if len(body) < 21+65 || len(body) > 4096 || body[20] != 65 ||
		binary.BigEndian.Uint32(body[16:]) < uint32(len(body)-86) {
		return nil, fmt.Errorf("a body of %d bytes with a wrong header", len(body))
	}
	salt, public, sealed := body[:16], body[21:86], body[86:]
	sender, err := ecdh.P256().NewPublicKey(public)
	if err != nil {
		return nil, err
	}
	shared, err := b.private.ECDH(sender)
	if err != nil {
		return nil, err
	}
	mac := func(key []byte, parts ...string) []byte {
		h := hmac.New(sha256.New, key)
		for _, part := range parts {
			h.Write([]byte(part))
		}
		return h.Sum(nil)
	}
	input := mac(mac(b.auth, string(shared)), "WebPush: info\x00", string(b.private.PublicKey().Bytes()), string(public),
		"\x01")
	random := mac(salt, string(input))
	block, err := aes.NewCipher(mac(random, "Content-Encoding: aes128gcm\x00\x01")[:16])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	padded, err := aead.Open(nil, mac(random, "Content-Encoding: nonce\x00\x01")[:12], sealed, nil)
	if err != nil {
		return nil, err
	}
	text := strings.TrimRight(string(padded), "\x00")
	if !strings.HasSuffix(text, "\x02") {
		return nil, errors.New("the record is not the last one")
	}
	return []byte(strings.TrimSuffix(text, "\x02")), nil
}
