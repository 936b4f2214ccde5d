package trafficlog_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/trafficlog"
)

var kills = flag.Int("kills", 4, "how often the process is killed on each engine")

// writerEnv makes the test binary write to a log until it is killed: it names the database and the run.
const writerEnv = "AIRSTRIP_TEST_LOG_WRITER"

func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv(writerEnv) != "" {
		if err := writeUntilKilled(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeUntilKilled writes reports, late ones too, and runs the jobs of the log beside them. Each report adds to
// node_day in its transaction, which tells afterwards what was committed.
func writeUntilKilled(ctx context.Context) error {
	d, err := db.Open(ctx, os.Getenv(writerEnv+"_URL"), os.Getenv(writerEnv+"_DIR"))
	if err != nil {
		return err
	}
	run, err := strconv.ParseUint(os.Getenv(writerEnv), 10, 64)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(run, 1))
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(run) * 40 * time.Hour)
	d.SetClock(func() time.Time { return at.Add(48 * time.Hour) })
	log := trafficlog.New(d)
	go func() {
		for {
			if err := log.Seal(ctx); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
			day := dayOf(at.Unix()/3600 - 72)
			if err := log.FoldDays(ctx, day/100); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
	}()
	fmt.Println("ready")
	for {
		slot := trafficlog.Slot{Hour: at.Unix()/3600 + random.Int64N(50), NodeID: 1, RatePermille: 1000}
		of := map[int64]trafficlog.Amount{}
		var sum int64
		for user := range int64(300) {
			n := random.Int64N(1 << 20)
			of[user*9+1], sum = trafficlog.Amount{Up: n, Billed: n}, sum+n
		}
		if err := d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			if _, err := db.Bump(ctx, tx, trafficlog.Revision); err != nil {
				return err
			}
			day := dayOf(slot.Hour)
			if _, err := tx.NewRaw(`INSERT INTO node_day (node_id, day, up, down, billed) VALUES (1, ?, ?, 0, 0)
				ON CONFLICT (node_id, day) DO UPDATE SET up = node_day.up + EXCLUDED.up`, day, sum).Exec(ctx); err != nil {
				return err
			}
			return log.Add(ctx, tx, trafficlog.Addition{
				Hours: map[trafficlog.Slot]map[int64]trafficlog.Amount{slot: of},
				Days:  map[int64]map[int64]trafficlog.Amount{day: of},
			})
		}); err != nil {
			return err
		}
	}
}

// However often the process is killed, rows, days and months add up to what was committed.
func TestLog_KilledAtRandom_HoldsWhatWasCommitted(t *testing.T) {
	for engine, url := range map[string]string{"sqlite": "", "postgres": dbtest.EmptyPostgresURL(t)} {
		t.Run(engine, func(t *testing.T) {
			dir := t.TempDir()
			d, err := db.Open(t.Context(), url, dir)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if err := d.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			for run := range *kills {
				killWriter(t, url, dir, run)
				awaitEnd(t, d)
				expectCommitted(t, d)
			}
		})
	}
}

// killWriter starts a process that writes and kills it at some moment.
func killWriter(t *testing.T, url, dir string, run int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), writerEnv+"="+strconv.Itoa(run), writerEnv+"_URL="+url, writerEnv+"_DIR="+dir,
		"PGAPPNAME="+writerName)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("the process says %q, %v", line, err)
	}
	time.Sleep(time.Duration(rand.Int64N(int64(400 * time.Millisecond))))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
}

// writerName is what PostgreSQL calls connections of the process that is killed.
const writerName = "killed writer"

// awaitEnd waits until PostgreSQL has ended the transactions of the process that was killed: it still carries out a
// commit that it had received.
func awaitEnd(t *testing.T, d *db.DB) {
	t.Helper()
	if d.SQLite() {
		return
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var open int
		if err := d.NewRaw(`SELECT count(*) FROM pg_stat_activity WHERE application_name = ?`, writerName).
			Scan(t.Context(), &open); err != nil {
			t.Fatal(err)
		}
		if open == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d connections of the killed process are left", open)
		}
	}
}

func expectCommitted(t *testing.T, d *db.DB) {
	t.Helper()
	var want, hours, days int64
	log := trafficlog.New(d)
	if err := d.LongReadTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		want, hours, days = 0, 0, 0
		if err := tx.NewRaw(`SELECT CAST(coalesce(sum(up), 0) AS BIGINT) FROM node_day`).Scan(ctx, &want); err != nil {
			return err
		}
		add := func(u trafficlog.UserDay) { days += u.Up }
		return log.Visit(ctx, tx, trafficlog.Visitor{
			Day: add, Month: add, Row: func(h trafficlog.HourTotal) { hours += h.Up },
			Broken: func(what string) { t.Errorf("broken: %s", what) },
		})
	}); err != nil {
		t.Fatal(err)
	}
	var totals int64
	if err := log.Totals(t.Context(), 0, math.MaxInt64, func(h trafficlog.HourTotal) error {
		totals += h.Up
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if hours != want || days != want || totals != want {
		t.Fatalf("%d bytes were committed; hours hold %d, days and months %d, totals %d", want, hours, days, totals)
	}
}
