package format

import "strings"

// Client is a program that reads links.
type Client struct {
	Name    string // As in client_type or the catalogue, without a version.
	Dialect Dialect
	Version Version // Zero if unknown.
	App     bool    // The version is that of an app and says nothing about its core.
	Lacks   string  // Kinds of proxy and transports that it lacks, unlike other clients of its dialect.
	Managed bool    // Needs the link's own address in the file.
	Usage   bool    // Shows traffic and expiry from fields of the file.
	Plain   bool    // Reads URI lists without base64.
	TUN     bool    // A sing-box app, which works through a TUN device only.
	Core    bool    // A bare sing-box core, whose user may lack the permission for a TUN device.
	Shows   bool    // Shows traffic and expiry from the header subscription-userinfo.
	Status  bool    // Shows a first line STATUS=… instead.
	NoFlags bool    // Adds flags to names itself.
	Pins    bool    // Checks the pinned certificate of a share link, also if the link says insecure.
	Page    bool    // A browser, which gets a page instead of a file.
}

// types are the values of client_type in lower case. Surge has one per version, since it refuses a profile with a
// single unknown line.
var types = map[string]Client{
	"mixed":        {Name: "Mixed", Dialect: URI},
	"v2ray":        {Name: "V2Ray", Dialect: V2RayURI},
	"trojan":       {Name: "Trojan", Dialect: TrojanURI},
	"sip002":       {Name: "SIP002", Dialect: SIP002URI},
	"shadowrocket": {Name: "Shadowrocket", Dialect: ShadowrocketURI, Status: true, NoFlags: true},
	"nodelist":     {Name: "NodeList", Dialect: URI, Plain: true, Shows: true},
	"html":         {Name: "Html", Dialect: URI, Plain: true, Shows: true, Page: true},
	"ssr":          {Name: "SSR", Dialect: SSRURI},
	"ssd":          {Name: "SSD", Dialect: SSDJSON, Usage: true},
	"clash":        {Name: "Clash", Dialect: ClashYAML, Shows: true},
	"clashr":       {Name: "ClashR", Dialect: ClashYAML, Shows: true},
	"clashmeta":    {Name: "ClashMeta", Dialect: ClashMetaYAML, Shows: true},
	"stash":        {Name: "Stash", Dialect: StashYAML, Shows: true},
	"sip008":       {Name: "SIP008", Dialect: SIP008JSON},
	"outline":      {Name: "Outline", Dialect: OutlineJSON, Shows: true},
	"singbox":      {Name: "SingBox", Dialect: SingBoxJSON, TUN: true, Shows: true},
	"xrayjson":     {Name: "XrayJson", Dialect: XrayJSON},
	"egern":        {Name: "Egern", Dialect: EgernYAML, Shows: true},
	"surge2":       {Name: "Surge", Dialect: SurgeConf, Version: Version{2}, Managed: true},
	"surge3":       {Name: "Surge", Dialect: SurgeConf, Version: Version{3}, Managed: true},
	"surge4":       {Name: "Surge", Dialect: SurgeConf, Version: Version{4}, Managed: true},
	"surge5":       {Name: "Surge", Dialect: SurgeConf, Version: Version{5}, Managed: true},
	"surge6":       {Name: "Surge", Dialect: SurgeConf, Version: Version{6}, Managed: true},
	"surfboard":    {Name: "Surfboard", Dialect: SurfboardConf, Managed: true},
	"loon":         {Name: "Loon", Dialect: LoonLines, Shows: true},
	"quantumult":   {Name: "Quantumult", Dialect: QuantumultLines, Shows: true},
	"quantumultx":  {Name: "QuantumultX", Dialect: QuantumultXConf, Shows: true},
	"mellow":       {Name: "Mellow", Dialect: MellowConf},
}

// ByType returns the client of a client_type other than AUTO, ignoring case. ok is false for an unknown type.
func ByType(name string) (c Client, ok bool) {
	c, ok = types[strings.ToLower(name)]
	return c, ok
}

