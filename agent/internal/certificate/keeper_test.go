package certificate

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/xraytest"
)

func newKeeper(t *testing.T, dir string) *Keeper {
	k := New(dir, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
	k.issuer.httpPort, k.issuer.tlsPort = xraytest.FreePort(t), xraytest.FreePort(t)
	t.Cleanup(k.Close)
	return k
}

func TestKeeper_ChangedFiles_AreReadAgain(t *testing.T) {
	dir := t.TempDir()
	settings := api.TLS{CertificateFile: filepath.Join(dir, "c.pem"), KeyFile: filepath.Join(dir, "k.pem")}
	k := newKeeper(t, dir)
	if _, err := k.Fill(settings); err == nil {
		t.Error("files that are not there are no error")
	}
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first, second := xraytest.SelfSigned(t, "a.test"), xraytest.SelfSigned(t, "a.test")
	put("c.pem", first.PEM)
	put("k.pem", first.Key)
	if filled, err := k.Fill(settings); err != nil || filled.Certificate != first.PEM || filled.Key != first.Key {
		t.Fatal("the first certificate is not taken", err)
	}
	if k.Changed() {
		t.Error("what did not change has changed")
	}
	put("c.pem", second.PEM)
	if k.Changed() {
		t.Error("a certificate whose key is not there yet is taken")
	}
	put("k.pem", second.Key)
	if !k.Changed() {
		t.Error("the second certificate is not seen")
	}
	if filled, err := k.Fill(settings); err != nil || filled.Certificate != second.PEM || k.Changed() {
		t.Error("the second certificate is not taken", err)
	}
}

// pebble starts Let's Encrypt's ACME test server, which queries the authority.
func pebble(t *testing.T, k *Keeper, names *authority) (directory string) {
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	t.Setenv("PEBBLE_AUTHZREUSE", "0")
	quiet, store := log.New(io.Discard, "", 0), db.NewMemoryStore()
	authority := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {ValidityPeriod: 7776000}})
	validation := va.New(quiet, k.issuer.httpPort, k.issuer.tlsPort, true, names.address, store)
	front := wfe.New(quiet, store, validation, authority, nil, true, false, 1, 1)
	server := httptest.NewTLSServer(front.Handler())
	t.Cleanup(server.Close)
	k.issuer.client = server.Client()
	return server.URL + wfe.DirectoryPath
}

// mustObtain obtains the certificate as the agent does.
func mustObtain(t *testing.T, k *Keeper, settings api.TLS) (api.TLS, *x509.Certificate) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		filled, err := k.Fill(settings)
		if err == nil {
			block, _ := pem.Decode([]byte(filled.Certificate))
			leaf, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			return filled, leaf
		}
		if !errors.Is(err, ErrPending) || time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func TestKeeper_CertificateFromIssuer_IsStored(t *testing.T) {
	for _, challenge := range []string{"http-01", "tls-alpn-01"} {
		t.Run(challenge, func(t *testing.T) {
			dir := t.TempDir()
			k := newKeeper(t, dir)
			settings := api.TLS{
				ServerName: "hk.airport.test",
				ACME: &api.ACME{
					Email: "me@airport.test", Challenge: challenge,
					Directory: pebble(t, k, newAuthority(t)),
				},
			}
			if _, err := k.Fill(settings); !errors.Is(err, ErrPending) {
				t.Fatal("before the issuer has answered:", err)
			}
			filled, leaf := mustObtain(t, k, settings)
			if err := leaf.VerifyHostname("hk.airport.test"); err != nil {
				t.Error(err)
			}
			if err := (pair{filled.Certificate, filled.Key}).check(); err != nil {
				t.Error(err)
			}
			if k.Changed() {
				t.Error("a certificate that was taken counts as new")
			}
			k.Close()

			again := newKeeper(t, dir) // It has no issuer that it could reach.
			kept, same := mustObtain(t, again, settings)
			if !same.Equal(leaf) || kept.Key != filled.Key {
				t.Error("after a restart the certificate is another one")
			}

			other := newKeeper(t, dir)
			settings.ServerName = "sg.airport.test"
			settings.ACME.Directory = pebble(t, other, newAuthority(t))
			if _, leaf := mustObtain(t, other, settings); leaf.VerifyHostname("sg.airport.test") != nil {
				t.Errorf("another name got the certificate of %v", leaf.DNSNames)
			}
		})
	}
}

func TestKeeper_CertificateNearItsEnd_IsRenewed(t *testing.T) {
	dir := t.TempDir()
	k := newKeeper(t, dir)
	old := xraytest.SelfSigned(t, "hk.airport.test") // Half of its two hours are over.
	settings := api.TLS{
		ServerName: "hk.airport.test",
		ACME:       &api.ACME{Challenge: "http-01", Directory: pebble(t, k, newAuthority(t))},
	}
	_, leaf := mustObtain(t, k, settings)
	k.Close()
	files, err := filepath.Glob(filepath.Join(dir, "????????????????.pem"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte(old.PEM+old.Key), 0o600); err != nil {
		t.Fatal(err)
	}
	if kept, due := load(files[0]); kept.key != old.Key || time.Until(due) < 10*time.Minute ||
		time.Until(due) > 30*time.Minute {
		t.Errorf("of two hours, one is over: the next is due in %s", time.Until(due))
	}
	if due := renewal(pair{old.PEM, leaf.Subject.String()}); !due.IsZero() {
		t.Error("a certificate with the wrong key is kept")
	}
}

func TestKeeper_TruncatedAccountKey_IsReplaced(t *testing.T) {
	for name, left := range map[string]string{
		"empty": "", "half": "-----BEGIN EC PRIVATE KEY-----\nMHcCAQ",
		"another": "-----BEGIN EC PRIVATE KEY-----\nMHcCAQ==\n-----END EC PRIVATE KEY-----\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "account.pem"), []byte(left), 0o600); err != nil {
				t.Fatal(err)
			}
			k := newKeeper(t, dir)
			settings := api.TLS{
				ServerName: "hk.airport.test",
				ACME:       &api.ACME{Challenge: "http-01", Directory: pebble(t, k, newAuthority(t))},
			}
			if _, leaf := mustObtain(t, k, settings); leaf.VerifyHostname("hk.airport.test") != nil {
				t.Error("no certificate")
			}
		})
	}
}

func TestKeeper_IssuerRefuses_ReasonIsReported(t *testing.T) {
	k := newKeeper(t, t.TempDir())
	settings := api.TLS{
		ServerName: "hk.airport.test",
		ACME:       &api.ACME{Challenge: "http-01", Directory: "http://127.0.0.1:1/directory"},
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		_, filling := k.Fill(settings)
		_, wrong := k.Status()
		if !errors.Is(filling, ErrPending) || !errors.Is(wrong, ErrPending) {
			t.Fatal(filling, wrong)
		}
		if strings.Contains(wrong.Error(), "connection refused") && strings.Contains(wrong.Error(), "tried again at") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(wrong)
		}
	}
	settings.ACME = nil
	if _, err := k.Fill(settings); err != nil {
		t.Error("another source is not taken:", err)
	}
	if _, wrong := k.Status(); wrong != nil {
		t.Error("an error of the issuer is reported for another source:", wrong)
	}
}
