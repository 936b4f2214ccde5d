package webpush_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/seal"
	"airstrip/internal/webpush"
	"airstrip/internal/webpush/webpushtest"
)

const address = "https://air.example.com"

var home = netip.MustParseAddr("203.0.113.7")

// site is a site with users, whose clock the test sets.
type site struct {
	*testing.T
	*webpush.Push
	db      *db.DB
	service *webpushtest.Service
	now     time.Time
}

func each(t *testing.T, test func(s *site)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := &site{T: t, db: d, now: time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC)}
		d.SetClock(func() time.Time { return s.now })
		s.service = webpushtest.New(t, func() time.Time { return s.now })
		s.Push = webpush.New(d, seal.Key{1}, address)
		s.UseClient(s.service.Client())
		for id := range int64(3) {
			s.exec(`INSERT INTO account (id, uuid, email, name, role, password, password_version,
				password_changed_at, invite_code, created_at, lang) VALUES (?, ?, ?, 'A', '', '', ?, ?, ?, ?, 'en')`,
				id+1, uuid.New(), fmt.Sprintf("u%d@example.com", id+1), uuid.New(), s.now, strconv.FormatInt(id, 10), s.now)
		}
		test(s)
	})
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *site) exec(query string, args ...any) {
	s.Helper()
	s.must(s.db.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(query, args...).Exec(ctx)
		return err
	}))
}

// session begins a session of a user.
func (s *site) session(userID int64) uuid.UUID {
	s.Helper()
	id := uuid.New()
	s.exec(`INSERT INTO session (id, account_id, remember, ip, user_agent, created_at, seen_at, expires_at)
		VALUES (?, ?, ?, '', '', ?, ?, ?)`, id, userID, false, s.now, s.now, s.now)
	return id
}

// browser subscribes a new browser of the user at a host.
func (s *site) browser(userID int64, host string) *webpushtest.Browser {
	s.Helper()
	key, err := s.PublicKey(s.Context())
	s.must(err)
	b := s.service.Subscribe(host, key)
	s.must(s.Subscribe(s.Context(), userID, s.session(userID), b.Target()))
	return b
}

func (s *site) queue(userID int64, n webpush.Notice) {
	s.Helper()
	s.must(s.db.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := s.Queue(ctx, tx, userID, func() (webpush.Notice, error) { return n, nil })
		return err
	}))
}

func (s *site) work() {
	s.Helper()
	s.must(s.Work(s.Context()))
}

func (s *site) count(table string) int64 {
	s.Helper()
	n, err := s.db.NewSelect().Table(table).Count(s.Context())
	s.must(err)
	return n
}

var answered = webpush.Notice{Title: "An answer", Body: "客服回复了你的工单", Path: "/user/tickets/view/7", Topic: "ticket 7"}

func TestQueue_ReachesAllBrowsersOfTheUserAlone(t *testing.T) {
	each(t, func(s *site) {
		one, two := s.browser(1, "push.example.com"), s.browser(1, "fcm.example.net")
		s.browser(2, "push.example.com")
		s.queue(1, answered)
		s.queue(3, answered) // who has none
		s.work()
		s.work()
		got := s.service.Messages()
		if len(got) != 2 || s.count("push_message") != 0 {
			s.Fatalf("%+v, %d wait", got, s.count("push_message"))
		}
		for _, m := range got {
			if m.Browser != one && m.Browser != two {
				s.Errorf("another browser was told: %+v", m)
			}
			if m.Title != answered.Title || m.Body != answered.Body || m.Path != answered.Path || m.Tag != m.Topic ||
				m.TTL != 24*time.Hour {
				s.Errorf("%+v", m)
			}
			if bytes.Contains(m.Wire, []byte(answered.Title)) {
				s.Error("the push service reads the title")
			}
		}
		devices, err := s.Devices(s.Context(), 1)
		s.must(err)
		if len(devices) != 2 || devices[0].SentAt == nil || !devices[0].SentAt.Equal(s.now) {
			s.Errorf("%+v", devices)
		}
	})
}

func TestQueue_OfAnAbortedTransaction_SendsNothing(t *testing.T) {
	each(t, func(s *site) {
		s.browser(1, "push.example.com")
		failed := errors.New("the cause failed")
		err := s.db.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := s.Queue(ctx, tx, 1, func() (webpush.Notice, error) { return answered, nil })
			return errors.Join(err, failed)
		})
		s.work()
		if !errors.Is(err, failed) || s.service.Requests() != 0 {
			s.Error(err, s.service.Requests())
		}
	})
}

