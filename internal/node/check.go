package node

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"math"
	"net"
	"net/mail"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"airstrip/internal/fault"
	"airstrip/internal/text"
)

// protocolNames lists all protocols for messages.
const protocolNames = "shadowsocks, vmess, vless, trojan, hysteria2, tuic, anytls"

// Methods are the ciphers of Shadowsocks nodes. Of the 2022 edition only those with AES tell users apart.
var Methods = []string{
	"aes-128-gcm", "aes-256-gcm", "chacha20-ietf-poly1305", "2022-blake3-aes-128-gcm",
	"2022-blake3-aes-256-gcm",
}

var methodNames = strings.Join(Methods, ", ")

// overAny are the transports of the protocols that have more than one.
var overAny = []string{"tcp", "ws", "grpc", "httpupgrade", "xhttp"}

// overHTTP are those of which requests have a path and a host.
var overHTTP = []string{"ws", "httpupgrade", "xhttp"}

// xhttpModes are the ways in which clients of XHTTP send; the first is the default.
var xhttpModes = []string{"auto", "packet-up", "stream-up", "stream-one"}

// transports and securities hold what each protocol supports; the first is the default. VLESS, unlike VMess, has no
// encryption of its own.
var (
	transports = map[Protocol][]string{
		Shadowsocks: {""}, Hysteria2: {""}, TUIC: {""}, AnyTLS: {""},
		VMess: overAny, VLESS: overAny, Trojan: overAny,
	}
	securities = map[Protocol][]string{
		Shadowsocks: {""}, Hysteria2: {"tls"}, TUIC: {"tls"}, AnyTLS: {"tls"},
		Trojan: {"tls", "reality"}, VMess: {"none", "tls", "reality"}, VLESS: {"tls", "reality", "none"},
	}
)

var congestions = []string{"bbr", "cubic", "new_reno"}

var acmeChallenges = []string{"http-01", "tls-alpn-01", "dns-01"}

const vision = "xtls-rprx-vision"

var (
	hostName    = regexp.MustCompile(`^(?i)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$`)
	country     = regexp.MustCompile(`^[A-Z]{2}$`)
	paddingLine = regexp.MustCompile(`^(stop=[0-9]{1,3}|[0-9]{1,3}=(c|[0-9]{1,5}-[0-9]{1,5})(,(c|[0-9]{1,5}-[0-9]{1,5}))*)$`)
	// Paths and service names that all clients send as the servers compare them. Where one has signs with a meaning in
	// addresses, or such as must be escaped, each client does as it thinks right, and some refuse their whole file.
	httpPath    = regexp.MustCompile(`^/([A-Za-z0-9._~!$&'()*+,;=:@-]+/)*[A-Za-z0-9._~!$&'()*+,;=:@-]*$`)
	serviceName = regexp.MustCompile(`^[A-Za-z0-9._~$&+=:@-]+$`)
	word        = regexp.MustCompile(`^[!-~]{1,255}$`)
)

// Limits of what has no natural one. They keep sums within 64 bits and lists short enough for every agent and link.
const (
	maxMbps       = 10_000_000 // 10 Tbit/s
	maxNumber     = 1_000_000  // of classes and groups
	maxQuota      = 1 << 60    // bytes
	maxGroupHosts = 1000
	maxALPN       = 10
	maxPadding    = 100 // lines
	maxPath       = 256 // characters
)

// MaxEarlyData limits what a WebSocket client may send in the header of its request, in bytes. In base64 it fits the 8
// KiB that Xray and proxies in front of it read as headers.
const MaxEarlyData = 4096

// setDefaults fills the fields that the operator left empty.
func setDefaults(n *Node) {
	n.Name, n.Address = strings.TrimSpace(n.Name), strings.Trim(strings.TrimSpace(n.Address), "[]")
	n.Names = n.Names.OrEmpty() // the column is not nullable
	if n.ListenPort == 0 {
		n.ListenPort = n.Port
	}
	if n.HourRates == nil {
		n.HourRates = []int64{}
	}
	if n.GroupHosts == nil {
		n.GroupHosts = GroupHosts{}
	}
	if n.Relays == nil {
		n.Relays = []Relay{}
	}
	if n.Tags == nil {
		n.Tags = []string{}
	}
	if known := transports[n.Protocol]; known != nil && n.Settings.Transport == "" {
		n.Settings.Transport = known[0]
	}
	if n.Protocol == TUIC && n.Settings.Congestion == "" {
		n.Settings.Congestion = congestions[0]
	}
	if n.Settings.Reality != nil && n.Settings.Security == "" {
		n.Settings.Security = "reality"
	}
	if known := securities[n.Protocol]; known != nil && n.Settings.Security == "" {
		n.Settings.Security = known[0]
	}
}

