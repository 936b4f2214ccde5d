package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// lists measures the lists of the console with a million rows each, by every filter in every order, and a bulk job, on
// both databases.
func lists(args []string) error {
	flags := flag.NewFlagSet("lists", flag.ExitOnError)
	rows := flags.Int64("rows", 1_000_000, "users, orders, recharges, services, invoices and postings, each")
	engine := flags.String("engine", "", "sqlite or postgres alone")
	in := flags.String("in", "", "folder in which the databases are kept from run to run; the bulk job is then left out")
	only := flags.String("only", "", "regular expression of the queries to measure, as users\\?sort=-seen&state=; empty: all")
	flags.Parse(args)
	matching, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	return onEngines(*engine, *in, func(name, dir string, t *table) error {
		b := listsBench{dir: dir, engine: name, rows: *rows, keep: *in != "", only: matching, t: t}
		return b.run()
	})
}

// listsBench measures the lists on one engine.
type listsBench struct {
	dir, engine, url string
	rows             int64
	keep             bool
	only             *regexp.Regexp
	t                *table
}

func (b *listsBench) run() error {
	if !b.keep {
		defer os.RemoveAll(b.dir)
	}
	data, env := filepath.Join(b.dir, "data"), []string(nil)
	if err := os.MkdirAll(data, 0o755); err != nil {
		return err
	}
	if b.engine == "postgres" {
		url, stop, err := startPostgres(filepath.Join(b.dir, "pg"))
		if err != nil {
			return err
		}
		defer stop()
		b.url = url
		env = []string{"AIRSTRIP_DATABASE_URL=" + url, "AIRSTRIP_SECRET_KEY=" + strings.Repeat("ab12", 16)}
	}
	s := newServer(data, env...)
	d, err := b.prepare(s, data)
	if err != nil {
		return err
	}
	if err := s.start(); err != nil {
		return err
	}
	defer s.stop()
	d.User.Email, d.User.Password = d.Admin.Email, d.Admin.Password
	token, err := bearer(s.url+"/api/v2/auth/account_login/login", d)
	if err != nil {
		return err
	}
	found, err := listOperations(s)
	if err != nil {
		return err
	}
	for _, l := range found {
		began := time.Now()
		l.measure(s.url, token, b.engine, b.only, b.t)
		fmt.Fprintf(os.Stderr, "%s: measured %s in %s\n", b.engine, l.path, time.Since(began).Round(time.Second))
	}
	if b.keep {
		return nil
	}
	return grantToMany(s.url, token, b.engine, b.t)
}

// prepare makes the demo and copies its rows, unless an earlier run has done so.
func (b *listsBench) prepare(s *server, data string) (d demo, err error) {
	file := filepath.Join(b.dir, "made.json")
	if text, err := os.ReadFile(file); err == nil {
		return d, json.Unmarshal(text, &d)
	}
	out, err := s.command("seed", "--demo", "--days", "365")
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(out, &d); err != nil {
		return d, err
	}
	if _, err := s.command("setting", "set", "staff_credit_limit=100000000.00"); err != nil {
		return d, err
	}
	began := time.Now()
	if err := multiply(context.Background(), b.url, data, b.rows); err != nil {
		return d, err
	}
	fmt.Fprintf(os.Stderr, "%s: made the rows in %s\n", b.engine, time.Since(began).Round(time.Second))
	return d, os.WriteFile(file, out, 0o600)
}

// listOperation is a list of the console as the contract describes it.
type listOperation struct {
	path    string
	sorts   []string
	filters []string // each as a part of a query
}

// samples are values of the filters that have no choices of their own.
var samples = map[string]string{
	"area": "DE", "domain": "example.com", "client": "mihomo", "format": "clash", "ip": "198.51.1.1", "label": "vip",
	"gateway": "sandbox", "role": "support", "q": "copy12.customer1", "user": "12000005", "inviter": "12000005",
	"plan": "2", "coupon": "1",
}

