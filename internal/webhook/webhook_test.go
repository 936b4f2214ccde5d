package webhook_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/job"
	"airstrip/internal/seal"
	"airstrip/internal/setting"
	"airstrip/internal/webhook"
)

// received is one request that a receiver got.
type received struct {
	id, timestamp, signature, body string
}

// receiver is a real HTTP server that answers as the test says.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []received
	answer http.HandlerFunc
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		r.got = append(r.got, received{
			req.Header.Get("webhook-id"), req.Header.Get("webhook-timestamp"),
			req.Header.Get("webhook-signature"), string(body),
		})
		answer := r.answer
		r.mu.Unlock()
		if answer != nil {
			answer(w, req)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answers(fn http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = fn
}

func (r *receiver) status(code int) {
	r.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
}

func (r *receiver) requests() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// site is a database with webhooks, whose clock the test sets.
type site struct {
	*testing.T
	db       *db.DB
	settings *setting.Settings
	hooks    *webhook.Webhooks
	now      time.Time
}

func each(t *testing.T, test func(s *site)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		settings, err := setting.New(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		s := &site{T: t, db: d, settings: settings, now: time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC)}
		d.SetClock(func() time.Time { return s.now })
		s.hooks = webhook.New(d, seal.Key{1}, settings)
		s.allowPrivate(true)
		test(s)
	})
}

func (s *site) allowPrivate(allowed bool) {
	s.Helper()
	value, _ := json.Marshal(allowed)
	s.must(s.settings.Set(s.Context(), map[string]json.RawMessage{"webhook_allow_private": value}))
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *site) add(url string, types ...webhook.Type) (id int64, secret string) {
	s.Helper()
	e, secret, err := s.hooks.Add(s.Context(), webhook.Draft{Name: "ops", URL: url, Types: types, Enabled: true})
	s.must(err)
	return e.ID, secret
}

// emit causes an event; fail undoes its cause.
func (s *site) emit(t webhook.Type, data any, fail error) {
	s.Helper()
	err := s.db.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error {
		if err := webhook.Emit(ctx, tx, webhook.Event{Type: t, At: s.now, Data: data}); err != nil {
			return err
		}
		return fail
	})
	if !errors.Is(err, fail) {
		s.Fatal(err)
	}
}

func (s *site) work() {
	s.Helper()
	s.must(s.hooks.Work(s.Context()))
}

// only gives the one delivery of an endpoint, with its attempts.
func (s *site) only(endpoint int64) webhook.LoggedDelivery {
	s.Helper()
	list, total, err := s.hooks.Deliveries(s.Context(), endpoint, webhook.DeliveryFilter{Limit: 10})
	s.must(err)
	if total != 1 || len(list) != 1 {
		s.Fatalf("%d deliveries, want one", total)
	}
	d, err := s.hooks.Delivery(s.Context(), endpoint, list[0].ID)
	s.must(err)
	return d
}

// verify checks a signature as the documentation tells receivers to.
func verify(secret string, r received) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(r.id + "." + r.timestamp + "." + r.body))
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return slices.Contains(strings.Fields(r.signature), want)
}

func TestEmit_SendsWhatIsSubscribedSignedOnce(t *testing.T) {
	each(t, func(s *site) {
		r := newReceiver(s.T)
		id, secret := s.add(r.URL, webhook.OrderPaid)
		s.emit(webhook.UserCreated, map[string]any{"user_id": 7}, nil) // nobody hears of it
		s.emit(webhook.OrderPaid, map[string]any{"order_no": 1}, errors.New("undone"))
		s.emit(webhook.OrderPaid, map[string]any{"order_no": 2}, nil)
		s.work()
		s.work()
		got := r.requests()
		if len(got) != 1 {
			s.Fatalf("%d requests, want one", len(got))
		}
		const want = `{"type":"order.paid","timestamp":"2026-01-31T04:00:00Z","data":{"order_no":2}}`
		if got[0].body != want || !verify(secret, got[0]) {
			s.Errorf("received %+v, want the body %s, signed", got[0], want)
		}
		if d := s.only(id); d.State != webhook.Delivered || d.EventUUID != got[0].id || len(d.Tries) != 1 ||
			d.Tries[0].Status != 200 {
			s.Errorf("the log has %+v", d)
		}
	})
}

func TestDeliver_ReceiverThatFails_IsTriedAgainWithTheSameID(t *testing.T) {
	each(t, func(s *site) {
		r := newReceiver(s.T)
		id, _ := s.add(r.URL, webhook.OrderPaid)
		r.answers(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
			_, _ = w.Write([]byte("broken\x00" + strings.Repeat("x", 10000)))
		})
		s.emit(webhook.OrderPaid, nil, nil)
		s.work()
		s.work() // not due yet
		if n := len(r.requests()); n != 1 {
			s.Fatalf("%d requests, want one", n)
		}
		d := s.only(id)
		if d.State != webhook.Waiting || !d.NextAt.Equal(s.now.Add(5*time.Second)) || d.Tries[0].Status != 500 ||
			!strings.HasPrefix(d.Tries[0].Answer, "brokenx") || len(d.Tries[0].Answer) > 2048 {
			s.Errorf("the log has %+v", d)
		}
		r.status(204)
		s.now = s.now.Add(10 * time.Second)
		s.work()
		got := r.requests()
		if len(got) != 2 || got[0].id != got[1].id || got[0].body != got[1].body ||
			got[0].timestamp == got[1].timestamp {
			s.Fatalf("received %+v", got)
		}
		if d := s.only(id); d.State != webhook.Delivered || len(d.Tries) != 2 {
			s.Errorf("the log has %+v", d)
		}
	})
}

