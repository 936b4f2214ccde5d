package app

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/announcement"
	"airstrip/internal/service"
)

type shownAnnouncement struct {
	ID       int64
	Type     string `json:"ann_type"`
	Title    string
	Markdown string `json:"markdown_text"`
	Read     bool   `json:"is_read"`
}

type shownUnread struct {
	UnreadCount int                 `json:"unread_count"`
	PopUps      []shownAnnouncement `json:"pop_ups"`
	Maintenance []shownAnnouncement
}

// announce makes an announcement as an admin does.
func (h *fixture) announce(body string) (made struct{ ID int64 }) {
	h.Helper()
	h.ask(h.staff[account.Admin], 200, "POST", "/api/v2/staff/announcements", body, &made)
	return made
}

// titles gives what a user is shown, in order.
func (h *fixture) titles(as testUser) (titles []string) {
	h.Helper()
	var list struct{ Announcements []shownAnnouncement }
	h.ask(as, 200, "GET", "/api/v2/user/announcements", "", &list)
	for _, one := range list.Announcements {
		titles = append(titles, one.Title)
	}
	return titles
}

func (h *fixture) unread(as testUser) (out shownUnread) {
	h.Helper()
	h.ask(as, 200, "GET", "/api/v2/user/announcements/unread", "", &out)
	return out
}

func TestAnnouncements_AreShownToTheirAudienceFromStartToEnd(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		plans, err := h.Shop.ListPlans(h.Context())
		if err != nil {
			h.Fatal(err)
		}
		holder, nobody := h.users[0], h.addUser(h.T, "newcomer", 0)
		h.names[nobody.id], h.since[nobody.id] = "newcomer", signedIn{nobody.bearer, h.now}
		if err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := h.Services.Start(ctx, tx, service.Terms{
				UserID: holder.id, PlanID: plans[0].ID, Name: "VIP", Class: 3, Groups: []int{7},
				Reset: service.Never, Months: 1,
			})
			return err
		}); err != nil {
			h.Fatal(err)
		}
		h.announce(`{"title":"all"}`)
		h.announce(fmt.Sprintf(`{"title":"plan","audience":"plan","audience_ids":[%d,99]}`, plans[0].ID))
		h.announce(`{"title":"class","audience":"class","audience_ids":[3]}`)
		h.announce(`{"title":"group","audience":"group","audience_ids":[7]}`)
		h.announce(`{"title":"others","audience":"class","audience_ids":[1,2]}`)
		h.announce(`{"title":"later","starts_at":"2026-02-01T00:00:00Z","ends_at":"2026-02-02T00:00:00Z"}`)
		h.announce(`{"title":"pinned","is_pinned":true,"starts_at":"2026-01-01T00:00:00Z"}`)
		if got, want := h.titles(holder), []string{"pinned", "group", "class", "plan", "all"}; !slices.Equal(got, want) {
			h.Errorf("the holder of the plan sees %q, want %q", got, want)
		}
		if got, want := h.titles(nobody), []string{"pinned", "all"}; !slices.Equal(got, want) {
			h.Errorf("somebody without a plan sees %q, want %q", got, want)
		}
		h.now = time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)
		if got, want := h.titles(h.present(nobody)), []string{"pinned", "later", "all"}; !slices.Equal(got, want) {
			h.Errorf("after the start of one it is %q, want %q", got, want)
		}
		h.now = time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC)
		if got, want := h.titles(h.present(nobody)), []string{"pinned", "all"}; !slices.Equal(got, want) {
			h.Errorf("after its end it is %q, want %q", got, want)
		}
	})
}