// problems collects the invalid fields of a node.
type problems struct{ fault.Problems }

// check names everything that keeps the node from working. was is the stored node; nil: n is new. A path or service
// name that did not change is not checked, so that a node saved before a stricter check can still be changed; links
// leave it out for clients that cannot use it.
func check(n, was *Node) error {
	var p problems
	p.When(n.ID < 0 || n.ID > math.MaxInt32, "id", "range", "编号为 1 到 2147483647",
		"A number is between 1 and 2147483647")
	p.When(text.Folded(n.Name) == "" || !isLabel(n.Name, 64), "name", "length", "名称需为 1 到 64 个字符，不能换行",
		"The name takes 1 to 64 characters in one line")
	for _, lang := range []fault.Lang{fault.ZH, fault.EN} {
		p.When(!isLabel(n.Names[lang], 64), fault.FieldOf("name", lang), "length", "名称最多 64 个字符，不能换行",
			"The name takes at most 64 characters in one line")
	}
	p.When(transports[n.Protocol] == nil, "protocol", "choice", "协议为 "+protocolNames+" 之一",
		"The protocol is one of "+protocolNames)
	p.When(!IsHost(n.Address), "address", "format", "请填写域名或 IP", "This is neither a host name nor an IP address")
	p.When(n.Port < 1 || n.Port > 65535, "port", "range", "端口范围为 1 到 65535", "A port is between 1 and 65535")
	_, err := netip.ParseAddr(n.Listen)
	p.When(err != nil, "listen", "format", "监听地址必须是 IP", "The address to listen on must be an IP address")
	p.When(n.ListenPort != n.Port && (n.ListenPort < 1 || n.ListenPort > 65535), "listen_port", "range",
		"端口范围为 1 到 65535", "A port is between 1 and 65535")
	p.When(n.RatePermille < 0 || n.RatePermille > 100_000, "rate", "range", "倍率范围为 0 到 100",
		"The rate is between 0 and 100")
	p.When(len(n.HourRates) > 0 && (len(n.HourRates) != 24 || !all(n.HourRates, func(r int64) bool {
		return r >= 0 &&
			r <= 100_000
	})), "hour_rates", "range",
		"分时倍率需为 24 个 0 到 100 的数，或留空", "The rates by hour are 24 numbers between 0 and 100, or none")
	p.When(n.QuotaBytes != nil && (*n.QuotaBytes < 1 || *n.QuotaBytes > maxQuota), "quota_bytes", "range",
		"月流量为 1 字节到 1 EiB；不限请填 0", "The quota is between 1 byte and 1 EiB; 0 for none")
	p.When(n.ResetDay < 1 || n.ResetDay > 31, "reset_day", "range", "重置日为 1 到 31",
		"The day of the reset is between 1 and 31")
	p.entries(n)
	p.When(len(n.Tags) > 10 || !all(n.Tags, func(tag string) bool {
		return tag == strings.TrimSpace(tag) && tag != "" &&
			isLabel(tag, 20)
	}), "tags", "length",
		"最多 10 个标签，每个 1 到 20 个字符", "There are at most ten tags of 1 to 20 characters")
	p.When(len([]rune(n.Remark)) > 2000, "remark", "length", "备注最多 2000 个字符", "A remark has at most 2000 characters")
	p.When(n.Class < 0 || n.Class > maxNumber, "class", "range", "等级范围为 0 到 1000000",
		"The class is between 0 and 1000000")
	p.When(n.GroupID < 0 || n.GroupID > maxNumber, "group_id", "range", "分组范围为 0 到 1000000",
		"The group is between 0 and 1000000")
	p.When(!country.MatchString(n.Country), "country", "format", "请填写两位国家代码，未知填 ZZ",
		"The country is a code of two capital letters, ZZ where unknown")
	p.When(n.SpeedMbps != nil && (*n.SpeedMbps < 1 || *n.SpeedMbps > maxMbps), "speed_mbps", "range",
		"限速为 1 到 10000000 Mbit/s；不限速请填 0", "A speed limit is between 1 and 10000000 Mbit/s; 0 for none")
	p.When(n.LinkMbps < 1 || n.LinkMbps > maxMbps, "link_mbps", "range", "带宽为 1 到 10000000 Mbit/s",
		"The bandwidth is between 1 and 10000000 Mbit/s")
	if transports[n.Protocol] != nil {
		p.settings(n)
		if was == nil || was.Settings.Transport != n.Settings.Transport || was.Settings.Path != n.Settings.Path ||
			was.Settings.ServiceName != n.Settings.ServiceName {
			p.endpoint(&n.Settings)
		}
	}
	return p.Err()
}