// agents recognises clients by their User-Agent in lower case. The first matching row counts, since clients include the
// names of others. The version follows the last word of version, or the prefix.
var agents = []struct {
	prefixes []string
	contains string
	pins     string // Version since which it checks the pinned certificate of a share link; empty if unknown.
	version  string
	hints    bool // Its User-Agent says whether it prefers the file of Clash Meta.
	builds   bool // A version without a dot is a build number, and the default version counts.
	client   Client
}{
	{prefixes: []string{"karing/"}, client: Client{Name: "Karing", Dialect: ClashMetaYAML, App: true}},
	{prefixes: []string{"hiddify"}, client: Client{Name: "Hiddify", Dialect: URI, Lacks: "anytls", Shows: true}},
	{
		prefixes: []string{"nekobox/", "throne/", "nekoray/"}, hints: true,
		client: Client{Name: "NekoBox", Dialect: URI, Lacks: "xhttp"},
	},
	{prefixes: []string{"stash/"}, client: Client{Name: "Stash", Dialect: StashYAML, Shows: true}},
	{
		prefixes: []string{"quantumult%20x/", "quantumult x/"},
		client:   Client{Name: "Quantumult X", Dialect: QuantumultXConf, Shows: true},
	},
	{prefixes: []string{"quantumult/"}, client: Client{Name: "Quantumult", Dialect: QuantumultLines, Shows: true}},
	{contains: "egern", client: Client{Name: "Egern", Dialect: EgernYAML, Shows: true}},
	{prefixes: []string{"surfboard/"}, client: Client{Name: "Surfboard", Dialect: SurfboardConf, Managed: true}},
	{
		prefixes: []string{"surge mac/", "surge ios/", "surge/"}, builds: true,
		client: Client{Name: "Surge", Dialect: SurgeConf, Version: Version{5}, Managed: true},
	},
	{prefixes: []string{"loon/", "decar"}, client: Client{Name: "Loon", Dialect: LoonLines, Shows: true}},
	{prefixes: []string{"shadowrocket/"}, client: Client{
		Name: "Shadowrocket", Dialect: ShadowrocketURI, Status: true,
		NoFlags: true,
	}},
	{
		prefixes: []string{"mihomo/", "clash.meta/", "clash-meta/"},
		client:   Client{Name: "mihomo", Dialect: ClashMetaYAML, Shows: true},
	},
	{
		prefixes: []string{
			"clash-verge", "flclash", "clashmetaforandroid/", "clash.meta", "clash-meta", "mihomo",
			"clashx meta/", "clash-nyanpasu", "flowvy", "koala-clash", "prizrak-box", "murge", "clash mi/", "clashmi/",
			"clash-party", "sparkle/",
		},
		client: Client{Name: "Clash Meta", Dialect: ClashMetaYAML, App: true, Shows: true},
	},
	{
		prefixes: []string{"clashx/", "clashforwindows/", "clash/", "clash"},
		client:   Client{Name: "Clash", Dialect: ClashYAML, Shows: true},
	},
	{
		prefixes: []string{"sfa/", "sfi/", "sfm/", "sft/", "sfl", "sfw"}, version: "sing-box ",
		client: Client{Name: "sing-box", Dialect: SingBoxJSON, TUN: true},
	},
	{prefixes: []string{"sing-box", "singbox"}, client: Client{Name: "sing-box", Dialect: SingBoxJSON, Core: true}},
	{prefixes: []string{"happ/"}, client: Client{Name: "Happ", Dialect: URI, Shows: true}},
	{prefixes: []string{"v2raytun"}, client: Client{Name: "v2RayTun", Dialect: URI, Shows: true}},
	{prefixes: []string{"v2box"}, client: Client{Name: "V2Box", Dialect: URI}},
	{prefixes: []string{"streisand"}, client: Client{Name: "Streisand", Dialect: URI}},
	{prefixes: []string{"incy"}, client: Client{Name: "INCY", Dialect: URI}},
	{prefixes: []string{"v2rayng/"}, pins: "2", client: Client{Name: "v2rayNG", Dialect: URI, Lacks: "tuic anytls"}},
	{prefixes: []string{"v2rayn/"}, pins: "7.17.1", client: Client{Name: "v2rayN", Dialect: URI}},
	{prefixes: []string{"outline"}, client: Client{Name: "Outline", Dialect: OutlineJSON, Shows: true}},
	{
		prefixes: []string{"shadowsocks", "ssconf", "ss/", "ssr/", "ssd/", "sss/"},
		client:   Client{Name: "Shadowsocks", Dialect: SIP008JSON},
	},
}

// Recognise returns the client that sends these headers. An unknown one gets the list that most can read; so does a
// browser, as plain text.
func Recognise(userAgent, accept string) Client {
	if strings.Contains(accept, "text/html") {
		return Client{Name: "Browser", Dialect: URI, Plain: true, Shows: true, Page: true}
	}
	ua := strings.ToLower(userAgent)
	for _, a := range agents {
		rest, ok := ua, a.contains != "" && strings.Contains(ua, a.contains)
		for _, prefix := range a.prefixes {
			if after, has := strings.CutPrefix(ua, prefix); has {
				rest, ok = after, true
				break
			}
		}
		if !ok {
			continue
		}
		if a.version != "" {
			_, rest, _ = strings.Cut(ua, a.version)
		}
		c, version := a.client, parseVersion(rest)
		if !a.builds || strings.Contains(strings.SplitN(rest, " ", 2)[0], ".") {
			c.Version = version
		}
		if a.hints && strings.Contains(rest, "(prefer clashmeta format)") {
			c.Dialect, c.App = ClashMetaYAML, true
		}
		c.Pins = a.pins != "" && (!version.Known() || !version.Before(parseVersion(a.pins)))
		return c
	}
	return Client{Name: "Unknown", Dialect: URI}
}

// Resolve returns the client of a client_type, with the version if the User-Agent belongs to the same client. If
// clientType is empty or AUTO, only the headers count. ok is false for an unknown type.
func Resolve(clientType, userAgent, accept string) (c Client, ok bool) {
	if clientType == "" || strings.EqualFold(clientType, "auto") {
		return Recognise(userAgent, accept), true
	}
	if c, ok = ByType(clientType); !ok {
		return c, false
	}
	sender := Recognise(userAgent, "")
	c.Pins = sender.Pins
	if sender.Dialect == c.Dialect && !c.Version.Known() {
		c.Version, c.App, c.Lacks = sender.Version, sender.App, sender.Lacks
		c.TUN = c.TUN && !sender.Core
	}
	return c, true
}
