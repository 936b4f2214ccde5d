package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"airstrip/internal/account"
)

// Members of staff see all settings with who changed them, change several at once from the version that they read, and
// restore what was there before. What weakens the site is for owners, and secrets are never shown.
func TestSettings_Staff_ChangesAndRestores(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		const path = "/api/v2/staff/settings"
		type item struct {
			Name      string
			ChangedBy string `json:"changed_by"`
			IsChanged bool   `json:"is_changed"`
			Value     json.RawMessage
		}
		type list struct {
			Version  string
			Settings []item
			Secrets  []struct {
				Name  string
				IsSet bool `json:"is_set"`
			}
		}
		admin, owner := h.staff[account.Admin], h.staff[account.Owner]
		read := func() (out list, byName map[string]item) {
			h.ask(admin, 200, "GET", path, "", &out)
			byName = map[string]item{}
			for _, s := range out.Settings {
				byName[s.Name] = s
			}
			return out, byName
		}
		route := staffRoute{id: "staff_settings_change", method: http.MethodPatch}
		change := func(as testUser, version, body string, status int) string {
			w := h.change(route, act{as: as, path: path, body: body}, `"`+version+`"`)
			if w.Code != status {
				h.Errorf("%s answers %d %s, want %d", body, w.Code, w.Body, status)
			}
			return w.Body.String()
		}
		first, _ := read()
		change(admin, first.Version, `{"values":{"site_name":"Other","ticket_max_open":3}}`, 200)
		if answer := change(admin, first.Version, `{"values":{"site_name":"Third"}}`, 409); !strings.Contains(answer,
			"version_conflict") {
			h.Errorf("a stale change answers %s", answer)
		}
		second, byName := read()
		if s := byName["site_name"]; string(s.Value) != `"Other"` || !s.IsChanged || s.ChangedBy == "" {
			h.Errorf("site_name is %+v", s)
		}
		change(admin, second.Version, `{"values":{"ticket_max_open":0,"site_name":"Fourth"}}`, 422)
		for _, body := range []string{
			`{"values":{"smtp_host":"mail.example"}}`, `{"reset":["recharge_min"]}`,
			`{"secrets":{"smtp_password":"x"}}`,
		} {
			if answer := change(admin, second.Version, body, 422); !strings.Contains(answer, "owner") {
				h.Errorf("%s of an admin answers %s", body, answer)
			}
		}
		change(owner, second.Version, `{"secrets":{"smtp_password":"hunter2-smtp"},"values":{"smtp_host":"mail.example",`+
			`"smtp_from":"a@mail.example"},"reason":"moved"}`, 200)
		third, _ := read()
		for _, s := range third.Secrets {
			if s.IsSet != (s.Name == "smtp_password") {
				h.Errorf("secret %s is set: %v", s.Name, s.IsSet)
			}
		}
		if answer := h.ask(owner, 200, "GET", path, "", nil); strings.Contains(answer, "hunter2") {
			h.Error("a secret is shown")
		}

		var versions []struct {
			By, Reason    string
			Before, After json.RawMessage
			IsPresent     bool `json:"is_present"`
		}
		h.ask(admin, 200, "GET", path+"/site_name/history", "", &versions)
		if len(versions) != 1 || versions[0].By == "" || !versions[0].IsPresent {
			h.Fatalf("the history is %+v", versions)
		}
		change(admin, third.Version, `{"values":{"site_name":`+string(versions[0].Before)+`}}`, 200)
		fourth, byName := read()
		if s := byName["site_name"]; s.IsChanged {
			h.Errorf("restored it is %+v", s)
		}
		change(admin, fourth.Version, `{"reset":["ticket_max_open"]}`, 200)
		h.ask(admin, 404, "GET", path+"/no_such/history", "", nil)
	})
}

// A secret that is there goes nowhere else: who names another receiver gives it again.
func TestSettings_SecretOfAnotherReceiver_IsGivenAgain(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		change := func(status int, body string) string {
			return h.ask(h.staff[account.Owner], status, "PATCH", "/api/v2/staff/settings", body, nil)
		}
		change(200, `{"values":{"loki_push_url":"https://loki.example/push","loki_username":"a"},`+
			`"secrets":{"loki_password":"b"}}`)
		change(200, `{"values":{"loki_push_url":"https://loki.example/push","loki_username":"c"}}`)
		answer := change(422, `{"values":{"loki_push_url":"https://other.example/push"}}`)
		if !strings.Contains(answer, `"field":"loki_password"`) {
			h.Error(answer)
		}
		change(200, `{"values":{"loki_push_url":"https://other.example/push"},"secrets":{"loki_password":"b"}}`)
		change(200, `{"values":{"loki_push_url":""}}`)
		change(200, `{"values":{"emby_url":"https://emby.example"}}`) // it has no key yet
	})
}
