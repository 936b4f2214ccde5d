package v2_test

import (
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

func TestTheChatLearnsWhoAsksAndWhatTheyHave(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newField(t, d)
		got := f.ok(t, f.user, "GET", "/api/v2/user/crisp_data", "")
		want(t, got, map[string]any{"user_email": "u0@example.com", "user_nickname": "Ann"})
		data := map[string]any{}
		for _, pair := range got["session_data"].([]any) {
			p := pair.([]any)
			if len(p) != 2 {
				t.Fatalf("no pair: %v", p)
			}
			data[p[0].(string)] = p[1]
		}
		want(t, data, map[string]any{
			"user_id": int(f.user), "balance": "0.00", "access": "active",
			"expires_at": "2026-02-28T15:30:00Z", "language": "zh-CN",
		})
		if other := f.ok(t, f.other, "GET", "/api/v2/user/crisp_data", ""); other["user_email"] != "u1@example.com" {
			t.Errorf("another user is %v", other)
		}
	})
}
