package v2_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
)

const (
	rulesPath   = "/api/v2/user/services/audit/rule"
	recordsPath = "/api/v2/user/services/audit/record"
	staffRules  = "/api/v2/staff/audit-rules"
)

func TestUsersReadTheRulesAndTheirOwnHitsOnly(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newField(t, d)
		if got := f.ok(t, f.user, "GET", rulesPath, ""); len(got["rules"].([]any)) != 0 {
			t.Fatalf("%v", got)
		}
		mail := f.ok(t, owner, "POST", staffRules, `{"name":" Mail ","text":"Sending mail","pattern":":25$"}`)
		p2p := f.ok(t, owner, "POST", staffRules, `{"name":"BitTorrent","pattern":"torrent"}`)
		id := func(rule map[string]any) int64 { return int64(rule["id"].(float64)) }
		hit := func(rule map[string]any, user, count int64) {
			t.Helper()
			if _, err := f.nodes.Rules.RecordHits(t.Context(), f.node,
				[]node.Hit{{UserID: user, RuleID: id(rule), Count: count}}); err != nil {
				t.Fatal(err)
			}
		}
		hit(mail, f.user, 3)
		f.now = f.now.Add(1e9)
		hit(p2p, f.user, 1)
		f.now = f.now.Add(1e9)
		hit(mail, f.user, 4)
		rules := f.ok(t, f.user, "GET", rulesPath, "")["rules"].([]any)
		want(t, rules[0].(map[string]any), map[string]any{
			"name": "Mail", "text": "Sending mail", "pattern": ":25$",
			"my_hits": 7, "last_hit_at": "2026-01-31T15:30:02Z",
		})
		want(t, f.ok(t, f.other, "GET", rulesPath, "")["rules"].([]any)[0].(map[string]any),
			map[string]any{"my_hits": 0, "last_hit_at": nil})
		want(t, f.ok(t, owner, "GET", staffRules, "")["rules"].([]any)[0].(map[string]any), map[string]any{"hits": 7})

		got := f.ok(t, f.user, "GET", recordsPath+"?limit=1&offset=1", "")
		want(t, got, map[string]any{"total_count": 3})
		want(t, got["records"].([]any)[0].(map[string]any), map[string]any{
			"rule_name": "BitTorrent",
			"node_name": "HK 01", "count": 1, "created_at": "2026-01-31T15:30:01Z",
		})
		want(t, f.ok(t, f.user, "GET", fmt.Sprintf("%s?rule_id=%d", recordsPath, id(mail)), ""),
			map[string]any{"total_count": 2})
		want(t, f.ok(t, f.other, "GET", recordsPath, ""), map[string]any{"total_count": 0})

		const log = "/api/v2/staff/audit-records"
		want(t, f.ok(t, owner, "GET", log+"/count", ""), map[string]any{"rows": 3})
		first := f.ok(t, owner, "GET", log+"?limit=1", "")
		newest := map[string]any{
			"user_id": int(f.user), "email": "u0@example.com", "rule_name": "Mail", "node_name": "HK 01", "count": 4,
		}
		want(t, first["rows"].([]any)[0].(map[string]any), newest)
		second := f.ok(t, owner, "GET", log+"?limit=1&cursor="+url.QueryEscape(first["next_cursor"].(string)), "")
		want(t, second["rows"].([]any)[0].(map[string]any), map[string]any{"rule_name": "BitTorrent", "count": 1})
		for query, total := range map[string]int{
			fmt.Sprintf("?user=%d", f.user): 3, fmt.Sprintf("?user=%d", f.other): 0,
			fmt.Sprintf("?rule=%d", id(p2p)): 1, fmt.Sprintf("?node=%d", f.node.ID): 3,
			fmt.Sprintf("?node=%d", f.node.ID+1): 0, fmt.Sprintf("?user=%d&rule=%d", f.user, id(p2p)): 1,
			"?q=u0": 3, "?q=u1": 0,
		} {
			want(t, f.ok(t, owner, "GET", log+"/count"+query, ""), map[string]any{"rows": total})
			if rows := f.ok(t, owner, "GET", log+query, "")["rows"].([]any); len(rows) != total {
				t.Errorf("%s lists %d rows, not %d", query, len(rows), total)
			}
		}
		f.refused(t, f.user, "GET", log, "", 403, "not_allowed")

		// A rule that is lifted and a node that is removed stay in the log.
		f.ok(t, owner, "DELETE", fmt.Sprintf("%s/%d", staffRules, id(mail)), "")
		f.refused(t, owner, "DELETE", fmt.Sprintf("%s/%d", staffRules, id(mail)), "", 404, "rule_not_found")
		if err := f.nodes.Remove(t.Context(), f.node.ID); err != nil {
			t.Fatal(err)
		}
		if rules := f.ok(t, f.user, "GET", rulesPath, "")["rules"].([]any); len(rules) != 1 {
			t.Errorf("%v", rules)
		}
		want(t, f.ok(t, f.user, "GET", recordsPath, "")["records"].([]any)[0].(map[string]any),
			map[string]any{"rule_name": "Mail", "node_name": nil})
		if a := f.call(t, 0, "GET", rulesPath, ""); a.status != 401 {
			t.Errorf("without a sign-in: %d", a.status)
		}
	})
}