// entries checks the other addresses that clients dial.
func (p *problems) entries(n *Node) {
	if len(n.GroupHosts) > maxGroupHosts {
		p.When(true, "group_hosts", "length", "最多 1000 个链接分组", "At most 1000 link groups can have an address")
		return
	}
	for group, e := range n.GroupHosts {
		field := "group_hosts." + strconv.Itoa(group)
		p.When(group < 1 || group > maxNumber, field, "range", "链接分组为正整数", "A link group is an integer from 1")
		p.When(!IsHost(e.Host), field+".host", "format", "请填写域名或 IP", "This is neither a host name nor an IP address")
		p.When(e.Port < 0 || e.Port > 65535, field+".port", "range", "端口范围为 1 到 65535", "A port is between 1 and 65535")
	}
	p.When(len(n.Relays) > maxRelays, "relays", "length", "最多 20 个中转入口", "There are at most 20 relays")
	for i, r := range n.Relays {
		field := "relays." + strconv.Itoa(i)
		p.When(strings.TrimSpace(r.Name) != r.Name || r.Name == "" || !isLabel(r.Name, 32), field+".name", "length",
			"名称需为 1 到 32 个字符，不能换行", "The name takes 1 to 32 characters in one line")
		p.When(!IsHost(r.Host), field+".host", "format", "请填写域名或 IP", "This is neither a host name nor an IP address")
		p.When(r.Port < 1 || r.Port > 65535, field+".port", "range", "端口范围为 1 到 65535", "A port is between 1 and 65535")
	}
}