// listOperations reads the contract for the lists that are read by key and have a million rows. A filter without a
// sample is an error, so that none is left out.
func listOperations(s *server) (found []listOperation, err error) {
	contract, err := s.command("openapi")
	if err != nil {
		return nil, err
	}
	type parameter struct {
		Name   string
		Schema struct{ Enum []string }
		Filter *struct {
			Kind    string
			Choices []string
			None    bool
		} `json:"x-filter"`
	}
	var read struct {
		Paths map[string]struct {
			Get struct{ Parameters []parameter }
		}
	}
	if err := json.Unmarshal(contract, &read); err != nil {
		return nil, err
	}
	for _, name := range []string{"users", "orders", "recharges", "services", "invoices", "ledger", "link-fetches"} {
		l := listOperation{path: "/api/v2/staff/" + name, filters: []string{""}}
		for _, p := range read.Paths[l.path].Get.Parameters {
			switch {
			case p.Name == "sort":
				l.sorts = p.Schema.Enum
			case p.Filter != nil:
				values := p.Filter.Choices
				if len(values) == 0 {
					values = []string{map[string]string{"range": "10..50", "date": "2026-01-01..2026-03-01"}[p.Filter.Kind]}
				}
				if values[0] == "" {
					values[0] = samples[p.Name]
				}
				if values[0] == "" {
					return nil, fmt.Errorf("no sample for the filter %s of %s", p.Name, l.path)
				}
				if p.Filter.None {
					values = append(values, "none")
				}
				for _, value := range values {
					l.filters = append(l.filters, "&"+p.Name+"="+url.QueryEscape(value))
				}
			case p.Name == "q":
				l.filters = append(l.filters, "&q="+samples["q"])
			}
		}
		if len(l.sorts) == 0 {
			return nil, fmt.Errorf("the contract has no list at %s", l.path)
		}
		found = append(found, l)
	}
	return found, nil
}

// measure asks for the first page by each filter in each order. It prints the slowest, and all that miss the goal.
func (l *listOperation) measure(site, token, engine string, only *regexp.Regexp, t *table) {
	name := strings.TrimPrefix(l.path, "/api/v2/staff/")
	const times, goal = 20, 100 * time.Millisecond
	type timed struct {
		query string
		sample
	}
	var all []timed
	for _, filter := range l.filters {
		for _, sort := range l.sorts {
			query := "sort=" + sort + filter
			if !only.MatchString(name + "?" + query) {
				continue
			}
			ask := func(times int) sample {
				n := 0
				return load(1, time.Minute, http.StatusOK, func() *http.Request {
					if n++; n > times {
						return nil
					}
					return as(token, get(site+l.path+"?"+query)())
				})
			}
			ask(2) // the pages of the database are read once
			took := ask(times)
			t.wrong += took.failed
			all = append(all, timed{query, took})
		}
	}
	if len(all) == 0 {
		return
	}
	slices.SortFunc(all, func(a, b timed) int { return int(b.p99 - a.p99) })
	missing := 0
	for missing < len(all) && all[missing].p99 >= goal {
		missing++
	}
	t.row(fmt.Sprintf("%s, %d filters and sorts, %s", name, len(all), engine), "p99 < "+short(goal),
		fmt.Sprintf("%d miss it", missing))
	for _, slow := range all[:min(max(1, missing), len(all))] {
		t.row(name+" "+slow.query, "", fmt.Sprintf("p50 %s p99 %s%s", short(slow.p50), short(slow.p99), failures(slow.sample)))
	}
}

// grantToMany gives traffic to some 50,000 users in a bulk job, which it stops and resumes.
func grantToMany(site, token, engine string, t *table) error {
	jobs := site + "/api/v2/staff/bulk-jobs"
	type job struct {
		ID                 int64
		State              string
		Rows, Done, Failed int64
	}
	var made struct{ Job job }
	err := result(as(token, post(jobs, `{"kind":"traffic","details":{"bytes":1073741824,"name":"bench"},"reason":"bench",
		"filter":"plan=1&state=active&q=copy1"}`)), &made)
	if err != nil {
		return err
	}
	one := fmt.Sprintf("%s/%d", jobs, made.Job.ID)
	do := func(act string) (j job, err error) { return j, result(as(token, post(one+"/"+act, "{}")), &j) }
	began := time.Now()
	if _, err := do("start"); err != nil {
		return err
	}
	var slowest time.Duration
	isResumed := false
	for {
		var now job
		asked := time.Now()
		if err := result(as(token, get(one)()), &now); err != nil {
			return err
		}
		slowest = max(slowest, time.Since(asked))
		if now.State == "done" {
			made.Job = now
			break
		}
		if !isResumed && now.Done > now.Rows/2 {
			if _, err := do("stop"); err != nil {
				return err
			}
			if _, err := do("resume"); err != nil {
				return err
			}
			isResumed = true
		}
		time.Sleep(200 * time.Millisecond)
	}
	if !isResumed || made.Job.Done != made.Job.Rows {
		t.wrong++
	}
	t.row("bulk grant, stopped and resumed, "+engine, "each once", fmt.Sprintf("%d users in %s, %d failed; progress in %s",
		made.Job.Rows, time.Since(began).Round(time.Second), made.Job.Failed, short(slowest)))
	return nil
}
