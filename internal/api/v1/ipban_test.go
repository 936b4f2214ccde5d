package v1_test

import (
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"airstrip/internal/account"
)

func TestStaffRefusesTheRequestsOfANetworkForATime(t *testing.T) {
	s := newSite(t)
	owner, helper, ming := s.person("owner@example.com", account.Owner), s.person("help@example.com", account.Support),
		s.person("ming@example.com", "")
	const insert, unban = "/v1/admin/request_ip_ban_task_insert", "/v1/admin/request_ip_ban_task_unban"
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Second).Format(time.RFC3339)
	form := url.Values{"ip_cidr": {"203.0.113.9/24"}, "task_end_at": {until}, "remark": {"scraper"}}
	s.want(s.call("POST", insert, "", "", form), 401, "sign_in_required")
	for _, who := range []account.Grant{ming, helper} {
		s.want(s.call("POST", insert, who.Access, "", form), 403, "not_allowed")
		s.want(s.call("POST", unban, who.Access, "", form), 403, "not_allowed")
	}
	for _, wrong := range []url.Values{
		nil,
		{"ip_cidr": {"203.0.113.1"}},
		{"task_end_at": {until}},
		{"ip_cidr": {"203.0.113"}, "task_end_at": {until}},
		{"ip_cidr": {"203.0.113.1"}, "task_end_at": {"soon"}},
		{"ip_cidr": {"203.0.113.1"}, "task_end_at": {"2020-01-01T00:00:00Z"}},
		{"ip_cidr": {"127.0.0.1"}, "task_end_at": {until}},
		{"ip_cidr": {"192.0.2.0/24"}, "task_end_at": {until}}, // from where the calls of this test come
	} {
		s.want(s.call("POST", insert, owner.Access, "", wrong), 422, "invalid_input")
	}
	if got := s.want(s.call("POST", insert, owner.Access, "", form), 200, ""); got["ip_cidr"] != "203.0.113.0/24" ||
		got["task_end_at"] != until || got["ban_context"] != "管理员禁封IP" || got["remark"] != "scraper" {
		t.Errorf("%v", got)
	}
	from := func(address string) int {
		req := httptest.NewRequestWithContext(t.Context(), "GET", "/v1/user/detect", nil)
		req.RemoteAddr = address
		rec := httptest.NewRecorder()
		s.handler.ServeHTTP(rec, req)
		return rec.Code
	}
	if a, b := from("203.0.113.200:1"), from("203.0.114.1:1"); a != 403 || b != 401 {
		t.Errorf("answered %d and %d", a, b)
	}
	s.want(s.call("POST", unban, owner.Access, "", nil), 422, "invalid_input")
	if got := s.want(s.call("POST", unban+"?ip_cidr=203.0.113.0/24", owner.Access, "", nil), 200,
		""); got["ended"] != 1.0 {
		t.Errorf("%v", got)
	}
	if a := from("203.0.113.200:1"); a != 401 {
		t.Errorf("after it was freed: %d", a)
	}
}
