package v1_test

import (
	"encoding/json"
	"strings"
	"testing"

	"airstrip/internal/node"
)

func TestTheOlderAuditRoutes(t *testing.T) {
	s := newSite(t)
	ming := s.person("ming@example.com", "")
	rule, err := s.nodes.Rules.Add(t.Context(), "Mail", "Sending mail", ":25$")
	if err != nil {
		t.Fatal(err)
	}
	n, err := s.nodes.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.hit(n[0], node.Hit{UserID: ming.User.ID, RuleID: rule.ID, Count: 2}, node.Hit{
		UserID: 999, RuleID: rule.ID,
		Count: 1,
	})
	rows := func(path string) (rows []map[string]any, total int) {
		t.Helper()
		rec := s.call("GET", path, ming.Access, "", nil)
		var answer struct {
			Ret, Total int
			Data       []map[string]any
		}
		if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || rec.Code != 200 || answer.Ret != 1 {
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
		return answer.Data, answer.Total
	}
	if got, total := rows("/v1/user/detect/"); total != 1 || got[0]["name"] != "Mail" ||
		got[0]["text"] != "Sending mail" || got[0]["regex"] != ":25$" {
		t.Errorf("%v, %d", got, total)
	}
	if got, total := rows("/v1/user/detect/log"); total != 1 || got[0]["rule_name"] != "Mail" ||
		got[0]["node_name"] != "n" || got[0]["count"] != 2.0 {
		t.Errorf("%v, %d", got, total)
	}
	if got, total := rows("/v1/user/detect/log?page=2&size=1"); total != 1 || len(got) != 0 {
		t.Errorf("page 2: %v, %d", got, total)
	}
	if csv := s.call("GET", "/v1/user/detect/log?format=csv", ming.Access, "",
		nil).Body.String(); !strings.Contains(csv, "Mail,1,n,2") {
		t.Errorf("%s", csv)
	}
	s.want(s.call("GET", "/v1/user/detect/", "", "", nil), 401, "sign_in_required")
	s.want(s.call("GET", "/v1/user/detect/log?page=0", ming.Access, "", nil), 422, "invalid_input")
}
