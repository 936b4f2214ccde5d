// Package api holds what all HTTP APIs of the server share: the middleware around every request (request id, caller,
// limits, compression, log, metrics), the rendering of faults, and strict readers of input. Each folder below it is one
// API, in the words of its clients. A request never waits without a deadline, and no text of an unknown error leaves
// the server.
package api

import (
	"bufio"
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/klauspost/compress/gzhttp"
	"github.com/prometheus/client_golang/prometheus"

	"airstrip/internal/account"
	"airstrip/internal/attachment"
	"airstrip/internal/dberr"
	"airstrip/internal/fault"
	"airstrip/internal/text"
)

// Middleware is what every request passes on its way to a route and back.
type Middleware struct {
	mux       *http.ServeMux
	trusted   []netip.Prefix
	seconds   *prometheus.HistogramVec
	filter    func(netip.Addr) error
	httpsHost string // of the site; empty where its address is not https
	language  func() fault.Lang
}

// The largest bodies that are read, in bytes.
const (
	maxBody     = 1 << 20
	maxNodeBody = 8 << 20
	maxFileBody = attachment.MaxBytes
)

// The slowest rate at which a body may arrive and an answer may be read: a connection that moves less than piece bytes
// in patience ends, unless the handler sets a deadline of its own.
const (
	patience = 30 * time.Second
	piece    = 64 << 10
)

// NewMiddleware returns the middleware around mux. Forwarding headers count only from trusted; metrics go to reg.
func NewMiddleware(mux *http.ServeMux, trusted []netip.Prefix, reg prometheus.Registerer) *Middleware {
	m := &Middleware{mux: mux, trusted: trusted, seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "airstrip_http_seconds", Help: "How long requests took, by route and status.",
		Buckets: []float64{.001, .005, .02, .05, .1, .25, .5, 1, 2.5, 10},
	}, []string{"route", "status"})}
	reg.MustRegister(m.seconds)
	m.SetLanguage(func() fault.Lang { return fault.ZH })
	return m
}

// FilterAddresses rejects requests whose client address fn answers with an error. Node endpoints are exempt: a node
// proves itself by its secret, and a ban of a hosting company must not cut off the nodes that run there. Its agent is
// open to all.
func (m *Middleware) FilterAddresses(fn func(netip.Addr) error) { m.filter = fn }

// SetSite sets the address of the site. Where it is https, answers tell browsers to use https alone for a year. That
// covers the site's own host only, since other hosts of its domain may belong to somebody else.
func (m *Middleware) SetSite(address string) {
	if u, err := url.Parse(address); err == nil && u.Scheme == "https" {
		m.httpsHost = u.Host
	}
}

// SetLanguage has fn name the language in which callers are answered who ask for none that the product speaks. Without
// it that is Chinese.
func (m *Middleware) SetLanguage(fn func() fault.Lang) { m.language = fn }

// Handler returns the mux behind the middleware. A panic is logged and answered with 500.
func (m *Middleware) Handler() http.Handler {
	compress, err := gzhttp.NewWrapper(gzhttp.MinSize(1400),
		gzhttp.ExceptContentTypes([]string{"application/x-ndjson", "text/event-stream"}))
	if err != nil {
		panic(err) // the options are constant
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.serve(w, r, compress) })
}

func (m *Middleware) serve(w http.ResponseWriter, r *http.Request, compress func(http.Handler) http.HandlerFunc) {
	start := time.Now()
	asked := language(r.Header.Get("Accept-Language"))
	caller := Caller{
		RequestID: uuid.NewString(), IP: address(r, m.trusted), UserAgent: r.UserAgent(),
		Lang: cmp.Or(asked, m.language()), AskedLang: asked,
	}
	// Requests of any method: some routes of /v1 change something by GET.
	ctx := dberr.TrackCommits(account.At(context.WithValue(r.Context(), callerKey{}, caller), caller.IP))
	r = r.WithContext(ctx)
	w.Header().Set("X-Request-Id", caller.RequestID)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Referrer-Policy", "no-referrer")
	if m.httpsHost != "" && strings.EqualFold(r.Host, m.httpsHost) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
	}
	rec := &recorder{ResponseWriter: w, status: http.StatusOK, control: http.NewResponseController(w)}
	rec.SetWriteDeadline(time.Time{}) // removes that of the connection's previous request
	defer func() {
		defer rec.extendDeadline() // for what is still buffered when the handler is done
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			slog.ErrorContext(ctx, "a request panicked", "panic", p, "stack", string(debug.Stack()))
			if !rec.wrote {
				NewFailure(ctx, fault.ErrInternal).Write(rec)
			}
		}
		rec.finishBody()
		// Log and metrics name the pattern, never the path, which may carry a token.
		took, route := time.Since(start), r.Pattern
		m.seconds.WithLabelValues(route, statusClass(rec.status)).Observe(took.Seconds())
		slog.DebugContext(ctx, "request", "route", route, "status", rec.status, "bytes", rec.bytes, "took", took, "ip",
			caller.IP)
	}()
	if path := strings.TrimRight(r.URL.Path, "/"); path != r.URL.Path && path != "" {
		r.URL.Path, r.URL.RawPath = path, strings.TrimRight(r.URL.RawPath, "/")
	}
	if !text.IsStorable(r.URL.Path) {
		NewFailure(ctx, ErrUnreadable).Write(rec)
		return
	}
	if r.URL.RawQuery != "" {
		if err := CheckQuery(r.URL.Query()); err != nil {
			NewFailure(ctx, err).Write(rec)
			return
		}
	}
	if m.filter != nil && !forNodes(r.URL.Path) {
		if err := m.filter(caller.IP); err != nil {
			NewFailure(ctx, err).Write(rec)
			return
		}
	}
	if r.Body != nil && r.Body != http.NoBody {
		rec.body = &body{ReadCloser: r.Body, control: http.NewResponseController(w)}
		r.Body = http.MaxBytesReader(rec, rec.body, maxBodySize(r.URL.Path))
	}
	compress(http.HandlerFunc(func(w http.ResponseWriter, r2 *http.Request) {
		m.mux.ServeHTTP(w, r2)
		r.Pattern = r2.Pattern
	})).ServeHTTP(rec, r)
}

