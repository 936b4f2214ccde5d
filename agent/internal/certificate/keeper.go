// Package certificate provides a node's TLS certificate from where its settings say: the settings themselves, files on
// the machine, or an ACME issuer. A Keeper follows changed files and renews certificates from an issuer well before
// they expire. Certificates and the account's key are stored in the data folder, so a restart needs no issuer. A
// renewal that fails never removes a certificate that is still valid.
package certificate

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/dnshost"
)

// Keeper provides the certificate of one node.
type Keeper struct {
	issuer issuer

	mu        sync.Mutex
	requested api.TLS
	served    pair
	// obtained is the certificate from the issuer, once there is one. stop ends the background work.
	obtained pair
	// lastError is why the last attempt to renew failed.
	lastError error
	stop      context.CancelFunc
	running   sync.WaitGroup
}

// pair is a certificate with its key, both PEM.
type pair struct{ certificate, key string }

func (p pair) check() error {
	_, err := tls.X509KeyPair([]byte(p.certificate), []byte(p.key))
	return err
}

// New returns a keeper that stores what it obtains from issuers in dir. host changes records for dns-01; nil means that
// none is configured.
func New(dir string, host dnshost.Host, log *slog.Logger) *Keeper {
	return &Keeper{issuer: issuer{
		dir: dir, httpPort: 80, tlsPort: 443, host: host, names: names{
			port: "53", timeout: 5 * time.Minute,
			interval: 5 * time.Second,
		}, log: log,
	}}
}

// ErrPending means that the certificate is being obtained from its issuer.
var ErrPending = errors.New("the certificate is awaited from its issuer")

// Fill returns the settings with the certificate in them.
func (k *Keeper) Fill(t api.TLS) (api.TLS, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.stop != nil && (t.ACME == nil || k.requested.ACME == nil || *t.ACME != *k.requested.ACME ||
		t.ServerName != k.requested.ServerName) {
		k.stop()
		k.stop, k.obtained, k.lastError = nil, pair{}, nil
	}
	k.requested = t
	if t.ACME != nil && k.stop == nil {
		k.startIssuer(t.ServerName, *t.ACME)
	}
	p, err := k.current()
	if err != nil {
		return t, err
	}
	k.served = p
	t.Certificate, t.Key = p.certificate, p.key
	return t, nil
}

// current returns the certificate as it is now.
func (k *Keeper) current() (p pair, err error) {
	switch t := k.requested; {
	case t.ACME != nil:
		if k.obtained == (pair{}) && k.lastError != nil {
			return p, fmt.Errorf("%w: %w", ErrPending, k.lastError)
		}
		if k.obtained == (pair{}) {
			return p, ErrPending
		}
		return k.obtained, nil
	case t.Certificate != "" || t.CertificateFile == "" || t.KeyFile == "":
		return pair{t.Certificate, t.Key}, nil
	default:
		certificate, err := os.ReadFile(t.CertificateFile)
		if err != nil {
			return p, fmt.Errorf("certificate_file: %w", err)
		}
		key, err := os.ReadFile(t.KeyFile)
		if err != nil {
			return p, fmt.Errorf("key_file: %w", err)
		}
		p = pair{string(certificate), string(key)}
		if err := p.check(); err != nil {
			return p, fmt.Errorf("certificate_file %s with key_file %s: %w", t.CertificateFile, t.KeyFile, err)
		}
		return p, nil
	}
}

// Changed reports whether Fill would return another certificate now. Files that are being written do not count.
func (k *Keeper) Changed() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	p, err := k.current()
	return err == nil && p != k.served
}

// Status returns when the certificate that Fill returned last expires, zero without one, and what is wrong with it or
// with its renewal.
func (k *Keeper) Status() (ends time.Time, wrong error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, wrong = k.current()
	both, err := tls.X509KeyPair([]byte(k.served.certificate), []byte(k.served.key))
	if err != nil {
		return ends, wrong
	}
	ends = both.Leaf.NotAfter
	left, life := time.Until(ends), ends.Sub(both.Leaf.NotBefore)
	switch {
	case wrong != nil:
	case left <= 0:
		wrong = errors.New("it has ended")
	case left < min(expiryWarning, life/4):
		wrong = errors.New("it ends soon, and the next is not there")
	}
	if wrong != nil && k.lastError != nil && !errors.Is(wrong, k.lastError) {
		wrong = fmt.Errorf("%w: %w", wrong, k.lastError)
	}
	return ends, wrong
}

// expiryWarning is how long before its expiry a certificate should have been renewed.
const expiryWarning = 7 * 24 * time.Hour

// startIssuer follows the certificate of a name in the background.
func (k *Keeper) startIssuer(name string, settings api.ACME) {
	ctx, stop := context.WithCancel(context.Background())
	k.stop = stop
	k.running.Go(func() {
		k.issuer.follow(ctx, name, settings, func(p pair, err error) {
			k.mu.Lock()
			defer k.mu.Unlock()
			if ctx.Err() != nil {
				return
			}
			if k.lastError = err; err == nil {
				k.obtained = p
			}
		})
	})
}

// Close ends the work in the background.
func (k *Keeper) Close() {
	k.mu.Lock()
	if k.stop != nil {
		k.stop()
	}
	k.mu.Unlock()
	k.running.Wait()
}
