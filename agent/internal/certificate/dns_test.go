package certificate

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/dnshost"
)

// newDNSKeeper returns a keeper that proves names by updates of the authority, and settings with an issuer that queries
// it.
func newDNSKeeper(t *testing.T, a *authority, change map[string]string) (*Keeper, api.TLS) {
	t.Helper()
	k := newKeeper(t, t.TempDir())
	settings := map[string]string{
		"provider": "rfc2136", "server": a.address, "key_name": updateKeyName,
		"key": updateKey,
	}
	for name, value := range change {
		settings[name] = value
	}
	text, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "dns.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if k.issuer.host, err = dnshost.Load(path); err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(a.address)
	k.issuer.names = names{
		resolvers: []string{a.address}, port: port, timeout: time.Minute,
		interval: 10 * time.Millisecond,
	}
	return k, api.TLS{ServerName: "hk.airport.test", ACME: &api.ACME{Challenge: "dns-01", Directory: pebble(t, k, a)}}
}

// mustFailWith expects that no certificate is issued, that the reason contains the words, and that no record is left.
func mustFailWith(ctx context.Context, t *testing.T, a *authority, k *Keeper, settings api.TLS, words ...string) {
	t.Helper()
	_, err := k.issuer.obtain(ctx, settings.ServerName, *settings.ACME)
	if err == nil {
		t.Fatal("there is a certificate")
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q is not in: %v", word, err)
		}
	}
	if left, _ := a.texts(); len(left) > 0 {
		t.Errorf("records are left: %v", left)
	}
}

func TestDNS01_RecordProvesName(t *testing.T) {
	for name, change := range map[string]map[string]string{
		"hk.airport.test": nil,
		"jp.airport.test": {"key_algorithm": "HMAC-SHA512"}, // An alias leads to another zone.
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t)
			k, settings := newDNSKeeper(t, a, change)
			settings.ServerName = name
			if _, leaf := mustObtain(t, k, settings); leaf.VerifyHostname(name) != nil {
				t.Errorf("the certificate is for %v", leaf.DNSNames)
			}
			k.Close()
			if left, added := a.texts(); len(left) > 0 || added != 1 {
				t.Errorf("%d records were added, these are left: %v", added, left)
			}
		})
	}
}

func TestDNS01_OtherRecordsOfName_AreKept(t *testing.T) {
	a := newAuthority(t)
	other, err := dns.NewRR(`_acme-challenge.hk.airport.test. TXT "of somebody else"`)
	if err != nil {
		t.Fatal(err)
	}
	a.records = append(a.records, other)
	k, settings := newDNSKeeper(t, a, nil)
	mustObtain(t, k, settings)
	k.Close()
	if left, added := a.texts(); len(left) != 1 || added != 1 {
		t.Errorf("%d records were added, these are left: %v", added, left)
	}
}

func TestDNS01_HostRefuses_ReasonIsReported(t *testing.T) {
	a := newAuthority(t)
	for word, change := range map[string]map[string]string{
		"BADSIG": {"key": "YW5vdGhlciBrZXkgb2YgYW5vdGhlciBob3N0ISEhISE="},
		"BADKEY": {"key_name": "nobody.key"},
	} {
		k, settings := newDNSKeeper(t, a, change)
		mustFailWith(t.Context(), t, a, k, settings, word, "airport.test")
	}
	if _, added := a.texts(); added > 0 {
		t.Error("a wrong key changed the zone")
	}
	k, settings := newDNSKeeper(t, a, map[string]string{"server": "127.0.0.2:1"})
	mustFailWith(t.Context(), t, a, k, settings, "not sent", "127.0.0.2:1")
}

func TestTryDNS_LeavesNoRecord(t *testing.T) {
	a := newAuthority(t)
	k, _ := newDNSKeeper(t, a, nil)
	if err := k.TryDNS(t.Context(), "jp.airport.test"); err != nil {
		t.Error(err)
	}
	if left, added := a.texts(); len(left) > 0 || added != 1 {
		t.Errorf("%d records were added, these are left: %v", added, left)
	}
	k, _ = newDNSKeeper(t, a, map[string]string{"key_name": "nobody.key"})
	if err := k.TryDNS(t.Context(), "hk.airport.test"); err == nil || !strings.Contains(err.Error(), "BADKEY") {
		t.Error("with a wrong key:", err)
	}
	if err := newKeeper(t, t.TempDir()).TryDNS(t.Context(), "hk.airport.test"); !errors.Is(err, errNoHost) {
		t.Error("without a host:", err)
	}
}

func TestDNS01_RecordNeverVisible_IsRemoved(t *testing.T) {
	a := newAuthority(t)
	a.ignoresUpdates = true
	k, settings := newDNSKeeper(t, a, nil)
	k.issuer.names.timeout = 100 * time.Millisecond
	mustFailWith(t.Context(), t, a, k, settings, "_acme-challenge.hk.airport.test", "not at ns1.airport.test")
	if _, added := a.texts(); added != 1 {
		t.Errorf("%d records were added", added)
	}
}

func TestDNS01_RecordNotFoundByIssuer_IsRemoved(t *testing.T) {
	a := newAuthority(t)
	a.hidesUpdates = true
	k, settings := newDNSKeeper(t, a, nil)
	mustFailWith(t.Context(), t, a, k, settings, "No TXT records found")
	if _, added := a.texts(); added != 1 {
		t.Errorf("%d records were added", added)
	}
}

func TestDNS01_StoppedWhileWaiting_RecordIsRemoved(t *testing.T) {
	a := newAuthority(t)
	a.ignoresUpdates = true
	ctx, stop := context.WithCancel(t.Context())
	a.onQuery = stop
	k, settings := newDNSKeeper(t, a, nil)
	mustFailWith(ctx, t, a, k, settings)
	if _, added := a.texts(); added != 1 {
		t.Errorf("%d records were added", added)
	}
}

func TestLocate_NameWithoutZone_IsNamed(t *testing.T) {
	a := newAuthority(t)
	k, settings := newDNSKeeper(t, a, nil)
	settings.ServerName = "hk.nowhere.test"
	mustFailWith(t.Context(), t, a, k, settings, "_acme-challenge.hk.nowhere.test", "registered")
	settings.ServerName = "round.airport.test"
	mustFailWith(t.Context(), t, a, k, settings, "aliases")
	k.issuer.names.resolvers = []string{"127.0.0.2:1"}
	mustFailWith(t.Context(), t, a, k, settings, "resolvers")
	k.issuer.host = nil
	if _, err := k.issuer.obtain(t.Context(), settings.ServerName, *settings.ACME); !errors.Is(err, errNoHost) {
		t.Error("without a host:", err)
	}
}
