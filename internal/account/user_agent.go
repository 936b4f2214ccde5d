package account

import (
	"regexp"
	"strings"
)

// Device is what a User-Agent header says of the client's machine, in names that people know. The client claims it, and
// it proves nothing.
type Device struct {
	Browser string // with its major version, as "Firefox 140"; empty where unknown
	System  string // as "Windows" or "Android 16"; empty where unknown
	Kind    string // computer, phone or tablet; empty where unknown
}

// same tells whether two headers seem to be of the same device. Versions do not count.
func (d Device) same(other Device) bool {
	return firstWord(d.Browser) == firstWord(other.Browser) && d.Kind == other.Kind &&
		firstWord(d.System) == firstWord(other.System)
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

type userAgentPattern struct {
	in   *regexp.Regexp // its first group, if it has one, is the version
	name string
	kind string
}

// The first match counts, since most browsers also name those from which they descend.
var browsers = []userAgentPattern{
	{in: regexp.MustCompile(`MicroMessenger/(\d+)`), name: "WeChat"},
	{in: regexp.MustCompile(`Edg(?:e|A|iOS)?/(\d+)`), name: "Edge"},
	{in: regexp.MustCompile(`OPR/(\d+)`), name: "Opera"},
	{in: regexp.MustCompile(`Vivaldi/(\d+)`), name: "Vivaldi"},
	{in: regexp.MustCompile(`SamsungBrowser/(\d+)`), name: "Samsung Internet"},
	{in: regexp.MustCompile(`HuaweiBrowser/(\d+)`), name: "Huawei Browser"},
	{in: regexp.MustCompile(`MiuiBrowser/(\d+)`), name: "Mi Browser"},
	{in: regexp.MustCompile(`QQBrowser/(\d+)`), name: "QQ Browser"},
	{in: regexp.MustCompile(`U[CB]Browser/(\d+)`), name: "UC Browser"},
	{in: regexp.MustCompile(`(?:Firefox|FxiOS)/(\d+)`), name: "Firefox"},
	{in: regexp.MustCompile(`(?:Chrome|CriOS|Chromium)/(\d+)`), name: "Chrome"},
	{in: regexp.MustCompile(`Version/(\d+)[\d.]* .*Safari/`), name: "Safari"},
	{in: regexp.MustCompile(`^curl/(\d+)`), name: "curl"},
	{in: regexp.MustCompile(`^Telegram$`), name: "Telegram"}, // actions in the bot
}

var systems = []userAgentPattern{
	{in: regexp.MustCompile(`iPhone;.* OS (\d+)`), name: "iOS", kind: "phone"},
	{in: regexp.MustCompile(`iPad;.* OS (\d+)`), name: "iPadOS", kind: "tablet"},
	{in: regexp.MustCompile(`(?:OpenHarmony|HarmonyOS) ?(\d+)?`), name: "HarmonyOS", kind: "phone"},
	{in: regexp.MustCompile(`Android (\d+).*Mobile`), name: "Android", kind: "phone"},
	{in: regexp.MustCompile(`Android (\d+)`), name: "Android", kind: "tablet"},
	{in: regexp.MustCompile(`Windows`), name: "Windows", kind: "computer"},
	{in: regexp.MustCompile(`Macintosh|Mac OS X`), name: "macOS", kind: "computer"},
	{in: regexp.MustCompile(`CrOS`), name: "ChromeOS", kind: "computer"},
	{in: regexp.MustCompile(`Linux|X11`), name: "Linux", kind: "computer"},
}

// deviceOf reads a User-Agent header.
func deviceOf(userAgent string) Device {
	browser, _ := firstOf(browsers, userAgent)
	system, kind := firstOf(systems, userAgent)
	return Device{browser, system, kind}
}

func firstOf(signs []userAgentPattern, userAgent string) (name, kind string) {
	for _, s := range signs {
		if found := s.in.FindStringSubmatch(userAgent); found != nil {
			version := append(found, "")[1]
			return strings.TrimSpace(s.name + " " + version), s.kind
		}
	}
	return "", ""
}