func TestQueue_LongTexts_AreCut(t *testing.T) {
	each(t, func(s *site) {
		s.browser(1, "push.example.com")
		long := strings.Repeat("长\n", 3000)
		s.queue(1, webpush.Notice{Title: long, Body: long, Path: "/user/tickets", Topic: long})
		s.work()
		got := s.service.Messages()
		if len(got) != 1 || len([]rune(got[0].Title)) > 100 || len([]rune(got[0].Body)) > 240 ||
			!strings.HasSuffix(got[0].Body, "长…") || strings.Contains(got[0].Title, "\n") {
			s.Errorf("%+v", got)
		}
	})
}

func TestQueue_TwiceOnOneTopic_SendsTheNewestAlone(t *testing.T) {
	each(t, func(s *site) {
		s.browser(1, "push.example.com")
		for _, title := range []string{"first", "second"} {
			n := answered
			n.Title = title
			s.queue(1, n)
		}
		s.queue(1, webpush.Notice{Title: "other", Topic: "ticket 8"})
		s.work()
		got := s.service.Messages()
		if len(got) != 2 || got[0].Title != "second" || got[1].Title != "other" || got[0].Topic == got[1].Topic {
			s.Errorf("%+v", got)
		}
	})
}

func TestQueue_WhileTheOlderOneIsSent_SendsTheNewerToo(t *testing.T) {
	each(t, func(s *site) {
		s.browser(1, "push.example.com")
		s.queue(1, answered)
		var once sync.Once
		s.service.Answers(func(w http.ResponseWriter, _ string) bool {
			once.Do(func() {
				newer := answered
				newer.Title = "newer"
				s.queue(1, newer)
			})
			w.WriteHeader(http.StatusCreated)
			return true
		})
		s.work()
		s.work()
		got := s.service.Messages()
		if len(got) != 2 || got[1].Title != "newer" || s.count("push_message") != 0 {
			s.Errorf("%+v", got)
		}
	})
}

func TestSend_GoneBrowser_RemovesTheSubscription(t *testing.T) {
	for _, status := range []int{http.StatusNotFound, http.StatusGone} {
		each(t, func(s *site) {
			s.browser(1, "push.example.com")
			s.service.Status(status)
			s.queue(1, answered)
			s.queue(1, webpush.Notice{Title: "other", Topic: "other"})
			s.work()
			if s.service.Requests() != 1 || s.count("push_subscription") != 0 || s.count("push_message") != 0 {
				s.Errorf("%d requests, %d subscriptions", s.service.Requests(), s.count("push_subscription"))
			}
		})
	}
}

func TestSend_SessionThatIsOver_RemovesTheSubscription(t *testing.T) {
	each(t, func(s *site) {
		s.browser(1, "push.example.com")
		s.UseSessions(func(context.Context, uuid.UUID) (bool, error) { return false, nil })
		s.queue(1, answered)
		s.work()
		if s.service.Requests() != 0 || s.count("push_subscription") != 0 {
			s.Errorf("%d requests, %d subscriptions", s.service.Requests(), s.count("push_subscription"))
		}
	})
}

func TestSend_FailingService_IsTriedAgainUntilTheMessageExpires(t *testing.T) {
	each(t, func(s *site) {
		s.browser(1, "push.example.com")
		s.service.Status(http.StatusServiceUnavailable)
		s.queue(1, answered)
		s.work()
		s.work()
		if n := s.service.Requests(); n != 1 {
			s.Errorf("%d requests without a pause", n)
		}
		for range 30 {
			s.now = s.now.Add(time.Hour)
			s.work()
		}
		if n := s.service.Requests(); n < 5 || n > 15 || s.count("push_message") != 0 {
			s.Errorf("%d requests in all, %d wait", n, s.count("push_message"))
		}
		s.service.Status(http.StatusCreated)
		s.queue(1, answered)
		s.work()
		if len(s.service.Messages()) != 1 {
			s.Error("the next notice does not come through")
		}
	})
}

func TestSend_RefusedForGood_IsNotTriedAgain(t *testing.T) {
	for _, status := range []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge} {
		each(t, func(s *site) {
			s.browser(1, "push.example.com")
			s.service.Status(status)
			s.queue(1, answered)
			s.work()
			if s.count("push_message") != 0 || s.count("push_subscription") != 1 {
				s.Errorf("%d messages, %d subscriptions", s.count("push_message"), s.count("push_subscription"))
			}
		})
	}
}

