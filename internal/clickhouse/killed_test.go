package clickhouse_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"airstrip/internal/clickhouse"
	"airstrip/internal/clickhouse/chtest"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/job"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
)

// Arguments of the process that a test starts and kills.
var (
	importURL  = flag.String("import-url", "", "of ClickHouse, for the process that a test kills")
	importDB   = flag.String("import-db", "", "of PostgreSQL, for that process")
	importData = flag.String("import-data", "", "folder of the SQLite file, for that process")
	imports    = flag.Int("imports", 6, "how many imports are killed")
)

// generatedLog is a log whose rows follow from their place: days of 100 users on 3 nodes.
type generatedLog struct {
	memoryLog
	first, last int64
}

func (g *generatedLog) Totals(_ context.Context, from, to int64, fn func(traffic.HourTotal) error) error {
	for hour := max(from, g.first); hour < min(to, g.last+1); hour++ {
		for user := range int64(100) {
			for node := range int64(3) {
				n := hour*31 + user*7 + node
				if err := fn(traffic.HourTotal{
					Hour: hour, UserID: user, NodeID: node, RatePermille: 1000,
					Amount: traffic.Amount{Up: n % 1000, Down: n, Billed: n%1000 + n},
				}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (g *generatedLog) Bounds(context.Context) (first, last int64, ok bool, err error) {
	return g.first, g.last, true, nil
}

func newGeneratedLog() *generatedLog {
	hour := noon.Unix() / 3600
	return &generatedLog{first: hour - 24*40, last: hour}
}

// TestImport_InAProcess is the process that another test kills.
func TestImport_InAProcess(t *testing.T) {
	if *importURL == "" {
		return
	}
	d, err := db.Open(t.Context(), *importDB, *importData)
	if err != nil {
		t.Fatal(err)
	}
	d.SetClock(func() time.Time { return noon.Add(time.Duration(time.Now().UnixNano() % int64(time.Second))) })
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	c, err := clickhouse.New(clickhouse.Config{URL: *importURL, Password: chtest.Password}, clickhouse.Parts{
		DB: d, Settings: settings, Traffic: newGeneratedLog(),
		UserIDs:   func(context.Context, []string) (map[string]int64, error) { return nil, nil },
		NodeNames: func(context.Context) (map[int64]string, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ImportTraffic(t.Context()); err != nil && !errors.Is(err, job.ErrRunning) {
		t.Fatal(err)
	}
}

func TestImport_KilledAgainAndAgain_HasEachRowOnce(t *testing.T) {
	for name, site := range map[string]func(*testing.T) (*db.DB, []string){
		"sqlite": func(t *testing.T) (*db.DB, []string) {
			dir := t.TempDir()
			d, err := db.Open(t.Context(), "", dir)
			if err != nil {
				t.Fatal(err)
			}
			return d, []string{"-import-data=" + dir}
		},
		"postgres": func(t *testing.T) (*db.DB, []string) {
			address := dbtest.PostgresURL(t)
			d, err := db.Open(t.Context(), address, "")
			if err != nil {
				t.Fatal(err)
			}
			return d, []string{"-import-db=" + address}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, args := site(t)
			t.Cleanup(func() { d.Close() })
			if err := d.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, d)
			args = append(args, "-test.run=TestImport_InAProcess", "-import-url="+w.ch.URL)
			killed := 0
			for range *imports {
				cmd := exec.Command(os.Args[0], args...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Duration(50+rand.IntN(700)) * time.Millisecond)
				cmd.Process.Kill()
				if cmd.Wait() != nil {
					killed++
				}
				w.now = noon
				w.run(`UPDATE clickhouse_state SET lease_until = ?`, noon) // as if two minutes had passed
			}
			t.Logf("%d of %d imports were killed before their end", killed, *imports)
			log := newGeneratedLog()
			c, err := clickhouse.New(clickhouse.Config{URL: w.ch.URL, Password: chtest.Password}, clickhouse.Parts{
				DB: d, Settings: w.settings, Traffic: log,
				UserIDs:   func(context.Context, []string) (map[string]int64, error) { return nil, nil },
				NodeNames: func(context.Context) (map[int64]string, error) { return nil, nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if done, err := c.ImportTraffic(t.Context()); err != nil || done.Remaining != 0 {
				t.Fatal(done, err)
			}
			var want, got [4]uint64
			if err := log.Totals(t.Context(), 0, noon.Unix()/86400*24, func(r traffic.HourTotal) error {
				want[0]++
				want[1] += uint64(r.Up)
				want[2] += uint64(r.Down)
				want[3] += uint64(r.Billed)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if err := w.ch.Conn.QueryRow(t.Context(), `SELECT count(), sum(up), sum(down), sum(billed)
				FROM traffic FINAL`).Scan(&got[0], &got[1], &got[2], &got[3]); err != nil || got != want {
				t.Errorf("ClickHouse has rows and sums %v, %v; want %v", got, err, want)
			}
		})
	}
}
