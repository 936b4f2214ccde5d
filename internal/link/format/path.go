package format

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"airstrip/internal/node"
)

// splitPath splits the path of a node as Xray does when it serves it. The parameter ed is the size of early data; the
// rest is compared with the decoded path of a request. Other clients do not evaluate ed. A size that is too large for a
// request's header, or not a number, is ignored: servers work without early data.
func splitPath(path string) (string, int) {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	u, err := url.Parse(path)
	if err != nil {
		return path, 0
	}
	q := u.Query()
	size := q.Get("ed")
	if size == "" {
		return path, 0
	}
	q.Del("ed")
	u.RawQuery = q.Encode()
	early, err := strconv.Atoi(size)
	if err != nil || early < 0 || early > node.MaxEarlyData {
		early = 0
	}
	return u.String(), early
}

// xrayPath returns the path in Xray's syntax, which share links also use.
func (p *Proxy) xrayPath() string {
	if p.EarlyData == 0 {
		return p.Path
	}
	return p.Path + "?ed=" + strconv.Itoa(p.EarlyData)
}

// earlyDataHeader is where Xray's servers expect early data.
const earlyDataHeader = "Sec-WebSocket-Protocol"

var (
	plainPath    = regexp.MustCompile(`^[A-Za-z0-9._~!$&'()*+,;=:@/-]+$`)
	markedPath   = regexp.MustCompile(`^[!-~]+$`)
	plainService = regexp.MustCompile(`^[A-Za-z0-9._~$&+=:@-]+$`)
	// Xray reads a name with a leading slash as the complete path, whose last segment is the method.
	rootedService = regexp.MustCompile(`^(/[A-Za-z0-9._~$&+=:@-]+)+$`)
	escapedByte   = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
)

// pathKind names what in the path, or in the service name of gRPC, keeps some clients from the node; empty for nothing.
// A server compares the node's path as written with the decoded path of the request. Clients that send it as written,
// or decode it first, therefore miss paths with characters that have a meaning in URLs. Such paths are refused today,
// but nodes saved before may have them.
func (p *Proxy) pathKind() string {
	switch p.Transport {
	case "ws", "httpupgrade", "xhttp":
	case "grpc":
		switch {
		case plainService.MatchString(p.ServiceName):
			return ""
		case rootedService.MatchString(p.ServiceName):
			return "rooted"
		case strings.HasPrefix(p.ServiceName, "/"):
			return "foreign"
		}
		return "name"
	default:
		return ""
	}
	rest := escapedByte.ReplaceAllString(p.Path, "")
	switch {
	case !markedPath.MatchString(p.Path):
		return "foreign"
	case strings.Contains(rest, "%"):
		return "stray"
	case rest != p.Path:
		return "escape"
	case strings.HasPrefix(p.Path, "//"):
		return "slashes"
	case strings.Contains(p.Path, "#"):
		return "fragment"
	case strings.Contains(p.Path, "?"):
		return "query"
	case !plainPath.MatchString(p.Path):
		return "marks"
	}
	return ""
}
