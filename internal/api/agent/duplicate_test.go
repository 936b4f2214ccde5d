package agent_test

import (
	"fmt"
	"testing"
	"time"
)

func TestStatus_DuplicateAgent_IsReported(t *testing.T) {
	each(t, func(s *site) {
		now := time.Now()
		s.DB.SetClock(func() time.Time { return now })
		beat := func(boot string, uptime int) string {
			t.Helper()
			status, _, body := s.call("POST", "status",
				fmt.Sprintf(`{"boot":%q,"uptime_seconds":%d,"load":[0,0,0]}`, boot, uptime))
			if status != 200 {
				t.Fatalf("%d %s", status, body)
			}
			return string(body)
		}
		const alone, double = `{}`, `{"double":true}`
		for _, step := range []struct {
			after  time.Duration
			boot   string
			uptime int
			want   string
		}{
			{0, "a", 100, alone},
			{20 * time.Second, "a", 120, alone},
			{2 * time.Second, "b", 1, alone}, // Agent a was restarted.
			{20 * time.Second, "b", 21, alone},
			{9 * time.Second, "c", 500, double}, // Agent c was running when b sent heartbeats.
			{11 * time.Second, "b", 41, double},
			{9 * time.Second, "c", 520, double},
			{20 * time.Second, "c", 540, alone},  // Agent b was stopped.
			{10 * time.Minute, "d", 5000, alone}, // The server was away meanwhile.
			{-time.Hour, "e", 1, alone},          // Agent d was restarted, and the server's clock was set back.
		} {
			now = now.Add(step.after)
			if got := beat(step.boot, step.uptime); got != step.want {
				t.Errorf("%s, running for %d s: %s, not %s", step.boot, step.uptime, got, step.want)
			}
		}
	})
}
