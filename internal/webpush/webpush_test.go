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
