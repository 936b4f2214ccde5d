package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/seal"
	"airstrip/internal/shareaccount"
)

const shareSeed = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

type shownShare struct {
	ID           int64     `json:"account_id"`
	Name         string    `json:"account_name"`
	Host         string    `json:"server_address"`
	Port         int64     `json:"port"`
	Password     *string   `json:"password"`
	MaxUsers     int64     `json:"max_users"`
	CurrentUsers int64     `json:"current_users"`
	Status       string    `json:"status"`
	ExpireTime   time.Time `json:"expire_time"`
	HasTOTP      bool      `json:"has_totp"`
	IsReplaced   bool      `json:"is_replaced"`
}

// share adds a share account as staff does; more are further fields of the body.
func (h *fixture) share(more string) (id int64) {
	h.Helper()
	var made struct{ ID int64 }
	h.ask(h.staff[account.Admin], 200, "POST", "/api/v2/staff/share-accounts",
		`{"name":"电影","name_en":"Films","url":"https://films.example/login","login":"family@example.com",`+
			`"is_enabled":true,"password":"the-first-secret"`+more+`}`, &made)
	return made.ID
}

func (h *fixture) shares(as testUser) []shownShare {
	h.Helper()
	var list struct {
		Total     int          `json:"total_accounts"`
		Available []shownShare `json:"available_accounts"`
	}
	h.ask(as, 200, "GET", "/api/v2/user/services/share-account/", "", &list)
	if list.Total != len(list.Available) {
		h.Errorf("total_accounts is %d of %d", list.Total, len(list.Available))
	}
	return list.Available
}

func sharePath(id int64, what string) string {
	return fmt.Sprintf("/api/v2/user/services/share-account/%d/%s", id, what)
}

func TestShareAccount_SecretIsShownOnDemandAndEachShowingIsLogged(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		id, user, admin := h.share(`,"totp":"`+shareSeed+`"`), h.users[0], h.staff[account.Admin]
		list := h.shares(user)
		if len(list) != 1 {
			h.Fatalf("the list has %+v, want one account", list)
		}
		if s := list[0]; s.Password == nil || *s.Password != "" || s.Name != "电影" || s.Host != "films.example" ||
			s.Port != 443 || s.Status != "available" || !s.HasTOTP || s.CurrentUsers != 0 || s.ExpireTime.Before(h.now) {
			h.Errorf("the list has %+v", s)
		}
		var secret struct{ Login, Password string }
		h.ask(user, 200, "POST", sharePath(id, "secret"), "", &secret)
		if secret.Login != "family@example.com" || secret.Password != "the-first-secret" {
			h.Errorf("the secret is %+v", secret)
		}
		var code struct {
			Code string
			Left int64 `json:"seconds_left"`
		}
		body := h.ask(user, 200, "POST", sharePath(id, "code"), "", &code)
		want, err := totp.GenerateCode(shareSeed, h.now)
		if err != nil || code.Code != want || code.Left != 30-h.now.Unix()%30 || strings.Contains(body, shareSeed) {
			h.Errorf("the code is %s, want %s; %v", body, want, err)
		}
		var log struct {
			Total int64 `json:"total_count"`
			Views []struct {
				UserID    int64 `json:"user_id"`
				Email     string
				Kind      string
				Version   int64
				At        time.Time
				IP        string
				UserAgent string `json:"user_agent"`
			}
		}
		h.ask(h.staff[account.Support], 200, "GET", fmt.Sprintf("/api/v2/staff/share-accounts/%d/views", id), "", &log)
		if log.Total != 2 || len(log.Views) != 2 || log.Views[0].Kind != "code" || log.Views[1].Kind != "secret" {
			h.Fatalf("the log is %+v", log)
		}
		if v := log.Views[1]; v.UserID != user.id || v.Email != "user0@example.com" || v.IP == "" || v.Version != 1 ||
			!v.At.Equal(h.now) {
			h.Errorf("the log has %+v", v)
		}
		staffList := h.ask(admin, 200, "GET", "/api/v2/staff/share-accounts", "", nil)
		for _, hidden := range []string{"the-first-secret", shareSeed} {
			if strings.Contains(staffList, hidden) {
				h.Errorf("staff is shown %s", hidden)
			}
		}
		for _, table := range []string{"share_account", "share_account_view", "audit_entry"} {
			for _, hidden := range []string{"the-first-secret", shareSeed} {
				if strings.Contains(h.rowsOf(h.Context(), table), hidden) {
					h.Errorf("the table %s has %s in clear", table, hidden)
				}
			}
		}
		if closed, err := shareaccount.Sealed(h.Context(), h.DB, seal.Key{9}); err != nil || len(closed) != 1 {
			h.Errorf("another key leaves %q closed, %v", closed, err)
		}
	})
}

