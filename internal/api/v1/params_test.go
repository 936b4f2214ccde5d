package v1_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"airstrip/internal/account"
)

func TestParameters_WrongOnes_AreNamedWithTheOperation(t *testing.T) {
	s := newSite(t)
	ming := s.person("ming@example.com", "")
	staff := s.person("staff@example.com", account.Admin)
	for _, c := range []struct{ method, path, bearer, kind, body, field string }{
		{
			"POST", "/v1/user/password", ming.Access, "application/json",
			`{"oldpwd":"x","pwd":"a long enough password","repwd":{"a":1}}`, "repwd",
		},
		{
			"POST", "/v1/user/password?oldpwd=x", ming.Access, "application/json",
			`{"oldpwd":"y","pwd":"a long enough password","repwd":"z"}`, "oldpwd",
		},
		{
			"POST", "/v1/user/password", ming.Access, "application/x-www-form-urlencoded",
			"oldpwd=x&pwd=short&repwd=short", "pwd",
		},
		{"POST", "/v1/admin/user_ban_task_unban", staff.Access, "application/json", `{"user_id":true}`, "user_id"},
		{
			"POST", "/v1/admin/user_ban_task_unban", staff.Access, "application/x-www-form-urlencoded", "user_id=%2B5",
			"user_id",
		},
		{
			"POST", "/v1/admin/user_ban_task_insert", staff.Access, "application/x-www-form-urlencoded",
			"user_id=1&task_end_at=2099-01-01&is_need_send_email=perhaps", "task_end_at is_need_send_email",
		},
	} {
		req := httptest.NewRequestWithContext(t.Context(), c.method, c.path, strings.NewReader(c.body))
		req.Header.Set("Content-Type", c.kind)
		req.Header.Set("Authorization", "Bearer "+c.bearer)
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, req)
		for _, field := range strings.Fields(c.field) {
			if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), `"field":"`+field+`"`) ||
				!strings.Contains(w.Body.String(), `"operation":"`+c.method+" "+strings.Split(c.path, "?")[0]+`"`) {
				t.Errorf("%s %s %s answers %d %s", c.method, c.path, c.body, w.Code, w.Body)
			}
		}
	}
}