func TestSend_RetryAfter_IsRespected(t *testing.T) {
	for _, date := range []bool{false, true} {
		each(t, func(s *site) {
			s.browser(1, "push.example.com")
			header := "1800"
			if date {
				header = s.now.Add(30 * time.Minute).Format(http.TimeFormat)
			}
			s.service.Answers(func(w http.ResponseWriter, _ string) bool {
				w.Header().Set("Retry-After", header)
				w.WriteHeader(http.StatusTooManyRequests)
				return false
			})
			s.queue(1, answered)
			s.work()
			s.service.Status(http.StatusCreated)
			s.now = s.now.Add(29 * time.Minute)
			s.work()
			if s.service.Requests() != 1 {
				s.Error("it was tried again too soon")
			}
			s.now = s.now.Add(time.Minute)
			s.work()
			if m := s.service.Messages(); len(m) != 1 || m[0].TTL != 23*time.Hour+30*time.Minute {
				s.Errorf("%+v", m)
			}
		})
	}
}

func TestSend_OneServiceThatStalls_DelaysNoOther(t *testing.T) {
	each(t, func(s *site) {
		s.browser(1, "stalls.example.com")
		s.browser(1, "push.example.com")
		release := make(chan struct{})
		s.service.Answers(func(w http.ResponseWriter, endpoint string) bool {
			if strings.Contains(endpoint, "stalls") {
				<-release
			}
			w.WriteHeader(http.StatusCreated)
			return true
		})
		s.queue(1, answered)
		done := make(chan error)
		go func() { done <- s.Work(s.Context()) }()
		for range 500 {
			if len(s.service.Messages()) == 1 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if len(s.service.Messages()) != 1 {
			s.Error("the other service got nothing")
		}
		close(release)
		s.must(<-done)
	})
}

func TestWork_OfSeveralProcesses_SendsOnce(t *testing.T) {
	each(t, func(s *site) {
		for range 5 {
			s.browser(1, "push.example.com")
		}
		s.queue(1, answered)
		var all sync.WaitGroup
		for range 4 {
			p := webpush.New(s.db, seal.Key{1}, address)
			p.UseClient(s.service.Client())
			all.Go(func() {
				if err := p.Work(s.Context()); err != nil {
					s.Error(err)
				}
			})
		}
		all.Wait()
		s.work()
		if n := len(s.service.Messages()); n != 5 {
			s.Errorf("%d messages, want 5", n)
		}
	})
}

func TestSubscribe_WhatNoBrowserGives_IsRefused(t *testing.T) {
	each(t, func(s *site) {
		key, err := s.PublicKey(s.Context())
		s.must(err)
		session := s.session(1)
		good := s.service.Subscribe("push.example.com", key).Target()
		for name, c := range map[string]struct {
			field  string
			change func(t *webpush.Target)
		}{
			"plain http":   {"endpoint", func(t *webpush.Target) { t.Endpoint = "http://push.example.com/x" }},
			"an address":   {"endpoint", func(t *webpush.Target) { t.Endpoint = "https://10.0.0.1/x" }},
			"IPv6":         {"endpoint", func(t *webpush.Target) { t.Endpoint = "https://[::1]/x" }},
			"one label":    {"endpoint", func(t *webpush.Target) { t.Endpoint = "https://localhost/x" }},
			"another port": {"endpoint", func(t *webpush.Target) { t.Endpoint = "https://push.example.com:8443/x" }},
			"a user":       {"endpoint", func(t *webpush.Target) { t.Endpoint = "https://a:b@push.example.com/x" }},
			"a fragment":   {"endpoint", func(t *webpush.Target) { t.Endpoint = "https://push.example.com/x#y" }},
			"nothing":      {"endpoint", func(t *webpush.Target) { t.Endpoint = "" }},
			"no host":      {"endpoint", func(t *webpush.Target) { t.Endpoint = "https:///x" }},
			"line break":   {"endpoint", func(t *webpush.Target) { t.Endpoint = "https://push.example.com/\nx" }},
			"too long": {"endpoint", func(t *webpush.Target) {
				t.Endpoint = "https://push.example.com/" + strings.Repeat("x", 3000)
			}},
			"short key":     {"p256dh", func(t *webpush.Target) { t.P256DH = "BAAA" }},
			"not on curve":  {"p256dh", func(t *webpush.Target) { t.P256DH = "B" + strings.Repeat("A", 86) }},
			"no base64 key": {"p256dh", func(t *webpush.Target) { t.P256DH = "%" }},
			"short auth":    {"auth", func(t *webpush.Target) { t.Auth = "AAAA" }},
			"no auth":       {"auth", func(t *webpush.Target) { t.Auth = "" }},
		} {
			target := good
			c.change(&target)
			err := s.Subscribe(s.Context(), 1, session, target)
			if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Name != c.field {
				s.Errorf("%s: %v", name, err)
			}
		}
		good.P256DH += "="
		s.must(s.Subscribe(s.Context(), 1, session, good))
	})
}

func TestSubscribe_AgainFromOneBrowser_ReplacesWhatWasThere(t *testing.T) {
	each(t, func(s *site) {
		key, err := s.PublicKey(s.Context())
		s.must(err)
		first, second := s.service.Subscribe("a.example.com", key), s.service.Subscribe("b.example.com", key)
		session := s.session(1)
		s.must(s.Subscribe(s.Context(), 1, session, first.Target()))
		s.queue(1, answered)
		s.must(s.Subscribe(s.Context(), 1, session, first.Target())) // what waits for it stays
		if s.count("push_subscription") != 1 || s.count("push_message") != 1 {
			s.Error(s.count("push_subscription"), s.count("push_message"))
		}
		s.must(s.Subscribe(s.Context(), 1, session, second.Target()))
		if s.count("push_subscription") != 1 || s.count("push_message") != 0 {
			s.Error(s.count("push_subscription"), s.count("push_message"))
		}
		// Another user signs in there: the former one is not notified in it any more.
		s.must(s.Subscribe(s.Context(), 2, s.session(2), second.Target()))
		if one, err := s.Devices(s.Context(), 1); err != nil || len(one) != 0 {
			s.Error(one, err)
		}
	})
}

func TestRenew_OfWhoKnowsTheFormerSubscription_MovesIt(t *testing.T) {
	each(t, func(s *site) {
		key, err := s.PublicKey(s.Context())
		s.must(err)
		was, others := s.service.Subscribe("a.example.com", key), s.service.Subscribe("a.example.com", key)
		s.must(s.Subscribe(s.Context(), 1, s.session(1), was.Target()))
		s.must(s.Subscribe(s.Context(), 2, s.session(2), others.Target()))
		s.queue(1, answered)
		is := s.service.Subscribe("b.example.com", key)
		for name, proof := range map[string][2]string{
			"the secret of another":    {was.Endpoint, others.Target().Auth},
			"no secret":                {was.Endpoint, ""},
			"an address of nobody":     {"https://a.example.com/send/x", was.Target().Auth},
			"the address of another":   {others.Endpoint, was.Target().Auth},
			"no address":               {"", was.Target().Auth},
			"a secret of another size": {was.Endpoint, was.Target().Auth + "AA"},
		} {
			err := s.Renew(s.Context(), home, proof[0], proof[1], is.Target())
			if !errors.Is(err, webpush.ErrNoSubscription) {
				s.Errorf("%s: %v", name, err)
			}
		}
		s.must(s.Renew(s.Context(), home, was.Endpoint, was.Target().Auth, is.Target()))
		s.work()
		if got := s.service.Messages(); len(got) != 1 || got[0].Browser != is {
			s.Errorf("what waited reached %+v", got)
		}
		if err := s.Renew(s.Context(), home, was.Endpoint, was.Target().Auth, is.Target()); !errors.Is(err,
			webpush.ErrNoSubscription) {
			s.Errorf("a second time: %v", err)
		}
		if one, err := s.Devices(s.Context(), 1); err != nil || len(one) != 1 || s.count("push_subscription") != 2 {
			s.Error(one, err)
		}
	})
}

func TestSend_GoneWhileRenewed_ReachesTheNewAddress(t *testing.T) {
	each(t, func(s *site) {
		key, err := s.PublicKey(s.Context())
		s.must(err)
		was, is := s.service.Subscribe("a.example.com", key), s.service.Subscribe("a.example.com", key)
		s.must(s.Subscribe(s.Context(), 1, s.session(1), was.Target()))
		s.queue(1, answered)
		s.service.Answers(func(w http.ResponseWriter, endpoint string) bool {
			if endpoint == was.Endpoint {
				if err := s.Renew(s.Context(), home, was.Endpoint, was.Target().Auth, is.Target()); err != nil {
					s.Error(err)
				}
				w.WriteHeader(http.StatusGone)
				return false
			}
			w.WriteHeader(http.StatusCreated)
			return true
		})
		s.work()
		s.now = s.now.Add(time.Hour)
		s.work()
		if got := s.service.Messages(); len(got) != 1 || got[0].Browser != is {
			s.Errorf("the message reached %+v", got)
		}
	})
}

func TestSubscribe_AtMostTen(t *testing.T) {
	each(t, func(s *site) {
		key, err := s.PublicKey(s.Context())
		s.must(err)
		var all sync.WaitGroup
		var mu sync.Mutex
		refused := 0
		for range webpush.MaxDevices + 4 {
			session, target := s.session(1), s.service.Subscribe("push.example.com", key).Target()
			all.Go(func() {
				err := s.Subscribe(s.Context(), 1, session, target)
				mu.Lock()
				defer mu.Unlock()
				if errors.Is(err, webpush.ErrTooMany) {
					refused++
				} else if err != nil {
					s.Error(err)
				}
			})
		}
		all.Wait()
		devices, err := s.Devices(s.Context(), 1)
		s.must(err)
		if refused != 4 || len(devices) != webpush.MaxDevices {
			s.Fatalf("%d refused, %d devices", refused, len(devices))
		}
		if err := s.Unsubscribe(s.Context(), 2, devices[0].ID); !errors.Is(err, webpush.ErrNoSubscription) {
			s.Errorf("another user removes it: %v", err)
		}
		s.must(s.Unsubscribe(s.Context(), 1, devices[0].ID))
		s.browser(1, "push.example.com")
	})
}

func TestEndSessions_AndClose_RemoveSubscriptionsAndWhatWaits(t *testing.T) {
	each(t, func(s *site) {
		s.browser(1, "a.example.com")
		s.browser(1, "b.example.com")
		s.browser(2, "c.example.com")
		s.queue(1, answered)
		s.queue(2, answered)
		devices, err := s.Devices(s.Context(), 1)
		s.must(err)
		s.must(s.db.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error {
			return s.EndSessions(ctx, tx, []uuid.UUID{devices[0].SessionID})
		}))
		if s.count("push_subscription") != 2 || s.count("push_message") != 2 {
			s.Error(s.count("push_subscription"), s.count("push_message"))
		}
		s.must(s.db.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error { return s.Close(ctx, tx, 1) }))
		if s.count("push_subscription") != 1 || s.count("push_message") != 1 {
			s.Error(s.count("push_subscription"), s.count("push_message"))
		}
	})
}

