// Command bench measures the built server against a bare net/http answer on the same machine, so that its numbers mean
// the same everywhere. It prints a table with the goal of each row. Only wrong answers make it fail, not numbers.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

const (
	conns   = 16
	seconds = 4 * time.Second
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "bare" {
		bare(os.Args[2])
		return
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bare answers a small JSON text, or at /bytes what was stored there, without any middleware.
func bare(address string) {
	small := []byte(`{"is_success":true,"message":"ok","result":{"user_id":1}}`)
	var big []byte
	http.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(small)
	})
	http.HandleFunc("PUT /bytes", func(w http.ResponseWriter, r *http.Request) { big, _ = io.ReadAll(r.Body) })
	http.HandleFunc("GET /bytes", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(big)
	})
	http.ListenAndServe(address, nil)
}

func startBare() (url string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	address := freePort()
	cmd := exec.Command(self, "bare", address)
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() { cmd.Process.Kill(); cmd.Wait() }
	for range 200 {
		if res, err := http.Get("http://" + address + "/"); err == nil {
			res.Body.Close()
			return "http://" + address, stop, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	return "", nil, fmt.Errorf("the bare server did not start")
}

// run measures everything, or only what is named: money for the shop, nodes for their cost, crowd for the link among a
// million users, lists for the console's lists with a million rows, log for the traffic log with 100 million rows.
func run(only []string) error {
	if len(only) > 0 {
		switch only[0] {
		case "log":
			return logs(only[1:])
		case "lists":
			return lists(only[1:])
		}
	}
	dir, err := os.MkdirTemp("", "airstrip-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := &table{}
	switch {
	case slices.Contains(only, "nodes"):
		return errors.Join(nodes(dir, t), t.done())
	case slices.Contains(only, "crowd"):
		return errors.Join(crowds(dir, t), t.done())
	}
	if err := purchases(dir, t); err != nil {
		return err
	}
	if slices.Contains(only, "money") {
		return t.done()
	}

	small, _, err := seeded(dir+"/small", 0, 0)
	if err != nil {
		return err
	}
	time.Sleep(2 * time.Second)
	idle, ready := small.resident(), small.ready
	small.stop()
	small.start()
	ready = min(ready, small.ready)
	small.stop()

	if err := accounts(dir+"/accounts", t); err != nil {
		return err
	}
	s, d, err := seeded(dir+"/big", 10_000, 50)
	if err != nil {
		return err
	}
	defer s.stop()
	unit, stopBare, err := startBare()
	if err != nil {
		return err
	}
	defer stopBare()

	t.row("memory when idle", "< 80 MB", fmt.Sprintf("%.0f MB", idle))
	t.row("start to ready", "< 1 s", ready.Round(time.Millisecond).String())
	one := load(conns, seconds, http.StatusOK, get(unit+"/"))
	t.throughput("bare net/http answer", "the unit", one, one)
	token, err := signIn(s, d, t, one)
	if err != nil {
		return err
	}
	bearer := "Bearer " + token
	t.throughput("dashboard", "≥ 10%", load(conns, seconds, http.StatusOK, get(s.url+"/api/v2/user/dashboard",
		"Authorization", bearer)), one)
	if err := links(s, d, t, one); err != nil {
		return err
	}
	guesses(s, d, t, one)
	if err := listAgainst(s.url+"/mod_mu/users?key="+d.Nodes[0].Secret, unit, "users list of 10,000", t); err != nil {
		return err
	}
	if err := reports(s, d, t); err != nil {
		return err
	}
	t.row("memory after all this", "", fmt.Sprintf("%.0f MB", s.resident()))
	if err := crowds(dir, t); err != nil {
		return err
	}
	if err := nodes(dir, t); err != nil {
		return err
	}
	if err := t.done(); err != nil {
		return err
	}
	if err := lists(nil); err != nil {
		return err
	}
	return logs(nil)
}

func signIn(s *server, d demo, t *table, one sample) (token string, err error) {
	login := s.url + "/api/v2/auth/account_login/login"
	if token, err = bearer(login, d); err != nil {
		return "", err
	}
	body := fmt.Sprintf(`{"email":%q,"password":%q}`, d.User.Email, d.User.Password)
	t.throughput("sign-in (Argon2id 19 MiB)", "", load(2, seconds, http.StatusOK,
		func() *http.Request { return post(login, body) }), one)
	return token, nil
}

// listAgainst measures a node's list at url against the same bytes from the bare server at unit.
func listAgainst(url, unit, name string, t *table) error {
	res, err := client.Do(get(url)())
	if err != nil {
		return err
	}
	list, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil || res.StatusCode != http.StatusOK {
		return fmt.Errorf("users list: %d %v", res.StatusCode, err)
	}
	put, err := http.NewRequest(http.MethodPut, unit+"/bytes", bytes.NewReader(list))
	if err != nil {
		return err
	}
	send(put)
	memory := load(conns, seconds, http.StatusOK, get(unit+"/bytes"))
	t.throughput(fmt.Sprintf("the same bytes from memory (%.1f MB)", float64(len(list))/1e6), "its unit", memory,
		memory)
	t.throughput(name, "≥ 50%", load(conns, seconds, http.StatusOK, get(url)), memory)
	same := load(1, seconds, http.StatusNotModified, get(url, "If-None-Match", res.Header.Get("ETag")))
	t.latency(name+", 304", "< 1 ms", same)
	return nil
}

// reports sends mod_mu reports of different sizes; each body differs, since the same body twice counts once.
func reports(s *server, d demo, t *table) error {
	ids, err := userIDs(s, d)
	if err != nil {
		return err
	}
	for _, rows := range []int{1_000, 2_500, 5_000, 10_000} {
		if rows > len(ids) {
			return fmt.Errorf("only %d users on the node", len(ids))
		}
		n := 0
		took := load(1, seconds, http.StatusOK, func() *http.Request {
			n++
			var body strings.Builder
			body.WriteString(`{"data":[`)
			for i, id := range ids[:rows] {
				if i > 0 {
					body.WriteByte(',')
				}
				fmt.Fprintf(&body, `{"user_id":%d,"u":%d,"d":%d}`, id, 100+n, 1000+rows)
			}
			body.WriteString(`]}`)
			req, err := http.NewRequest(http.MethodPost, s.url+"/mod_mu/users/traffic?key="+d.Nodes[0].Secret,
				strings.NewReader(body.String()))
			if err != nil {
				panic(err)
			}
			req.Header.Set("Content-Type", "application/json")
			return req
		})
		goal := ""
		if rows == 10_000 {
			goal = "< 250 ms"
		}
		t.latency(fmt.Sprintf("traffic report of %d users", rows), goal, took)
	}
	return nil
}

func userIDs(s *server, d demo) ([]int64, error) {
	res, err := client.Do(get(s.url + "/mod_mu/users?key=" + d.Nodes[0].Secret)())
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var list struct{ Data []struct{ ID int64 } }
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil {
		return nil, err
	}
	ids := make([]int64, len(list.Data))
	for i, u := range list.Data {
		ids[i] = u.ID
	}
	return ids, nil
}

// table prints its rows as they come and counts the answers that were wrong.
type table struct{ wrong int }

func (t *table) row(what, goal, value string) { fmt.Printf("%-58s %-60s %s\n", what, value, goal) }

func (t *table) throughput(what, goal string, s, unit sample) {
	t.wrong += s.failed
	t.row(what, goal, fmt.Sprintf("%8.0f/s  %5.1f%%  p50 %s  p99 %s%s", s.perSecond, 100*s.perSecond/unit.perSecond,
		short(s.p50), short(s.p99), failures(s)))
}

func (t *table) latency(what, goal string, s sample) {
	t.wrong += s.failed
	t.row(what, goal, fmt.Sprintf("p50 %s  p99 %s%s", short(s.p50), short(s.p99), failures(s)))
}

func short(d time.Duration) string { return d.Round(10 * time.Microsecond).String() }

func failures(s sample) string {
	if s.failed == 0 {
		return ""
	}
	return fmt.Sprintf("  %d WRONG", s.failed)
}

func (t *table) done() error {
	if t.wrong > 0 {
		return fmt.Errorf("%d answers were wrong", t.wrong)
	}
	return nil
}
