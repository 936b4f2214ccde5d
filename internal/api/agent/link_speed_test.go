package agent_test

import (
	"testing"

	"github.com/google/uuid"
)

func TestReport_BeyondLinkSpeed_IsToBeSentAgain(t *testing.T) {
	each(t, func(s *site) {
		// A new node may bill five minutes of its 10 Gbit/s link at once, 375 GB, plus half as much as tolerance.
		first, second := uuid.New(), uuid.New()
		if status, out := s.report(batch(first, 1, `{"user_id":1,"up":0,"down":500000000000}`)); status != 200 ||
			out["result"] != "counted" {
			t.Fatalf("%d %v", status, out)
		}
		used := s.Used(1)
		for range 2 {
			if status, out := s.report(batch(second, 1, `{"user_id":1,"up":0,"down":100000000000}`)); status != 429 ||
				out["code"] != "beyond_link" {
				t.Fatalf("%d %v", status, out)
			}
		}
		if s.Used(1) != used {
			t.Errorf("counted %d", s.Used(1)-used)
		}
		if status, out := s.report(batch(second, 2, `{"user_id":1,"up":0,"down":1000}`)); status != 200 ||
			out["result"] != "counted" {
			t.Errorf("a small one: %d %v", status, out)
		}
	})
}
