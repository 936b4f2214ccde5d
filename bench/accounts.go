package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// callers counts the addresses that calls came from. Each call of these measurements comes from one of its own, so that
// no rate limit answers instead of what is measured.
var callers atomic.Int64

func post(url, body string) *http.Request {
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		panic(err) // the addresses are ours
	}
	n := callers.Add(1)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255))
	return req
}

// accounts measures what unauthenticated callers can do to sign-in: exhaust it, and find out by timing who has an
// account.
func accounts(dir string, t *table) error {
	s, d, err := seeded(dir, 700, 0)
	if err != nil {
		return err
	}
	defer s.stop()
	login := s.url + "/api/v2/auth/account_login/login"
	token, err := bearer(login, d)
	if err != nil {
		return err
	}
	flood(s, login, token, t)

	wrong := func(email string) *http.Request {
		return post(login, fmt.Sprintf(`{"email":%q,"password":"not the password"}`, email))
	}
	nobody := func(i int) string { return fmt.Sprintf("nobody%d@example.com", i) }
	bulk := func(i int) string { return fmt.Sprintf("bulk%d@example.com", i) }
	t.difference("wrong password, wrong e-mail", 200, http.StatusUnauthorized,
		func(i int) *http.Request { return wrong(bulk(i)) }, func(i int) *http.Request { return wrong(nobody(i)) })
	for n, purpose := range []string{"account_login", "account_reset_password", "account_register"} {
		ask := func(email string) *http.Request {
			return post(s.url+"/api/v2/auth/"+purpose+"/request-email-code", fmt.Sprintf(`{"email":%q}`, email))
		}
		t.difference("code asked for, account or none ("+purpose+")", 200, http.StatusOK,
			func(i int) *http.Request { return ask(bulk(i + n*200)) },
			func(i int) *http.Request { return ask(nobody(i + n*200)) })
	}

	// As PHP hashes passwords; nobody typed these.
	var csv strings.Builder
	csv.WriteString("email,name,hash,kind\n")
	for i := range 201 {
		fmt.Fprintf(&csv, "old%d@example.com,Old,$2y$10$%s%s,bcrypt\n", i, strings.Repeat("a", 22),
			strings.Repeat("b", 31))
	}
	file := filepath.Join(dir, "users.csv")
	if err := os.WriteFile(file, []byte(csv.String()), 0o600); err != nil {
		return err
	}
	if _, err := s.command("user", "import", file); err != nil {
		return err
	}
	t.difference("wrong password of a bcrypt hash, wrong e-mail", 200, http.StatusUnauthorized,
		func(i int) *http.Request { return wrong(fmt.Sprintf("old%d@example.com", i)) },
		func(i int) *http.Request { return wrong(nobody(i)) })
	t.difference("wrong password next to bcrypt hashes, wrong e-mail", 200, http.StatusUnauthorized,
		func(i int) *http.Request { return wrong(bulk(i + 201)) },
		func(i int) *http.Request { return wrong(nobody(i)) })
	return nil
}

func bearer(login string, d demo) (token string, err error) {
	res, err := client.Do(post(login, fmt.Sprintf(`{"email":%q,"password":%q}`, d.User.Email, d.User.Password)))
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	var answer struct {
		Result struct {
			AccessToken string `json:"access_token"`
		}
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("sign in: %d %v", res.StatusCode, err)
	}
	return answer.Result.AccessToken, nil
}

// flood sends a thousand sign-ins at once and measures the server's memory and another user's calls meanwhile.
func flood(s *server, login, token string, t *table) {
	const at = 1000
	var answers [600]atomic.Int64
	start := make(chan struct{})
	done := make(chan struct{})
	var wg sync.WaitGroup
	for i := range at {
		req := post(login, fmt.Sprintf(`{"email":"bulk%d@example.com","password":"not the password"}`, 1+i%700))
		wg.Go(func() {
			<-start
			status, _ := send(req)
			answers[status].Add(1)
		})
	}
	before, most := s.resident(), s.resident()
	var others []time.Duration
	failed := 0
	var background sync.WaitGroup
	call := get(s.url+"/api/v2/user/dashboard", "Authorization", "Bearer "+token)
	send(call()) // the connection
	background.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			begin := time.Now()
			if status, _ := send(call()); status != http.StatusOK {
				failed++
			}
			others = append(others, time.Since(begin))
			time.Sleep(2 * time.Millisecond)
		}
	})
	background.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
				most = max(most, s.resident())
			}
		}
	})
	begin := time.Now()
	close(start)
	wg.Wait()
	took := time.Since(begin)
	close(done)
	background.Wait()
	wrong := at - int(answers[http.StatusUnauthorized].Load()+answers[http.StatusTooManyRequests].Load())
	slices.Sort(others)
	t.row("1,000 sign-ins at once", "401 or 429 only", fmt.Sprintf("%d × 401, %d × 429 in %s%s", answers[401].Load(),
		answers[429].Load(), short(took), failures(sample{failed: wrong})))
	t.row("  memory grows by", "< 150 MB", fmt.Sprintf("%.0f MB", most-before))
	t.latency("  dashboard meanwhile", "p99 < 50 ms", sample{
		p50: others[len(others)/2],
		p99: others[len(others)*99/100], failed: failed,
	})
	t.wrong += wrong
}

// difference compares the mean times of two kinds of calls, n of each, made alternately.
func (t *table) difference(what string, tries, want int, a, b func(i int) *http.Request) {
	var took [2]time.Duration
	failed := 0
	for i := range tries {
		for j := range 2 {
			which := (i + j) % 2
			req := a(1 + i)
			if which == 1 {
				req = b(1 + i)
			}
			begin := time.Now()
			res, err := client.Do(req)
			if err != nil {
				failed++
				continue
			}
			io.Copy(io.Discard, res.Body)
			res.Body.Close()
			took[which] += time.Since(begin)
			if res.StatusCode != want {
				failed++
			}
		}
	}
	apart := 100 * (took[0].Seconds() - took[1].Seconds()) / took[1].Seconds()
	t.row(what, "within 5%", fmt.Sprintf("means %s and %s, %+.1f%% apart%s", short(took[0]/time.Duration(tries)),
		short(took[1]/time.Duration(tries)), apart, failures(sample{failed: failed})))
	t.wrong += failed
}
