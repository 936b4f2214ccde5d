package api

import (
	"context"
	"net/http"
	"net/netip"
	"strings"

	"airstrip/internal/fault"
)

// Caller is what is known of a request's other end before any sign-in.
type Caller struct {
	RequestID string
	IP        netip.Addr // behind trusted proxies the address that they name
	UserAgent string
	Lang      fault.Lang // in which the caller is answered
	AskedLang fault.Lang // that the caller asks for; empty: none that the product speaks
}

type callerKey struct{}

// CallerOf returns the caller of the request that ctx belongs to.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// address returns the caller's address: the peer's, or where the peer is a trusted proxy the last address in
// X-Forwarded-For that no trusted proxy has.
func address(r *http.Request, trusted []netip.Prefix) netip.Addr {
	ip, _ := parseHop(r.RemoteAddr)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && among(ip, trusted); i-- {
		hop, ok := parseHop(strings.TrimSpace(hops[i]))
		if !ok {
			break
		}
		ip = hop
	}
	return ip
}

// parseHop reads an address with or without a port. A zone is left out: it means something to its own machine only, and
// may be any text.
func parseHop(hop string) (ip netip.Addr, ok bool) {
	ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(hop, "["), "]"))
	if err != nil {
		withPort, err := netip.ParseAddrPort(hop)
		if err != nil {
			return netip.Addr{}, false
		}
		ip = withPort.Addr()
	}
	return ip.WithZone("").Unmap(), true
}

func among(ip netip.Addr, prefixes []netip.Prefix) bool {
	for _, p := range prefixes {
		if p.Contains(ip) {
			return true
		}
	}
	return false
}

// language reads Accept-Language: whichever of the two languages comes first; empty where none does.
func language(header string) fault.Lang {
	for _, part := range strings.Split(strings.ToLower(header), ",") {
		switch tag := strings.TrimSpace(part); {
		case strings.HasPrefix(tag, "zh"):
			return fault.ZH
		case strings.HasPrefix(tag, "en"):
			return fault.EN
		}
	}
	return ""
}
