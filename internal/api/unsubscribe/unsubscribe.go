// Package unsubscribe is the page behind the links in announcements that were sent by mail or Telegram. Mail programs
// post to it by themselves (RFC 8058); to people who open it the page asks first, since programs follow links, too. It
// needs no sign-in and no script.
package unsubscribe

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"html/template"
	"maps"
	"net/http"
	"time"

	"airstrip/internal/announcement"
	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/limit"
)

//go:embed page.html
var source string

var page = template.Must(template.New("page").Parse(source))

const maxBody = 4 << 10

var texts = map[string]fault.Text{
	"ask": {
		ZH: "不再通过邮件和 Telegram 接收公告？公告仍会显示在网站上。",
		EN: "Get no more announcements by mail and Telegram? They are still shown on the site.",
	},
	"unsubscribe":  {ZH: "退订", EN: "Unsubscribe"},
	"unsubscribed": {ZH: "已退订，不会再通过邮件和 Telegram 收到公告。", EN: "You get no more announcements by mail and Telegram."},
	"subscribe":    {ZH: "重新订阅", EN: "Subscribe again"},
	"subscribed":   {ZH: "已重新订阅公告。", EN: "You get announcements again."},
}

// Register serves the page on mux. title gives the name of the site.
func Register(mux *http.ServeMux, b *announcement.Broadcasts, title func() string) {
	perAddress := limit.Per(time.Minute, 600) // mail providers post from few addresses
	handle := func(w http.ResponseWriter, r *http.Request) {
		shown, err := answer(w, r, b, perAddress)
		lang := api.CallerOf(r.Context()).Lang
		status := http.StatusOK
		if err != nil {
			f := api.NewFailure(r.Context(), err)
			status, shown = f.GetStatus(), view{Message: f.Message}
			maps.Copy(w.Header(), f.GetHeaders())
		}
		shown.Lang, shown.Title, shown.Nonce = lang, title(), rand.Text()
		if shown.Message == "" {
			shown.Message = texts[shown.says].In(lang)
		}
		shown.Button = texts[shown.offers].In(lang)
		shown.Again = shown.offers == "subscribe"
		write(w, status, shown)
	}
	mux.HandleFunc("GET "+announcement.UnsubscribePath+"{token}", handle)
	mux.HandleFunc("POST "+announcement.UnsubscribePath+"{token}", handle)
}

// view is what the page shows: a message, and a button that changes it.
type view struct {
	says, offers string // keys of texts
	Lang         fault.Lang
	Title, Nonce string
	Message      string
	Button       string
	Again        bool // the button subscribes again
}

func answer(w http.ResponseWriter, r *http.Request, b *announcement.Broadcasts, perAddress *limit.Limiter) (
	view, error,
) {
	if err := perAddress.Allow(api.CallerOf(r.Context()).IP.String()); err != nil {
		return view{}, err
	}
	token := r.PathValue("token")
	if r.Method != http.MethodPost {
		_, subscribed, err := b.Subscriber(r.Context(), token)
		if subscribed {
			return view{says: "ask", offers: "unsubscribe"}, err
		}
		return view{says: "unsubscribed", offers: "subscribe"}, err
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	wanted := r.PostFormValue("subscribe") == "again"
	if err := b.Subscribe(r.Context(), token, wanted); err != nil {
		return view{}, err
	}
	if wanted {
		return view{says: "subscribed", offers: "unsubscribe"}, nil
	}
	return view{says: "unsubscribed", offers: "subscribe"}, nil
}

func write(w http.ResponseWriter, status int, shown view) {
	var out bytes.Buffer
	if err := page.Execute(&out, shown); err != nil {
		panic(err) // the template is constant
	}
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'nonce-"+shown.Nonce+
		"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "private, no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Robots-Tag", "noindex")
	w.WriteHeader(status)
	w.Write(out.Bytes())
}
