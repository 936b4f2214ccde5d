// Package paymenttest builds a shop with its payments for tests, as the server does, and tests gateways with it.
package paymenttest

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"
	"pgregory.net/rapid"

	"airstrip/internal/api"
	"airstrip/internal/api/notify"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/invite"
	"airstrip/internal/payment"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
	"airstrip/internal/wallet/wallettest"
)

// Site is the address of the shop.
const Site = "https://shop.example"

// Server is a shop with its payments behind an HTTP handler, and a clock that tests move.
type Server struct {
	DB       *db.DB
	Settings *setting.Settings
	Wallets  *wallet.Wallets
	Services *service.Services
	Shop     *shop.Shop
	Gateways *payment.Gateways
	Payments *payment.Payments
	Mux      *http.ServeMux // behind Handler
	Handler  http.Handler
	ahead    atomic.Int64 // of the real time, in nanoseconds
	users    int64
}

// New makes a server on d that knows the kinds of gateways, with those that are built in.
func New(t testing.TB, d *db.DB, kinds []payment.Kind, built ...payment.Method) *Server {
	t.Helper()
	c := &Server{DB: d}
	d.SetClock(func() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) })
	var err error
	if c.Settings, err = setting.New(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	c.Wallets, c.Services = wallet.New(d, c.Settings), service.New(d, seal.Key{1}, c.Settings)
	c.Shop = shop.New(d, c.Settings, c.Wallets, c.Services, invite.New(d, c.Settings, c.Wallets))
	if c.Gateways, err = payment.OpenGateways(t.Context(), d, seal.Key{1}, c.Settings, kinds, built...); err != nil {
		t.Fatal(err)
	}
	c.Payments = payment.New(d, c.Settings, c.Wallets, c.Shop, Site, c.Gateways)
	c.Mux = http.NewServeMux()
	notify.Payments(c.Mux, c.Payments)
	c.Handler = api.NewMiddleware(c.Mux, []netip.Prefix{}, prometheus.NewRegistry()).Handler()
	return c
}

// User opens a wallet for a new user.
func (c *Server) User(t testing.TB) int64 {
	t.Helper()
	c.users++
	user := c.users
	if err := c.DB.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		return errors.Join(c.Wallets.Open(ctx, tx, user), c.Services.Open(ctx, tx, user))
	}); err != nil {
		t.Fatal(err)
	}
	return user
}

// Balance returns what the user owns.
func (c *Server) Balance(t testing.TB, user int64) wallet.Balance {
	t.Helper()
	b, err := c.Wallets.Balance(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Advance moves the clock.
func (c *Server) Advance(d time.Duration) { c.ahead.Add(int64(d)) }

// MustBeConsistent fails the test where any invariant of the money is broken.
func (c *Server) MustBeConsistent(t rapid.TB) {
	t.Helper()
	orders, err := c.Shop.Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if broken := append(wallettest.Check(t, c.Wallets), orders...); len(broken) > 0 {
		t.Fatal("broken: ", broken)
	}
}

// Notice is a request that a platform sends to the address for notifies.
type Notice struct {
	Method string // POST where empty
	Query  string
	Header http.Header
	Body   string
}

// SendNotify sends the notice to the address for notifies of the gateway called name.
func (c *Server) SendNotify(ctx context.Context, name string, n Notice) *httptest.ResponseRecorder {
	method := n.Method
	if method == "" {
		method = http.MethodPost
	}
	req := httptest.NewRequestWithContext(ctx, method, "/v1/payment/notify/"+name+"?"+n.Query,
		strings.NewReader(n.Body))
	for name, values := range n.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	w := httptest.NewRecorder()
	c.Handler.ServeHTTP(w, req)
	return w
}

// WantField fails the test unless err is a fault of exactly the field called name.
func WantField(t testing.TB, name string, err error) {
	t.Helper()
	f, ok := fault.As(err)
	if !ok || len(f.Fields) != 1 || f.Fields[0].Name != name {
		t.Errorf("not a fault of %s: %v", name, err)
	}
}
