package main

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	agents    = 100
	perAgent  = 10_000                // users that each reports, each minute
	connected = 500                   // of them with a connection at any moment
	minute    = 60 * time.Second      // of the load
	patience  = 50 * time.Millisecond // to let what was just committed be read by all
	atOnce    = 20                    // reports that come in one moment
	oneUser   = "change of one user: "
)

// nodes measures what nodes cost the server, on both databases.
func nodes(dir string, t *table) error {
	if err := nodesOn(dir+"/nodes", "SQLite", "", t); err != nil {
		return err
	}
	url, stop, err := startPostgres(dir + "/nodes-postgres")
	if err != nil {
		return err
	}
	defer stop()
	if err := nodesOn(dir+"/nodes-pg", "PostgreSQL", url, t); err != nil {
		return err
	}
	for _, users := range []int{1_000, 100_000} {
		if err := listOf(fmt.Sprintf("%s/list-%d", dir, users), users, t); err != nil {
			return err
		}
	}
	return nil
}

// agent behaves towards the server like one of our agents.
type agent struct {
	site, secret string
	revision     int64
	users        []int64
	sequence     atomic.Int64
	boot         string
}

// newAgent adds a node and requests its snapshot.
func newAgent(s *server, port int) (*agent, error) {
	out, err := s.command("node", "add", "--protocol", "shadowsocks", "--method", "aes-128-gcm", "--name",
		fmt.Sprint("bench ", port), "--address", "127.0.0.1", "--port", fmt.Sprint(port))
	if err != nil {
		return nil, err
	}
	var added struct{ Secret string }
	if err := json.Unmarshal(out, &added); err != nil {
		return nil, err
	}
	e := &agent{site: s.url + "/api/agent/v1/", secret: added.Secret}
	var b [16]byte
	rand.Read(b[:])
	e.boot = fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	return e, nil
}

func (e *agent) do(method, path string, body []byte, header ...string) (*http.Response, error) {
	req, err := http.NewRequest(method, e.site+path, strings.NewReader(string(body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+e.secret)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return streams.Do(req)
}

// streams has no limit of time, for streams of changes.
var streams = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200, DisableCompression: true}}

func (e *agent) snapshot() error {
	res, err := e.do(http.MethodGet, "snapshot?leases=1", nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var s struct {
		Revision int64
		Users    []struct{ ID int64 }
	}
	if err := json.NewDecoder(res.Body).Decode(&s); err != nil || res.StatusCode != http.StatusOK {
		return fmt.Errorf("snapshot: %d %v", res.StatusCode, err)
	}
	e.revision, e.users = s.Revision, e.users[:0]
	for _, u := range s.Users {
		e.users = append(e.users, u.ID)
	}
	return nil
}

// report sends what so many users moved within a minute.
func (e *agent) report(users int) (time.Duration, error) {
	var body strings.Builder
	now := time.Now().UTC()
	n := e.sequence.Add(1)
	fmt.Fprintf(&body, `{"boot":%q,"sequence":%d,"from":%q,"to":%q,"rows":[`, e.boot, n, now.Add(-time.Minute).
		Format(time.RFC3339), now.Format(time.RFC3339))
	for i, id := range e.users[:users] {
		if i > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(&body, `{"user_id":%d,"up":%d,"down":%d}`, id, 100+n, 10_000+i)
	}
	body.WriteString(`]}`)
	text := []byte(body.String())
	sum := sha256.Sum256(text)
	began := time.Now()
	res, err := e.do(http.MethodPost, "reports", text, "Content-Type", "application/json", "Content-Digest",
		"sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != http.StatusOK || !strings.Contains(string(answer), `"refused":[]`)) {
		err = fmt.Errorf("report: %d %.200s", res.StatusCode, answer)
	}
	return time.Since(began), err
}

// beat sends a heartbeat with those who are connected.
func (e *agent) beat() error {
	var body strings.Builder
	fmt.Fprintf(&body, `{"boot":%q,"version":"bench","load":[0,0,0],"online":[`, e.boot)
	for i, id := range e.users[:min(connected, len(e.users))] {
		if i > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(&body, `{"user_id":%d,"ips":["10.%d.%d.%d"]}`, id, id>>16&255, id>>8&255, id&255)
	}
	body.WriteString(`]}`)
	res, err := e.do(http.MethodPost, "status", []byte(body.String()))
	if err == nil {
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			err = fmt.Errorf("status: %d", res.StatusCode)
		}
	}
	return err
}

