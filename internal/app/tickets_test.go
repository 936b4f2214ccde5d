package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/mail"
)

type ticketSeen struct {
	No           int64
	Title        string
	TicketStatus string `json:"ticket_status"`
	Awaiting     string
	Unread       bool
	MergedInto   *int64 `json:"merged_into"`
}

type messageSeen struct {
	No      int64
	UserID  int64 `json:"user_id"`
	ByStaff bool  `json:"by_staff"`
	Content string
}

type conversationSeen struct {
	Ticket   ticketSeen
	Messages []messageSeen
	HasMore  bool `json:"has_more"`
}

const ticketPath = "/api/v2/user/tickets-v2"

func (h *fixture) openTicket(as testUser, title, content string) (k ticketSeen) {
	h.Helper()
	h.ask(as, 200, "POST", ticketPath, fmt.Sprintf(`{"title":%q,"content":%q}`, title, content), &k)
	return k
}

func (h *fixture) conversation(as testUser, no int64) (c conversationSeen) {
	h.Helper()
	h.ask(as, 200, "GET", fmt.Sprintf("%s/%d/messages", ticketPath, no), "", &c)
	return c
}

func (h *fixture) answerTicket(as testUser, no int64, body string) {
	h.Helper()
	h.ask(as, 200, "POST", fmt.Sprintf("/api/v2/staff/tickets/%d/messages", no), body, nil)
}

// mailsTo counts the mails of a kind to an address.
func (h *fixture) mailsTo(address, kind string) (n int) {
	h.Helper()
	mails, _, err := h.Mails.Find(h.Context(), mail.Filter{Recipient: address, Limit: 500})
	if err != nil {
		h.Fatal(err)
	}
	for _, m := range mails {
		if m.Kind == kind {
			n++
		}
	}
	return n
}

func TestTicket_FromOpeningToReopening(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user, support := h.users[0], h.staff[account.Support]
		k := h.openTicket(user, " Cannot connect ", "It says **timeout**")
		if k.Title != "Cannot connect" || k.TicketStatus != "pending" || k.Awaiting != "staff" || k.Unread {
			h.Fatalf("opened: %+v", k)
		}
		message := fmt.Sprintf("%s/%d/messages", ticketPath, k.No)
		h.ask(user, 200, "POST", message, `{"content":"On my phone"}`, nil)
		if n := h.mailsTo("support@example.com", "ticket_waiting"); n != 1 {
			h.Errorf("support got %d mails about two messages that nobody answered yet, want 1", n)
		}
		h.ask(support, 200, "POST", fmt.Sprintf("/api/v2/staff/tickets/%d/notes", k.No),
			`{"content":"The user is on the old plan"}`, nil)
		if c := h.conversation(user, k.No); len(c.Messages) != 2 || c.Ticket.Unread || c.Ticket.Awaiting != "staff" {
			h.Errorf("after a note the user sees %+v", c)
		}
		h.answerTicket(support, k.No, `{"content":"Please update the app"}`)
		h.answerTicket(support, k.No, `{"content":"And restart it"}`)
		if n := h.mailsTo("user0@example.com", "ticket_answered"); n != 1 {
			h.Errorf("the user got %d mails about two answers that they have not read, want 1", n)
		}
		c := h.conversation(user, k.No)
		if len(c.Messages) != 4 || c.Ticket.TicketStatus != "processing" || c.Ticket.Awaiting != "user" ||
			!c.Ticket.Unread || !c.Messages[2].ByStaff || c.Messages[2].UserID != 0 {
			h.Errorf("after answers: %+v", c)
		}
		var unread struct{ Unread int64 }
		h.ask(user, 200, "GET", ticketPath+"/unread", "", &unread)
		if unread.Unread != 1 {
			h.Errorf("%d unread tickets, want 1", unread.Unread)
		}
		h.ask(user, 200, "POST", fmt.Sprintf("%s/%d/read", ticketPath, k.No),
			fmt.Sprintf(`{"up_to":%d}`, c.Messages[3].No), &unread)
		if unread.Unread != 0 {
			h.Errorf("%d unread tickets after reading, want 0", unread.Unread)
		}
		status := fmt.Sprintf("%s/%d/edit-status", ticketPath, k.No)
		h.ask(user, 200, "PUT", status, `{"status":"closed"}`, &k)
		if k.TicketStatus != "closed" || k.Awaiting != "nobody" {
			h.Errorf("closed: %+v", k)
		}
		if got := h.ask(user, 409, "POST", message, `{"content":"more"}`, nil); !strings.Contains(got, "ticket_closed") {
			h.Error(got)
		}
		h.ask(user, 200, "PUT", status, "", &k)
		if k.TicketStatus != "processing" || k.Awaiting != "staff" {
			h.Errorf("opened again: %+v", k)
		}
		h.answerTicket(support, k.No, `{"content":"Done","status":"resolved"}`)
		h.ask(user, 200, "POST", message, `{"content":"It is not"}`, nil)
		if c := h.conversation(user, k.No); c.Ticket.TicketStatus != "processing" || c.Ticket.Awaiting != "staff" {
			h.Errorf("a resolved ticket that the user writes in is %+v", c.Ticket)
		}
	})
}

