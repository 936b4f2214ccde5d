package app

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"airstrip/internal/account"
	"airstrip/internal/audit"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// Two cores with the race detector take the small sizes, on both databases, in about a minute; what goes wrong between
// two transactions shows there as well, only less often. `make stress` takes the full ones.
var full = flag.Bool("full", false, "take the crowds at their full size")

func size(small, whole int) int {
	if *full {
		return whole
	}
	return small
}

// testServer is a whole server without its listener and its timetable.
type testServer struct {
	*App
	root http.Handler
}

func newTestServer(t *testing.T, c Config) *testServer {
	t.Helper()
	c.Demo = true
	if c.DatabaseURL == "" && c.Missing() {
		dbtest.SQLiteFile(t, c.Data)
		if _, err := seal.LoadKey(c.Data); err != nil {
			t.Fatal(err)
		}
	}
	a, err := Open(t.Context(), c, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	pages, err := a.pages()
	if err != nil {
		t.Fatal(err)
	}
	return &testServer{a, a.handler(prometheus.NewRegistry(), pages)}
}

// keyText is the secret key of the sites that have none in their data folder.
var keyText = strings.Repeat("0123456789abcdef", 4)

// eachEngine runs test on an empty site of SQLite and, beside it, on one of PostgreSQL.
func eachEngine(t *testing.T, test func(t *testing.T, c Config)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, config(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		c := config(t)
		c.DatabaseURL, c.SecretKey = dbtest.PostgresURL(t), keyText
		test(t, c)
	})
}

// eachCluster runs test on SQLite with its one server, and on PostgreSQL with three that share a database.
func eachCluster(t *testing.T, test func(t *testing.T, fronts []*testServer)) {
	eachEngine(t, func(t *testing.T, c Config) {
		fronts := []*testServer{newTestServer(t, c)}
		if c.DatabaseURL != "" {
			fronts = append(fronts, newTestServer(t, c), newTestServer(t, c))
		}
		test(t, fronts)
	})
}

// testUser is a signed-in user.
type testUser struct {
	id     int64
	bearer string
	key    string // the Idempotency-Key of calls; empty: none
}

func (f *testServer) addUser(t *testing.T, name string, has money.Amount) testUser {
	t.Helper()
	const password = "a long enough password"
	u, err := f.Accounts.Create(t.Context(), name+"@example.com", name, password, "")
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Accounts.SignIns.ByPassword(t.Context(), account.SignIn{Email: u.Email, Password: password},
		account.Client{IP: netip.MustParseAddr("192.0.2.1")})
	if err != nil {
		t.Fatal(err)
	}
	if has != 0 {
		f.give(t, u.ID, has)
	}
	return testUser{id: u.ID, bearer: g.Access}
}

// operator returns the context in which the operator acts, so that what is given has its entry in the audit log.
func (f *testServer) operator(t *testing.T) context.Context {
	return f.Audit.As(t.Context(), audit.Actor{Kind: audit.Operator, Name: "test"})
}

// give puts money into a wallet as the operator does.
func (f *testServer) give(t *testing.T, user int64, amount money.Amount) {
	t.Helper()
	if _, err := f.Wallets.Adjust(f.operator(t), user, amount, "test", nil); err != nil {
		t.Fatal(err)
	}
}

// sells adds a package or a plan of a month and gives what its price is called.
func (f *testServer) sells(t *testing.T, kind shop.Kind, amount money.Amount) (priceID int64) {
	t.Helper()
	p := shop.Plan{
		Name: "Standard", Kind: kind, TrafficBytes: new(100 * gigabyte), Reset: service.Never, Visible: true,
		Prices: []shop.Price{{Amount: amount}},
	}
	if kind == shop.KindPlan {
		p.Reset, p.Renewable, p.Prices[0].Months = service.Anniversary, true, 1
	}
	made, err := f.Shop.AddPlan(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return made.Prices[0].ID
}

func (f *testServer) call(ctx context.Context, c testUser, method, path, body string) *httptest.ResponseRecorder {
	return f.callAs(ctx, c, method, path, "application/json", body)
}

// callAs calls with a body of the media type. Changes of staff are made whatever the object is now.
func (f *testServer) callAs(
	ctx context.Context, c testUser, method, path, media, body string,
) *httptest.ResponseRecorder {
	req := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	if c.bearer != "" {
		req.Header.Set("Authorization", "Bearer "+c.bearer)
	}
	if body != "" {
		req.Header.Set("Content-Type", media)
	}
	req.Header.Set("If-Match", "*")
	if c.key != "" {
		req.Header.Set("Idempotency-Key", c.key)
	}
	w := httptest.NewRecorder()
	f.root.ServeHTTP(w, req)
	return w
}

func buy(priceID int64) string { return fmt.Sprintf("/api/v2/user/shop-old/%d/confirm-order", priceID) }

// notifyCount counts notifies. Each hundred come from another address, since one address may not send so many.
var notifyCount atomic.Int64

// notify sends a form to the endpoint for notifications of a gateway.
func (f *testServer) notify(ctx context.Context, gateway string, form url.Values) *httptest.ResponseRecorder {
	req := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/payment/notify/"+url.PathEscape(gateway),
		strings.NewReader(form.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	n := notifyCount.Add(1) / 100
	req.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", n>>16&255, n>>8&255, n&255)
	w := httptest.NewRecorder()
	f.root.ServeHTTP(w, req)
	return w
}

// recharge begins a recharge at the sandbox.
func (f *testServer) recharge(t *testing.T, user int64, amount money.Amount) *wallet.Recharge {
	t.Helper()
	r, err := f.Payments.Recharge(t.Context(), user, sandbox.Name, amount)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (f *testServer) balance(t *testing.T, user int64) wallet.Balance {
	t.Helper()
	b, err := f.Wallets.Balance(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sound fails the test where the doctor would complain.
func (f *testServer) sound(t *testing.T) {
	t.Helper()
	if broken, err := f.Check(context.WithoutCancel(t.Context())); err != nil || len(broken) > 0 {
		t.Fatal(broken, err)
	}
}

// answer reads the result of an answer of v2.
func answer[T any](w *httptest.ResponseRecorder) (result T, err error) {
	var envelope struct{ Result T }
	if w.Code != http.StatusOK {
		return result, fmt.Errorf("%d %s", w.Code, w.Body)
	}
	err = json.Unmarshal(w.Body.Bytes(), &envelope)
	return envelope.Result, err
}

// nodeMails returns the kinds and recipients of the mails about nodes.
func (f *testServer) nodeMails(t *testing.T) (sent []string) {
	t.Helper()
	mails, err := f.Mails.List(t.Context(), 200)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mails {
		if strings.HasPrefix(m.Kind, "node_") {
			sent = append(sent, m.Kind+" "+m.Recipient)
		}
	}
	slices.Sort(sent)
	return sent
}
