// Package certificate gets a node's certificate from where its settings say: the settings themselves, files, or an
// issuer that speaks ACME.
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

// Keeper holds the certificate of one node.
type Keeper struct {
	issuer issuer

	mu        sync.Mutex
	requested api.TLS
	served    pair
	// obtained is the certificate by ACME that the settings ask for, once it is there; stop ends the getting.
	obtained pair
	// lastError is why the last try to get the next one was in vain.
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

// New makes a keeper that puts what it gets from issuers into the folder dir. Host is where records for dns-01 are put,
// nil for nowhere.
func New(dir string, host dnshost.Host, log *slog.Logger) *Keeper {
	return &Keeper{issuer: issuer{
		dir: dir, httpPort: 80, tlsPort: 443, host: host, names: names{port: "53", timeout: 5 * time.Minute, interval: 5 * time.Second}, log: log,
	}}
}

// ErrPending means that the certificate is being got from its issuer.
var ErrPending = errors.New("the certificate is awaited from its issuer")

// Fill answers the settings with the certificate in them.
func (k *Keeper) Fill(t api.TLS) (api.TLS, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.stop != nil && (t.ACME == nil || k.requested.ACME == nil || *t.ACME != *k.requested.ACME || t.ServerName != k.requested.ServerName) {
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

// current is the certificate as it is now.
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

// Changed says whether Fill would give another certificate now. Files that are just being written are no change.
func (k *Keeper) Changed() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	p, err := k.current()
	return err == nil && p != k.served
}

// Status answers when the certificate that Fill gave last ends, zero where there is none, and what is wrong with it, or
// with the one that is to follow it.
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

// expiryWarning is how long before its end a certificate should have been replaced.
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

// Close ends what is under way with an issuer.
func (k *Keeper) Close() {
	k.mu.Lock()
	if k.stop != nil {
		k.stop()
	}
	k.mu.Unlock()
	k.running.Wait()
}
