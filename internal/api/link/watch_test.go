package link_test

import (
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/mail"
)

// fetchSite is a site with an account whose link is fetched from several networks.
type fetchSite struct {
	*site
	now   time.Time
	user  account.User
	token string
}

func eachSpread(t *testing.T, test func(s *fetchSite)) {
	each(t, func(s *site) {
		p := &fetchSite{site: s, now: time.Now().UTC().Truncate(time.Second)}
		s.db.SetClock(func() time.Time { return p.now })
		s.set("link_notice_networks", 3)
		grant, err := s.accounts.SignUps.SignUp(s.Context(),
			account.SignUp{
				Email: "a@example.com", Name: "A", Password: "correct horse 7",
				Repeated: "correct horse 7",
			}, account.Client{})
		if err != nil {
			s.Fatal(err)
		}
		p.user = grant.User
		made, err := s.links.Token(s.Context(), p.user.ID)
		if err != nil {
			s.Fatal(err)
		}
		p.token = made.Token
		test(p)
	})
}

// from fetches the link from these addresses and returns the number of notices once the log is written and checked.
func (p *fetchSite) from(addresses ...string) int {
	p.Helper()
	_, before, err := p.links.Fetches(p.Context(), p.user.ID, 1, 0)
	if err != nil {
		p.Fatal(err)
	}
	for _, address := range addresses {
		r := httptest.NewRequest("GET", "/link2/"+p.token, nil)
		r.RemoteAddr = address + ":4000"
		p.handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		_, n, err := p.links.Fetches(p.Context(), p.user.ID, 1, 0)
		if err != nil || time.Now().After(end) {
			p.Fatalf("the fetches do not come into the log: %d of %d, %v", n-before, len(addresses), err)
		}
		if n == before+int64(len(addresses)) {
			break
		}
	}
	var all sync.WaitGroup
	for range 3 { // Each server watches by itself.
		all.Go(func() {
			if err := p.links.Watch(p.Context()); err != nil {
				p.Error(err)
			}
		})
	}
	all.Wait()
	mails, _, err := p.mails.Find(p.Context(), mail.Filter{Limit: 50})
	if err != nil {
		p.Fatal(err)
	}
	notices := 0
	for _, m := range mails {
		if m.Kind == "link_spread" && m.Recipient == p.user.Email {
			notices++
		}
	}
	return notices
}

func (p *fetchSite) want(notices int, addresses ...string) {
	p.Helper()
	if got := p.from(addresses...); got != notices {
		p.Fatalf("%d notices after fetches from %q, want %d", got, addresses, notices)
	}
}

func TestWatch_ManyNetworks_IsNotifiedOnceADay(t *testing.T) {
	t.Parallel() // It waits for the log.
	eachSpread(t, func(p *fetchSite) {
		p.want(0, "192.0.2.1", "192.0.2.200", "198.51.100.1", "198.51.100.1") // Two networks.
		p.want(1, "[2001:db8::1]", "[2001:db8:0:9::1]")
		p.want(1, "203.0.113.1", "[2001:db8:1::1]")
		p.now = p.now.Add(25 * time.Hour) // None of those counts any more.
		p.want(1, "192.0.2.1", "198.51.100.1")
		p.want(2, "203.0.113.1")
	})
}

func TestWatch_FormerTokenAndRefusals_DoNotCount(t *testing.T) {
	t.Parallel() // It waits for the log.
	eachSpread(t, func(p *fetchSite) {
		p.want(0, "192.0.2.1", "198.51.100.1")
		p.now = p.now.Add(time.Minute)
		fresh, err := p.links.Reset(p.Context(), p.user.ID, false)
		if err != nil {
			p.Fatal(err)
		}
		p.token = fresh.Token
		p.want(0, "203.0.113.1")
		p.token += "?client_type=nonsense"
		p.want(0, "192.0.2.1", "198.51.100.1")
		p.token = fresh.Token
		p.set("link_notice_networks", 0)
		p.want(0, "192.0.2.1", "198.51.100.1")
		p.set("link_notice_networks", 3)
		p.want(1, "192.0.2.2")
	})
}