func TestTicket_OfAnotherUser_DoesNotExist(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		k := h.openTicket(h.users[0], "Mine", "alone")
		for _, id := range []string{fmt.Sprint(k.No), "0", "nonsense", "00000000-0000-0000-0000-000000000000"} {
			for _, c := range [][3]string{
				{"GET", ticketPath + "/" + id + "/messages", ""},
				{"POST", ticketPath + "/" + id + "/messages", `{"content":"x"}`},
				{"POST", ticketPath + "/" + id + "/send_messages", `{"content":"x"}`},
				{"POST", ticketPath + "/" + id + "/read", `{"up_to":1}`},
				{"PUT", ticketPath + "/" + id + "/edit-status", `{"status":"closed"}`},
				{"PUT", ticketPath + "/" + id + "/edit-status", ""},
				{"GET", "/v1/user/ticket/" + id + "/view", ""},
				{"PUT", "/v1/user/ticket/" + id + "?content=x", ""},
				{"PUT", "/v1/user/ticket/" + id + "?status=closed", ""},
			} {
				if got := h.ask(h.users[1], 404, c[0], c[1], c[2], nil); !strings.Contains(got, "ticket_not_found") {
					h.Errorf("%s %s: %s", c[0], c[1], got)
				}
			}
		}
		var list struct {
			TotalCount int64 `json:"total_count"`
		}
		h.ask(h.users[1], 200, "GET", ticketPath+"?q=alone", "", &list)
		if c := h.conversation(h.users[0], k.No); list.TotalCount != 0 || len(c.Messages) != 1 ||
			c.Ticket.TicketStatus != "pending" {
			h.Errorf("another user finds %d tickets, and left %+v", list.TotalCount, c)
		}
	})
}

func TestTicket_V1_IsTheSameTicket(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user := h.users[0]
		var row struct {
			ID     int64
			Status string `json:"ticket_status"`
		}
		h.ask(user, 200, "POST", "/v1/user/ticket", `{"title":"Old","content":"first"}`, &row)
		path := fmt.Sprintf("/v1/user/ticket/%d", row.ID)
		h.ask(user, 200, "PUT", path, `{"content":"second"}`, nil)
		h.answerTicket(h.staff[account.Admin], row.ID, `{"content":"third"}`)
		var rows []struct{ Content string }
		h.ask(user, 200, "GET", path+"/view?size=2", "", &rows)
		if len(rows) != 2 || rows[0].Content != "third" || rows[1].Content != "second" {
			h.Errorf("the newest two are %+v", rows)
		}
		h.ask(user, 200, "PUT", path, `{"content":"bye","status":"closed"}`, &row)
		if c := h.conversation(user, row.ID); row.Status != "closed" || len(c.Messages) != 4 {
			h.Errorf("closed with a message: %+v %+v", row, c)
		}
		h.ask(user, 409, "PUT", path, `{"content":"more"}`, nil)
		h.ask(user, 200, "PUT", path, `{"content":"more","status":"1"}`, &row)
		if row.Status != "processing" {
			h.Errorf("opened again with a message: %+v", row)
		}
		h.ask(user, 422, "PUT", path, `{}`, nil)
		h.ask(user, 200, "GET", "/v1/user/ticket/create", "", nil)
		h.ask(user, 200, "GET", "/v1/user/ticket?format=csv", "", nil)
	})
}