// follow reads the stream of changes until stop.
func (e *agent) follow() (lines <-chan string, stop func(), err error) {
	res, err := e.do(http.MethodGet, fmt.Sprintf("changes?leases=1&since=%d", e.revision), nil)
	if err != nil {
		return nil, nil, err
	}
	if res.StatusCode != http.StatusOK {
		return nil, nil, fmt.Errorf("changes: %d", res.StatusCode)
	}
	out := make(chan string, 1000)
	go func() {
		defer close(out)
		scan := bufio.NewScanner(res.Body)
		scan.Buffer(nil, 64<<20)
		for scan.Scan() {
			select {
			case out <- scan.Text():
			default: // nobody listens
			}
		}
		if err := scan.Err(); err != nil && !errors.Is(err, http.ErrBodyReadAfterClose) {
			fmt.Fprintln(os.Stderr, "changes:", err)
		}
	}()
	return out, func() { res.Body.Close() }, nil
}

func nodesOn(dir, engine, database string, t *table) error {
	var env []string
	if database != "" {
		env = []string{"AIRSTRIP_DATABASE_URL=" + database, "AIRSTRIP_SECRET_KEY=" + strings.Repeat("ab12", 16)}
	}
	s, _, err := seeded(dir, perAgent+200, 0, env...) // some of the demo's users have nothing
	if err != nil {
		return err
	}
	defer s.stop()
	var all []*agent
	for i := range agents {
		e, err := newAgent(s, 10_000+i)
		if err != nil {
			return err
		}
		if i == 0 {
			err = e.snapshot()
		} else {
			e.users, e.revision = all[0].users, all[0].revision
		}
		if err != nil {
			return err
		}
		if len(e.users) < perAgent {
			return fmt.Errorf("only %d users may use the node", len(e.users))
		}
		all = append(all, e)
	}

	one := make([]time.Duration, 0, 20)
	before := s.cpu()
	for range cap(one) {
		took, err := all[0].report(perAgent)
		if err != nil {
			return err
		}
		one = append(one, took)
	}
	slices.Sort(one)
	goal := ""
	if database == "" {
		goal = "< 130 ms"
	}
	t.row("report of 10,000 users, "+engine, goal, fmt.Sprintf("p50 %s  slowest %s  CPU %s each",
		short(one[len(one)/2]), short(one[len(one)-1]), short((s.cpu()-before)/time.Duration(len(one)))))

	before = s.cpu()
	for _, e := range all {
		if err := e.beat(); err != nil {
			return err
		}
	}
	t.row(fmt.Sprintf("heartbeat with %d addresses, %s", connected, engine), "", fmt.Sprintf("CPU %s each",
		short((s.cpu()-before)/agents)))

	slowest, err := crowd(all[:atOnce])
	if err != nil {
		return err
	}
	t.row(fmt.Sprintf("%d such reports at once, %s", atOnce, engine), "all within 2 s", short(slowest))

	for _, e := range all {
		e.revision = all[0].revision
		_, stop, err := e.follow()
		if err != nil {
			return err
		}
		defer stop()
	}
	time.Sleep(time.Second)
	return t.steady(s, engine, all)
}

// crowd has some agents report at the same moment.
func crowd(some []*agent) (slowest time.Duration, err error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, e := range some {
		wg.Go(func() {
			took, failed := e.report(perAgent)
			mu.Lock()
			defer mu.Unlock()
			slowest = max(slowest, took)
			if failed != nil {
				err = failed
			}
		})
	}
	wg.Wait()
	return slowest, err
}