func TestShareAccount_OfAnotherPlanClassOrGroup_IsNotFound(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		var plan int64
		services, _, err := h.Services.List(h.Context(), h.users[0].id)
		if err != nil || len(services) != 1 {
			h.Fatal(services, err)
		}
		plan = services[0].PlanID
		for name, c := range map[string]struct {
			more string
			want bool
		}{
			"of the user's plan":        {fmt.Sprintf(`,"plan_ids":[%d]`, plan), true},
			"of another plan":           {fmt.Sprintf(`,"plan_ids":[%d]`, plan+1000), false},
			"of the user's class":       {fmt.Sprintf(`,"class":%d`, services[0].Class), true},
			"of a higher class":         {fmt.Sprintf(`,"class":%d`, services[0].Class+1), false},
			"of a group that is not of": {`,"group":77`, false},
			"expired":                   {`,"expires_at":"2026-01-01T00:00:00Z"`, false},
		} {
			id := h.share(c.more + `,"totp":"` + shareSeed + `"`)
			status := map[bool]int{true: 200, false: 404}[c.want]
			h.ask(h.users[0], status, "POST", sharePath(id, "secret"), "", nil)
			h.ask(h.users[0], status, "POST", sharePath(id, "code"), "", nil)
			if listed := len(h.shares(h.users[0])) == 1; listed != c.want {
				h.Errorf("%s: listed %v, want %v", name, listed, c.want)
			}
			h.ask(h.staff[account.Viewer], 404, "POST", sharePath(id, "secret"), "", nil) // who has no service
			h.ask(h.staff[account.Admin], 200, "DELETE", fmt.Sprintf("/api/v2/staff/share-accounts/%d", id), "", nil)
			h.ask(h.users[0], 404, "POST", sharePath(id, "secret"), "", nil)
		}
		h.ask(h.users[0], 404, "POST", sharePath(1000, "secret"), "", nil)
		disabled := h.share(`,"sort":1`)
		h.ask(h.staff[account.Admin], 200, "PUT", fmt.Sprintf("/api/v2/staff/share-accounts/%d", disabled),
			`{"name":"Films","is_enabled":false}`, nil)
		h.ask(h.users[0], 404, "POST", sharePath(disabled, "secret"), "", nil)
	})
}

// Without its entry in the log nothing is shown: the log has everybody who knows a secret.
func TestShareAccount_ShowingThatIsNotLogged_IsNotAnswered(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		id, user := h.share(`,"totp":"`+shareSeed+`"`), h.users[0]
		code, err := totp.GenerateCode(shareSeed, h.now)
		if err != nil {
			h.Fatal(err)
		}
		rename := func(from, to string) {
			h.Helper()
			if err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.ExecContext(ctx, "ALTER TABLE "+from+" RENAME TO "+to)
				return err
			}); err != nil {
				h.Fatal(err)
			}
		}
		rename("share_account_view", "share_account_view_away")
		for what, hidden := range map[string]string{"secret": "the-first-secret", "code": code} {
			if body := h.ask(user, 500, "POST", sharePath(id, what), "", nil); strings.Contains(body, hidden) {
				h.Errorf("without an entry in the log the %s is answered: %s", what, body)
			}
		}
		rename("share_account_view_away", "share_account_view")
		h.ask(user, 200, "POST", sharePath(id, "secret"), "", nil)
	})
}

// The right ends with the service, whether or not a job has ended it yet.
func TestShareAccount_EndedService_LosesItAtOnce(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		id := h.share("")
		h.ask(h.users[0], 200, "POST", sharePath(id, "secret"), "", nil)
		services, _, err := h.Services.List(h.Context(), h.users[0].id)
		if err != nil {
			h.Fatal(err)
		}
		h.now = services[0].EndsAt
		h.ask(h.users[0], 404, "POST", sharePath(id, "secret"), "", nil)
		if list := h.shares(h.users[0]); len(list) != 0 {
			h.Errorf("the list still has %+v", list)
		}
	})
}

func TestShareAccount_Rotated_ListsWhoSawTheFormerSecret(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		id, admin := h.share(`,"totp":"`+shareSeed+`"`), h.staff[account.Admin]
		for _, u := range h.users[:2] {
			h.ask(u, 200, "POST", sharePath(id, "secret"), "", nil)
		}
		var rotated struct {
			Account struct {
				Version int64 `json:"secret_version"`
				Users   int64
				HasTOTP bool `json:"has_totp"`
			}
			SeenBy []struct {
				UserID int64 `json:"user_id"`
				Email  string
			} `json:"seen_by"`
			Total int64 `json:"seen_by_count"`
		}
		path := fmt.Sprintf("/api/v2/staff/share-accounts/%d", id)
		h.ask(admin, 200, "POST", path+"/rotate", `{"password":"the-second-secret"}`, &rotated)
		if a := rotated.Account; rotated.Total != 2 || len(rotated.SeenBy) != 2 || a.Version != 2 || a.Users != 0 ||
			!a.HasTOTP {
			h.Fatalf("rotation answers %+v", rotated)
		}
		if !h.shares(h.users[0])[0].IsReplaced || h.shares(h.users[2])[0].IsReplaced {
			h.Error("who saw the former secret is not told, or who did not is")
		}
		var secret struct{ Password string }
		h.ask(h.users[0], 200, "POST", sharePath(id, "secret"), "", &secret)
		if secret.Password != "the-second-secret" {
			h.Errorf("the secret is %q", secret.Password)
		}
		var seen struct {
			Viewers []struct {
				UserID   int64 `json:"user_id"`
				Version  int64
				Previous bool `json:"saw_previous"`
			}
			Total int64 `json:"total_count"`
		}
		h.ask(admin, 200, "GET", path+"/viewers?only_previous=true", "", &seen)
		if seen.Total != 2 || len(seen.Viewers) != 2 || seen.Viewers[0].Version+seen.Viewers[1].Version != 3 {
			h.Errorf("who saw the former secret: %+v", seen)
		}
		h.ask(admin, 200, "POST", path+"/rotate", `{"password":"the-third-secret","totp":""}`, &rotated)
		if rotated.Total != 1 || rotated.Account.HasTOTP {
			h.Errorf("the second rotation answers %+v", rotated)
		}
		h.ask(h.users[0], 404, "POST", sharePath(id, "code"), "", nil)
		h.ask(admin, 422, "POST", path+"/rotate", `{"password":"x","totp":"not base32!"}`, nil)
		gone := h.ask(admin, 404, "POST", "/api/v2/staff/share-accounts/1000/rotate", `{"password":"x"}`, nil)
		if !strings.Contains(gone, "share_account_not_found") || !strings.Contains(gone, "其他成员") {
			h.Errorf("staff read of an unknown account: %s; want the code, and the text for staff", gone)
		}
	})
}