func TestStaffKeepsTheRules(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newField(t, d)
		rule := f.ok(t, owner, "POST", staffRules,
			fmt.Sprintf(`{"name":"Mail","pattern":":25$","exempt_user_ids":[%d,%[1]d]}`, f.other))
		if ids := rule["exempt_user_ids"].([]any); len(ids) != 1 || ids[0] != float64(f.other) {
			t.Errorf("exempt are %v", ids)
		}
		want(t, f.ok(t, owner, "GET", staffRules, "")["rules"].([]any)[0].(map[string]any)["exempt_users"].([]any)[0].(map[string]any),
			map[string]any{"id": int(f.other), "email": "u1@example.com"})
		path := fmt.Sprintf("%s/%v", staffRules, rule["id"])
		before, err := f.nodes.Feeds.Snapshot(t.Context(), f.node.ID)
		if err != nil {
			t.Fatal(err)
		}
		want(t, f.ok(t, owner, "PUT", path, `{"name":"Post","text":"No mail","pattern":":(25|465)$"}`),
			map[string]any{"name": "Post", "text": "No mail", "pattern": ":(25|465)$"})
		if ids := f.ok(t, owner, "GET", staffRules,
			"")["rules"].([]any)[0].(map[string]any)["exempt_user_ids"].([]any); len(ids) != 0 {
			t.Errorf("exempt are still %v", ids)
		}
		after, err := f.nodes.Feeds.Changes(t.Context(), f.node.ID, before.Revision)
		if err != nil || !after.RulesSet || after.Rules[0].Name != "Post" {
			t.Errorf("agents hear %+v, %v", after, err)
		}
		for body, field := range map[string]string{
			`{"name":"x","pattern":"(?=x)"}`: "pattern", `{"name":"x","pattern":""}`: "pattern",
			`{"name":" ","pattern":"x"}`:                         "name",
			`{"name":"x","pattern":"x","exempt_user_ids":[999]}`: "exempt_user_ids",
		} {
			for _, call := range [][2]string{{"POST", staffRules}, {"PUT", path}} {
				if a := f.refused(t, owner, call[0], call[1], body, 422, "invalid_input"); len(a.Errors) != 1 ||
					a.Errors[0].Field != field {
					t.Errorf("%s %s: %s", call[0], body, a.raw)
				}
			}
		}
		for _, wrong := range [][3]string{
			{"POST " + staffRules, `{"name":"x","pattern":"a)"}`, "unexpected ): `a)`"},
			{"POST " + staffRules, `{"name":"x","pattern":"x","exempt_user_ids":[999]}`, "There is no user 999"},
			{"POST " + staffRules, `{"name":"` + strings.Repeat("x", 65) + `","pattern":"x"}`, "at most 64 characters"},
			{"GET /api/v2/staff/audit-records?limit=101", "", "100"},
		} {
			method, path, _ := strings.Cut(wrong[0], " ")
			if a := f.refused(t, owner, method, path, wrong[1], 422, "invalid_input"); len(a.Errors) != 1 ||
				!strings.Contains(a.raw, wrong[2]) {
				t.Errorf("%s does not say %q", a.raw, wrong[2])
			}
		}
		f.refused(t, owner, "PUT", staffRules+"/999", `{"name":"x","pattern":"x"}`, 404, "rule_not_found")
		f.refused(t, f.user, "POST", staffRules, `{"name":"x","pattern":"x"}`, 403, "not_allowed")
		f.refused(t, f.user, "GET", staffRules, "", 403, "not_allowed")
	})
}

func TestStaffLetsBlockedAddressesGo(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newField(t, d)
		if _, err := f.nodes.Blocklist.Block(t.Context(), f.node, []string{"8.8.4.4"}); err != nil {
			t.Fatal(err)
		}
		const path = "/api/v2/staff/blocked-ips"
		want(t, f.ok(t, owner, "GET", path, "")["addresses"].([]any)[0].(map[string]any), map[string]any{
			"ip":      "8.8.4.4",
			"node_id": int(f.node.ID), "node_name": "HK 01",
		})
		for query, total := range map[string]int{
			"?ip=8.8.": 1, "?ip=8.9": 0, fmt.Sprintf("?node_id=%d", f.node.ID): 1, fmt.Sprintf("?node_id=%d", f.node.ID+1): 0,
		} {
			want(t, f.ok(t, owner, "GET", path+query, ""), map[string]any{"total_count": total})
		}
		if _, err := f.nodes.Blocklist.Block(t.Context(), f.node, []string{"9.9.9.9"}); err != nil {
			t.Fatal(err)
		}
		newest := f.ok(t, owner, "GET", path+"?limit=1", "")["addresses"].([]any)[0].(map[string]any)
		after := f.ok(t, owner, "GET", fmt.Sprintf("%s?before=%v", path, newest["id"]), "")
		want(t, after, map[string]any{"total_count": 2})
		if rows := after["addresses"].([]any); len(rows) != 1 {
			t.Errorf("after the newest stand %v", rows)
		} else {
			want(t, rows[0].(map[string]any), map[string]any{"ip": "8.8.4.4"})
		}
		f.ok(t, owner, "POST", path+"/unblock", `{"ip":"9.9.9.9"}`)
		f.ok(t, owner, "POST", path+"/unblock", `{"ip":"8.8.4.4"}`)
		f.refused(t, owner, "POST", path+"/unblock", `{"ip":"8.8.4.4"}`, 404, "ip_not_blocked")
		f.refused(t, owner, "POST", path+"/unblock", `{"ip":"nonsense"}`, 422, "invalid_input")
		want(t, f.ok(t, owner, "GET", path, ""), map[string]any{"total_count": 0})

		if _, err := f.nodes.Monitor.AddSpeedTests(t.Context(), f.node.ID,
			[]map[string]string{{"cmccping": "31"}}); err != nil {
			t.Fatal(err)
		}
		tests := f.ok(t, owner, "GET", fmt.Sprintf("/api/v2/staff/nodes/%d/speed-tests", f.node.ID), "")["tests"].([]any)
		want(t, tests[0].(map[string]any)["results"].(map[string]any), map[string]any{"cmccping": "31"})
		f.refused(t, f.user, "GET", path, "", 403, "not_allowed")
	})
}
