package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/clickhouse/chtest"
	"airstrip/internal/shop"
)

// copied is what the reading operations answer.
type copied struct {
	Source     string           `json:"source"`
	Result     any              `json:"result"`
	ResultList []map[string]any `json:"result_list"`
}

func eachAnalytics(t *testing.T, on bool, test func(t *testing.T, s *testServer)) {
	eachEngine(t, func(t *testing.T, c Config) {
		if on {
			c.ClickHouseURL, c.ClickHousePassword = chtest.New(t).URL, chtest.Password
		}
		test(t, newTestServer(t, c))
	})
}

// key makes an API token.
func (s *testServer) key(t *testing.T, userID int64, scope account.Scope) string {
	t.Helper()
	secret, _, err := s.Accounts.APITokens.Create(t.Context(), userID, account.APITokenDraft{
		Name: "test", Scopes: []account.Scope{scope},
	})
	if err != nil {
		t.Fatal(err)
	}
	return secret.String()
}

// reads insists on the status of an answer, and gives its body.
func (s *testServer) reads(t *testing.T, status int, path string, into any) string {
	t.Helper()
	w := s.call(t.Context(), testUser{}, "GET", path, "")
	if w.Code != status {
		t.Fatalf("%s answers %d %s, want %d", path, w.Code, w.Body, status)
	}
	if into != nil {
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
			t.Fatal(err)
		}
	}
	return w.Body.String()
}

func TestClickHouse_ReadAndImportedByItsRoutes(t *testing.T) {
	eachAnalytics(t, true, func(t *testing.T, s *testServer) {
		owner, ann := s.addUser(t, "owner", 0), s.addUser(t, "ann", 1000)
		if err := s.Accounts.SetRole(t.Context(), "owner@example.com", account.Owner); err != nil {
			t.Fatal(err)
		}
		if w := s.call(t.Context(), ann, "POST", buy(s.sells(t, shop.KindPlan, 100)), "{}"); w.Code != 200 {
			t.Fatal(w.Body)
		}
		s.moves(t, ann.id)
		if err := s.ClickHouse.Copy(t.Context()); err != nil {
			t.Fatal(err)
		}
		var log, history copied
		read, grafana := s.key(t, ann.id, account.ScopeRead), s.key(t, owner.id, account.ScopeGrafana)
		s.reads(t, 200, "/api/v2/tools/user_traffic_log_full_ch/"+read, &log)
		if rows, ok := log.Result.([]any); !ok || len(rows) != 1 || log.Source != "clickhouse" {
			t.Errorf("the log is %+v, want one row from ClickHouse", log)
		}
		for _, who := range []string{fmt.Sprint(ann.id), read} {
			s.reads(t, 200, "/api/v2/tools/user_data_history_ch/"+who+"?grafana_api_key="+grafana, &history)
			if len(history.ResultList) != 1 || history.Source != "clickhouse" {
				t.Fatalf("the history is %+v, want one hour from ClickHouse", history)
			}
			// These are the fields of the original, whose panels read them by name.
			row := history.ResultList[0]
			if row["user_id"] != float64(ann.id) || row["ss_upload_size"] != 1000.0 ||
				row["ss_download_size"] != 2000.0 || row["ss_bandwidth_total_size"] == nil ||
				row["money_amount"] != "9.00" || row["created_at"] == nil ||
				row["user_level_expire_in"] == nil || len(row) != 7 {
				t.Errorf("the row is %v", row)
			}
		}
		s.reads(t, http.StatusForbidden, "/api/v2/tools/user_data_history_ch/"+read+"?grafana_api_key="+read, nil)
		s.reads(t, http.StatusUnauthorized, "/api/v2/tools/user_data_history_ch/"+read, nil)
		s.reads(t, http.StatusUnprocessableEntity, "/api/v2/tools/user_traffic_log_full_ch/"+read+
			"?from_iso=2026-02-01T00:00:00Z&to_iso=2026-01-01T00:00:00Z", nil)
		jobs := s.key(t, owner.id, account.ScopeJobs)
		for name, want := range map[string]string{
			"user_traffic_raw": `"remaining_days":0`, "user_traffic_log_total": `"healed":0`,
			"user_data_history": `"rows":`, "mod_mu_user_alive_ip": `"skipped":"no_history_kept"`,
		} {
			body := s.reads(t, 200, "/v1/mod_mu/clickhouse_import_"+name+"?api_token_uuid="+jobs, nil)
			if !strings.Contains(body, want) {
				t.Errorf("%s answers %s, want %s", name, body, want)
			}
		}
	})
}

func TestClickHouse_NotConfigured_IsSaid(t *testing.T) {
	eachAnalytics(t, false, func(t *testing.T, s *testServer) {
		owner := s.addUser(t, "owner", 0)
		if err := s.Accounts.SetRole(t.Context(), "owner@example.com", account.Owner); err != nil {
			t.Fatal(err)
		}
		grafana := s.key(t, owner.id, account.ScopeGrafana)
		for _, path := range []string{
			"user_traffic_log_full_ch/" + s.key(t, owner.id, account.ScopeRead),
			fmt.Sprintf("user_data_history_ch/%d?grafana_api_key=%s", owner.id, grafana),
		} {
			if body := s.reads(t, 404, "/api/v2/tools/"+path, nil); !strings.Contains(body, "clickhouse_not_configured") {
				t.Errorf("%s answers %s", path, body)
			}
		}
		jobs := s.key(t, owner.id, account.ScopeJobs)
		for _, name := range []string{
			"user_traffic_raw", "user_traffic_log_total", "user_data_history", "mod_mu_user_alive_ip",
		} {
			body := s.reads(t, 200, "/v1/mod_mu/clickhouse_import_"+name+"?api_token_uuid="+jobs, nil)
			if !strings.Contains(body, `"skipped":"clickhouse_not_configured"`) {
				t.Errorf("%s answers %s", name, body)
			}
		}
	})
}