func (p *problems) settings(n *Node) {
	s := &n.Settings
	p.oneOf(s.Transport, transports[n.Protocol], "settings.transport", "传输方式", "The transport")
	p.oneOf(s.Security, securities[n.Protocol], "settings.security", "加密方式", "The security")
	p.When(slices.Contains(overHTTP, s.Transport) && s.Host != "" && !IsHost(s.Host), "settings.host", "format",
		"请填写域名或 IP", "This is neither a host name nor an IP address")
	p.When(s.Transport == "xhttp" && s.XHTTPMode != "" && !slices.Contains(xhttpModes, s.XHTTPMode),
		"settings.xhttp_mode", "choice",
		"XHTTP 模式为 "+strings.Join(xhttpModes, ", ")+" 之一", "The mode of XHTTP is one of: "+strings.Join(xhttpModes,
			", "))
	p.When(s.Flow != "" && (s.Flow != vision || n.Protocol != VLESS || s.Transport != "tcp" || s.Security == "none"),
		"settings.flow", "choice",
		"流控只能是 xtls-rprx-vision，且仅用于 TCP 上带 TLS 或 REALITY 的 VLESS",
		"The flow is xtls-rprx-vision, on VLESS over tcp with tls or reality")
	p.When(s.UpMbps < 0 || s.UpMbps > maxMbps, "settings.up_mbps", "range", "带宽为 0 到 10000000 Mbit/s",
		"A bandwidth is between 0 and 10000000 Mbit/s")
	p.When(s.DownMbps < 0 || s.DownMbps > maxMbps, "settings.down_mbps", "range", "带宽为 0 到 10000000 Mbit/s",
		"A bandwidth is between 0 and 10000000 Mbit/s")
	p.When(s.Obfs != "" && (n.Protocol != Hysteria2 || s.Obfs != "salamander"), "settings.obfs", "choice",
		"混淆只能是 Hysteria2 的 salamander", "The obfuscation is salamander, on Hysteria2")
	p.When(s.Obfs != "" && !word.MatchString(s.ObfsPassword), "settings.obfs_password", "format", "混淆密码最多 255 个字符，不含空格",
		"The password of the obfuscation has at most 255 characters and no space")
	p.When(s.Congestion != "" && (n.Protocol != TUIC || !slices.Contains(congestions, s.Congestion)),
		"settings.congestion", "choice",
		"拥塞控制为 TUIC 的 bbr、cubic 或 new_reno", "The congestion control is bbr, cubic or new_reno, on TUIC")
	p.When(s.ZeroRTT && n.Protocol != TUIC, "settings.zero_rtt", "choice", "0-RTT 仅用于 TUIC", "0-RTT is for TUIC")
	p.When(len(s.Padding) > 0 && (n.Protocol != AnyTLS || !isPadding(s.Padding)), "settings.padding_scheme", "format",
		"填充方案为 AnyTLS 的行：stop=N，以及 N=c 或 N=最小-最大",
		"A padding scheme is lines of AnyTLS: stop=N, and N=c or N=least-most, separated by commas")
	if n.Protocol == Shadowsocks {
		p.When(!slices.Contains(Methods, s.Method), "settings.method", "choice", "加密方法为 "+methodNames+" 之一",
			"The cipher is one of "+methodNames)
		key, err := base64.StdEncoding.DecodeString(s.ServerKey)
		p.When(len(key) > 0 && len(key) == keySize(s.Method) && text.IsGuessable(string(key)), "settings.server_key",
			"weak",
			"服务端密钥过于简单，请留空以自动生成", "The server key follows a pattern that can be guessed; leave it out to have one made")
		p.When(keySize(s.Method) > 0 && (err != nil || len(key) != keySize(s.Method)), "settings.server_key", "format",
			"服务端密钥的长度与加密方法不符", "The server key does not have the length that the cipher wants")
	}
	switch s.Security {
	case "tls":
		p.tls(s.TLS, n.Address)
		if s.Transport == "xhttp" && s.TLS != nil && len(s.TLS.ALPN) > 0 {
			p.httpVersion(s.TLS.ALPN)
		}
		if s.TLS != nil && s.TLS.ACME != nil {
			p.acme(n, *s.TLS.ACME)
			return
		}
		p.certificate(s.TLS)
	case "reality":
		p.When(s.Transport == "ws" || s.Transport == "httpupgrade", "settings.transport", "conflict",
			"REALITY 只能用于 tcp、grpc 和 xhttp", "REALITY carries tcp, grpc and xhttp only")
		p.reality(s.Reality)
	}
}

// httpVersion checks the ALPN of XHTTP over TLS: clients speak HTTP/2 over TCP unless the list names only another
// version.
func (p *problems) httpVersion(alpn []string) {
	const field = "settings.tls.alpn"
	if slices.Contains(alpn, "h3") {
		p.When(true, field, "conflict", "XHTTP 节点只监听 TCP，没有 HTTP/3，请去掉 h3",
			"XHTTP nodes listen on TCP and have no HTTP/3; leave out h3")
		return
	}
	p.When(!slices.Contains(alpn, "h2"), field, "conflict",
		"XHTTP 经 TLS 使用 HTTP/2，请加上 h2 或留空", "XHTTP over TLS is HTTP/2; add h2, or leave the list empty")
}

// endpoint checks the path or service name that tells the node from other pages of its host.
func (p *problems) endpoint(s *Settings) {
	if slices.Contains(overHTTP, s.Transport) {
		p.path(s)
	}
	p.When(s.Transport == "grpc" && s.ServiceName == "", "settings.service_name", "required", "gRPC 需要服务名",
		"gRPC needs a service name")
	p.When(s.Transport == "grpc" && s.ServiceName != "" && (len(s.ServiceName) > 255 ||
		!serviceName.MatchString(s.ServiceName)),
		"settings.service_name", "format", "服务名最多 255 个字符，只能含英文字母、数字和 . _ ~ $ & + = : @ -，不能是中文：其他字符各客户端的写法不同，会连不上",
		"A service name has at most 255 characters: letters A to Z, digits and . _ ~ $ & + = : @ -. Clients write "+
			"others differently and fail to connect")
}

