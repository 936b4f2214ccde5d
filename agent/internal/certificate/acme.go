package certificate

import (
	"cmp"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/crypto/acme"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/dnshost"
	"airstrip/agent/internal/durable"
)

// issuer obtains certificates by ACME (RFC 8555) and stores them, with the account's key, in a folder.
type issuer struct {
	dir               string
	httpPort, tlsPort int
	client            *http.Client // Nil for the default.
	host              dnshost.Host // Nil for none; dns-01 is impossible then.
	names             names
	log               *slog.Logger
}

// Issuers limit failures (Let's Encrypt: five per hour and name), so retries soon become rare.
const (
	initialDelay = time.Minute
	maxDelay     = 4 * time.Hour
	orderTime    = 10 * time.Minute
)

// follow delivers the certificate of a name and, before each expires, the next one, or the reason for a failure, until
// ctx is done.
func (i *issuer) follow(ctx context.Context, name string, settings api.ACME, got func(pair, error)) {
	sum := sha256.Sum256([]byte(settings.Directory + " " + name))
	path := filepath.Join(i.dir, hex.EncodeToString(sum[:8])+".pem")
	gap := initialDelay
	kept, due := load(path)
	if kept != (pair{}) {
		got(kept, nil)
	}
	for {
		if wait(ctx, time.Until(due)) != nil {
			return
		}
		next, err := i.obtain(ctx, name, settings)
		if err == nil {
			if err := durable.WriteFile(path, []byte(next.certificate+next.key)); err != nil {
				i.log.Error("a certificate could not be kept; it is got anew at the next start", "name", name, "err",
					err)
			}
			i.log.Info("the issuer gave a certificate", "name", name)
			got(next, nil)
			due, gap = renewal(next), initialDelay
			if soonest := time.Now().Add(time.Hour); due.Before(soonest) { // A wrong clock must not cause a loop.
				due = soonest
			}
			continue
		}
		if ctx.Err() != nil {
			return
		}
		i.log.Error("no certificate from the issuer", "name", name, "err", err, "again in", gap)
		due, gap = time.Now().Add(gap), min(4*gap, maxDelay)
		got(pair{}, fmt.Errorf("%w; it is tried again at %s, or at a restart", err, due.Format(time.TimeOnly)))
	}
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// load returns a stored certificate and when to renew it, which is now if there is no usable one.
func load(path string) (p pair, due time.Time) {
	data, err := os.ReadFile(path)
	if err != nil {
		return p, time.Time{}
	}
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if text := string(pem.EncodeToMemory(block)); block.Type == "CERTIFICATE" {
			p.certificate += text
		} else {
			p.key += text
		}
	}
	due = renewal(p)
	if due.IsZero() {
		return pair{}, due
	}
	return p, due
}

// renewal returns when two thirds of a certificate's life are over, or zero if it is invalid or expired.
func renewal(p pair) time.Time {
	both, err := tls.X509KeyPair([]byte(p.certificate), []byte(p.key))
	if err != nil || time.Now().After(both.Leaf.NotAfter) {
		return time.Time{}
	}
	return both.Leaf.NotAfter.Add(-both.Leaf.NotAfter.Sub(both.Leaf.NotBefore) / 3)
}

