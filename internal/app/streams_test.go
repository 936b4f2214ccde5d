package app

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"airstrip/internal/account"
)

// openStream opens the stream of ticket changes. The channel gets each event and is closed when the stream ends.
func openStream(ctx context.Context, t *testing.T, at *httptest.Server, bearer string) <-chan string {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, "GET", at.URL+ticketPath+"/changes?stream=true", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+bearer)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		t.Fatalf("the stream answers %d %s", answer.StatusCode, text)
	}
	events := make(chan string, 100)
	go func() {
		defer close(events)
		defer answer.Body.Close()
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			if text := lines.Text(); text != "" && text != "event: change" {
				events <- text
			}
		}
	}()
	if first := <-events; first == "" {
		t.Fatal("the stream has no first event")
	}
	return events
}

// ends tells whether the stream ends within the time.
func ends(events <-chan string, within time.Duration) bool {
	end := time.After(within)
	for {
		select {
		case _, open := <-events:
			if !open {
				return true
			}
		case <-end:
			return false
		}
	}
}

// follows runs what serves streams until the test ends.
func (f *testServer) follows(t *testing.T) *httptest.Server {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go f.DB.Follow(ctx)
	go f.Tickets.Follow(ctx)
	go f.Accounts.Streams.Follow(ctx)
	site := httptest.NewServer(f.root)
	t.Cleanup(site.Close)
	return site
}

func TestStream_EndsWithWhatOpenedIt_OnEveryServer(t *testing.T) {
	eachCluster(t, func(t *testing.T, fronts []*testServer) {
		f, last := fronts[0], fronts[len(fronts)-1]
		site := last.follows(t)
		ctx := f.operator(t)
		untouched := openStream(t.Context(), t, site, f.addUser(t, "untouched", 0).bearer)
		call := func(as testUser, method, path, body string) {
			t.Helper()
			if w := f.call(t.Context(), as, method, path, body); w.Code != http.StatusOK {
				t.Errorf("%s %s answers %d %s", method, path, w.Code, w.Body)
			}
		}
		const password = "a long enough password"
		for name, end := range map[string]func(as testUser, email string){
			"sign-out": func(as testUser, _ string) { call(as, "POST", "/api/v2/auth/sign-out", "") },
			"other device": func(as testUser, email string) {
				way := account.SignIn{Email: email, Password: password}
				other, err := f.Accounts.SignIns.ByPassword(t.Context(), way, account.Client{})
				if err != nil {
					t.Fatal(err)
				}
				call(testUser{id: as.id, bearer: other.Access}, "POST", "/api/v2/user/account/sessions/end-others", "")
			},
			"ban": func(as testUser, _ string) {
				if _, err := f.Accounts.Bans.Ban(ctx, account.BanTask{AccountID: as.id, Reason: "test"},
					account.Identity{}); err != nil {
					t.Fatal(err)
				}
			},
			"role": func(_ testUser, email string) {
				if err := f.Accounts.SetRole(ctx, email, account.Support); err != nil {
					t.Fatal(err)
				}
			},
			"password by the operator": func(_ testUser, email string) {
				if err := f.Accounts.Credentials.SetPassword(ctx, email, "another long password"); err != nil {
					t.Fatal(err)
				}
			},
			"e-mail by the operator": func(as testUser, email string) {
				if _, err := f.Accounts.Credentials.ReplaceEmail(ctx, account.Identity{}, as.id, email,
					"new"+email, "test", account.Client{}); err != nil {
					t.Fatal(err)
				}
			},
			"closing": func(as testUser, email string) {
				call(as, "POST", "/api/v2/user/account/close",
					fmt.Sprintf(`{"password":%q,"email":%q,"forfeit":"0.00"}`, password, email))
			},
		} {
			user := strings.ReplaceAll(name, " ", "-")
			who, email := f.addUser(t, user, 0), user+"@example.com"
			events := openStream(t.Context(), t, site, who.bearer)
			end(who, email)
			if !ends(events, 2*time.Second) {
				t.Errorf("%s: the stream goes on", name)
			}
		}
		owner := f.addUser(t, "token", 0)
		secret, token, err := f.Accounts.APITokens.Create(ctx, owner.id, account.APITokenDraft{
			Name: "t", Scopes: []account.Scope{account.ScopeRead},
		})
		if err != nil {
			t.Fatal(err)
		}
		byToken := openStream(t.Context(), t, site, secret.String())
		bySession := openStream(t.Context(), t, site, owner.bearer)
		if err := f.Accounts.APITokens.Revoke(ctx, owner.id, token.ID, account.Client{}); err != nil {
			t.Fatal(err)
		}
		if !ends(byToken, 2*time.Second) {
			t.Error("the stream of a revoked API token goes on")
		}
		if ends(untouched, 0) || ends(bySession, 0) {
			t.Error("the stream of somebody else ended, too")
		}
	})
}

// Members of staff who see the site as a user does take nothing of what the user may open.
func TestStream_OfVisits_CountApartFromTheUsers(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		site := h.follows(h.T)
		user := h.users[0]
		visits := []testUser{h.visit(h.staff[account.Admin], user), h.visit(h.staff[account.Owner], user)}
		fill := func(bearer string, most int) {
			h.Helper()
			for range most {
				openStream(h.Context(), h.T, site, bearer)
			}
			req, err := http.NewRequestWithContext(h.Context(), "GET", site.URL+ticketPath+"/changes?stream=true", nil)
			if err != nil {
				h.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+bearer)
			answer, err := http.DefaultClient.Do(req)
			if err != nil {
				h.Fatal(err)
			}
			defer answer.Body.Close()
			if answer.StatusCode != http.StatusTooManyRequests {
				h.Errorf("stream %d answers %d", most+1, answer.StatusCode)
			}
		}
		fill(visits[0].bearer, 5)
		fill(h.present(user).bearer, 10)
		fill(visits[1].bearer, 5)
	})
}

func TestStream_FirstEvent_ComesOnce(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		site := h.follows(h.T)
		user := h.users[0]
		h.set(map[string]any{"captcha_ticket": "never"})
		for range 5 { // each opening is told of soon after the stream has begun with it
			h.openTicket(user, "Title", "first")
			ctx, leave := context.WithCancel(h.Context())
			events := openStream(ctx, h.T, site, h.present(user).bearer)
			select {
			case again := <-events:
				h.Fatalf("nothing changed, and another event comes: %s", again)
			case <-time.After(150 * time.Millisecond):
			}
			leave()
			h.exec("UPDATE ticket SET state = 'closed', awaiting = 'nobody', closed_at = updated_at")
		}
	})
}
