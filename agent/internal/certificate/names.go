package certificate

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"

	"airstrip/agent/internal/dnshost"
)

// names asks the DNS: resolvers for who answers for a name, and these servers, at port, for what they have.
type names struct {
	resolvers []string // host:port, none: the system's
	port      string
	// timeout is how long a record may take to be at all servers, pause the time from one look to the next.
	timeout, interval time.Duration
}

// Aliases of a name lead to a zone in a few steps, where they lead to one at all.
const maxAliases = 8

// locate answers the zone that a name is in. Where the name is an alias, as one of a zone that nobody may change by
// program can be, it is the alias's target that counts, for issuers too.
func (n names) locate(ctx context.Context, name string) (zone, target string, err error) {
	if target, err = n.follow(ctx, dns.CanonicalName(name)); err != nil {
		return "", "", err
	}
	for at, end := 0, false; !end; at, end = dns.NextLabel(target, at) {
		answer, err := n.resolve(ctx, target[at:], dns.TypeSOA)
		if err != nil {
			return "", "", err
		}
		if len(pick[*dns.SOA](answer, target[at:])) > 0 {
			return strings.TrimSuffix(target[at:], "."), strings.TrimSuffix(target, "."), nil
		}
	}
	return "", "", fmt.Errorf("no zone is found that %s is in: is the domain registered and delegated?", strings.TrimSuffix(target, "."))
}

// follow answers what a name is an alias of in the end, itself where it is none.
func (n names) follow(ctx context.Context, name string) (string, error) {
	target := name
	for range maxAliases {
		answer, err := n.resolve(ctx, target, dns.TypeCNAME)
		if err != nil {
			return "", err
		}
		alias := pick[*dns.CNAME](answer, target)
		if len(alias) == 0 {
			return target, nil
		}
		target = dns.CanonicalName(alias[0].Target)
	}
	return "", fmt.Errorf("the aliases that %s leads to have no end", strings.TrimSuffix(name, "."))
}

// await returns once all servers of the record's zone that answer have it, or says what the last look found when patience is
// over. They are asked twice, since behind one address there may be many.
func (n names) await(ctx context.Context, r dnshost.Record) error {
	servers, err := n.authorities(ctx, r.Zone)
	if err != nil {
		return err
	}
	end := time.Now().Add(n.timeout) // the last look is not cut short: what it would say then is only that time is over
	for seen := 0; ; {
		if err := n.checkServers(ctx, servers, r); err != nil {
			if seen = 0; time.Now().After(end) {
				return err
			}
		} else if seen++; seen == 2 {
			return nil
		}
		if err := wait(ctx, n.interval); err != nil {
			return err
		}
	}
}

// checkServers says what keeps a record from being at all servers that answer.
func (n names) checkServers(ctx context.Context, servers []server, r dnshost.Record) error {
	var silence error
	shown := false
	for _, s := range servers {
		has, err := n.shows(ctx, s, r)
		switch {
		case err != nil:
			silence = fmt.Errorf("no name server of the zone %s answers, %s: %w", r.Zone, s.name, err)
		case !has:
			return fmt.Errorf("the record %s is not at %s (%s), a name server of the zone %s: is that hosted where the agent puts records?", r.Name, s.name, s.address, r.Zone)
		default:
			shown = true
		}
	}
	if !shown {
		return silence
	}
	return nil
}

func (n names) shows(ctx context.Context, s server, r dnshost.Record) (bool, error) {
	answer, err := exchange(ctx, s.address, question(r.Name, dns.TypeTXT, false))
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(pick[*dns.TXT](answer, r.Name), func(t *dns.TXT) bool { return strings.Join(t.Txt, "") == r.Value }), nil
}

// server is authoritative for a zone.
type server struct{ name, address string }

func (n names) authorities(ctx context.Context, zone string) (servers []server, err error) {
	answer, err := n.resolve(ctx, zone, dns.TypeNS)
	if err != nil {
		return nil, err
	}
	for _, ns := range pick[*dns.NS](answer, zone) {
		name := strings.TrimSuffix(ns.Ns, ".")
		for _, kind := range []uint16{dns.TypeA, dns.TypeAAAA} {
			answer, err := n.resolve(ctx, name, kind)
			if err != nil {
				continue // the others suffice
			}
			for _, a := range pick[*dns.A](answer, name) {
				servers = append(servers, server{name, net.JoinHostPort(a.A.String(), n.port)})
			}
			for _, a := range pick[*dns.AAAA](answer, name) {
				servers = append(servers, server{name, net.JoinHostPort(a.AAAA.String(), n.port)})
			}
		}
	}
	if len(servers) == 0 {
		return nil, fmt.Errorf("no name server of the zone %s has an address", zone)
	}
	return servers, nil
}

// resolve asks the resolvers in turn, each twice.
func (n names) resolve(ctx context.Context, name string, kind uint16) (answer *dns.Msg, err error) {
	resolvers := n.resolvers
	if len(resolvers) == 0 {
		system, err := dns.ClientConfigFromFile("/etc/resolv.conf")
		if err != nil {
			return nil, fmt.Errorf("the system's resolvers: %w", err)
		}
		for _, host := range system.Servers {
			resolvers = append(resolvers, net.JoinHostPort(host, system.Port))
		}
	}
	err = errors.New("/etc/resolv.conf names none")
	for range 2 {
		for _, resolver := range resolvers {
			if answer, err = exchange(ctx, resolver, question(name, kind, true)); err == nil {
				return answer, nil
			}
		}
	}
	return nil, fmt.Errorf("the system's resolvers: %s of %s: %w", dns.TypeToString[kind], name, err)
}

func question(name string, kind uint16, recursive bool) *dns.Msg {
	q := new(dns.Msg).SetQuestion(dns.Fqdn(name), kind).SetEdns0(1232, false)
	q.RecursionDesired = recursive
	return q
}

// exchange answers what a server says of a name; that there is none is no error.
func exchange(ctx context.Context, address string, q *dns.Msg) (*dns.Msg, error) {
	answer, _, err := (&dns.Client{Timeout: 3 * time.Second}).ExchangeContext(ctx, q, address)
	if err == nil && answer.Truncated {
		answer, _, err = (&dns.Client{Net: "tcp", Timeout: 3 * time.Second}).ExchangeContext(ctx, q, address)
	}
	if err != nil {
		return nil, err
	}
	if answer.Rcode != dns.RcodeSuccess && answer.Rcode != dns.RcodeNameError {
		return nil, fmt.Errorf("%s answers %s", address, dns.RcodeToString[answer.Rcode])
	}
	return answer, nil
}

// pick the records of one type that a name has.
func pick[T dns.RR](answer *dns.Msg, name string) (found []T) {
	for _, rr := range answer.Answer {
		if one, ok := rr.(T); ok && strings.EqualFold(rr.Header().Name, dns.Fqdn(name)) {
			found = append(found, one)
		}
	}
	return found
}
