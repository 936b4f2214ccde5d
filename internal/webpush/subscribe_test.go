package webpush_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/fault"
	"airstrip/internal/webpush"
)

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
