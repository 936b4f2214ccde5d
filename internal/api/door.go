// Package api is the front door: what every request passes on its way in and out. The folders beside it each speak one
// generation of the API in its own words.
package api

import (
	"bufio"
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

	"airstrip/internal/fault"
	"airstrip/internal/text"
)

// Door is the way in.
type Door struct {
	mux     *http.ServeMux
	trusted []netip.Prefix
	seconds *prometheus.HistogramVec
	refuse  func(netip.Addr) error
	secure  string // host of the site where its address is https
}

// The sizes of bodies that are read, in bytes.
const (
	maxBody     = 1 << 20
	maxNodeBody = 8 << 20
)

// How slowly an answer may be read, but where its handler says so itself: less than piece bytes in patience, and the
// connection ends.
const (
	patience = 30 * time.Second
	piece    = 64 << 10
)

// NewDoor makes a Door around mux. Forwarding headers count only from trusted; metrics go to reg.
func NewDoor(mux *http.ServeMux, trusted []netip.Prefix, reg prometheus.Registerer) *Door {
	d := &Door{mux: mux, trusted: trusted, seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "airstrip_http_seconds", Help: "How long requests took, by route and status.",
		Buckets: []float64{.001, .005, .02, .05, .1, .25, .5, 1, 2.5, 10},
	}, []string{"route", "status"})}
	reg.MustRegister(d.seconds)
	return d
}

// Refuse has fn asked for each request whether its address may come in, but for those of nodes: their secrets say who they
// are (the agent itself is open to all), and a ban of the hosting company where the site's enemies are must not cut off the
// nodes that are there too.
func (d *Door) Refuse(fn func(netip.Addr) error) { d.refuse = fn }

// Site tells the address of the site. Where it is https, browsers are told to come back with https only: for a year, and
// for the site's own host only, since other hosts of its domain may be somebody else's.
func (d *Door) Site(address string) {
	if u, err := url.Parse(address); err == nil && u.Scheme == "https" {
		d.secure = u.Host
	}
}

// Handler is everything around the mux: request id, caller, limits, compression, log, metrics, and a 500 for a panic.
func (d *Door) Handler() http.Handler {
	compress, err := gzhttp.NewWrapper(gzhttp.MinSize(1400), gzhttp.ExceptContentTypes([]string{"application/x-ndjson", "text/event-stream"}))
	if err != nil {
		panic(err) // the options are constant
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { d.serve(w, r, compress) })
}

func (d *Door) serve(w http.ResponseWriter, r *http.Request, compress func(http.Handler) http.HandlerFunc) {
	start := time.Now()
	caller := Caller{RequestID: uuid.NewString(), IP: address(r, d.trusted), UserAgent: r.UserAgent(), Lang: language(r.Header.Get("Accept-Language"))}
	ctx := context.WithValue(r.Context(), callerKey{}, caller)
	r = r.WithContext(ctx)
	w.Header().Set("X-Request-Id", caller.RequestID)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Referrer-Policy", "no-referrer")
	if d.secure != "" && strings.EqualFold(r.Host, d.secure) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
	}
	rec := &recorder{ResponseWriter: w, status: http.StatusOK, control: http.NewResponseController(w)}
	rec.SetWriteDeadline(time.Time{}) // there is still that of the connection's last request
	defer func() {
		defer rec.hurry() // for what is left when the handler is done
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			slog.ErrorContext(ctx, "a request panicked", "panic", p, "stack", string(debug.Stack()))
			if !rec.wrote {
				NewFailure(ctx, fault.ErrInternal).Write(rec)
			}
		}
		rec.leaveBody()
		// The pattern, never the path: paths carry tokens.
		took, route := time.Since(start), r.Pattern
		d.seconds.WithLabelValues(route, statusClass(rec.status)).Observe(took.Seconds())
		slog.DebugContext(ctx, "request", "route", route, "status", rec.status, "bytes", rec.bytes, "took", took, "ip", caller.IP)
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
	if d.refuse != nil && !forNodes(r.URL.Path) {
		if err := d.refuse(caller.IP); err != nil {
			NewFailure(ctx, err).Write(rec)
			return
		}
	}
	limit := int64(maxBody)
	if forNodes(r.URL.Path) {
		limit = maxNodeBody
	}
	if r.Body != nil && r.Body != http.NoBody {
		rec.body = &body{ReadCloser: r.Body, control: http.NewResponseController(w)}
		r.Body = http.MaxBytesReader(rec, rec.body, limit)
	}
	compress(http.HandlerFunc(func(w http.ResponseWriter, r2 *http.Request) {
		d.mux.ServeHTTP(w, r2)
		r.Pattern = r2.Pattern
	})).ServeHTTP(rec, r)
}

func forNodes(path string) bool {
	return strings.HasPrefix(path, "/node/") || strings.HasPrefix(path, "/v1/mod_mu/") || strings.HasPrefix(path, "/mod_mu/") || strings.HasPrefix(path, "/api/agent/") ||
		strings.HasPrefix(path, "/api/v1/server/UniProxy/") || strings.HasPrefix(path, "/api/v2/server/") ||
		strings.HasPrefix(path, "/v1/server/") || strings.HasPrefix(path, "/v2/server/")
}

// IsAPI tells whether a path belongs to programs, so that an unknown one is answered in JSON and never with the web page.
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

type recorder struct {
	http.ResponseWriter
	control  *http.ResponseController
	status   int
	bytes    int64
	wrote    bool
	deadline time.Time // that the handler set
	body     *body     // of the request; nil where it has none
}

func (r *recorder) WriteHeader(status int) {
	if !r.wrote && (status >= 200 || status == http.StatusSwitchingProtocols) {
		r.leaveBody()
		r.status, r.wrote = status, true
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (n int, err error) {
	if !r.wrote {
		r.leaveBody()
		r.wrote = true
	}
	for again := true; again && err == nil; again = n < len(b) {
		r.hurry()
		var wrote int
		wrote, err = r.ResponseWriter.Write(b[n:min(len(b), n+piece)])
		n += wrote
	}
	r.bytes += int64(n)
	return n, err
}

// hurry gives the caller patience from now on. What cannot set deadlines has no slow readers.
func (r *recorder) hurry() {
	if r.deadline.IsZero() {
		_ = r.control.SetWriteDeadline(time.Now().Add(patience))
	}
}

// SetWriteDeadline is for handlers that know better; http.ResponseController asks for it by this name.
func (r *recorder) SetWriteDeadline(at time.Time) error {
	r.deadline = at
	return r.control.SetWriteDeadline(at)
}

// SetReadDeadline refuses what handlers and libraries ask for: deadlines for reading are set by body alone.
func (r *recorder) SetReadDeadline(time.Time) error { return http.ErrNotSupported }

func (r *recorder) leaveBody() {
	if r.body != nil {
		r.body.leave()
	}
}

// Flush sends what was written; the compressing writer asks for it by this name.
func (r *recorder) Flush() {
	r.hurry()
	r.control.Flush()
}

// Hijack hands the connection over to a WebSocket; the compressing writer asks for it by this name.
func (r *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) { return r.control.Hijack() }

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