func TestDeliver_Redirect_IsNotFollowed(t *testing.T) {
	each(t, func(s *site) {
		r, other := newReceiver(s.T), newReceiver(s.T)
		id, _ := s.add(r.URL, webhook.OrderPaid)
		r.answers(func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, other.URL, http.StatusTemporaryRedirect)
		})
		s.emit(webhook.OrderPaid, nil, nil)
		s.work()
		if d := s.only(id); len(other.requests()) != 0 || d.State != webhook.Waiting || d.Tries[0].Status != 307 {
			s.Errorf("the other got %d requests; the log has %+v", len(other.requests()), d)
		}
	})
}

// One that stalls holds a request open; others are sent to meanwhile.
func TestDeliver_ReceiverThatStalls_DelaysNoOther(t *testing.T) {
	each(t, func(s *site) {
		slow, quick := newReceiver(s.T), newReceiver(s.T)
		asked, released := make(chan struct{}), make(chan struct{})
		slow.answers(func(http.ResponseWriter, *http.Request) {
			close(asked)
			<-released
		})
		s.add(slow.URL, webhook.OrderPaid)
		quickID, _ := s.add(quick.URL, webhook.OrderPaid)
		s.emit(webhook.OrderPaid, nil, nil)
		done := make(chan error)
		go func() { done <- s.hooks.Work(s.Context()) }()
		<-asked
		for len(quick.requests()) == 0 {
			time.Sleep(time.Millisecond)
		}
		// What is being sent is leased: neither this process nor another sends it a second time.
		s.work()
		s.must(webhook.New(s.db, seal.Key{1}, s.settings).Work(s.Context()))
		close(released)
		s.must(<-done)
		if d := s.only(quickID); d.State != webhook.Delivered || len(slow.requests()) != 1 ||
			len(quick.requests()) != 1 {
			s.Errorf("%d and %d requests, want one each; %+v", len(slow.requests()), len(quick.requests()), d)
		}
	})
}

// A process that ended while it sent leaves a lease; when that is over another process sends it.
func TestDeliver_AfterACrash_AnotherProcessSendsIt(t *testing.T) {
	each(t, func(s *site) {
		r := newReceiver(s.T)
		s.add(r.URL, webhook.OrderPaid)
		ctx, stop := context.WithCancel(s.Context())
		r.answers(func(http.ResponseWriter, *http.Request) { stop() })
		s.emit(webhook.OrderPaid, nil, nil)
		_ = s.hooks.Work(ctx)
		r.status(200)
		other := webhook.New(s.db, seal.Key{1}, s.settings)
		first := len(r.requests())
		s.must(other.Work(s.Context()))
		if n := len(r.requests()); first != 1 || n > 2 {
			s.Fatalf("%d requests, then %d", first, n)
		}
		s.now = s.now.Add(2 * time.Minute)
		s.must(other.Work(s.Context()))
		got := r.requests()
		if len(got) > 2 || got[0].id != got[len(got)-1].id {
			s.Errorf("received %+v", got)
		}
		list, _, err := s.hooks.Deliveries(s.Context(), 1, webhook.DeliveryFilter{State: webhook.Delivered, Limit: 10})
		if err != nil || len(list) != 1 {
			s.Errorf("%d are delivered, want one; %v", len(list), err)
		}
	})
}

func TestDeliver_PrivateAddress_IsRefusedAtTheSocket(t *testing.T) {
	each(t, func(s *site) {
		r := newReceiver(s.T)
		port := r.URL[strings.LastIndex(r.URL, ":"):]
		for _, address := range []string{r.URL, "http://localhost" + port, "http://[::ffff:127.0.0.1]" + port} {
			s.allowPrivate(true) // else the address could not be saved, since it is no HTTPS
			id, _ := s.add(address, webhook.OrderPaid)
			s.allowPrivate(false)
			a, err := s.hooks.SendTest(s.Context(), id)
			if err != nil || a.Status != 0 || !strings.Contains(a.Error, "webhook_allow_private") {
				s.Errorf("%s: %+v, %v", address, a, err)
			}
		}
		if n := len(r.requests()); n != 0 {
			s.Errorf("%d requests came through", n)
		}
		_, _, err := s.hooks.Add(s.Context(), webhook.Draft{
			Name: "a", URL: r.URL, Types: []webhook.Type{webhook.OrderPaid},
		})
		if f, ok := fault.As(err); !ok || f.Fields[0].Name != "url" {
			s.Errorf("plain HTTP is accepted: %v", err)
		}
	})
}

