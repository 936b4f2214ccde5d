package app

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"airstrip/internal/clickhouse/chtest"
	"airstrip/internal/db/dbtest"
)

const grafanaFolder = "../../deploy/grafana"

type dashboardSource struct{ Type, UID string }

// query is what a panel asks. A source is asked by RawSQL or Expr.
type query struct {
	Datasource dashboardSource
	RawSQL     string `json:"rawSql"`
	Expr       string
}

type dashboard struct {
	file       string
	UID, Title string
	Templating struct {
		List []struct {
			Name, Type, Definition string
			Datasource             dashboardSource
		}
	}
	Panels []struct {
		ID         int
		Title      string
		Datasource dashboardSource
		Interval   string
		GridPos    struct{ X, Y, W, H int } `json:"gridPos"`
		Targets    []query
	}
}

func dashboards(t *testing.T) (all []dashboard) {
	t.Helper()
	files, err := filepath.Glob(grafanaFolder + "/dashboards/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d := dashboard{file: filepath.Base(file)}
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, d)
	}
	return all
}

// queries returns what a dashboard asks the source of this type, by the panel's or variable's name, with the variables
// and macros filled in by fill.
func (d dashboard) queries(kind string, fill *strings.Replacer) map[string]string {
	found := map[string]string{}
	for _, v := range d.Templating.List {
		if v.Type == "query" && v.Datasource.Type == kind {
			found["$"+v.Name] = fill.Replace(v.Definition)
		}
	}
	for _, p := range d.Panels {
		for i, q := range p.Targets {
			if q.Datasource.Type == kind {
				found[fmt.Sprintf("panel %d.%d", p.ID, i)] = fill.Replace(q.RawSQL + q.Expr)
			}
		}
	}
	return found
}

// What the sources make of their macros, and Grafana of variables.
const (
	dashboardFrom, dashboardTo = 1_767_225_600, 1_830_297_600
	fromText, toText           = "'2026-01-01T00:00:00Z'", "'2028-01-01T00:00:00Z'"
)

var (
	forClickHouse = strings.NewReplacer(
		"$__timeFilter(at)", fmt.Sprintf("at >= toDateTime(%d) AND at <= toDateTime(%d)", dashboardFrom, dashboardTo),
		"$__interval_s", "3600", "${user:sqlstring}", "'2'", "${node:csv}", "1,2")
	forPostgres = strings.NewReplacer(
		"$__timeFilter(created_at)", "created_at BETWEEN "+fromText+" AND "+toText,
		"$__timeFilter(paid_at)", "paid_at BETWEEN "+fromText+" AND "+toText,
		"$__timeFrom()", fromText, "$__timeTo()", toText,
		"$__unixEpochFrom()", fmt.Sprint(dashboardFrom), "$__unixEpochTo()", fmt.Sprint(dashboardTo),
		"$__interval_ms", "60000", "$node", "'1','2'")
	forPrometheus = strings.NewReplacer("$__rate_interval", "1m", "$instance", ".*")
)

func TestDashboards_NameSourcesThatAreProvided_AndDoNotOverlap(t *testing.T) {
	var provided struct {
		Datasources []struct{ UID, Type string }
	}
	text, err := os.ReadFile(grafanaFolder + "/provisioning/datasources/airstrip.yaml")
	if err == nil {
		err = yaml.Unmarshal(text, &provided)
	}
	if err != nil {
		t.Fatal(err)
	}
	var sources []dashboardSource
	for _, s := range provided.Datasources {
		sources = append(sources, dashboardSource{s.Type, s.UID})
	}
	uids := map[string]bool{}
	for _, d := range dashboards(t) {
		if d.UID == "" || d.Title == "" || uids[d.UID] {
			t.Errorf("%s has the uid %q and the title %q", d.file, d.UID, d.Title)
		}
		uids[d.UID] = true
		cells := map[[2]int]int{}
		for _, p := range d.Panels {
			if p.Title == "" || len(p.Targets) == 0 {
				t.Errorf("%s: panel %d has no title or asks nothing", d.file, p.ID)
			}
			for _, q := range p.Targets {
				if !slices.Contains(sources, q.Datasource) || q.Datasource != p.Datasource {
					t.Errorf("%s: %q asks %v", d.file, p.Title, q.Datasource)
				}
				if strings.Contains(q.RawSQL, "$__interval_s") && p.Interval != "1h" {
					t.Errorf("%s: %q groups hours by less than an hour", d.file, p.Title)
				}
			}
			for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
				for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
					if other := cells[[2]int{x, y}]; other != 0 || x > 23 {
						t.Fatalf("%s: panel %d lies on panel %d or beyond the edge", d.file, p.ID, other)
					}
					cells[[2]int{x, y}] = p.ID
				}
			}
		}
	}
}

