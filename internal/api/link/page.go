package link

import (
	"bytes"
	"crypto/rand"
	_ "embed" // the page
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"rsc.io/qr"

	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/link"
	"airstrip/internal/service"
)

//go:embed page.html
var pageHTML string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"pair": func(b button, words map[string]string) map[string]any { return map[string]any{"b": b, "T": words} },
}).Parse(pageHTML))

// words are the texts of the page in both languages.
var words = map[string]fault.Text{
	"heading":   {ZH: "我的订阅", EN: "My subscription"},
	"left":      {ZH: "剩余流量", EN: "Traffic left"},
	"unlimited": {ZH: "不限", EN: "Unlimited"},
	"expires":   {ZH: "到期时间", EN: "Ends"},
	"never":     {ZH: "长期有效", EN: "No end"},
	"import":    {ZH: "导入到客户端", EN: "Import into a client"},
	"open":      {ZH: "导入", EN: "Import"},
	"others":    {ZH: "其他系统", EN: "Other systems"},
	"get":       {ZH: "下载", EN: "Get it"},
	"byHand":    {ZH: "复制链接后在客户端中粘贴", EN: "Copy the link and paste it into the client"},
	"scan":      {ZH: "用其他设备扫码", EN: "Scan with another device"},
	"link":      {ZH: "订阅链接", EN: "Subscription link"},
	"copy":      {ZH: "复制", EN: "Copy"},
	"copied":    {ZH: "已复制", EN: "Copied"},
	"secret":    {ZH: "链接等同于密码，请勿分享给他人。", EN: "Whoever has this link can use your plan. Share it with nobody."},
	"home":      {ZH: "前往网站", EN: "Go to the website"},
}

var states = map[service.State]fault.Text{
	service.Active:    {ZH: "可以使用", EN: "Ready to use"},
	service.None:      {ZH: "还没有套餐", EN: "No plan yet"},
	service.Exhausted: {ZH: "流量已用完", EN: "Out of traffic"},
	service.Expired:   {ZH: "套餐已到期", EN: "Plan expired"},
	service.Banned:    {ZH: "账号已停用", EN: "Account disabled"},
}

// button is an app on the page.
type button struct {
	Name, Letter    string
	Icon            template.URL // An image; Letter is shown without one.
	Import          template.URL // An address of the app's own scheme; empty if the link is pasted by hand.
	Download        string
	ForThisPlatform bool
}

// show writes the page for somebody who opens the link in a browser, and returns its size.
func show(w http.ResponseWriter, r *http.Request, a link.Answer) int {
	lang := api.CallerOf(r.Context()).Lang
	text := map[string]string{}
	for name, t := range words {
		text[name] = t.In(lang)
	}
	nonce := rand.Text()
	left, expires := text["unlimited"], text["never"]
	if bytes := a.Page.Access.RemainingBytes; bytes != nil {
		left = fmt.Sprintf("%.2f GB", float64(*bytes)/(1<<30))
	}
	if end := a.Page.Access.ExpiresAt; end != nil {
		expires = end.Format(time.RFC3339)
	}
	var out bytes.Buffer
	if err := page.Execute(&out, map[string]any{
		"T": text, "Lang": lang, "Nonce": nonce, "Site": a.Title, "Home": a.Site, "URL": a.Page.URL,
		"State": states[a.Page.Access.State].In(lang), "Good": a.Page.Access.Allowed, "Left": left, "Expires": expires,
		"HasEnd": a.Page.Access.ExpiresAt != nil,
		"QR":     square(a.Page.URL), "Buttons": buttons(a.Page, a.Title, platform(r.UserAgent())),
	}); err != nil {
		panic(err) // The template is constant.
	}
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; img-src data:; style-src 'nonce-"+nonce+
		"'; script-src 'nonce-"+nonce+"'; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "+
		"trusted-types 'none'")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "private, no-store")
	h["Vary"] = []string{"User-Agent, Accept, Accept-Language, Accept-Encoding"}
	h.Set("Subscription-Userinfo", a.Userinfo)
	sent, _ := w.Write(out.Bytes())
	return sent
}

// buttons returns the apps, those for the visitor's system first.
func buttons(p *link.Page, siteName, platform string) []button {
	var out []button
	for _, a := range p.Apps {
		b := button{
			Name: a.Name, Letter: a.Icon, Import: template.URL(a.Import(p.URL, siteName)),
			Download: a.DownloadURL, ForThisPlatform: slices.Contains(a.Platforms, platform),
		}
		switch {
		case strings.HasPrefix(a.Icon, "data:"):
			b.Icon = template.URL(a.Icon)
		case a.Icon == "":
			_, n := utf8.DecodeRuneInString(a.Name)
			b.Letter = a.Name[:n]
		}
		out = append(out, b)
	}
	slices.SortStableFunc(out, func(a, b button) int {
		switch {
		case a.ForThisPlatform == b.ForThisPlatform:
			return 0
		case a.ForThisPlatform:
			return -1
		}
		return 1
	})
	return out
}

// platform returns the visitor's system as the catalogue names it.
func platform(userAgent string) string {
	ua := strings.ToLower(userAgent)
	for _, p := range []struct{ word, platform string }{
		{"harmony", "harmonyos"}, {"android", "android"}, {"iphone", "ios"}, {"ipad", "ios"}, {
			"macintosh",
			"macos",
		}, {"linux", "linux"}, {"cros", "linux"},
	} {
		if strings.Contains(ua, p.word) {
			return p.platform
		}
	}
	return "windows"
}

// drawing is a QR code as one SVG path in a square with sides of Size.
type drawing struct {
	Size int
	Path string
}

const quiet = 4 // White modules around the code, as the standard requires.

func square(text string) drawing {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return drawing{} // The text exceeds a QR code; no link does.
	}
	var path strings.Builder
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+quiet, y+quiet)
			}
		}
	}
	return drawing{code.Size + 2*quiet, path.String()}
}
