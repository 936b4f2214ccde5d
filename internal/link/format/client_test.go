package format_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"airstrip/internal/link/format"
)

func TestRecognise_UserAgents(t *testing.T) {
	for _, c := range []struct {
		userAgent, name, version string
		dialect                  format.Dialect
	}{
		{"Karing/1.2.22.2502 platform/ios;mihomo/1.19.27;clash-verge;FLClash;ClashMeta;v2ray;sing-box 1.13.0;NekoBox/1 (Prefer ClashMeta Format);HiddifyNext", "Karing", "1.2.22", format.ClashMetaYAML},
		{"HiddifyNext/2.5.7 (android) like ClashMeta v2ray sing-box", "Hiddify", "", format.URI},
		{"NekoBox/Android/1.4.2 (Prefer ClashMeta Format)", "NekoBox", "", format.ClashMetaYAML},
		{"Throne/1.6.6 (Prefer ClashMeta Format)", "NekoBox", "1.6.6", format.ClashMetaYAML},
		{"Throne/1.6.6", "NekoBox", "1.6.6", format.URI},
		{"Surge iOS/6.0.1", "Surge", "6.0.1", format.SurgeConf},
		{"Stash/3.2.0 Clash/1.9.0", "Stash", "3.2.0", format.StashYAML},
		{"Quantumult%20X/1.5.0 (iPhone15,2; iOS 17.0)", "Quantumult X", "1.5.0", format.QuantumultXConf},
		{"Quantumult/627 CFNetwork/1335", "Quantumult", "627", format.QuantumultLines},
		{"Egern/2.1 CFNetwork", "Egern", "", format.EgernYAML},
		{"CFNetwork Egern Clash/1", "Egern", "", format.EgernYAML},
		{"Surfboard/2.34.4", "Surfboard", "2.34.4", format.SurfboardConf},
		{"Surge Mac/2985", "Surge", "5", format.SurgeConf},
		{"Surge iOS/3272", "Surge", "5", format.SurgeConf},
		{"Loon/762 CFNetwork/1399", "Loon", "762", format.LoonLines},
		{"Decar/1.0", "Loon", "", format.LoonLines},
		{"Shadowrocket/2701 CFNetwork/1399 Darwin/22.1.0 iPhone11,8", "Shadowrocket", "2701", format.ShadowrocketURI},
		{"clash-verge/v2.4.0", "Clash Meta", "2.4.0", format.ClashMetaYAML},
		{"FlClash/v0.8.90 clash-verge Platform/windows", "Clash Meta", "0.8.90", format.ClashMetaYAML},
		{"ClashMetaForAndroid/2.11.31.Meta", "Clash Meta", "2.11.31", format.ClashMetaYAML},
		{"ClashX Meta/v1.4.1 (com.metacubex.ClashX.meta; build:700)", "Clash Meta", "1.4.1", format.ClashMetaYAML},
		{"mihomo/1.19.27", "mihomo", "1.19.27", format.ClashMetaYAML},
		{"clash.meta/v1.18.0", "mihomo", "1.18.0", format.ClashMetaYAML},
		{"clash.meta/alpha-5a4e8b7", "mihomo", "", format.ClashMetaYAML},
		{"mihomo-party/v1.7.0 (clash.meta)", "Clash Meta", "", format.ClashMetaYAML},
		{"Clash/1.18.0", "Clash", "1.18.0", format.ClashYAML},
		{"ClashX/1.118.0 (com.west2online.ClashX; build:1.118.0)", "Clash", "1.118.0", format.ClashYAML},
		{"ClashforWindows/0.20.39", "Clash", "0.20.39", format.ClashYAML},
		{"SFA/1.12.12 (575; sing-box 1.12.12; language zh_Hant_HK)", "sing-box", "1.12.12", format.SingBoxJSON},
		{"SFA/9.9.9 (575; sing-box 1.9.1; language zh_Hant_HK)", "sing-box", "1.9.1", format.SingBoxJSON},
		{"SFL (sing-box 1.14.0; language en)", "sing-box", "1.14.0", format.SingBoxJSON},
		{"sing-box 1.11.15", "sing-box", "1.11.15", format.SingBoxJSON},
		{"Happ/2.18.3/Windows/10", "Happ", "2.18.3", format.URI},
		{"v2rayN/7.23.4", "v2rayN", "7.23.4", format.URI},
		{"v2rayNG/1.10.5", "v2rayNG", "1.10.5", format.URI},
		{"Shadowsocks/5.0", "Shadowsocks", "", format.SIP008JSON},
		{"Outline/1.14", "Outline", "", format.OutlineJSON},
		{"curl/8.5.0", "Unknown", "", format.URI},
		{"nekobox/5.11.15 (Prefer ClashMeta Format)", "NekoBox", "5.11.15", format.ClashMetaYAML},
		{"v2raytun/android", "v2RayTun", "", format.URI},
		{"V2Box 8.8;IOS 15.1", "V2Box", "8.8.0", format.URI},
		{"Streisand", "Streisand", "", format.URI},
		{"INCY/1.4.2 (iOS)", "INCY", "1.4.2", format.URI},
		{"clash.meta/mihomo", "mihomo", "", format.ClashMetaYAML}, // GUI.for.SingBox
		{"ssconf/1", "Shadowsocks", "", format.SIP008JSON},
		{"SSR/4.0", "Shadowsocks", "", format.SIP008JSON},
		{"", "Unknown", "", format.URI},
		{"not sfa/1 nor a sing-box", "Unknown", "", format.URI},
		{"my clash reader", "Unknown", "", format.URI},
	} {
		got := format.Recognise(c.userAgent, "*/*")
		if got.Name != c.name || got.Dialect != c.dialect || (c.version != "" && got.Version.String() != c.version) {
			t.Errorf("%q is taken for %s %s (%s)", c.userAgent, got.Name, got.Version, got.Dialect)
		}
	}
	if got := format.Recognise("Mozilla/5.0 (X11; Linux x86_64) Clash",
		"text/html,application/xhtml+xml"); got.Name != "Browser" || !got.Plain {
		t.Errorf("a browser is taken for %s", got.Name)
	}
}