// maxBodySize returns how many bytes a body may have on a path.
func maxBodySize(path string) int64 {
	switch {
	case forNodes(path):
		return maxNodeBody
	case strings.HasPrefix(path, "/api/v2/user/ticket-attachments/"),
		strings.HasPrefix(path, "/api/v2/staff/ticket-attachments/"),
		strings.HasPrefix(path, "/api/v2/staff/statements"), path == "/api/v2/staff/users/import":
		return maxFileBody
	}
	return maxBody
}

// forNodes reports whether a path belongs to the APIs that nodes call.
func forNodes(path string) bool {
	return strings.HasPrefix(path, "/node/") || strings.HasPrefix(path, "/v1/mod_mu/") ||
		strings.HasPrefix(path, "/mod_mu/") || strings.HasPrefix(path, "/api/agent/") ||
		strings.HasPrefix(path, "/api/v1/server/UniProxy/") || strings.HasPrefix(path, "/api/v2/server/") ||
		strings.HasPrefix(path, "/v1/server/") || strings.HasPrefix(path, "/v2/server/")
}

// IsAPI reports whether a path belongs to programs, so that an unknown one is answered in JSON and never with the web
// page.
func IsAPI(path string) bool {
	for _, p := range []string{"/api", "/v1", "/v2", "/link", "/link2", "/mod_mu", "/node"} {
		if path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}

func statusClass(status int) string {
	return string([]byte{byte('0' + status/100), 'x', 'x'})
}

// recorder notes status and size of an answer, and gives each part of it a deadline.
type recorder struct {
	http.ResponseWriter
	control  *http.ResponseController
	status   int
	bytes    int64
	wrote    bool
	deadline time.Time // set by the handler
	body     *body     // of the request; nil where there is none
}

func (r *recorder) WriteHeader(status int) {
	if !r.wrote && (status >= 200 || status == http.StatusSwitchingProtocols) {
		r.finishBody()
		r.status, r.wrote = status, true
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (n int, err error) {
	if !r.wrote {
		r.finishBody()
		r.wrote = true
	}
	for again := true; again && err == nil; again = n < len(b) {
		r.extendDeadline()
		var wrote int
		wrote, err = r.ResponseWriter.Write(b[n:min(len(b), n+piece)])
		n += wrote
	}
	r.bytes += int64(n)
	return n, err
}

// extendDeadline gives the client patience from now on. It ignores writers without deadlines, as those of tests.
func (r *recorder) extendDeadline() {
	if r.deadline.IsZero() {
		_ = r.control.SetWriteDeadline(time.Now().Add(patience))
	}
}

// SetWriteDeadline lets a handler set its own deadline; http.ResponseController calls it.
func (r *recorder) SetWriteDeadline(at time.Time) error {
	r.deadline = at
	return r.control.SetWriteDeadline(at)
}

// SetReadDeadline refuses: deadlines for reading are set by body alone.
func (r *recorder) SetReadDeadline(time.Time) error { return http.ErrNotSupported }

func (r *recorder) finishBody() {
	if r.body != nil {
		r.body.finish()
	}
}

// Flush sends what was written; the compressing writer calls it.
func (r *recorder) Flush() {
	r.extendDeadline()
	r.control.Flush()
}

// Hijack hands the connection over to a WebSocket; the compressing writer calls it.
func (r *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) { return r.control.Hijack() }

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