func TestTicket_V1_RefusedMessage_ChangesNothing(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user := h.users[0]
		k := h.openTicket(user, "Title", "first")
		path := fmt.Sprintf("/v1/user/ticket/%d", k.No)
		h.ask(user, 200, "PUT", path, `{"status":"closed"}`, nil)
		tooLong := strings.Repeat("a", 10_001)
		h.ask(user, 422, "PUT", path, fmt.Sprintf(`{"status":"open","content":%q}`, tooLong), nil)
		h.ask(user, 422, "PUT", path, `{"status":"open","content":"  "}`, nil)
		if c := h.conversation(user, k.No); c.Ticket.TicketStatus != "closed" || len(c.Messages) != 1 {
			h.Errorf("a refused message left %+v", c)
		}
		h.ask(user, 409, "PUT", path, `{"status":"closed","content":"bye"}`, nil)
		if err := h.Settings.Set(h.Context(), settings(`{"ticket_messages_per_hour":1}`)); err != nil {
			h.Fatal(err)
		}
		h.ask(user, 429, "PUT", path, `{"status":"open","content":"more"}`, nil)
		if c := h.conversation(user, k.No); c.Ticket.TicketStatus != "closed" || len(c.Messages) != 1 {
			h.Errorf("a message too many left %+v", c)
		}
	})
}

func TestTicket_SameKey_SendsOnce(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		if err := h.Settings.Set(h.Context(), settings(`{"captcha_ticket":"never"}`)); err != nil {
			h.Fatal(err)
		}
		user := h.users[0]
		k := h.openTicket(user, "Title", "first")
		send := func(body string) int {
			req := httptest.NewRequestWithContext(h.Context(), "POST",
				fmt.Sprintf("%s/%d/messages", ticketPath, k.No), strings.NewReader(body))
			req.Header.Set("Authorization", "Bearer "+user.bearer)
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Idempotency-Key", "one")
			w := httptest.NewRecorder()
			h.root.ServeHTTP(w, req)
			return w.Code
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if code := send(`{"content":"again"}`); code != 200 {
					h.Errorf("a repeat answers %d", code)
				}
			})
		}
		wg.Wait()
		if code := send(`{"content":"other"}`); code != 422 {
			h.Errorf("the key with another body answers %d", code)
		}
		if c := h.conversation(user, k.No); len(c.Messages) != 2 {
			h.Errorf("%d messages, want 2", len(c.Messages))
		}
	})
}

func TestTicket_Limits_HoldForCallsAtOnce(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		if err := h.Settings.Set(h.Context(),
			settings(`{"ticket_max_open":2,"ticket_messages_per_hour":5}`)); err != nil {
			h.Fatal(err)
		}
		user := h.users[0]
		codes := func(n int, method, path, body string) map[int]int {
			var mu sync.Mutex
			var wg sync.WaitGroup
			found := map[int]int{}
			for range n {
				wg.Go(func() {
					w := h.call(h.Context(), user, method, path, body)
					mu.Lock()
					defer mu.Unlock()
					found[w.Code]++
				})
			}
			wg.Wait()
			return found
		}
		if got := codes(6, "POST", ticketPath, `{"title":"a","content":"b"}`); got[200] != 2 || got[409] != 4 {
			h.Errorf("opening six tickets where two may be open: %v", got)
		}
		var list struct{ Tickets []ticketSeen }
		h.ask(user, 200, "GET", ticketPath, "", &list)
		message := fmt.Sprintf("%s/%d/messages", ticketPath, list.Tickets[0].No)
		if got := codes(8, "POST", message, `{"content":"c"}`); got[200] != 3 || got[429] != 5 {
			h.Errorf("eight messages where five an hour may be written, two of them written: %v", got)
		}
		h.now = h.now.Add(61 * time.Minute)
		h.ask(user, 200, "POST", message, `{"content":"an hour later"}`, nil)
		status := fmt.Sprintf("%s/%d/edit-status", ticketPath, list.Tickets[0].No)
		h.ask(user, 200, "PUT", status, `{"status":"closed"}`, nil)
		h.openTicket(user, "in its place", "x")
		h.ask(user, 409, "PUT", status, `{"status":"open"}`, nil)
	})
}

