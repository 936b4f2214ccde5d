package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/bcrypt"

	"airstrip/internal/db"
)

const (
	typicalEmail    = "typical@example.com"
	typicalPassword = "typical typical typical"
	logNodes        = 200
	listOffset      = 100_000 // of a page of the heaviest user's rows
)

// logs measures the traffic log on both databases, one after the other.
func logs(args []string) error {
	flags := flag.NewFlagSet("log", flag.ExitOnError)
	rows := flags.Int("rows", 100_000_000, "rows of the log, over 90 days")
	engine := flags.String("engine", "", "sqlite or postgres alone")
	in := flags.String("in", "", "folder in which the databases are kept from run to run; the last measurement, which "+
		"removes a third of the rows, is then left out")
	flags.Parse(args)
	return onEngines(*engine, *in, func(name, dir string, t *table) error {
		b := logBench{dir: dir, engine: name, rows: *rows, keep: *in != "", t: t}
		return b.run(context.Background())
	})
}

// logBench measures the log of one engine.
type logBench struct {
	dir, engine, url string
	rows             int
	keep             bool
	t                *table
	server           *server
	made             madeLog
	tokens           struct{ heaviest, typical, staff string }
}

// madeLog is what is kept beside a log that was generated.
type madeLog struct {
	Demo        demo
	Rows, Bytes int64
}

func (b *logBench) row(what, goal, value string) { b.t.row(what+", "+b.engine, goal, value) }

func (b *logBench) run(ctx context.Context) error {
	if !b.keep {
		defer os.RemoveAll(b.dir)
	}
	data := filepath.Join(b.dir, "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		return err
	}
	var env []string
	if b.engine == "postgres" {
		url, stop, err := startPostgres(filepath.Join(b.dir, "pg"))
		if err != nil {
			return err
		}
		defer stop()
		b.url = url
		env = []string{"AIRSTRIP_DATABASE_URL=" + url, "AIRSTRIP_SECRET_KEY=" + strings.Repeat("ab12", 16)}
	}
	if err := b.prepare(ctx, data, env); err != nil {
		return err
	}
	b.row(fmt.Sprintf("log of %d rows, on the disk", b.made.Rows), map[string]string{
		"sqlite": "≤ 16 bytes a row", "postgres": "≤ 20 bytes a row",
	}[b.engine], fmt.Sprintf("%.1f bytes a row", float64(b.made.Bytes)/float64(b.made.Rows)))
	b.server = newServer(data, env...)
	if err := b.server.start(); err != nil {
		return err
	}
	err := b.measure()
	b.server.stop()
	if err != nil || b.keep {
		return err
	}
	return b.drop(ctx, data)
}

