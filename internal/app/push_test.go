package app

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/webpush/webpushtest"
)

const pushPath = "/api/v2/user/account/push"

type shownPush struct {
	PublicKey string `json:"public_key"`
	Devices   []struct {
		DeviceID     int64 `json:"device_id"`
		IsCurrent    bool  `json:"is_current"`
		IsRemembered bool  `json:"is_remembered"`
		Browser      string
	}
}

// pushes replaces the push services of the world by one of the test's own.
func (h *fixture) pushes() *webpushtest.Service {
	service := webpushtest.New(h.T, h.DB.Now)
	h.Push.UseClient(service.Client())
	return service
}

// device signs a user in once more, with a browser that is notified.
func (h *fixture) device(service *webpushtest.Service, name string) (testUser, *webpushtest.Browser) {
	h.Helper()
	g, err := h.Accounts.SignIns.ByPassword(h.Context(), account.SignIn{
		Email: name + "@example.com", Password: "a long enough password", Remember: true,
	}, account.Client{IP: netip.MustParseAddr("192.0.2.1")})
	if err != nil {
		h.Fatal(err)
	}
	as := testUser{id: g.User.ID, bearer: g.Access}
	b := service.Subscribe("push.example.com", h.push(as).PublicKey)
	h.ask(as, 200, "POST", pushPath, b.JSON(), nil)
	return as, b
}

func (h *fixture) push(as testUser) (shown shownPush) {
	h.Helper()
	h.ask(as, 200, "GET", pushPath, "", &shown)
	return shown
}

func (h *fixture) sendPushes() {
	h.Helper()
	if err := h.Push.Work(h.Context()); err != nil {
		h.Fatal(err)
	}
}

func TestPush_OfATicketAnswer_ReachesTheBrowser(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		service := h.pushes()
		user := h.addUser(h.T, "pushed", 0)
		if shown := h.push(user); len(shown.PublicKey) != 87 || len(shown.Devices) != 0 {
			h.Fatalf("%+v", shown)
		}
		h.ask(user, 409, "POST", "/api/v2/user/notices/test", `{"channel":"push"}`, nil)
		as, browser := h.device(service, "pushed")
		shown := h.push(as)
		if len(shown.Devices) != 1 || !shown.Devices[0].IsCurrent || !shown.Devices[0].IsRemembered {
			h.Fatalf("%+v", shown)
		}
		if shown := h.push(user); len(shown.Devices) != 1 || shown.Devices[0].IsCurrent {
			h.Fatalf("%+v", shown)
		}

		const secret = "the password is hunter2"
		ticket := h.openTicket(as, "A question", "Help")
		h.answerTicket(h.staff[account.Support], ticket.No, `{"content":"`+secret+`"}`)
		h.sendPushes()
		got := service.Messages()
		if len(got) != 1 || got[0].Browser != browser || !strings.Contains(got[0].Title, "A question") ||
			got[0].Path != fmt.Sprintf("/user/tickets/view/%d", ticket.No) || got[0].Body == "" {
			h.Fatalf("%+v", got)
		}
		if strings.Contains(got[0].Title+got[0].Body, "hunter2") {
			h.Error("the answer itself is shown")
		}

		h.ask(as, 200, "POST", "/api/v2/user/notices/test", `{"channel":"push"}`, nil)
		h.ask(as, 200, "PUT", "/api/v2/user/notices",
			`{"choices":[{"event":"ticket","channel":"push","is_wanted":false}]}`, nil)
		ticket = h.openTicket(as, "Another", "Help")
		h.answerTicket(h.staff[account.Support], ticket.No, `{"content":"Answer"}`)
		h.sendPushes()
		if got := service.Messages(); len(got) != 2 || got[1].Path != "/user/account/notices" {
			h.Errorf("%+v", got)
		}
	})
}

func TestPush_EndsWithItsSession(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		service := h.pushes()
		ctx := h.operator(h.T)
		for name, c := range map[string]struct {
			end  func(as, other testUser)
			left int // of two browsers
		}{
			"sign-out": {func(as, _ testUser) { h.ask(as, 200, "POST", "/api/v2/auth/sign-out", "", nil) }, 1},
			"others": {func(_, other testUser) {
				h.ask(other, 200, "POST", "/api/v2/user/account/sessions/end-others", "", nil)
			}, 1},
			"one device": {func(as, other testUser) {
				var list []struct {
					SessionID string `json:"session_id"`
					IsCurrent bool   `json:"is_current"`
				}
				h.ask(as, 200, "GET", "/api/v2/user/account/sessions", "", &list)
				h.ask(other, 200, "DELETE", "/api/v2/user/account/sessions/"+list[0].SessionID, "", nil)
			}, 1},
			"removal": {func(as, other testUser) {
				path := fmt.Sprintf("%s/%d", pushPath, h.push(as).Devices[1].DeviceID)
				h.ask(h.users[0], 404, "DELETE", path, "", nil)
				h.ask(other, 200, "DELETE", path, "", nil)
			}, 1},
			"password": {func(as, _ testUser) {
				h.ask(as, 200, "POST", "/api/v2/user/account/edit-password",
					`{"current_password":"a long enough password","new_password":"another long password"}`, nil)
			}, 0},
			"ban": {func(as, _ testUser) {
				if _, err := h.Accounts.Bans.Ban(ctx, account.BanTask{AccountID: as.id, Reason: "test"},
					account.Identity{}); err != nil {
					h.Fatal(err)
				}
			}, 0},
			"closing": {func(as, _ testUser) {
				var loss struct{ Forfeit string }
				h.ask(as, 200, "GET", "/api/v2/user/account/close", "", &loss)
				h.ask(as, 200, "POST", "/api/v2/user/account/close", fmt.Sprintf(
					`{"password":"a long enough password","email":"closing@example.com","forfeit":%q}`, loss.Forfeit), nil)
			}, 0},
		} {
			id := h.addUser(h.T, strings.ReplaceAll(name, " ", "-"), 0).id
			as, _ := h.device(service, strings.ReplaceAll(name, " ", "-"))
			other, _ := h.device(service, strings.ReplaceAll(name, " ", "-"))
			c.end(as, other)
			left, err := h.Push.Devices(h.Context(), id)
			if err != nil || len(left) != c.left {
				h.Errorf("%s: %d browsers are still notified, want %d: %v", name, len(left), c.left, err)
			}
		}
		h.sound(h.T)
	})
}