func TestTicket_Captcha_IsAskedForBySetting(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		if err := h.Settings.Set(h.Context(), settings(`{"captcha_ticket":"risk"}`)); err != nil {
			h.Fatal(err)
		}
		for i := range 3 {
			h.openTicket(h.users[0], fmt.Sprint(i), "x")
		}
		body := `{"title":"a","content":"b"}`
		if got := h.ask(h.users[0], 403, "POST", ticketPath, body, nil); !strings.Contains(got, "captcha_required") {
			h.Error(got)
		}
		if err := h.Settings.Set(h.Context(), settings(`{"captcha_ticket":"always"}`)); err != nil {
			h.Fatal(err)
		}
		h.ask(h.users[1], 403, "POST", ticketPath, body, nil)
		h.ask(h.users[1], 403, "POST", "/v1/user/ticket", body, nil)
	})
}

func TestTicket_BannedUser_MayWrite(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user := h.users[0]
		if _, err := h.Accounts.Bans.Ban(h.Context(), account.BanTask{AccountID: user.id, Reason: "abuse"},
			account.Identity{}); err != nil {
			h.Fatal(err)
		}
		k := h.openTicket(user, "Why?", "I did nothing")
		h.ask(user, 200, "POST", fmt.Sprintf("%s/%d/messages", ticketPath, k.No), `{"content":"Please"}`, nil)
	})
}

func TestTicket_Search_FindsWordsOfBothLanguages(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user, support := h.users[0], h.staff[account.Support]
		k := h.openTicket(user, "无法连接香港节点", "Since yesterday: `ERR_TIMED_OUT`, on iOS 18")
		h.openTicket(user, "Invoice", "无法连接 is only mentioned; 我想要发票")
		h.ask(support, 200, "POST", fmt.Sprintf("/api/v2/staff/tickets/%d/notes", k.No), `{"content":"refund secretly"}`,
			nil)
		count := func(as testUser, path, q string) (n int64) {
			var list struct {
				TotalCount int64 `json:"total_count"`
			}
			h.ask(as, 200, "GET", path+"?q="+q, "", &list)
			return list.TotalCount
		}
		for q, want := range map[string]int64{
			"香港": 1, "%E6%97%A0%E6%B3%95%E8%BF%9E%E6%8E%A5": 2, "err": 1, "timed+OUT": 1, "ios+18": 1, "発票": 0,
			"%E5%8F%91%E7%A5%A8": 1, "invoice": 1, "nothing": 0, "secretly": 0, "%25": 0, "'": 0, "": 2,
		} {
			if got := count(user, ticketPath, q); got != want {
				h.Errorf("the user finds %d by %q, want %d", got, q, want)
			}
		}
		for q, want := range map[string]int64{"secretly": 1, "香港": 1, "yesterday+refund": 1, "yesterday+invoice": 0} {
			if got := count(support, "/api/v2/staff/tickets", q); got != want {
				h.Errorf("staff finds %d by %q, want %d", got, q, want)
			}
		}
	})
}