// prepare makes the database and fills it, unless an earlier run has done so.
func (b *logBench) prepare(ctx context.Context, data string, env []string) error {
	file := filepath.Join(b.dir, "made.json")
	if text, err := os.ReadFile(file); err == nil {
		return json.Unmarshal(text, &b.made)
	}
	s, d, err := seeded(data, b.rows/rowsPerUser, logNodes, env...)
	if err != nil {
		return err
	}
	s.stop()
	hash, err := bcrypt.GenerateFromPassword([]byte(typicalPassword), bcrypt.MinCost)
	if err != nil {
		return err
	}
	csv := filepath.Join(b.dir, "typical.csv")
	line := fmt.Sprintf("email,name,hash,kind\n%s,Typical,%s,bcrypt\n", typicalEmail, hash)
	if err := os.WriteFile(csv, []byte(line), 0o600); err != nil {
		return err
	}
	if _, err := s.command("user", "import", csv); err != nil {
		return err
	}
	open, err := db.Open(ctx, b.url, data)
	if err != nil {
		return err
	}
	defer open.Close()
	before, err := bytesOf(ctx, open)
	if err != nil {
		return err
	}
	g, err := newGenerator(ctx, open, d.User.ID)
	if err != nil {
		return err
	}
	if err := g.fill(ctx, time.Now()); err != nil {
		return err
	}
	after, err := bytesOf(ctx, open)
	if err != nil {
		return err
	}
	b.made = madeLog{Demo: d, Rows: g.rows, Bytes: after - before}
	text, err := json.Marshal(b.made)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

func (b *logBench) signIn() (err error) {
	login := b.server.url + "/api/v2/auth/account_login/login"
	for _, who := range []struct {
		email, password string
		token           *string
	}{
		{b.made.Demo.User.Email, b.made.Demo.User.Password, &b.tokens.heaviest},
		{typicalEmail, typicalPassword, &b.tokens.typical},
		{b.made.Demo.Admin.Email, b.made.Demo.Admin.Password, &b.tokens.staff},
	} {
		var d demo
		d.User.Email, d.User.Password = who.email, who.password
		if *who.token, err = bearer(login, d); err != nil {
			return err
		}
	}
	return nil
}

func (b *logBench) measure() error {
	if err := b.signIn(); err != nil {
		return err
	}
	for _, who := range []struct{ name, token, goal string }{
		{"typical user", b.tokens.typical, "< 5 ms"}, {"heaviest user", b.tokens.heaviest, "< 20 ms"},
	} {
		for _, q := range b.pages(who.token) {
			if q.heavy && who.token != b.tokens.heaviest {
				continue
			}
			if err := b.cost(who.name+", "+q.name, who.goal, 100, q.next); err != nil {
				return err
			}
		}
	}
	if err := b.cost("ranking of 30 days", "< 1 s", 10,
		get(b.server.url+"/api/v2/staff/statistics/users", "Authorization", "Bearer "+b.tokens.staff)); err != nil {
		return err
	}
	if err := b.file(); err != nil {
		return err
	}
	return b.reports()
}

// page is one of the things that a user looks at.
type page struct {
	name  string
	heavy bool // only the heaviest user has so much
	next  func() *http.Request
}

func (b *logBench) pages(token string) []page {
	base := b.server.url + "/api/v2/user/services/subscribe-log/"
	from := time.Now().AddDate(0, 0, -logDays).UTC().Format(time.RFC3339)
	of := func(path string) func() *http.Request { return get(base+path, "Authorization", "Bearer "+token) }
	return []page{
		{"chart of 30 days", false, of("area-time-axis")},
		{"chart of 90 days", false, of("area-time-axis?from=" + from)},
		{"chart of 90 days by day", false, of("area-time-axis?bucket=day&from=" + from)},
		{"calendar", false, of("calendar-pie")},
		{"first page", false, of("pages")},
		{"page at offset 1,000", false, of("detail-record?offset=1000")},
		{"page at offset 100,000", true, of(fmt.Sprintf("detail-record?offset=%d", listOffset))},
		{"page at offset 1,000,000", true, of(fmt.Sprintf("detail-record?offset=%d", 10*listOffset))},
	}
}

// cost sends a request so many times and shows the processor time of the server, and of PostgreSQL, for each.
func (b *logBench) cost(what, goal string, times int, next func() *http.Request) error {
	for range 2 {
		if status, _ := send(next()); status != http.StatusOK {
			return fmt.Errorf("%s: %d", what, status)
		}
	}
	took := make([]time.Duration, times)
	before := b.cpu()
	for i := range took {
		began := time.Now()
		if status, _ := send(next()); status != http.StatusOK {
			return fmt.Errorf("%s: %d", what, status)
		}
		took[i] = time.Since(began)
	}
	used := (b.cpu() - before) / time.Duration(times)
	slices.Sort(took)
	b.row(what, goal, fmt.Sprintf("CPU %s  p50 %s  p99 %s", short(used), short(took[times/2]),
		short(took[times*99/100])))
	return nil
}

// cpu returns the processor time of the server and of PostgreSQL.
func (b *logBench) cpu() time.Duration {
	used := b.server.cpu()
	if b.engine != "postgres" {
		return used
	}
	pid, err := os.ReadFile(filepath.Join(b.dir, "pg", "data", "postmaster.pid"))
	if err != nil {
		return used
	}
	first, _, _ := strings.Cut(string(pid), "\n")
	used += processorTime(first, true)
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range all {
		of := filepath.Base(filepath.Dir(stat))
		if fields := statOf(of); len(fields) > 1 && fields[1] == first {
			used += processorTime(of, false)
		}
	}
	return used
}

// statOf returns the fields of a process from the third on, as proc(5) counts them.
func statOf(pid string) []string {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return strings.Fields(rest)
}

// processorTime returns what a process has used, and with ended those of its children that ended.
func processorTime(pid string, ended bool) (used time.Duration) {
	fields, last := statOf(pid), 13
	if ended {
		last = 15
	}
	if len(fields) < last {
		return 0
	}
	for _, f := range fields[11:last] {
		ticks, _ := strconv.ParseInt(f, 10, 64)
		used += time.Duration(ticks) * 10 * time.Millisecond
	}
	return used
}

// file downloads all rows of the heaviest user.
func (b *logBench) file() error {
	// The server's highest memory is counted from here on.
	proc := fmt.Sprintf("/proc/%d/", b.server.cmd.Process.Pid)
	if err := os.WriteFile(proc+"clear_refs", []byte("5"), 0); err != nil {
		return err
	}
	before, cpu, began := b.server.resident(), b.cpu(), time.Now()
	res, err := client.Do(get(b.server.url+"/api/v2/user/services/subscribe-log/detail-record/csv", "Authorization",
		"Bearer "+b.tokens.heaviest)())
	if err != nil {
		return err
	}
	defer res.Body.Close()
	lines, part := -1, make([]byte, 1<<16)
	for {
		n, err := res.Body.Read(part)
		lines += strings.Count(string(part[:n]), "\n")
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	b.row(fmt.Sprintf("CSV of %d rows", lines), "< 20 MB more", fmt.Sprintf("%+.0f MB  CPU %s  in %s",
		b.server.highest()-before, short(b.cpu()-cpu), short(time.Since(began))))
	if lines < 1_000_000 {
		return fmt.Errorf("the file has %d rows", lines)
	}
	return nil
}

// reports measures reports of 10,000 users, and what users wait for pages while 100 nodes report.
func (b *logBench) reports() error {
	all, err := b.agents()
	if err != nil {
		return err
	}
	users := min(perAgent, len(all[0].users))
	goals := map[string]string{"sqlite": "≤ 40 ms, median ≤ 60 ms"}
	for _, round := range []string{"the first of a node in the hour", "a later one"} {
		took := make([]time.Duration, 0, 30)
		before := b.cpu()
		for i := range cap(took) {
			one, err := all[i].report(users)
			if err != nil {
				return err
			}
			took = append(took, one)
		}
		used := (b.cpu() - before) / time.Duration(len(took))
		slices.Sort(took)
		b.row(fmt.Sprintf("report of %d users, %s", users, round), goals[b.engine],
			fmt.Sprintf("CPU %s  p50 %s  slowest %s", short(used), short(took[len(took)/2]), short(took[len(took)-1])))
	}
	if _, _, err := minuteOf(b.server, all, users); err != nil {
		return err
	}
	before := b.cpu()
	took, top, err := minuteOf(b.server, all, users)
	if err != nil {
		return err
	}
	b.row(fmt.Sprintf("%d agents with %d users", len(all), users), "≤ 12% of a core", fmt.Sprintf(
		"%.1f%% of a core  at most %.0f MB  reports p50 %s  p99 %s", 100*(b.cpu()-before).Seconds()/minute.Seconds(),
		top, short(took[len(took)/2]), short(took[len(took)*99/100])))
	return b.meanwhile(all, users)
}

func (b *logBench) agents() (all []*agent, err error) {
	port := 10_000 + int(time.Now().Unix()%40_000) // another one for each run on a database that was kept
	for i := range agents {
		e, err := newAgent(b.server, port+i)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			err = e.snapshot()
		} else {
			e.users, e.revision = all[0].users, all[0].revision
		}
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// meanwhile measures pages of a typical user while all agents report.
func (b *logBench) meanwhile(all []*agent, users int) error {
	var wg sync.WaitGroup
	var failed error
	wg.Go(func() { _, _, failed = minuteOf(b.server, all, users) })
	took := map[string][]time.Duration{}
	pages := b.pages(b.tokens.typical)
	for began, i := time.Now(), 0; time.Since(began) < minute-time.Second; i++ {
		p := pages[i%len(pages)]
		if p.heavy {
			continue
		}
		one := time.Now()
		if status, _ := send(p.next()); status != http.StatusOK {
			return fmt.Errorf("%s: %d", p.name, status)
		}
		took[p.name] = append(took[p.name], time.Since(one))
		time.Sleep(10 * time.Millisecond)
	}
	wg.Wait()
	for _, p := range pages {
		if all := took[p.name]; len(all) > 0 {
			slices.Sort(all)
			b.row("while 100 agents report: "+p.name, "p99 < 100 ms", fmt.Sprintf("p50 %s  p99 %s",
				short(all[len(all)/2]), short(all[len(all)*99/100])))
		}
	}
	return failed
}

// drop removes a month while others write.
func (b *logBench) drop(ctx context.Context, data string) error {
	open, err := db.Open(ctx, b.url, data)
	if err != nil {
		return err
	}
	defer open.Close()
	took, waits, err := dropMonth(ctx, open, time.Now())
	if err != nil {
		return err
	}
	b.row("dropping 30 of 90 days", "no write waits > 200 ms", fmt.Sprintf("in %s  writes p50 %s  longest %s",
		short(took), short(waits[len(waits)/2]), short(waits[len(waits)-1])))
	return nil
}