// obtain places one order and answers its challenge.
func (i *issuer) obtain(ctx context.Context, name string, settings api.ACME) (p pair, err error) {
	ctx, cancel := context.WithTimeout(ctx, orderTime)
	defer cancel()
	if settings.Challenge == "dns-01" && i.host == nil {
		return p, errNoHost // Before the issuer starts any work.
	}
	if err := os.MkdirAll(i.dir, 0o700); err != nil {
		return p, err
	}
	account, err := i.accountKey(filepath.Join(i.dir, "account.pem"))
	if err != nil {
		return p, fmt.Errorf("the account's key: %w", err)
	}
	client := &acme.Client{
		Key: account, DirectoryURL: cmp.Or(settings.Directory, acme.LetsEncryptURL),
		HTTPClient: i.client, UserAgent: "airstrip-node",
	}
	contact := &acme.Account{}
	if settings.Email != "" {
		contact.Contact = []string{"mailto:" + settings.Email}
	}
	if _, err := client.Register(ctx, contact, acme.AcceptTOS); err != nil &&
		!errors.Is(err, acme.ErrAccountAlreadyExists) {
		return p, fmt.Errorf("registering: %w", err)
	}
	order, err := client.AuthorizeOrder(ctx, acme.DomainIDs(name))
	if err != nil {
		return p, fmt.Errorf("ordering: %w", err)
	}
	for _, url := range order.AuthzURLs {
		if err := i.authorize(ctx, client, url, name, settings.Challenge); err != nil {
			return p, err
		}
	}
	if _, err = client.WaitOrder(ctx, order.URI); err != nil {
		return p, fmt.Errorf("the order: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return p, err
	}
	request, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{DNSNames: []string{name}}, key)
	if err != nil {
		return p, err
	}
	chain, _, err := client.CreateOrderCert(ctx, order.FinalizeURL, request, true)
	if err != nil {
		// The library loses the order if the issuer takes long and does not repeat the order's URL.
		late, waiting := client.WaitOrder(ctx, order.URI)
		if waiting != nil {
			return p, fmt.Errorf("the certificate: %w", errors.Join(err, waiting))
		}
		if chain, err = client.FetchCert(ctx, late.CertURL, true); err != nil {
			return p, fmt.Errorf("the certificate: %w", err)
		}
	}
	for _, der := range chain {
		p.certificate += string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	}
	p.key, err = keyPEM(key)
	return p, err
}

// authorize proves to the issuer that the name belongs to this machine.
func (i *issuer) authorize(ctx context.Context, client *acme.Client, url, name, kind string) error {
	authorization, err := client.GetAuthorization(ctx, url)
	if err != nil {
		return fmt.Errorf("the authorization: %w", err)
	}
	if authorization.Status == acme.StatusValid {
		return nil
	}
	at := slices.IndexFunc(authorization.Challenges, func(c *acme.Challenge) bool { return c.Type == kind })
	if at < 0 {
		return fmt.Errorf("the issuer does not take %s", kind)
	}
	challenge := authorization.Challenges[at]
	open := map[string]func(context.Context, *acme.Client, string, string) (func(), error){
		"http-01": i.answerHTTP, "tls-alpn-01": i.answerTLS, "dns-01": i.answerDNS,
	}[kind]
	closing, err := open(ctx, client, challenge.Token, name)
	if err != nil {
		return fmt.Errorf("answering the challenge: %w", err)
	}
	defer closing()
	if _, err := client.Accept(ctx, challenge); err != nil {
		return fmt.Errorf("the challenge: %w", err)
	}
	if _, err := client.WaitAuthorization(ctx, url); err != nil {
		return fmt.Errorf("the challenge: %w", err)
	}
	return nil
}

func (i *issuer) answerHTTP(_ context.Context, client *acme.Client, token, _ string) (func(), error) {
	answer, err := client.HTTP01ChallengeResponse(token)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", ":"+strconv.Itoa(i.httpPort))
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+client.HTTP01ChallengePath(token),
		func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) })
	server := &http.Server{Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second}
	go server.Serve(listener)
	return func() { server.Close() }, nil
}

func (i *issuer) answerTLS(_ context.Context, client *acme.Client, token, name string) (func(), error) {
	certificate, err := client.TLSALPN01ChallengeCert(token, name)
	if err != nil {
		return nil, err
	}
	listener, err := tls.Listen("tcp", ":"+strconv.Itoa(i.tlsPort),
		&tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{acme.ALPNProto}})
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
				_ = conn.(*tls.Conn).Handshake() // The issuer needs to see nothing but the handshake.
			}()
		}
	}()
	return func() { listener.Close() }, nil
}

// accountKey reads the account's key. It creates the key on first use, and when the file is truncated.
func (i *issuer) accountKey(path string) (crypto.Signer, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		if block, _ := pem.Decode(data); block != nil {
			if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
				return key, nil
			}
		}
		i.log.Warn("the account's key with the issuer is not readable; the agent begins another account", "file", path)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	text, err := keyPEM(key)
	if err != nil {
		return nil, err
	}
	return key, durable.WriteFile(path, []byte(text))
}

func keyPEM(key *ecdsa.PrivateKey) (string, error) {
	der, err := x509.MarshalECPrivateKey(key)
	return string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})), err
}
