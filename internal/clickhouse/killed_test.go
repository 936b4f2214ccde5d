package clickhouse_test

import (
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/job"
	"airstrip/internal/traffic"
)

// Arguments of the process that a test starts and kills.
var (
	importURL  = flag.String("import-url", "", "of ClickHouse, for the process that a test kills")
	importDB   = flag.String("import-db", "", "of PostgreSQL, for that process")
	importData = flag.String("import-data", "", "folder of the SQLite file, for that process")
	imports    = flag.Int("imports", 3, "how many imports are killed")
)

// The log whose import is killed, and how many days of it are sent between two kills.
const (
	killedUsers, killedNodes = 200, 3
	killedDayRows            = 24 * killedUsers * killedNodes
	daysPerKill              = 2
)

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
	c, _ := importing(t, d, *importURL)
	c.SetBlockRows(killedDayRows / 5)
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
			days := int64(*imports)*daysPerKill + 2
			fill(t, d, days, killedUsers, killedNodes)
			w := newWorld(t, d)
			args = append(args, "-test.run=TestImport_InAProcess", "-import-url="+w.ch.URL)
			inDays := 0
			for n := range int64(*imports) {
				if w.killImport(args, n*daysPerKill+1) {
					inDays++
				}
				w.now = noon
				w.run(`UPDATE clickhouse_state SET lease_until = ?`, noon) // as if two minutes had passed
			}
			t.Logf("of %d kills %d left a part of a day", *imports, inDays)
			c, log := importing(t, d, w.ch.URL)
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
				FROM traffic FINAL`).Scan(&got[0], &got[1], &got[2], &got[3]); err != nil || got != want ||
				got[0] != uint64(days*killedDayRows) {
				t.Errorf("ClickHouse has rows and sums %v, %v; want %v", got, err, want)
			}
		})
	}
}

// killImport starts an import and kills it at some moment after it has noted that so many days are sent whole. inDay
// tells that ClickHouse has a part of a day then.
func (w *world) killImport(args []string, days int64) (inDay bool) {
	w.Helper()
	cmd := exec.Command(os.Args[0], args...)
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	began, noted := time.Now(), int64(0)
	for ; noted < days; time.Sleep(time.Millisecond) {
		if err := w.db.NewRaw(`SELECT count(*) FROM clickhouse_day`).Scan(w.Context(), &noted); err != nil {
			w.Fatal(err)
		}
		if time.Since(began) > time.Minute {
			w.Fatalf("the import has sent %d of %d days after a minute", noted, days)
		}
	}
	time.Sleep(rand.N(time.Since(began) / daysPerKill)) // about what the next day takes
	if err := cmd.Process.Kill(); err != nil {
		w.Fatal(err)
	}
	if cmd.Wait(); cmd.ProcessState.ExitCode() >= 0 {
		w.Fatalf("the import ended before it was killed: %s", cmd.ProcessState)
	}
	var rows uint64
	if err := w.ch.Conn.QueryRow(w.Context(), `SELECT count() FROM traffic FINAL`).Scan(&rows); err != nil {
		w.Fatal(err)
	}
	return rows%killedDayRows != 0
}
