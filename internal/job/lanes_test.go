package job_test

import (
	"context"
	"testing"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/job"
)

func TestRun_NightlyCheckTakesLong_DelaysNeitherBansNorPaymentsNorJobs(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		q := job.New(d)
		checking, ran := make(chan struct{}), make(chan string, 3)
		q.Schedule("doctor", job.Interval(24*time.Hour), func(ctx context.Context) error {
			close(checking)
			<-ctx.Done()
			return ctx.Err()
		})
		// Each waits until the check runs, so that it is held up where the check holds anything up.
		report := func(name string) func(context.Context) error {
			return func(ctx context.Context) error {
				select {
				case <-checking:
					ran <- name
				case <-ctx.Done():
				}
				return ctx.Err()
			}
		}
		q.Schedule("account.bans", job.Interval(5*time.Second), report("account.bans"))
		q.Schedule("payment.check", job.Interval(30*time.Second), report("payment.check"))
		job.Handle(q, "test", func(ctx context.Context, payload string) error { return report(payload)(ctx) })
		add(t, d, "a job", job.Options{})
		ended := make(chan struct{})
		go func() { defer close(ended); q.Run(ctx) }()
		for got := map[string]bool{}; len(got) < 3; {
			select {
			case name := <-ran:
				got[name] = true
			case <-time.After(20 * time.Second):
				t.Errorf("while the check runs only %v ran, want account.bans, payment.check and a job", got)
				cancel()
				<-ended
				return
			}
		}
		cancel()
		<-ended
	})
}