func TestDeliver_FailingForDays_DisablesTheEndpointAndTellsStaff(t *testing.T) {
	each(t, func(s *site) {
		r := newReceiver(s.T)
		id, _ := s.add(r.URL, webhook.OrderPaid)
		var told []webhook.Endpoint
		s.hooks.OnDisabled(func(_ context.Context, _ bun.Tx, e webhook.Endpoint) error {
			told = append(told, e)
			return nil
		})
		r.status(503)
		for range 6 * 24 {
			s.emit(webhook.OrderPaid, nil, nil)
			s.work()
			s.now = s.now.Add(time.Hour)
		}
		list, err := s.hooks.List(s.Context())
		s.must(err)
		if e := list[0]; e.Enabled || e.DisabledReason != webhook.Failing || len(told) == 0 || told[0].ID != id {
			s.Fatalf("%+v; %d notices", e, len(told))
		}
		failed, total, err := s.hooks.Deliveries(s.Context(), id, webhook.DeliveryFilter{
			State: webhook.Failed, Limit: 1,
		})
		if err != nil || total == 0 {
			s.Fatalf("no delivery has failed, %v", err)
		}
		before := len(r.requests())
		s.now = s.now.Add(time.Hour)
		s.work()
		if n := len(r.requests()); n != before {
			s.Errorf("a disabled endpoint gets %d requests more", n-before)
		}

		r.status(200)
		_, err = s.hooks.Change(s.Context(), id, webhook.Draft{
			Name: "ops", URL: r.URL, Types: []webhook.Type{webhook.OrderPaid}, Enabled: true,
		})
		s.must(err)
		s.must(s.hooks.Redeliver(s.Context(), id, failed[0].ID))
		if err := s.hooks.Redeliver(s.Context(), id, failed[0].ID); !errors.Is(err, webhook.ErrWaiting) {
			s.Errorf("a waiting delivery is sent again: %v", err)
		}
		s.work()
		again, err := s.hooks.Delivery(s.Context(), id, failed[0].ID)
		if err != nil || again.State != webhook.Delivered {
			s.Errorf("%+v, %v", again, err)
		}
	})
}

func TestDeliver_Gone_DisablesTheEndpointAtOnce(t *testing.T) {
	each(t, func(s *site) {
		r := newReceiver(s.T)
		s.add(r.URL, webhook.OrderPaid)
		r.status(410)
		s.emit(webhook.OrderPaid, nil, nil)
		s.work()
		list, err := s.hooks.List(s.Context())
		if err != nil || list[0].Enabled || list[0].DisabledReason != webhook.Gone {
			s.Errorf("%+v, %v", list, err)
		}
	})
}

func TestRotate_BothSecretsSignForADay(t *testing.T) {
	each(t, func(s *site) {
		r := newReceiver(s.T)
		id, old := s.add(r.URL, webhook.OrderPaid)
		secret, err := s.hooks.Rotate(s.Context(), id)
		s.must(err)
		for _, formerSigns := range []bool{true, false} {
			_, err := s.hooks.SendTest(s.Context(), id)
			s.must(err)
			got := r.requests()
			last := got[len(got)-1]
			if !verify(secret, last) || verify(old, last) != formerSigns {
				s.Errorf("%+v: the former secret verifies it: %v, want %v", last, verify(old, last), formerSigns)
			}
			s.now = s.now.Add(25 * time.Hour)
		}
		if closed, err := webhook.Sealed(s.Context(), s.db, seal.Key{2}); err != nil || len(closed) != 1 {
			s.Errorf("another key leaves %q closed, %v", closed, err)
		}
	})
}

func TestForget_OldDeliveriesGo(t *testing.T) {
	each(t, func(s *site) {
		r := newReceiver(s.T)
		id, _ := s.add(r.URL, webhook.OrderPaid)
		s.emit(webhook.OrderPaid, nil, nil)
		s.work()
		q := job.New(s.db)
		s.hooks.Register(q)
		for _, days := range []int{20, 20} {
			s.now = s.now.AddDate(0, 0, days)
			s.must(q.Trigger(s.Context(), "webhook.forget"))
			_, total, err := s.hooks.Deliveries(s.Context(), id, webhook.DeliveryFilter{Limit: 1})
			s.must(err)
			if want := s.now.Before(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)); (total == 1) != want {
				s.Errorf("%d deliveries at %v", total, s.now)
			}
		}
		var events int
		s.must(s.db.NewSelect().Table("webhook_event").ColumnExpr("COUNT(*)").Scan(s.Context(), &events))
		if events != 0 {
			s.Errorf("%d events are left", events)
		}
		s.must(s.hooks.Remove(s.Context(), id))
		if err := s.hooks.Remove(s.Context(), id); !errors.Is(err, webhook.ErrNoEndpoint) {
			s.Errorf("removed twice: %v", err)
		}
	})
}
