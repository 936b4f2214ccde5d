package chtest

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/uuid"
)

// installed is the folder of the repository into which make chdb installs chDB.
const installed = ".tools/chdb/node_modules"

//go:embed current.js
var program string

// Current is an empty database of a current engine: chDB is ClickHouse of today as a library, without its server.
type Current struct {
	t   testing.TB
	in  *json.Encoder
	out *bufio.Scanner
}

// NewCurrent returns an empty database of a current engine. Where chDB is not installed the test is skipped, since it
// takes 550 MB: make chdb installs it, and make stress has it installed.
func NewCurrent(t testing.TB) *Current {
	t.Helper()
	folder, err := modules()
	if err != nil {
		t.Skip("not tested on a current engine of ClickHouse: ", err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "-e", program)
	cmd.Env = append(os.Environ(), "NODE_PATH="+folder, "TZ=Asia/Shanghai")
	cmd.Dir, cmd.Stderr = t.TempDir(), os.Stderr
	in, err := cmd.StdinPipe()
	var out io.ReadCloser
	if err == nil {
		out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait() // where the test is over its context has ended the process
	})
	c := &Current{t: t, in: json.NewEncoder(in), out: bufio.NewScanner(out)}
	c.out.Buffer(nil, 64<<20)
	t.Log("the current engine is of ClickHouse ", c.Query("SELECT version()")[0])
	return c
}

// modules finds the folder that has chDB.
func modules() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, installed, "chdb")); err == nil {
			return filepath.Join(folder, installed), nil
		}
		if filepath.Dir(folder) == folder {
			return "", fmt.Errorf("no %s found; make chdb installs it", installed)
		}
		folder = filepath.Dir(folder)
	}
}

// Try runs a statement and returns its rows, cells as texts with a space between them.
func (c *Current) Try(statement string) (rows []string, err error) {
	if err := c.in.Encode(statement); err != nil {
		return nil, err
	}
	if !c.out.Scan() {
		return nil, fmt.Errorf("chDB ended: %w", c.out.Err())
	}
	var answer struct {
		Rows  [][]string
		Error string
	}
	if err := json.Unmarshal(c.out.Bytes(), &answer); err != nil {
		return nil, err
	}
	if answer.Error != "" {
		return nil, fmt.Errorf("%s\n%s", answer.Error, statement)
	}
	for _, cells := range answer.Rows {
		rows = append(rows, strings.Join(cells, " "))
	}
	return rows, nil
}

// Query runs a statement that must not fail.
func (c *Current) Query(statement string) []string {
	c.t.Helper()
	rows, err := c.Try(statement)
	if err != nil {
		c.t.Fatal(err)
	}
	return rows
}

// Rows returns the rows that the server answers to a query, as Current does.
func (d Database) Rows(t testing.TB, query string) (lines []string) {
	t.Helper()
	rows, err := d.Conn.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err, query)
	}
	defer rows.Close()
	into := make([]any, len(rows.Columns()))
	for i, column := range rows.ColumnTypes() {
		into[i] = reflect.New(column.ScanType()).Interface()
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err, query)
		}
		cells := make([]string, len(into))
		for i, cell := range into {
			value := reflect.ValueOf(cell).Elem().Interface()
			if at, ok := value.(time.Time); ok {
				value = at.UTC().Format(time.DateTime)
			}
			cells[i] = fmt.Sprint(value)
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err, query)
	}
	return lines
}

// A Recording tells which statements clients of its URL sent.
type Recording struct {
	URL  string
	mark string
	conn clickhouse.Conn
	none bool // nothing was noted yet
}

// open returns how many statements have begun and not ended.
func (r *Recording) open(t testing.TB) (n int64) {
	t.Helper()
	if err := r.conn.Exec(t.Context(), "SYSTEM FLUSH LOGS"); err != nil {
		t.Fatal(err)
	}
	var exists uint8 // the server makes the table when it has something to note
	if err := r.conn.QueryRow(t.Context(), "EXISTS TABLE system.query_log").Scan(&exists); err != nil {
		t.Fatal(err)
	}
	if r.none = exists == 0; r.none {
		return 0
	}
	if err := r.conn.QueryRow(t.Context(), `SELECT toInt64(countIf(type = 1)) - toInt64(countIf(type IN (2, 4)))
		FROM system.query_log WHERE position(client_name, ?) > 0`, r.mark).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Record returns a recording of the statements on this database.
func (d Database) Record() *Recording {
	r := &Recording{mark: "m" + uuid.NewString()[:8], conn: d.Conn}
	between := "?"
	if strings.Contains(d.URL, "?") {
		between = "&"
	}
	r.URL = d.URL + between + "log_queries=1&client_info_product=" + r.mark + "/1"
	return r
}

// Statements returns the statements that have ended well since the recording began, those of one second in any order.
func (r *Recording) Statements(t testing.TB) (all []string) {
	t.Helper()
	// The server notes the end of a statement after its client has the answer.
	for end := time.Now().Add(20 * time.Second); r.open(t) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("statements have not ended")
		}
	}
	if r.none {
		return nil
	}
	rows, err := r.conn.Query(t.Context(), `SELECT query FROM system.query_log WHERE type = 2
		AND position(client_name, ?) > 0 ORDER BY query_start_time, event_time`, r.mark)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