func TestAnnouncements_AreReadOnceByEachUser(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		one, other := h.users[0], h.users[1]
		popUp := h.announce(`{"ann_type":"pop_up_ann","title":"Look","body":"**here**"}`)
		h.announce(`{"title":"News"}`)
		h.announce(`{"ann_type":"maintenance","title":"Tonight"}`)
		before := h.unread(one)
		if before.UnreadCount != 3 || len(before.PopUps) != 1 || before.PopUps[0].Markdown != "**here**" ||
			len(before.Maintenance) != 1 {
			h.Fatalf("%+v", before)
		}
		var wait sync.WaitGroup // as two devices at the same time
		for range 2 {
			wait.Go(func() {
				h.call(h.Context(), one, "POST", "/api/v2/user/announcements/read", fmt.Sprintf(`{"ids":[%d]}`, popUp.ID))
			})
		}
		wait.Wait()
		if after := h.unread(one); after.UnreadCount != 2 || len(after.PopUps) != 0 {
			h.Errorf("after it was seen: %+v", after)
		}
		if got := h.unread(other); got.UnreadCount != 3 || len(got.PopUps) != 1 {
			h.Errorf("somebody else: %+v", got)
		}
		var rest shownUnread
		h.ask(one, 200, "POST", "/api/v2/user/announcements/read", `{}`, &rest)
		if rest.UnreadCount != 0 || len(rest.Maintenance) != 1 {
			h.Errorf("after all were seen: %+v", rest)
		}
		var listed struct{ Readers int64 }
		h.ask(h.staff[account.Viewer], 200, "GET", fmt.Sprintf("/api/v2/staff/announcements/%d", popUp.ID), "", &listed)
		if listed.Readers != 1 {
			h.Errorf("%d readers", listed.Readers)
		}
		path := fmt.Sprintf("/api/v2/staff/announcements/%d", popUp.ID)
		h.ask(h.staff[account.Admin], 200, "PATCH", path, `{"title":"Look here"}`, nil)
		if got := h.unread(one); got.UnreadCount != 0 {
			h.Errorf("a change of a word shows it again: %+v", got)
		}
		h.ask(h.staff[account.Admin], 200, "PATCH", path+"?again=true", `{"title":"Look again"}`, nil)
		if got := h.unread(one); len(got.PopUps) != 1 || got.PopUps[0].Title != "Look again" {
			h.Errorf("what is to be seen again is not shown: %+v", got)
		}
		h.ask(h.staff[account.Admin], 200, "DELETE", path, "", nil)
		h.ask(h.staff[account.Admin], 404, "DELETE", path, "", nil)
		if got := h.unread(other); got.UnreadCount != 2 {
			h.Errorf("a removed one is shown: %+v", got)
		}
		w := h.call(h.Context(), one, "POST", "/api/v2/user/announcements/read", fmt.Sprintf(`{"ids":[%d,999]}`, popUp.ID))
		if w.Code != http.StatusOK {
			h.Error("what is gone cannot be marked:", w.Body)
		}
	})
}

func TestAnnouncements_SpeakTheReadersLanguage(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		made := h.announce(`{"title":"通知","title_en":"Notice","body":"正文","body_en":"text"}`)
		for lang, want := range map[string][2]string{"zh-CN": {"通知", "正文"}, "en": {"Notice", "text"}} {
			req := httptest.NewRequestWithContext(h.Context(), "GET", "/api/v2/user/announcements", nil)
			req.Header.Set("Accept-Language", lang)
			req.Header.Set("Authorization", "Bearer "+h.users[0].bearer)
			w := h.serve(req)
			if !strings.Contains(w, fmt.Sprintf(`"title":%q,"markdown_text":%q`, want[0], want[1])) {
				h.Errorf("%s: %s", lang, w)
			}
		}
		path := fmt.Sprintf("/api/v2/staff/announcements/%d", made.ID)
		got := h.ask(h.staff[account.Admin], 200, "PATCH", path, `{"title_en":"","body_en":""}`, nil)
		if !strings.Contains(got, `"title_en":""`) {
			h.Error(got)
		}
	})
}

func TestAnnouncements_TheOlderAPI(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin := h.staff[account.Admin]
		for _, path := range []string{"/v1/admin/announcement", "/api/v2/admin_api/announcement"} {
			h.ask(admin, 404, "GET", path+"_html?ann_type=pop_up_ann", "", nil)
			const source = "# 你好\n\n**今晚**维护 <script>alert(1)</script>"
			set := func(text string) {
				w := h.callAs(h.Context(), admin, "POST", path+"?ann_type=index_ann", "text/plain", text)
				if w.Code != http.StatusOK {
					h.Fatal(path, w.Code, w.Body)
				}
			}
			set(source)
			if got := h.ask(admin, 200, "GET", path+"_markdown", "", nil); got != source {
				h.Errorf("%s_markdown: %q", path, got)
			}
			w := h.call(h.Context(), admin, "GET", path+"_html", "")
			if got := w.Body.String(); !strings.Contains(got, "<strong>今晚</strong>维护 &lt;script&gt;") ||
				w.Header().Get("Content-Type") != "text/html; charset=utf-8" ||
				!strings.Contains(w.Header().Get("Content-Security-Policy"), "sandbox") {
				h.Errorf("%s_html: %q %v", path, got, w.Header())
			}
			var fields struct {
				Markdown string `json:"markdown_text"`
				HTML     string `json:"html_text"`
			}
			h.ask(admin, 200, "GET", path, "", &fields)
			if fields.Markdown != source || !strings.HasPrefix(fields.HTML, "<h1>你好</h1>") {
				h.Errorf("%s: %+v", path, fields)
			}
			h.ask(h.users[0], 200, "POST", "/api/v2/user/announcements/read", `{}`, nil)
			set(source)
			if got := h.unread(h.users[0]); got.UnreadCount != 0 {
				h.Errorf("%s: the same text is new: %+v", path, got)
			}
			set("Something else")
			if got := h.unread(h.users[0]); got.UnreadCount != 1 {
				h.Errorf("%s: another text is not: %+v", path, got)
			}
			if w := h.callAs(h.Context(), admin, "POST", path, "text/plain", " \n"); w.Code != 422 {
				h.Errorf("%s takes an empty text: %d", path, w.Code)
			}
			if w := h.callAs(h.Context(), admin, "POST", path, "text/plain", "a\x00b"); w.Code != 422 {
				h.Errorf("%s takes what no database keeps: %d %s", path, w.Code, w.Body)
			}
		}
		if list, _, err := h.Announcements.List(h.Context(), 10, 0); err != nil || len(list) != 1 {
			h.Errorf("%d announcements, want the one: %v", len(list), err)
		}
		var system struct {
			Content       string
			Announcements []shownAnnouncement
		}
		h.ask(h.users[0], 200, "GET", "/api/v2/user/system/announcements", "", &system)
		if system.Content != "<p>Something else</p>\n" || len(system.Announcements) != 1 {
			h.Errorf("%+v", system)
		}
		h.ask(h.users[0], 200, "GET", "/api/v2/user/system/announcements?ann_type=maintenance", "", &system)
		if system.Content != "" {
			h.Errorf("%+v", system)
		}
	})
}