func TestShareAccount_LastPlace_GoesToOneOfManyAtOnce(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		id := h.share(`,"max_users":1`)
		codes := make([]int, len(h.users))
		var all sync.WaitGroup
		for i, u := range h.users {
			as := h.present(u)
			all.Go(func() { codes[i] = h.call(h.Context(), as, "POST", sharePath(id, "secret"), "").Code })
		}
		all.Wait()
		count := map[int]int{}
		for i, code := range codes {
			count[code]++
			status := h.shares(h.users[i])[0].Status
			if want := map[int]string{200: "available", 409: "full"}[code]; status != want {
				h.Errorf("who was answered %d sees %s, want %s", code, status, want)
			}
			h.ask(h.users[i], code, "POST", sharePath(id, "secret"), "", nil) // and again
		}
		if count[200] != 1 || count[409] != 2 {
			h.Errorf("answered %v, want one 200 and two 409", codes)
		}
	})
}

func TestShareAccount_Code_TakesAPlace(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		id := h.share(`,"max_users":1,"totp":"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"`)
		h.ask(h.users[0], 200, "POST", sharePath(id, "code"), "", nil)
		h.ask(h.users[1], 409, "POST", sharePath(id, "code"), "", nil)
		h.ask(h.users[1], 409, "POST", sharePath(id, "secret"), "", nil)
		h.ask(h.users[0], 200, "POST", sharePath(id, "secret"), "", nil)
	})
}

func TestShareAccount_NameOfBlanks_IsRefused(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		for _, blank := range []string{"", " ", "\n\r\n", "\u00a0", "\u3000"} {
			body, err := json.Marshal(map[string]any{"name": blank, "is_enabled": true, "password": "secret"})
			if err != nil {
				h.Fatal(err)
			}
			h.ask(h.staff[account.Admin], 422, "POST", "/api/v2/staff/share-accounts", string(body), nil)
		}
	})
}

func TestShareAccount_ClosedUser_LeavesNoAddressInTheLog(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		id, user := h.share(""), h.users[0]
		h.ask(user, 200, "POST", sharePath(id, "secret"), "", nil)
		if err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
			return h.Shares.Close(ctx, tx, user.id)
		}); err != nil {
			h.Fatal(err)
		}
		views, total, err := h.Shares.Views(h.Context(), id, shareaccount.ViewFilter{Limit: 10})
		if err != nil || total != 1 || views[0].IP != "" || views[0].UserAgent != "" || views[0].UserID != user.id {
			h.Errorf("the log has %+v, %v", views, err)
		}
	})
}

func TestShareAccount_OldViews_AreDeletedButThoseOfThePresentSecret(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		id, user, admin := h.share(`,"totp":"`+shareSeed+`"`), h.users[0], h.staff[account.Admin]
		h.ask(user, 200, "POST", sharePath(id, "secret"), "", nil)
		h.ask(admin, 200, "POST", fmt.Sprintf("/api/v2/staff/share-accounts/%d/rotate", id), `{"password":"b"}`, nil)
		h.ask(user, 200, "POST", sharePath(id, "secret"), "", nil)
		h.ask(user, 200, "POST", sharePath(id, "code"), "", nil)
		h.now = h.now.AddDate(0, 7, 0)
		if err := h.Queue.Trigger(h.Context(), "shareaccount.forget"); err != nil {
			h.Fatal(err)
		}
		views, total, err := h.Shares.Views(h.Context(), id, shareaccount.ViewFilter{Limit: 10})
		if err != nil || total != 1 || views[0].Version != 2 || views[0].Kind != shareaccount.Secret {
			h.Errorf("the log has %+v, %v", views, err)
		}
	})
}