// Each query runs on what it is written for: ClickHouse as the server fills it, PostgreSQL as the role of
// postgres-role.sql, which may read nothing else, and against the metrics that the server exposes.
func TestDashboards_EachQuery_RunsOnItsSource(t *testing.T) {
	c := config(t)
	c.DatabaseURL, c.SecretKey = dbtest.PostgresURL(t), keyText
	ch := chtest.New(t)
	c.ClickHouseURL, c.ClickHousePassword = ch.URL, chtest.Password
	c.MetricsToken = "let-me-in"
	serving(t, c)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if err := ch.Conn.Exec(t.Context(), "SELECT 1 FROM link_fetch LIMIT 1"); err == nil { // the last table
			break
		} else if time.Now().After(deadline) {
			t.Fatal("the server has made no tables in ClickHouse: ", err)
		}
	}
	pg := grafanaRole(t, c.DatabaseURL)
	metrics := exposed(t, c)
	asked := map[string]int{}
	for _, d := range dashboards(t) {
		for name, text := range d.queries("grafana-clickhouse-datasource", forClickHouse) {
			asked["ClickHouse"]++
			rows, err := ch.Conn.Query(t.Context(), text)
			if err == nil {
				for rows.Next() {
				}
				err = errors.Join(rows.Err(), rows.Close())
			}
			if err != nil || strings.Contains(text, "$") {
				t.Errorf("%s, %s: %v\n%s", d.file, name, err, text)
			}
		}
		for name, text := range d.queries("grafana-postgresql-datasource", forPostgres) {
			asked["PostgreSQL"]++
			if _, err := pg.ExecContext(t.Context(), text); err != nil || strings.Contains(text, "$") {
				t.Errorf("%s, %s: %v\n%s", d.file, name, err, text)
			}
		}
		for name, text := range d.queries("prometheus", forPrometheus) {
			asked["Prometheus"]++
			names := metricName.FindAllString(text, -1)
			for _, metric := range names {
				if !metrics[metric] {
					t.Errorf("%s, %s: the server exposes no %s", d.file, name, metric)
				}
			}
			if len(names) == 0 || strings.Contains(text, "$") {
				t.Errorf("%s, %s: %s", d.file, name, text)
			}
		}
	}
	if len(asked) != 3 {
		t.Error("queries by source:", asked)
	}
	for _, secret := range []string{
		"SELECT email FROM account", "SELECT password FROM account", "SELECT * FROM access", "SELECT private FROM node",
		"SELECT * FROM setting", "SELECT * FROM session", "UPDATE node_day SET up = 0",
	} {
		if _, err := pg.ExecContext(t.Context(), secret); err == nil {
			t.Errorf("the role of the dashboards may %s", secret)
		}
	}
}

// The tables of a site and what dashboards ask of them are known to the engines of today, too.
func TestDashboards_EachQueryOfClickHouse_RunsOnACurrentEngine(t *testing.T) {
	current := chtest.NewCurrent(t)
	ch := chtest.New(t)
	recording := ch.Record()
	c := config(t)
	c.ClickHouseURL, c.ClickHousePassword = recording.URL, chtest.Password
	serving(t, c)
	made := func(statement string) bool { return strings.HasPrefix(statement, "INSERT INTO airstrip_schema") }
	var sent []string
	for deadline := time.Now().Add(time.Minute); !slices.ContainsFunc(sent, made); time.Sleep(50 * time.Millisecond) {
		if sent = recording.Statements(t); time.Now().After(deadline) {
			t.Fatalf("the server has made no tables in ClickHouse: %q", sent)
		}
	}
	for _, statement := range sent {
		if strings.HasPrefix(statement, "CREATE TABLE") {
			current.Query(statement)
		}
	}
	current.Query(`INSERT INTO traffic VALUES (2, '2026-03-01 10:00:00', 1, 1000, 5, 6, 11, 1)`)
	answered := 0
	for _, d := range dashboards(t) {
		for name, text := range d.queries("grafana-clickhouse-datasource", forClickHouse) {
			rows, err := current.Try(text)
			if err != nil {
				t.Errorf("%s, %s: %v", d.file, name, err)
			}
			answered += len(rows)
		}
	}
	if answered < 10 {
		t.Errorf("the dashboards show %d rows of a user with traffic", answered)
	}
}

var metricName = regexp.MustCompile(`\b(?:airstrip|go|process)_[a-z0-9_]+`)

// grafanaRole returns a connection as the role that postgres-role.sql makes fit.
func grafanaRole(t *testing.T, address string) *sql.Conn {
	t.Helper()
	d, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	grants, err := os.ReadFile(grafanaFolder + "/postgres-role.sql")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := d.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const role = "DO $$ BEGIN CREATE ROLE airstrip_grafana; EXCEPTION WHEN duplicate_object THEN NULL; END $$"
	for _, statement := range []string{role, string(grants), "SET ROLE airstrip_grafana"} {
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%v: %s", err, statement)
		}
	}
	return conn
}

// exposed returns the names of the metrics of a server that answered a request.
func exposed(t *testing.T, c Config) map[string]bool {
	t.Helper()
	var body []byte
	for range 2 { // a request is counted when it is over
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+c.Listen+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+c.MetricsToken)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err = io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	names := map[string]bool{}
	for line := range strings.Lines(string(body)) {
		names[metricName.FindString(strings.SplitN(line, "{", 2)[0])] = !strings.HasPrefix(line, "#")
	}
	return names
}