func TestAnnouncements_ForAll_AreForGuestsToo(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		guest := testUser{}
		if got := h.ask(guest, 200, "GET", "/v1/notice", "", nil); !strings.Contains(got, `"data":null`) {
			h.Error(got)
		}
		h.announce(`{"title":"For everybody","body":"*now*"}`)
		h.announce(`{"title":"For some","audience":"class","audience_ids":[1]}`)
		h.announce(`{"ann_type":"maintenance","title":"维护","title_en":"Maintenance","body":"今晚"}`)
		h.announce(`{"ann_type":"maintenance","title":"Some","audience":"class","audience_ids":[1]}`)
		if got := h.ask(guest, 200, "GET", "/v1/notice", "", nil); !strings.Contains(got, "For everybody") ||
			!strings.Contains(got, "\\u003cem\\u003enow") {
			h.Error(got)
		}
		var site struct {
			Maintenance []struct {
				TitleZH string `json:"title_zh"`
				TitleEN string `json:"title_en"`
				BodyEN  string `json:"body_en"`
			}
		}
		h.ask(guest, 200, "GET", "/api/v2/site", "", &site)
		if len(site.Maintenance) != 1 || site.Maintenance[0].TitleEN != "Maintenance" ||
			site.Maintenance[0].TitleZH != "维护" || site.Maintenance[0].BodyEN != "今晚" {
			h.Errorf("%+v", site)
		}
	})
}

func TestAnnouncements_WrongInputIsNamed(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		for body, field := range map[string]string{
			`{}`:                               "title",
			`{"title":" "}`:                    "title",
			`{"ann_type":"x"}`:                 "ann_type",
			`{"title":"a","b":1}`:              "b",
			`{"title":"a","audience":"plan"}`:  "audience_ids",
			`{"title":"a","audience_ids":[1]}`: "audience_ids",
			`{"title":"a","starts_at":"2026-02-01T00:00:00Z","ends_at":"2026-02-01T00:00:00Z"}`: "ends_at",
			`{"title":"` + strings.Repeat("字", 101) + `"}`:                                      "title",
			`{"title":"a","body_en":"` + strings.Repeat("x", 20_001) + `"}`:                     "body_en",
		} {
			got := h.ask(h.staff[account.Admin], 422, "POST", "/api/v2/staff/announcements", body, nil)
			if !strings.Contains(got, `"field":"`+field+`"`) && !strings.Contains(got, `.`+field+`"`) {
				h.Errorf("%.80s: %s", body, got)
			}
		}
	})
}

// Another process changes, this one follows.
func TestAnnouncements_FollowOtherProcesses(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		ctx, stop := context.WithCancel(h.Context())
		defer stop()
		go h.DB.Follow(ctx)
		go h.Announcements.Follow(ctx)
		other, err := announcement.New(h.Context(), h.DB, h.Services)
		if err != nil {
			h.Fatal(err)
		}
		if _, err := other.Add(h.Context(), announcement.Announcement{
			Type: announcement.Index, Audience: announcement.ForAll, Title: "from elsewhere",
		}); err != nil {
			h.Fatal(err)
		}
		for deadline := time.Now().Add(20 * time.Second); len(h.Announcements.InForce()) == 0; {
			if time.Now().After(deadline) {
				h.Fatal("the announcement did not come")
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
}

func TestAnnouncements_AClosedAccountLeavesNoMarks(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.announce(`{"title":"News"}`)
		h.ask(h.users[0], 200, "POST", "/api/v2/user/announcements/read", `{}`, nil)
		if err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
			return h.Announcements.Close(ctx, tx, h.users[0].id)
		}); err != nil {
			h.Fatal(err)
		}
		if got := h.unread(h.users[0]); got.UnreadCount != 1 {
			h.Errorf("%+v", got)
		}
	})
}

func (h *fixture) serve(req *http.Request) string {
	w := httptest.NewRecorder()
	h.root.ServeHTTP(w, req)
	return w.Body.String()
}
