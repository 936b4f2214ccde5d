package certificate

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"

	"airstrip/agent/internal/xraytest"
)

// The key that signs updates of the authority's zones.
const (
	updateKeyName = "agent.key."
	updateKey     = "c29tZSBzZWNyZXQgb2YgdGhlIHpvbmUncyBob3N0ISE="
)

// authority is the DNS of the tests, at one loopback address: a recursive resolver for the agent and the issuer, and
// the name server of the zones airport.test and delegated.test, which accepts signed updates (RFC 2136).
type authority struct {
	address string

	mu      sync.Mutex
	records []dns.RR
	added   int
	// With ignoresUpdates the name servers never see updates; with hidesUpdates recursive queries never see them.
	ignoresUpdates, hidesUpdates bool
	// onQuery is called for each query to a name server.
	onQuery func()
}

func newAuthority(t *testing.T) *authority {
	a := &authority{onQuery: func() {}}
	for _, line := range []string{
		"airport.test. SOA ns1.airport.test. me.airport.test. 1 60 60 60 60",
		"airport.test. NS ns1.airport.test.",
		"airport.test. NS ns2.airport.test.", // It does not answer.
		"ns1.airport.test. A 127.0.0.1",
		"ns2.airport.test. A 127.0.0.2",
		"delegated.test. SOA ns1.airport.test. me.airport.test. 1 60 60 60 60",
		"delegated.test. NS ns1.airport.test.",
		"_acme-challenge.jp.airport.test. CNAME jp.delegated.test.",
		"_acme-challenge.round.airport.test. CNAME _acme-challenge.round.airport.test.",
		"hk.airport.test. A 127.0.0.1",
		"sg.airport.test. A 127.0.0.1",
	} {
		rr, err := dns.NewRR(line)
		if err != nil {
			t.Fatal(err)
		}
		a.records = append(a.records, rr)
	}
	a.address = fmt.Sprintf("127.0.0.1:%d", xraytest.FreePort(t))
	stream, err := net.Listen("tcp", a.address)
	if err != nil {
		t.Fatal(err)
	}
	packets, err := net.ListenPacket("udp", a.address)
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range []*dns.Server{{Listener: stream}, {PacketConn: packets}} {
		server.Handler, server.TsigSecret = a, map[string]string{updateKeyName: updateKey}
		// The default refuses updates.
		server.MsgAcceptFunc = func(dns.Header) dns.MsgAcceptAction { return dns.MsgAccept }
		go server.ActivateAndServe()
		t.Cleanup(func() { server.Shutdown() })
	}
	return a
}

func (a *authority) ServeDNS(w dns.ResponseWriter, q *dns.Msg) {
	a.mu.Lock()
	defer a.mu.Unlock()
	answer := new(dns.Msg).SetReply(q)
	if q.Opcode == dns.OpcodeUpdate {
		a.update(w, q, answer)
		_ = w.WriteMsg(answer)
		return
	}
	if !q.RecursionDesired {
		a.onQuery()
	}
	at := q.Question[0].Name
	for range 4 {
		for _, rr := range a.records {
			hidden := rr.Header().Rrtype == dns.TypeTXT && (a.ignoresUpdates || a.hidesUpdates && q.RecursionDesired)
			if hidden || !strings.EqualFold(rr.Header().Name, at) {
				continue
			}
			if alias, ok := rr.(*dns.CNAME); ok {
				answer.Answer, at = append(answer.Answer, rr), alias.Target
			} else if rr.Header().Rrtype == q.Question[0].Qtype {
				answer.Answer = append(answer.Answer, rr)
			}
		}
	}
	answer.Answer = dns.Dedup(answer.Answer, nil)
	_ = w.WriteMsg(answer)
}

func (a *authority) update(w dns.ResponseWriter, q, answer *dns.Msg) {
	signed := q.IsTsig()
	if signed == nil {
		answer.Rcode = dns.RcodeRefused
		return
	}
	answer.SetTsig(signed.Hdr.Name, signed.Algorithm, 300, time.Now().Unix())
	if w.TsigStatus() != nil {
		answer.Rcode, answer.IsTsig().Error = dns.RcodeNotAuth, dns.RcodeBadSig
		if signed.Hdr.Name != updateKeyName {
			answer.IsTsig().Error = dns.RcodeBadKey
		}
		return
	}
	if zone := q.Question[0].Name; zone != "airport.test." && zone != "delegated.test." {
		answer.Rcode = dns.RcodeNotZone
		return
	}
	for _, rr := range q.Ns {
		text := rr.(*dns.TXT)
		a.records = slices.DeleteFunc(a.records, func(old dns.RR) bool {
			same, ok := old.(*dns.TXT)
			return ok && same.Hdr.Name == text.Hdr.Name && slices.Equal(same.Txt, text.Txt)
		})
		if text.Hdr.Class == dns.ClassINET {
			a.records = append(a.records, text)
			a.added++
		}
	}
}

// texts returns the names of the present TXT records, and how many were ever added.
func (a *authority) texts() (names []string, added int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, rr := range a.records {
		if rr.Header().Rrtype == dns.TypeTXT {
			names = append(names, rr.Header().Name)
		}
	}
	return names, a.added
}