func TestTicket_Merge_MovesMessagesOfTheSameUserOnly(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user, support := h.users[0], h.staff[account.Support]
		a, b := h.openTicket(user, "Slow", "evening"), h.openTicket(user, "Still slow", "morning")
		other := h.openTicket(h.users[1], "Slow", "as well")
		h.answerTicket(support, b.No, `{"content":"Which node?"}`)
		merge := func(status int, from, into int64) string {
			return h.ask(support, status, "POST", fmt.Sprintf("/api/v2/staff/tickets/%d/merge", from),
				fmt.Sprintf(`{"into":"%d"}`, into), nil)
		}
		merge(409, a.No, a.No)
		merge(409, a.No, other.No)
		merge(404, a.No, 99999)
		merge(200, b.No, a.No)
		c := h.conversation(user, a.No)
		if len(c.Messages) != 3 || c.Messages[0].Content != "evening" || c.Messages[1].Content != "morning" ||
			!c.Ticket.Unread || c.Ticket.Awaiting != "staff" {
			h.Errorf("merged: %+v", c)
		}
		c = h.conversation(user, b.No)
		if len(c.Messages) != 0 || c.Ticket.MergedInto == nil || *c.Ticket.MergedInto != a.No || c.Ticket.Unread {
			h.Errorf("the other one: %+v", c)
		}
		for _, path := range []string{"messages", "send_messages"} {
			h.ask(user, 409, "POST", fmt.Sprintf("%s/%d/%s", ticketPath, b.No, path), `{"content":"x"}`, nil)
		}
		h.ask(user, 409, "PUT", fmt.Sprintf("%s/%d/edit-status", ticketPath, b.No), `{"status":"open"}`, nil)
		merge(409, b.No, a.No)
		var list struct{ Tickets []ticketSeen }
		h.ask(user, 200, "GET", ticketPath+"?q=morning", "", &list)
		if len(list.Tickets) != 1 || list.Tickets[0].No != a.No {
			h.Errorf("a word of the merged ticket finds %+v", list)
		}
	})
}

func TestTicket_Staff_AssignsFiltersAndFillsCannedAnswers(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user, support, admin := h.users[0], h.staff[account.Support], h.staff[account.Admin]
		k := h.openTicket(user, "Title", "Text")
		one := fmt.Sprintf("/api/v2/staff/tickets/%d", k.No)
		for _, to := range []int64{user.id, h.staff[account.Viewer].id, 99999} {
			h.ask(support, 422, "PATCH", one, fmt.Sprintf(`{"assigned_to":%d}`, to), nil)
		}
		h.ask(support, 200, "PATCH", one, fmt.Sprintf(`{"assigned_to":%d,"priority":"high","category":"billing"}`,
			admin.id), nil)
		for query, want := range map[string]int64{
			"": 1, "unassigned=true": 0, fmt.Sprintf("assigned_to=%d", admin.id): 1, "priority=high&category=billing": 1,
			"status=pending,processing&awaiting=staff": 1, "status=closed": 0, "email=user0@example.com": 1,
			fmt.Sprintf("user_id=%d", h.users[1].id): 0,
		} {
			var list struct {
				TotalCount int64 `json:"total_count"`
			}
			h.ask(support, 200, "GET", "/api/v2/staff/tickets?"+query, "", &list)
			if list.TotalCount != want {
				h.Errorf("%s finds %d, want %d", query, list.TotalCount, want)
			}
		}
		for _, stale := range []string{`"was_assigned_to":0`, `"was_status":"closed"`} {
			answer := h.ask(support, 409, "PATCH", one, fmt.Sprintf(`{"assigned_to":%d,%s}`, support.id, stale), nil)
			if !strings.Contains(answer, `"ticket_changed"`) {
				h.Errorf("a change of what was %s answers %s", stale, answer)
			}
		}
		h.ask(support, 200, "PATCH", one, fmt.Sprintf(`{"assigned_to":0,"status":"closed","was_assigned_to":%d}`, admin.id),
			nil)
		h.ask(support, 409, "POST", one+"/messages", `{"content":"x"}`, nil)
		h.answerTicket(support, k.No, `{"content":"x","status":"processing"}`)

		canned := `{"name":"hello","content_zh":"你好 {{name}}","content_en":"Hello {{ name }}, ticket {{ticket_no}} at {{site_name}}"}`
		var made struct{ ID int64 }
		h.ask(support, 422, "POST", "/api/v2/staff/canned-answers",
			`{"name":"x","content_zh":"{{password}}","content_en":""}`, nil)
		h.ask(support, 422, "POST", "/api/v2/staff/canned-answers", `{"name":"x","content_zh":"","content_en":""}`, nil)
		h.ask(support, 200, "POST", "/api/v2/staff/canned-answers", canned, &made)
		h.ask(support, 409, "POST", "/api/v2/staff/canned-answers", canned, nil)
		var filled struct{ Content string }
		h.ask(support, 200, "GET", fmt.Sprintf("%s/canned-answers/%d", one, made.ID), "", &filled)
		if filled.Content != "你好 user0" {
			h.Errorf("filled in: %q", filled.Content)
		}
	})
}

