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
	Lang      fault.Lang
}

type callerKey struct{}

// CallerOf gives the caller of the request that ctx belongs to.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// address gives the caller's address: the peer's, or where the peer is a trusted proxy the last address in
// X-Forwarded-For that no trusted proxy has.
func address(r *http.Request, trusted []netip.Prefix) netip.Addr {
	peer, _ := netip.ParseAddrPort(r.RemoteAddr)
	ip := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && among(ip, trusted); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		ip = hop.Unmap()
	}
	return ip
}

func among(ip netip.Addr, prefixes []netip.Prefix) bool {
	for _, p := range prefixes {
		if p.Contains(ip) {
			return true
		}
	}
	return false
}

// language reads Accept-Language: whichever of the two languages comes first; Chinese where none does.
func language(header string) fault.Lang {
	for _, part := range strings.Split(strings.ToLower(header), ",") {
		switch tag := strings.TrimSpace(part); {
		case strings.HasPrefix(tag, "zh"):
			return fault.ZH
		case strings.HasPrefix(tag, "en"):
			return fault.EN
		}
	}
	return fault.ZH
}