// Compared as text, versions of the core before 1.12 would be greater.
func TestVersion_ComparesNumbers(t *testing.T) {
	for userAgent, old := range map[string]bool{
		"sing-box 1.9.7": true, "sing-box 1.11.15": true, "sing-box 1.12.0-beta.3": false, "sing-box 1.14.1": false,
		"sing-box": false, "sing-box 2": false,
	} {
		body := string(format.Render(nil, format.Options{Client: format.Recognise(userAgent, "")}).Body)
		if got := !strings.Contains(body, "default_domain_resolver"); got != old {
			t.Errorf("%s: the old dialect: %v", userAgent, got)
		}
	}
}

func TestFetch_ClientType_IgnoresCase(t *testing.T) {
	original := strings.Fields("Mixed AUTO Clash ClashR Quantumult QuantumultX Loon Mellow SIP002 SIP008 SSD SSR " +
		"Surfboard Surge2 Surge3 Surge4 Trojan V2Ray")
	ours := strings.Fields("ClashMeta Stash SingBox Shadowrocket Surge5 Surge6 Egern XrayJson Outline Html NodeList")
	for _, name := range append(original, ours...) {
		for _, spelled := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			c, ok := format.Resolve(spelled, "", "")
			if !ok {
				t.Errorf("%s is not known", spelled)
				continue
			}
			if f := format.Render(nil, format.Options{Client: c}); len(f.Body) == 0 || f.Type == "" || f.Suffix == "" {
				t.Errorf("%s has no format: %+v", spelled, f)
			}
		}
	}
	for _, name := range []string{"surge", "clash ", "x", "кот"} {
		if c, ok := format.Resolve(name, "", ""); ok {
			t.Errorf("%q is taken for %s", name, c.Name)
		}
	}
}

func TestRender_OldVersions_GetNoUnreadableNodes(t *testing.T) {
	proxies := allCombinations().proxies(t)
	stash := func(userAgent string) string {
		return string(format.Render(proxies, format.Options{Client: format.Recognise(userAgent, "")}).Body)
	}
	if old := stash("Stash/2.4.0 Clash/1.9.0"); strings.Contains(old, `"vless"`) ||
		strings.Contains(old, `"hysteria2"`) || strings.Contains(old, "2022-blake3") {
		t.Error("Stash 2.4 got what it cannot read")
	}
	if now := stash("Stash/3.10.0 Clash/1.9.0"); !strings.Contains(now, `"vless"`) ||
		!strings.Contains(now, `"hysteria2"`) || !strings.Contains(now, "2022-blake3") {
		t.Error("Stash 3.10 did not get what it can read")
	}
}

