package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed" // the page
	"errors"
	"html/template"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"airstrip/internal/dberr"
	"airstrip/internal/fault"
)

//go:embed page.html
var pageHTML string

var page = template.Must(template.New("page").Parse(pageHTML))

// words of the page, in both languages.
var words = map[string]fault.Text{
	"heading": {ZH: "沙盒收银台", EN: "Sandbox checkout"},
	"note":    {ZH: "演示用支付页面，不会产生真实扣款。", EN: "A pay page for the demo. No real money moves."},
	"to":      {ZH: "收款方", EN: "To"},
	"number":  {ZH: "订单号", EN: "Trade number"},
	"amount":  {ZH: "应付金额", EN: "Amount"},
	"pay":     {ZH: "确认支付", EN: "Pay"},
	"fail":    {ZH: "模拟支付失败", EN: "Let the payment fail"},
	"cancel":  {ZH: "取消并返回", EN: "Cancel and go back"},
	"paid":    {ZH: "这张账单已支付。", EN: "This bill is paid."},
	"failed":  {ZH: "这次支付已失败。", EN: "This payment has failed."},
	"back":    {ZH: "返回商户", EN: "Back to the shop"},
	"missing": {ZH: "没有这张账单。", EN: "There is no such bill."},
}

// Pages serves the pay page, GET and POST /sandbox/pay/{trade_no}. Its notifies go to the handler that
// takes those of real gateways, in this process, so that they arrive whatever address the server listens on.
func (g *Gateway) Pages(notifies http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sandbox/pay/{trade_no}", func(w http.ResponseWriter, r *http.Request) { g.show(w, r) })
	mux.HandleFunc("POST /sandbox/pay/{trade_no}", func(w http.ResponseWriter, r *http.Request) {
		g.press(w, r, notifies)
	})
	return mux
}

func (g *Gateway) show(w http.ResponseWriter, r *http.Request) {
	b, err := g.find(r.Context(), r.PathValue("trade_no"))
	status := http.StatusOK
	if f, ok := fault.As(err); ok {
		status, b = f.Status, nil
	} else if err != nil {
		fail(w, r, err)
		return
	}
	lang := fault.ZH
	if strings.HasPrefix(strings.ToLower(r.Header.Get("Accept-Language")), "en") {
		lang = fault.EN
	}
	text := map[string]string{}
	for name, t := range words {
		text[name] = t.In(lang)
	}
	nonce := rand.Text()
	var out bytes.Buffer
	if err := page.Execute(&out, map[string]any{"T": text, "Lang": lang, "Nonce": nonce, "Bill": b}); err != nil {
		panic(err) // the template is constant
	}
	// Browsers hold form-action against the redirect after the form too, and that goes to the site's own address.
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'nonce-"+nonce+"'; form-action 'self' "+
		g.site+"; base-uri 'none'; frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(out.Bytes())
}

func (g *Gateway) press(w http.ResponseWriter, r *http.Request, notifies http.Handler) {
	b, err := g.find(r.Context(), r.PathValue("trade_no"))
	if _, refused := fault.As(err); refused {
		g.show(w, r)
		return
	}
	if err != nil {
		fail(w, r, err)
		return
	}
	switch r.PostFormValue("action") {
	case "pay":
		err = g.finish(r.Context(), b.TradeNo, true, notifies)
	case "fail":
		err = g.finish(r.Context(), b.TradeNo, false, notifies)
	case "cancel":
	default:
		g.show(w, r)
		return
	}
	if err != nil {
		fail(w, r, err)
		return
	}
	http.Redirect(w, r, b.ReturnURL, http.StatusSeeOther)
}

// fail answers an error of the sandbox itself. A caller that went away is none.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	level := slog.LevelError
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		level = slog.LevelDebug
	}
	slog.Log(r.Context(), level, "the sandbox could not do its work", "error", err)
	f := fault.ErrInternal
	if said, ok := fault.As(err); ok {
		f = said
	} else if passing := dberr.Fault(err); passing != nil {
		f = passing
	}
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
	}
	http.Error(w, f.Text.EN, f.Status)
}

// finish closes the bill and notifies the site, as a real gateway does. A notify that gets lost is found when the site
// asks.
func (g *Gateway) finish(ctx context.Context, tradeNo string, paid bool, notifies http.Handler) error {
	if err := g.Close(ctx, tradeNo, paid); err != nil {
		return err
	}
	b, err := g.find(ctx, tradeNo)
	if err != nil {
		return err
	}
	body := g.Notice(b.payment()).Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "/v1/payment/notify/"+url.PathEscape(Name),
		strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer := reply{header: http.Header{}, status: http.StatusOK}
	notifies.ServeHTTP(&answer, req)
	if answer.status != http.StatusOK {
		slog.WarnContext(ctx, "the site did not accept the sandbox's notify", "status", answer.status)
	}
	return nil
}

// reply is the answer to a notify, of which only the status counts.
type reply struct {
	header http.Header
	status int
}

func (r *reply) Header() http.Header         { return r.header }
func (r *reply) WriteHeader(status int)      { r.status = status }
func (r *reply) Write(b []byte) (int, error) { return len(b), nil }