// path checks the path of a transport over HTTP and explains its first invalid character.
func (p *problems) path(s *Settings) {
	const field = "settings.path"
	path, early, asked := strings.Cut(s.Path, "?ed=")
	if s.Transport != "ws" && asked {
		name := map[string]string{"httpupgrade": "HTTPUpgrade", "xhttp": "XHTTP"}[s.Transport]
		p.When(true, field, "early_data", name+" 没有 ed（提前数据），只有 WebSocket 有，请去掉 ?ed=…",
			name+" has no early data, WebSocket alone has; leave out ?ed=…")
		return
	}
	bytes, err := strconv.Atoi(early)
	p.When(asked && (err != nil || bytes < 1 || bytes > MaxEarlyData), field, "early_data",
		"ed 为 1 到 4096 的整数，且须在路径末尾", "ed is an integer from 1 to 4096, at the end of the path")
	switch {
	case !strings.HasPrefix(path, "/"):
		p.When(true, field, "format", "路径以 / 开头", "The path begins with a slash")
	case len(s.Path) > maxPath:
		p.When(true, field, "length", "路径最多 256 个字符", "A path has at most 256 characters")
	case strings.ContainsAny(path, "?#"):
		p.When(true, field, "format", "路径不能含 ? 和 #：客户端不会把其后的部分当作路径；仅 WebSocket 可在末尾写 ?ed=2048",
			"A path has no ? and no #: clients do not take what follows for a part of it. WebSocket alone may end "+
				"with ?ed=2048")
	case strings.Contains(path, "%"):
		p.When(true, field, "format", "路径不能含 %：有的客户端会先解码，有的会拒绝整个配置",
			"A path has no %: some clients decode it first, others refuse their whole file")
	case strings.Contains(path, "//"):
		p.When(true, field, "format", "路径不能含 //：有的客户端会把它当作主机名",
			"A path has no //: some clients take what follows for a host")
	default:
		p.When(!httpPath.MatchString(path), field, "format",
			"路径只能含英文字母、数字和 . _ ~ ! $ & ' ( ) * + , ; = : @ - /，不含空格和中文",
			"A path has letters A to Z, digits and . _ ~ ! $ & ' ( ) * + , ; = : @ - /, and no space")
	}
}

// oneOf names a field whose value the protocol does not support, and lists what it supports.
func (p *problems) oneOf(value string, known []string, field, zh, en string) {
	if known[0] == "" {
		p.When(value != "", field, "choice", "该协议没有"+zh+"，请留空", en+" is the protocol's own; leave it out")
		return
	}
	names := strings.Join(known, ", ")
	p.When(!slices.Contains(known, value), field, "choice", "该协议的"+zh+"为 "+names, en+" of this protocol is one of: "+
		names)
}

// tls checks the names that the node shows. A server name taken from the address is reported as the address.
func (p *problems) tls(t *TLS, address string) {
	if t == nil {
		t = &TLS{}
	}
	p.When(t.ServerName != address && !IsHost(t.ServerName), "settings.tls.server_name", "format", "请填写证书的域名",
		"This is not a host name")
	p.When(len(t.ALPN) > maxALPN || !all(t.ALPN, word.MatchString), "settings.tls.alpn", "format", "最多 10 个协议名，如 h2",
		"There are at most ten names of protocols, such as h2")
}

func (p *problems) certificate(t *TLS) {
	if t == nil {
		t = &TLS{}
	}
	if t.Certificate != "" {
		_, err := tls.X509KeyPair([]byte(t.Certificate), []byte(t.Key))
		p.When(err != nil, "settings.tls.certificate", "format", "证书与私钥不匹配或无法读取",
			"The certificate and its key cannot be read or do not belong together")
		return
	}
	p.When(t.CertificateFile == "", "settings.tls.certificate_file", "required", "需要证书", "A certificate is needed")
	p.When(t.KeyFile == "", "settings.tls.key_file", "required", "需要私钥", "A key is needed")
}

