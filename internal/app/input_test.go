package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/fault"
)

// wantField calls and insists on the refusal of one field.
func (h *fixture) wantField(as testUser, method, path, body, field string) {
	h.Helper()
	w := h.call(h.Context(), h.present(as), method, path, body)
	var refused struct{ Errors []struct{ Field string } }
	if err := json.Unmarshal(w.Body.Bytes(), &refused); err != nil || w.Code != 422 || len(refused.Errors) != 1 ||
		refused.Errors[0].Field != field {
		h.Errorf("%s %s %s answers %d %s, want 422 for %s", method, path, body, w.Code, w.Body, field)
	}
}

func TestInput_OfCodeGenerators_IsUsedAsItIsOrRefused(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin := h.staff[account.Admin]
		path := fmt.Sprintf("/api/v2/staff/share-accounts/%d/rotate", h.share(""))
		body := func(query string) string {
			return fmt.Sprintf(`{"password":"x","totp":%q}`, "otpauth://totp/Films:a?secret="+shareSeed+"&"+query)
		}
		for _, query := range []string{
			"period=-1", "period=0", "period=1", "period=301", "period=30.5", "period=030", "period=99999999999999999999",
			"period=30&period=60", "digits=5", "digits=9", "digits=-6", "digits=six", "digits=", "algorithm=MD5",
			"algorithm=SHA", "algorithm=", "secret=" + shareSeed,
		} {
			h.wantField(admin, "POST", path, body(query), "totp")
		}
		for _, query := range []string{
			"issuer=Films", "period=60&digits=8&algorithm=SHA256", "algorithm=sha1", "period=15", "period=300",
		} {
			h.ask(admin, 200, "POST", path, body(query), nil)
		}
	})
}

func TestInput_OfAddresses_NamesTheFieldOfOneThatNobodyCanCall(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		owner, admin := h.staff[account.Owner], h.staff[account.Admin]
		for _, address := range []string{
			"https://ops.example:99999/", "https://ops.example:0/", "https://xn--zzzzzzzzzz99999/", "https://a..b/", "https://",
		} {
			h.wantField(owner, "POST", "/api/v2/staff/webhooks", fmt.Sprintf(
				`{"name":"a","url":%q,"events":["user.created"],"is_enabled":true}`, address), "url")
			h.wantField(admin, "POST", "/api/v2/staff/share-accounts", fmt.Sprintf(
				`{"name":"a","url":%q,"is_enabled":true,"password":"secret"}`, address), "url")
			h.wantField(admin, "POST", "/api/v2/staff/clients", fmt.Sprintf(`{"id":"own","name":"Own","icon":"O",
				"platforms":["ios"],"import_url":"own://import?url={url}","download_url":%q,"formats":["ClashMeta"],
				"sort":1,"is_enabled":true}`, address), "download_url")
			for _, key := range []string{
				"emby_url", "loki_push_url", "contact_url", "captcha_verify_url", "security_contact",
			} {
				// Settings of one field may not end in a slash.
				err := h.Settings.Set(h.Context(), settings(fmt.Sprintf(`{%q:%q}`, key, strings.TrimSuffix(address, "/"))))
				if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Name != key {
					h.Errorf("%s %s: %v", key, address, err)
				}
			}
		}
	})
}

func TestInput_OfAmounts_NamesTheFieldOnce(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		owner := h.staff[account.Owner]
		for _, wrong := range []string{`"x"`, `"1.001"`, `1.001`, `1e3`, `null`, `true`, `{}`, `"99999999999999999"`} {
			h.wantField(owner, "POST", "/api/v2/staff/wallet-adjustments",
				`{"user_id":1,"reason":"x","amount":`+wrong+`}`, "amount")
			h.wantField(owner, "POST", "/api/v2/staff/plans", `{"name":"A","kind":"plan","traffic_bytes":1,
				"reset":"calendar_month","class":1,"groups":[1],"visible":true,"renewable":true,
				"prices":[{"months":1,"amount":`+wrong+`}]}`, "prices.0.amount")
		}
	})
}

func TestInput_ThatSaysTwoThings_IsRefused(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin := h.staff[account.Admin]
		made := h.announce(`{"title":"a","body":"b"}`)
		h.wantField(admin, "PATCH", fmt.Sprintf("/api/v2/staff/announcements/%d", made.ID),
			`{"no_end":true,"ends_at":"2026-03-01T00:00:00Z"}`, "no_end")
	})
}

// Months are those of the product's time: the year 0 of one is no month that a bill or a day can have.
func TestInput_OfMonths_NamesTheParameter(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user := h.users[0]
		months := 0
		for path, item := range h.api(http.NewServeMux()).Paths {
			if item.Get == nil || strings.Contains(path, "{") {
				continue
			}
			for _, p := range item.Get.Parameters {
				if !strings.Contains(p.Name, "month") {
					continue
				}
				who := user
				if strings.HasPrefix(path, "/api/v2/staff/") {
					who = h.staff[account.Owner]
				}
				months++
				for _, month := range []string{"0000-01", "1899-12", "2026-00", "2026-13", "+2026-1"} {
					h.wantField(who, "GET", path+"?"+p.Name+"="+url.QueryEscape(month), "", p.Name)
				}
				if !regexp.MustCompile(p.Schema.Pattern).MatchString("2026-01") {
					h.Errorf("%s takes no month", path)
				}
			}
		}
		if months < 3 {
			h.Errorf("%d operations take a month", months)
		}
		secret, _, err := h.Accounts.APITokens.Create(h.operator(h.T), user.id, account.APITokenDraft{
			Name: "t", Scopes: []account.Scope{account.ScopeRead},
		})
		if err != nil {
			h.Fatal(err)
		}
		old := "/v1/total/traffic/user_by_month_calendar_pie/" + secret.String() + "?year_month="
		if !slices.Contains([]int{400, 422}, h.call(h.Context(), testUser{}, "GET", old+"0000-01", "").Code) {
			h.Error("v1 takes the month 0000-01")
		}
	})
}