// The version of an app says nothing about its core: FlClash 0.8 contains a mihomo of 1.19.
func TestRecognise_VersionOfAppIsNotThatOfCore(t *testing.T) {
	proxies := allCombinations().proxies(t)
	for userAgent, wants := range map[string]bool{
		"FlClash/v0.8.90 clash-verge": true, "mihomo/1.19.27": true,
		"mihomo/1.18.9": false, "mihomo/v1.19.10": true, "Karing/1.2.0": true,
	} {
		body := string(format.Render(proxies, format.Options{Client: format.Recognise(userAgent, "")}).Body)
		if got := strings.Contains(body, `"anytls"`); got != wants {
			t.Errorf("%s got AnyTLS: %v", userAgent, got)
		}
	}
}

func TestDialect_ClientsGetOnlyWhatTheyRead(t *testing.T) {
	proxies := allCombinations().proxies(t)
	for userAgent, wants := range map[string]string{
		"v2rayN/7.23.4": "tuic:// anytls://", "v2rayNG/1.10.5": "",
		"HiddifyNext/2.5.7": "tuic://",
	} {
		f := format.Render(proxies, format.Options{Client: format.Recognise(userAgent, ""), NodesOnly: true})
		for _, scheme := range []string{"tuic://", "anytls://"} {
			if got := strings.Contains(string(f.Body), scheme); got != strings.Contains(wants, scheme) {
				t.Errorf("%s got %s: %v", userAgent, scheme, got)
			}
		}
		if f.Nodes+f.LeftOut != len(proxies) {
			t.Errorf("%s: %d and %d left out", userAgent, f.Nodes, f.LeftOut)
		}
	}
}

// XHTTP nodes are left out, and counted, for clients that support it neither by Xray's core nor by their own.
func TestFetch_ClientWithoutXHTTP_GetsNone(t *testing.T) {
	proxies := allCombinations().proxies(t)
	for userAgent, wants := range map[string]bool{
		"v2rayN/7.23.4": true, "v2rayNG/1.10.5": true, "Happ/3.0": true, "Streisand": true, "HiddifyNext/2.5.7": true,
		"Shadowrocket/2701": true, "mihomo/1.19.22": true, "FlClash/v0.8.90 clash-verge": true, "curl/8": true,
		"mihomo/1.19.21": false, "Throne/1.6.6": false, "sing-box 1.14.1": false, "Stash/3.2.0 Clash/1.9.0": false,
		"Loon/762": false, "Surge iOS/6.0.1": false, "ClashforWindows/0.20.39": false,
	} {
		f := format.Render(proxies, format.Options{Client: format.Recognise(userAgent, ""), NodesOnly: true})
		if got := strings.Contains(string(f.Body), "xhttp"); got != wants {
			t.Errorf("%s got XHTTP: %v", userAgent, got)
		}
		if f.Nodes+f.LeftOut != len(proxies) {
			t.Errorf("%s: %d nodes and %d left out of %d", userAgent, f.Nodes, f.LeftOut, len(proxies))
		}
	}
}

// An Outline key is one server, so all other nodes are left out, including those that Outline supports.
func TestRender_NodesThatDoNotFit_AreCounted(t *testing.T) {
	proxies := allCombinations().proxies(t)
	f := format.Render(proxies, format.Options{Client: client(t, "Outline", ""), Notices: []string{"a"}})
	if f.Nodes != 1 || f.LeftOut != len(proxies)-1 {
		t.Errorf("%d nodes and %d left out of %d", f.Nodes, f.LeftOut, len(proxies))
	}
}

func TestRecognise_TypeWithVersion_KeepsVersion(t *testing.T) {
	// As the log of fetches names it: Surge 4.
	if c, _ := format.Resolve("Surge4", "Surge iOS/3272", ""); c.Version.String() != "4" || c.Name != "Surge" {
		t.Errorf("%s %s", c.Name, c.Version)
	}
	if c, _ := format.Resolve("SingBox", "sing-box 1.11.15", ""); c.Version.String() != "1.11.15" || c.TUN {
		t.Errorf("%+v", c)
	}
}