func TestKeys_AreMadeOnceAndSealed(t *testing.T) {
	each(t, func(s *site) {
		keys := make([]string, 6)
		var all sync.WaitGroup
		for i := range keys {
			p := webpush.New(s.db, seal.Key{1}, address)
			all.Go(func() {
				var err error
				if keys[i], err = p.PublicKey(s.Context()); err != nil {
					s.Error(err)
				}
			})
		}
		all.Wait()
		for _, key := range keys {
			if key != keys[0] || len(key) != 87 {
				s.Fatalf("%q", keys)
			}
		}
		b := s.browser(1, "push.example.com")
		for _, column := range []struct{ table, name string }{
			{"push_key", "private"}, {"push_subscription", "sealed"}, {"push_subscription", "endpoint"},
		} {
			var stored []byte
			s.must(s.db.NewSelect().Table(column.table).Column(column.name).Scan(s.Context(), &stored))
			if bytes.Contains(stored, []byte("push.example.com")) || bytes.Contains(stored, []byte(b.Target().Auth)) {
				s.Errorf("%s.%s is in clear", column.table, column.name)
			}
		}
		if closed, err := webpush.Sealed(s.Context(), s.db, seal.Key{1}); err != nil || len(closed) != 0 {
			s.Error(closed, err)
		}
		if closed, err := webpush.Sealed(s.Context(), s.db, seal.Key{2}); err != nil || len(closed) != 2 {
			s.Error(closed, err)
		}
	})
}

func TestSend_OfAnUnreachableService_LogsNoAddress(t *testing.T) {
	each(t, func(s *site) {
		var log bytes.Buffer
		before := slog.Default()
		slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
		defer slog.SetDefault(before)
		b := s.browser(1, "push.example.com")
		s.UseClient(&http.Client{Transport: refusing{}})
		s.queue(1, answered)
		s.work()
		if text := log.String(); !strings.Contains(text, "push.example.com") || strings.Contains(text, b.Endpoint) ||
			strings.Contains(text, "/send/") {
			s.Errorf("the log has %s", text)
		}
	})
}

type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New("refused") }
