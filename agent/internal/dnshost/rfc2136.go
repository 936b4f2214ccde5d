package dnshost

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"
)

// rfc2136 is a name server that accepts updates signed with TSIG: BIND, Knot, PowerDNS and others.
type rfc2136 struct{ server, keyName, key, algorithm string }

var algorithms = []string{"hmac-sha256", "hmac-sha224", "hmac-sha384", "hmac-sha512", "hmac-sha1"}

func openRFC2136(s map[string]string, _ *http.Client) (Host, error) {
	h := rfc2136{
		server: s["server"], keyName: dns.CanonicalName(s["key_name"]), key: s["key"],
		algorithm: algorithms[0],
	}
	if given := s["key_algorithm"]; given != "" {
		h.algorithm = strings.ToLower(strings.TrimSuffix(given, "."))
	}
	if !slices.Contains(algorithms, h.algorithm) {
		return nil, fmt.Errorf("key_algorithm is none of %s", strings.Join(algorithms, ", "))
	}
	if _, err := base64.StdEncoding.DecodeString(h.key); err != nil {
		return nil, errors.New("key is not base64")
	}
	if _, _, err := net.SplitHostPort(h.server); err != nil {
		h.server = net.JoinHostPort(strings.Trim(h.server, "[]"), "53")
	}
	return h, nil
}

func (h rfc2136) Add(ctx context.Context, r Record) (func(context.Context) error, error) {
	record := []dns.RR{&dns.TXT{Hdr: dns.RR_Header{
		Name: dns.Fqdn(r.Name), Rrtype: dns.TypeTXT, Class: dns.ClassINET,
		Ttl: 60,
	}, Txt: []string{r.Value}}}
	update := new(dns.Msg).SetUpdate(dns.Fqdn(r.Zone))
	update.Insert(record)
	if err := h.send(ctx, update); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		update := new(dns.Msg).SetUpdate(dns.Fqdn(r.Zone))
		update.Remove(record)
		return h.send(ctx, update)
	}, nil
}

func (h rfc2136) send(ctx context.Context, update *dns.Msg) error {
	update.SetTsig(h.keyName, h.algorithm+".", 300, time.Now().Unix())
	client := &dns.Client{Net: "tcp", Timeout: 10 * time.Second, TsigSecret: map[string]string{h.keyName: h.key}}
	answer, _, err := client.ExchangeContext(ctx, update, h.server)
	if answer == nil {
		return fmt.Errorf("the update was not sent: %w", err)
	}
	// A server that does not know the key cannot sign its answer, so the answer's own error takes precedence.
	if t := answer.IsTsig(); t != nil && t.Error != dns.RcodeSuccess {
		return fmt.Errorf("%s refuses the key %s: %s", h.server, h.keyName, tsigErrors(t.Error))
	}
	if answer.Rcode != dns.RcodeSuccess {
		return fmt.Errorf("%s refuses the update: %s", h.server, dns.RcodeToString[answer.Rcode])
	}
	return err
}

func tsigErrors(code uint16) string {
	switch code {
	case dns.RcodeBadSig:
		return "BADSIG, key or key_algorithm is wrong"
	case dns.RcodeBadKey:
		return "BADKEY, it knows none of this name and algorithm"
	case dns.RcodeBadTime:
		return "BADTIME, this machine's clock and the server's differ"
	}
	return fmt.Sprint("error ", code)
}
