package format

import (
	"net"
	"strconv"
	"strings"
)

// line is an entry of a format with one entry per line: words and settings separated by commas. fits has checked their
// characters.
type line struct {
	strings.Builder
	comma string
}

// word adds a positional value.
func (l *line) word(value string) {
	if l.Len() > 0 {
		l.WriteString(l.comma)
	}
	l.WriteString(value)
}

// quoted adds a value in quotes.
func (l *line) quoted(value string) { l.word(`"` + value + `"`) }

// set adds a setting, unless its value is empty.
func (l *line) set(name, value string) {
	if value != "" {
		l.word(name + "=" + value)
	}
}

// secret adds a setting whose value is quoted if it contains more than letters and digits.
func (l *line) secret(name, value string) {
	for _, r := range value {
		if (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '-' && r != '_' && r != '.' {
			value = `"` + value + `"`
			break
		}
	}
	l.set(name, value)
}

// urlPath returns the path as it is sent: clients that split lines at commas and spaces send it unchanged.
func urlPath(path string) string {
	var b strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' &&
			c <= 'z', strings.IndexByte("-._~/&=:@!$*();", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteString("%" + strings.ToUpper(strconv.FormatInt(int64(c>>4), 16)+strconv.FormatInt(int64(c&15), 16)))
		}
	}
	return b.String()
}

// fullWidth replaces these characters in name by their full-width forms, which look alike and mean nothing to a parser.
func fullWidth(name, chars string) string {
	if chars == "" {
		return name
	}
	name = strings.ReplaceAll(name, "//", "／／") // It begins a comment.
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(chars, r) {
			return r - '!' + '！'
		}
		return r
	}, name)
}

func (p *Proxy) port() string { return strconv.Itoa(p.Port) }

func (p *Proxy) hostPort() string { return net.JoinHostPort(p.Address, p.port()) }

// secured reports whether there is any TLS.
func (p *Proxy) secured() bool { return p.Security != "none" }