func TestTicket_ClosedAccount_LeavesNothing(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user := h.users[0]
		k, duplicate := h.openTicket(user, "Title", "secret words"), h.openTicket(user, "Other", "secret words")
		h.openTicket(h.users[1], "Stays", "here")
		h.ask(h.staff[account.Support], 200, "POST", fmt.Sprintf("/api/v2/staff/tickets/%d/merge", duplicate.No),
			fmt.Sprintf(`{"into":"%d"}`, k.No), nil)
		h.closeAccount(user)
		for _, table := range []string{"ticket", "ticket_message", "ticket_writer"} {
			var n int
			if err := h.DB.NewRaw("SELECT COUNT(*) FROM "+table).Scan(h.Context(), &n); err != nil || n != 1 {
				h.Errorf("%s has %d rows, %v", table, n, err)
			}
		}
	})
}

// closeAccount closes a user's account, whose password is that of addUser.
func (h *fixture) closeAccount(user testUser) {
	h.Helper()
	loss := struct {
		Forfeit string `json:"forfeit"`
	}{}
	h.ask(user, 200, "GET", "/api/v2/user/account/close", "", &loss)
	h.ask(user, 200, "POST", "/api/v2/user/account/close", fmt.Sprintf(
		`{"password":"a long enough password","email":"%s@example.com","forfeit":%q}`, h.names[user.id], loss.Forfeit), nil)
}

func TestTicket_Stream_TellsOfAnAnswerOnEveryServer(t *testing.T) {
	eachCluster(t, func(t *testing.T, fronts []*testServer) {
		f, last := fronts[0], fronts[len(fronts)-1]
		user, member := f.addUser(t, "user", 0), f.addUser(t, "support", 0)
		if err := f.Accounts.SetRole(t.Context(), "support@example.com", account.Support); err != nil {
			t.Fatal(err)
		}
		w := f.call(t.Context(), user, "POST", ticketPath, `{"title":"a","content":"b"}`)
		var made struct{ Result ticketSeen }
		if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != http.StatusOK {
			t.Fatal(w.Body, err)
		}
		go last.DB.Follow(t.Context())
		go last.Tickets.Follow(t.Context())
		site := httptest.NewServer(last.root)
		defer site.Close()
		req, err := http.NewRequestWithContext(t.Context(), "GET", site.URL+ticketPath+"/changes?stream=true", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+user.bearer)
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
			t.Fatal(kind)
		}
		read := func() string {
			text := make([]byte, 200)
			n, err := answer.Body.Read(text)
			if err != nil {
				t.Fatal(err)
			}
			return string(text[:n])
		}
		if got := read(); got != "event: change\ndata: {\"unread\":0}\n\n" {
			t.Errorf("the first event is %q", got)
		}
		w = f.call(t.Context(), member, "POST", fmt.Sprintf("/api/v2/staff/tickets/%d/messages", made.Result.No),
			`{"content":"answer"}`)
		if w.Code != http.StatusOK {
			t.Fatal(w.Body)
		}
		if got := read(); got != "event: change\ndata: {\"unread\":1}\n\n" {
			t.Errorf("after an answer comes %q", got)
		}
	})
}

// A page that is open while the server starts hears of a change that came before the server followed changes.
func TestTicket_ListensBeforeTheServerFollows_HearsOfTheChange(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user := h.users[0]
		var made ticketSeen
		h.ask(user, 200, "POST", ticketPath, `{"title":"a","content":"b"}`, &made)
		changes, stop, err := h.Tickets.Listen(h.Context(), user.id, uuid.Nil)
		if err != nil {
			h.Fatal(err)
		}
		defer stop()
		h.ask(h.staff[account.Support], 200, "POST", fmt.Sprintf("/api/v2/staff/tickets/%d/messages", made.No),
			`{"content":"answer"}`, nil)
		go h.Tickets.Follow(h.Context())
		select {
		case <-changes:
		case <-time.After(20 * time.Second):
			h.Error("nothing was heard of the answer")
		}
	})
}