// acme names what keeps the agent from getting a certificate. While one is proven by tls-alpn-01, a listener of its own
// needs port 443.
func (p *problems) acme(n *Node, a ACME) {
	_, err := netip.ParseAddr(n.Settings.TLS.ServerName)
	p.When(err == nil, "settings.tls.server_name", "format", "自动证书需要域名，不能是 IP",
		"A certificate by ACME needs a host name, not an address")
	p.When(!slices.Contains(acmeChallenges, a.Challenge), "settings.tls.acme.challenge", "choice",
		"验证方式为 http-01、tls-alpn-01 或 dns-01", "The challenge is http-01, tls-alpn-01 or dns-01")
	udp := n.Protocol == Hysteria2 || n.Protocol == TUIC
	p.When(a.Challenge == "tls-alpn-01" && n.ListenPort == 443 && !udp, "settings.tls.acme.challenge", "conflict",
		"节点占用 443 端口，请改用 http-01 或 dns-01", "The node itself listens on port 443; use http-01 or dns-01")
	p.When(a.Challenge == "http-01" && n.ListenPort == 80 && !udp, "settings.tls.acme.challenge", "conflict",
		"节点占用 80 端口，请改用 tls-alpn-01 或 dns-01", "The node itself listens on port 80; use tls-alpn-01 or dns-01")
	if a.Email != "" {
		_, err = mail.ParseAddress(a.Email)
		p.When(err != nil, "settings.tls.acme.email", "format", "邮箱格式不正确", "This is not an e-mail address")
	}
	if a.Directory != "" {
		u, ok := text.WebAddress(a.Directory)
		p.When(!ok || u.Scheme != "https", "settings.tls.acme.directory", "format",
			"请填写 https 地址", "This is not an https address")
	}
}

func (p *problems) reality(r *Reality) {
	if r == nil {
		r = &Reality{}
	}
	host, port, err := net.SplitHostPort(r.Dest)
	number, portErr := strconv.Atoi(port)
	p.When(err != nil || !IsHost(host) || portErr != nil || number < 1 || number > 65535, "settings.reality.dest",
		"format", "请填写 主机:端口", "This must be host:port of a TLS 1.3 server")
	p.When(len(r.ServerNames) == 0 || !all(r.ServerNames, IsHost), "settings.reality.server_names", "format",
		"请填写目标网站的域名", "These must be host names that the target answers for")
	_, err = realityPublic(r.PrivateKey)
	private, _ := base64.RawURLEncoding.DecodeString(r.PrivateKey)
	p.When(err == nil && text.IsGuessable(string(private)), "settings.reality.private_key", "weak", "私钥过于简单，请留空以自动生成",
		"The private key follows a pattern that can be guessed; leave it out to have one made")
	p.When(err != nil, "settings.reality.private_key", "format", "不是有效的 X25519 私钥",
		"This is not an X25519 key in base64url")
	p.When(!all(r.ShortIDs, func(id string) bool {
		_, err := hex.DecodeString(id)
		return err == nil &&
			len(id) <= 16
	}),
		"settings.reality.short_ids", "format", "短 ID 为偶数位十六进制，最多 16 位",
		"A short id is an even number of hex digits, at most 16")
}

// isPadding reports whether AnyTLS can read the scheme, which needs one line that says where it stops.
func isPadding(lines []string) bool {
	stops := 0
	for _, line := range lines {
		if strings.HasPrefix(line, "stop=") {
			stops++
		}
	}
	return stops == 1 && len(lines) <= maxPadding && all(lines, paddingLine.MatchString)
}

// isLabel reports whether s is one line of text of at most so many characters. Most formats of links are lines.
func isLabel(s string, most int) bool {
	return utf8.RuneCountInString(s) <= most && !strings.ContainsFunc(s, unicode.IsControl)
}

func all[T any](values []T, ok func(T) bool) bool {
	return !slices.ContainsFunc(values, func(v T) bool { return !ok(v) })
}

// IsHost reports whether clients can dial s: a host name or an IP address.
func IsHost(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil || (len(s) <= 253 && hostName.MatchString(s))
}