// steady measures a minute of all agents after one that begins the hour: a node's first report of an hour adds its rows
// to the log, and those of the other 59 minutes add to rows that are there.
func (t *table) steady(s *server, engine string, all []*agent) error {
	if _, _, err := minuteOf(s, all, perAgent); err != nil {
		return err
	}
	before := s.cpu()
	took, top, err := minuteOf(s, all, perAgent)
	if err != nil {
		return err
	}
	used := s.cpu() - before
	t.row(fmt.Sprintf("%d agents with %d users, a minute after one before, %s", len(all), perAgent, engine),
		"< 25% of a core, < 300 MB",
		fmt.Sprintf("%.1f%% of a core  at most %.0f MB  reports p50 %s  p99 %s", 100*used.Seconds()/minute.Seconds(),
			top, short(took[len(took)/2]), short(took[len(took)*99/100])))
	return nil
}

// minuteOf has all agents report, and beat three times, within a minute, each at a moment of its own. It returns how
// long the reports took, the shortest first, and the maximum of the server's memory.
func minuteOf(s *server, all []*agent, users int) (took []time.Duration, top float64, failed error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	began := time.Now()
	each := minute / time.Duration(len(all))
	for i, e := range all {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * each)
			d, err := e.report(users)
			mu.Lock()
			took = append(took, d)
			if err != nil {
				failed = err
			}
			mu.Unlock()
		})
		wg.Go(func() {
			for k := range 3 {
				time.Sleep(time.Until(began.Add(time.Duration(k)*minute/3 + time.Duration(i)*each/3)))
				if err := e.beat(); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for tick := time.NewTicker(time.Second); ; {
		select {
		case <-tick.C:
			top = max(top, s.resident())
			continue
		case <-done:
		}
		break
	}
	time.Sleep(time.Until(began.Add(minute)))
	slices.Sort(took)
	return took, top, failed
}

// listOf measures the complete list of so many users and the change of one of them.
func listOf(dir string, users int, t *table) error {
	s, d, err := seeded(dir, users, 0)
	if err != nil {
		return err
	}
	defer s.stop()
	e, err := newAgent(s, 10_000)
	if err != nil {
		return err
	}
	if users == 100_000 {
		unit, stop, err := startBare()
		if err != nil {
			return err
		}
		defer stop()
		if err := listAgainst(s.url+"/mod_mu/users?key="+e.secret, unit, "users list of 100,000", t); err != nil {
			return err
		}
		t.row("memory with 100,000 users", "", fmt.Sprintf("%.0f MB", s.resident()))
	}
	if err := e.snapshot(); err != nil {
		return err
	}
	lines, stop, err := e.follow()
	if err != nil {
		return err
	}
	defer stop()
	<-lines // the node
	token, err := bearer(s.url+"/api/v2/auth/account_login/login", d)
	if err != nil {
		return err
	}
	var arrived []time.Duration
	for range 20 {
		began := time.Now()
		if status, _ := send(as(token, post(s.url+"/api/v2/user/services/ss-password/reset",
			""))); status != http.StatusOK {
			return fmt.Errorf("reset of the credentials: %d", status)
		}
		if line := <-lines; !strings.Contains(line, `"users":[{`) {
			return fmt.Errorf("the change arrived as %.200s", line)
		}
		arrived = append(arrived, time.Since(began))
		time.Sleep(patience)
	}
	slices.Sort(arrived)
	last := fmt.Sprintf("%schanges?leases=1&poll=1&since=%d", e.site, e.revision)
	poll := load(1, seconds, http.StatusOK, get(last, "Authorization", "Bearer "+e.secret))
	t.wrong += poll.failed
	t.row(fmt.Sprintf("%sfrom the call to the agent, of %d users", oneUser, users), "the same",
		fmt.Sprintf("p50 %s  slowest %s", short(arrived[len(arrived)/2]), short(arrived[len(arrived)-1])))
	t.latency(fmt.Sprintf("%swhat it costs to tell, of %d users", oneUser, users), "the same", poll)
	return nil
}
