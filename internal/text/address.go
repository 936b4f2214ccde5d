package text

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// hosts converts the names of hosts as clients do when they look one up. Names with an underscore exist inside of
// networks.
var hosts = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false), idna.VerifyDNSLength(true))

// host is the form of a host name in ASCII; a last label of digits alone would be an IPv4 address that is none.
var host = regexp.MustCompile(`^([A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?\.)*` +
	`[A-Za-z0-9_-]*[A-Za-z_][A-Za-z0-9_-]*$`)

// WebAddress reads the address of a page or program that can be called: http or https, a host that exists as a name or
// an IP address, and a port from 1 to 65535 where it has one. It may have a user, a query or a fragment.
func WebAddress(s string) (u *url.URL, ok bool) {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || !isCallable(u.Hostname()) {
		return nil, false
	}
	if strings.HasSuffix(u.Host, ":") {
		return nil, false
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return nil, false
		}
	}
	return u, true
}

func isCallable(name string) bool {
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	ascii, err := hosts.ToASCII(strings.TrimSuffix(name, "."))
	return err == nil && host.MatchString(ascii)
}