func FuzzRecognise(f *testing.F) {
	f.Add("clash-verge/v2.4.0", "*/*", "auto")
	f.Add("SFA/1.12.12 (575; sing-box 99999999999999999999.1", "text/html", "SingBox")
	f.Add("Surge iOS/3000\r\nX: 1", "", "\x00")
	f.Add("[Rule]\nFINAL,DIRECT = // # ;", "\n[General]", "Surge6")
	f.Add("Loon/1 \u2028,\"=", "'", "LOON")
	f.Add("Quantumult%20X/0", "\t", "quantumultX")
	f.Add("- {a: *b}\n\t", "\xff\xfe", "egern")
	proxies := allCombinations().proxies(f)
	f.Fuzz(func(t *testing.T, userAgent, accept, clientType string) {
		c, ok := format.Resolve(clientType, userAgent, accept)
		if !ok {
			return
		}
		file := format.Render(proxies, format.Options{
			Client: c, Notices: []string{userAgent}, Status: accept,
			Title: clientType,
		})
		if len(file.Body) == 0 || file.Nodes+file.LeftOut != len(proxies) {
			t.Errorf("%d bytes, %d nodes, %d left out", len(file.Body), file.Nodes, file.LeftOut)
		}
		switch c.Dialect {
		case format.SurgeConf, format.SurfboardConf, format.LoonLines, format.QuantumultXConf:
			for line := range strings.Lines(string(file.Body)) {
				if strings.Count(line, "127.0.0.1, 1\n")+strings.Count(line, ",127.0.0.1,1,")+strings.Count(line,
					"=127.0.0.1:1,") > 1 || strings.ContainsAny(line, "\r\x00") {
					t.Errorf("a notice became more than one entry: %q", line)
				}
			}
		}
	})
}

// With insecure=1 in a link, a client without pins would accept any server.
func TestURI_InsecureOnlyForClientsThatCheckPin(t *testing.T) {
	proxies := allCombinations().proxies(t)
	for _, c := range []struct {
		clientType, userAgent string
		pins                  bool
	}{
		{"AUTO", "v2rayN/7.23.4", true},
		{"AUTO", "v2rayN/7.17.0", false},
		{"AUTO", "v2rayNG/2.1.0", true},
		{"AUTO", "v2rayNG/1.9.0", false},
		{"Mixed", "v2rayN/7.23.4", true},
		{"V2Ray", "v2rayN/7.23.4", true},
		{"Mixed", "", false},
		{"V2Ray", "", false},
		{"Trojan", "", false},
		{"NodeList", "curl/8", false},
		{"AUTO", "Shadowrocket/2701", false},
		{"AUTO", "HiddifyNext/2.0", false},
		{"AUTO", "Throne/1.6.6", false},
		{"AUTO", "Happ/3.0", false},
	} {
		o := format.Options{Client: client(t, c.clientType, c.userAgent), NodesOnly: true}
		insecure := false
		for line := range strings.Lines(string(format.Render(proxies, o).Body)) {
			text := strings.TrimSpace(line)
			if encoded, ok := strings.CutPrefix(text, "vmess://"); ok {
				text = string(decode(t, []byte(encoded)))
			}
			says := strings.Contains(text, "insecure=1") || strings.Contains(text, `"insecure":"1"`)
			if strings.Contains(text, "allowInsecure") || says && !strings.Contains(text, pin()) {
				t.Errorf("%+v: %s", c, text)
			}
			insecure = insecure || says
		}
		if insecure != c.pins {
			t.Errorf("%+v: has links with insecure=1: %v", c, insecure)
		}
	}
}

// A client that supports none of the nodes gets a notice, in addition to all others.
func TestFetch_NoNodeFitsClient_SaysSo(t *testing.T) {
	proxies := allCombinations().proxies(t)
	o := format.Options{Client: client(t, "SSR", ""), Notices: []string{"1 GB left"}, NodesOnly: true}
	f := format.Render(proxies, o)
	if f.Nodes != 0 || f.LeftOut != len(proxies) {
		t.Errorf("%d nodes, %d left out", f.Nodes, f.LeftOut)
	}
	var said []string
	for line := range strings.Lines(string(f.Body)) {
		text, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(strings.TrimSpace(line), "ssr://"))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), "remarks=")
		name, _, _ := strings.Cut(rest, "&")
		remark, err := base64.RawURLEncoding.DecodeString(name)
		if err != nil || !strings.HasPrefix(string(text), "127.0.0.1:1:origin:aes-256-cfb:plain:") {
			t.Errorf("%s: %v", text, err)
		}
		said = append(said, string(remark))
	}
	if len(said) != 2 || said[0] != "1 GB left" || !strings.Contains(said[1], "没有此客户端可用的节点") {
		t.Errorf("said %q", said)
	}
	if len(o.Notices) != 1 {
		t.Errorf("the notices given became %q", o.Notices)
	}
}
