package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/announcement"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/secret"
	"airstrip/internal/service"
)

// post is an SMTP server that keeps what it is given.
type post struct {
	mu    sync.Mutex
	mails []posted
}

type posted struct {
	to   string
	head netmail.Header
	text string // of the plain part
	html string
}

type postSession struct {
	*post
	to string
}

func (*postSession) Reset()                                      {}
func (*postSession) Logout() error                               { return nil }
func (*postSession) Mail(string, *smtp.MailOptions) error        { return nil }
func (s *postSession) Rcpt(to string, _ *smtp.RcptOptions) error { s.to = to; return nil }

func (s *postSession) Data(r io.Reader) error {
	msg, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	_, params, err := mime.ParseMediaType(msg.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	got := posted{to: s.to, head: msg.Header}
	for parts := multipart.NewReader(msg.Body, params["boundary"]); ; {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			return err
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			got.html = string(text)
		} else {
			got.text = string(text)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mails = append(s.mails, got)
	return nil
}

func (p *post) all() []posted {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]posted{}, p.mails...)
}

// listens starts such a server and has the site use it.
func (h *fixture) listens() *post {
	h.Helper()
	p := &post{}
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &postSession{post: p}, nil }))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		h.Fatal(err)
	}
	go s.Serve(l)
	h.Cleanup(func() { s.Close() })
	h.set(map[string]any{
		"smtp_host": "127.0.0.1", "smtp_port": l.Addr().(*net.TCPAddr).Port, "smtp_tls": "none",
		"smtp_from": "no-reply@example.com",
	})
	return p
}

func (h *fixture) set(values map[string]any) {
	h.Helper()
	texts := map[string]json.RawMessage{}
	for name, value := range values {
		texts[name], _ = json.Marshal(value)
	}
	if err := h.Settings.Set(h.Context(), texts); err != nil {
		h.Fatal(err)
	}
}

type shownBroadcast struct {
	Channel, State        string
	Users, Passed, Queued int64
}

func (h *fixture) broadcast(status int, id int64, channel, more string) (out shownBroadcast) {
	h.Helper()
	var into any = &out
	if status != 200 {
		into = nil
	}
	h.ask(h.staff[account.Admin], status, "POST", fmt.Sprintf("/api/v2/staff/announcements/%d/broadcast%s", id, more),
		`{"channel":"`+channel+`"}`, into)
	return out
}

func (h *fixture) broadcasts(id int64) (list []shownBroadcast) {
	h.Helper()
	var out struct{ Broadcasts []shownBroadcast }
	h.ask(h.staff[account.Viewer], 200, "GET", fmt.Sprintf("/api/v2/staff/announcements/%d/broadcasts", id), "", &out)
	return out.Broadcasts
}

// passes lets seconds pass in which servers work.
func (h *fixture) passes(seconds int, servers ...*App) {
	h.Helper()
	for range seconds {
		h.now = h.now.Add(time.Second)
		var all sync.WaitGroup
		for _, a := range servers {
			all.Go(func() {
				for range 3 { // as some seconds' polls
					if err := a.Queue.Work(h.Context()); err != nil {
						h.Error(err)
					}
					if err := a.Bulk.Work(h.Context()); err != nil {
						h.Error(err)
					}
				}
			})
		}
		all.Wait()
	}
}

// another opens the site once more, as a second process does.
func (h *fixture) another() *App {
	h.Helper()
	a, err := Open(h.Context(), h.cfg.Config, "test")
	if err != nil {
		h.Fatal(err)
	}
	a.DB.SetClock(func() time.Time { return h.now })
	return a
}

func (h *fixture) exec(statement string, values ...any) {
	h.Helper()
	if err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(statement, values...).Exec(ctx)
		return err
	}); err != nil {
		h.Fatal(err)
	}
}

// unsubscribePath gives the path of the link by which a user gets no more announcements.
func (h *fixture) unsubscribePath(user testUser) string {
	return strings.TrimPrefix(h.Broadcasts.UnsubscribeURL(user.id), h.SiteURL())
}

func TestBroadcast_ReachesEachUserOnce_AcrossRestartsAndProcesses(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		p := h.listens()
		banned, closed, refuses := h.addUser(h.T, "banned", 0), h.addUser(h.T, "closed", 0), h.addUser(h.T, "refuses", 0)
		if _, err := h.Accounts.Bans.Ban(h.Context(), account.BanTask{AccountID: banned.id, Reason: "x"},
			account.Identity{}); err != nil {
			h.Fatal(err)
		}
		if err := h.Accounts.Bans.ApplyDue(h.Context()); err != nil {
			h.Fatal(err)
		}
		if err := h.Accounts.Close(h.Context(), account.Identity{UserID: closed.id},
			account.CloseInput{Password: "a long enough password", Email: "closed@example.com"}, account.Client{}); err != nil {
			h.Fatal(err)
		}
		h.ask(testUser{}, 200, "POST", h.unsubscribePath(refuses), "", nil)
		h.exec(`UPDATE account SET lang = 'en' WHERE id = ?`, h.users[0].id)

		id := h.announce(`{"title":"维护","title_en":"Maintenance","body":"见[状态](/status)","body_en":"See [status](/status)"}`).ID
		if one := h.broadcast(200, id, "mail", ""); one.State != "running" || one.Users != 9 {
			h.Fatalf("%+v", one)
		}
		h.addUser(h.T, "late", 0) // signed up after the start
		h.broadcast(409, id, "mail", "")
		second := h.another()
		h.passes(2, h.App, second)
		if one := h.broadcasts(id)[0]; one.State != "running" || one.Queued == 0 || one.Queued == 8 {
			h.Fatalf("in the middle: %+v", one)
		}
		second.Close()
		third := h.another() // as after a restart
		h.passes(10, third, h.App)
		third.Close()
		if one := h.broadcasts(id)[0]; one.State != "done" || one.Passed != 9 || one.Queued != 8 {
			h.Errorf("at the end: %+v", one)
		}
		h.broadcast(409, id, "mail", "")
		h.broadcast(409, id, "mail", "/stop")
		times := map[string]int{}
		for _, m := range p.all() {
			subject, err := new(mime.WordDecoder).DecodeHeader(m.head.Get("Subject"))
			if err != nil || m.head.Get("List-Unsubscribe-Post") == "" {
				continue // of a mail that is no announcement
			}
			times[m.to]++
			want := []string{"维护", `<a href="http://localhost:8080/status"`, "状态 (http://localhost:8080/status)"}
			if m.to == "user0@example.com" {
				want = []string{"Maintenance", `<a href="http://localhost:8080/status"`, "status (http://localhost:8080/status)"}
			}
			for _, part := range want {
				if !strings.Contains(subject+m.html+m.text, part) {
					h.Errorf("to %s: %q is not in %s\n%s\n%s", m.to, part, subject, m.html, m.text)
				}
			}
			link := strings.Trim(m.head.Get("List-Unsubscribe"), "<>")
			if m.head.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" ||
				!strings.HasPrefix(link, "http://localhost:8080/unsubscribe/") || !strings.Contains(m.text, link) ||
				!strings.Contains(m.html, link) {
				h.Errorf("the headers of %s: %v", m.to, m.head)
			}
		}
		for _, who := range []string{"owner", "admin", "support", "finance", "viewer", "user0", "user1", "user2"} {
			if times[who+"@example.com"] != 1 {
				h.Errorf("%s got it %d times", who, times[who+"@example.com"])
			}
		}
		if len(times) != 8 {
			h.Errorf("others got it: %v", times)
		}
	})
}

func TestBroadcast_Stop_QueuesNothingMoreAndGoesOnWhereItWas(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		p := h.listens()
		sent := func() (n int) {
			for _, m := range p.all() {
				if m.head.Get("List-Unsubscribe") != "" {
					n++
				}
			}
			return n
		}
		id := h.announce(`{"title":"News"}`).ID
		h.broadcast(409, id, "mail", "/stop")
		h.broadcast(200, id, "mail", "")
		h.passes(1, h.App)
		stopped := h.broadcast(200, id, "mail", "/stop")
		if stopped.State != "stopped" || stopped.Queued == 0 || stopped.Queued == 8 {
			h.Fatalf("%+v", stopped)
		}
		h.passes(5, h.App)
		if one := h.broadcasts(id)[0]; one != stopped || sent() != int(stopped.Queued) {
			h.Errorf("after the stop %d were sent, %+v, want %+v", sent(), one, stopped)
		}
		h.broadcast(200, id, "mail", "")
		h.passes(8, h.App)
		if one := h.broadcasts(id)[0]; one.State != "done" || one.Queued != 8 || sent() != 8 {
			h.Errorf("at the end %d were sent, %+v", sent(), one)
		}
		over := h.announce(`{"title":"Over","starts_at":"2026-01-01T00:00:00Z","ends_at":"2026-01-02T00:00:00Z"}`).ID
		h.broadcast(409, over, "mail", "")
		h.broadcast(404, 999, "mail", "")
		h.broadcast(409, id, "telegram", "") // no bot
		h.ask(h.staff[account.Admin], 422, "POST", fmt.Sprintf("/api/v2/staff/announcements/%d/broadcast", id),
			`{"channel":"fax"}`, nil)
	})
}

// A mail server that takes nothing, or one announcement after the other, lets no more wait than a stop may send.
func TestBroadcast_WaitsForTheQueue(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		id := h.announce(`{"title":"News"}`).ID
		h.broadcast(200, id, "mail", "")
		for range 10 {
			h.now = h.now.Add(time.Second)
			if err := h.Queue.Work(h.Context()); err != nil {
				h.Fatal(err)
			}
		}
		if one := h.broadcasts(id)[0]; one.State != "running" || one.Queued != 4 {
			h.Errorf("while nothing is sent: %+v, want 4 of 120 a minute", one)
		}
	})
}

func TestBroadcast_ByAudience_AndByTelegram(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		p := h.listens()
		holder := h.addUser(h.T, "holder", 0)
		if err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := h.Services.Start(ctx, tx, service.Terms{
				UserID: holder.id, PlanID: 1, Name: "VIP", Class: 3, Groups: []int{7}, Reset: service.Never, Months: 1,
			})
			return err
		}); err != nil {
			h.Fatal(err)
		}
		for _, audience := range []string{`"class","audience_ids":[3]`, `"group","audience_ids":[7]`} {
			id := h.announce(`{"title":"For some","audience":` + audience + `}`).ID
			h.broadcast(200, id, "mail", "")
			h.passes(3, h.App)
			if one := h.broadcasts(id)[0]; one.State != "done" || one.Queued != 1 || one.Passed != 9 {
				h.Errorf("%s: %+v", audience, one)
			}
		}
		if mails := p.all(); mails[len(mails)-1].to != "holder@example.com" {
			h.Errorf("the mail went to %s", mails[len(mails)-1].to)
		}

		if err := h.Secrets.Set(h.Context(), secret.TelegramToken, "1:token"); err != nil {
			h.Fatal(err)
		}
		h.exec(`UPDATE account SET telegram_id = 700 WHERE id = ?`, h.users[1].id)
		h.exec(`UPDATE account SET telegram_id = 701 WHERE id = ?`, h.users[2].id)
		h.ask(testUser{}, 200, "POST", h.unsubscribePath(h.users[2]), "", nil)
		id := h.announce(`{"title":"News","body":"**Now**"}`).ID
		h.broadcast(200, id, "telegram", "")
		setToken := func(token string) {
			if err := h.Secrets.Set(h.Context(), secret.TelegramToken, token); err != nil {
				h.Fatal(err)
			}
		}
		reach := func() (to struct{ Mail, Telegram int64 }) {
			h.ask(h.staff[account.Viewer], 200, "GET", fmt.Sprintf("/api/v2/staff/announcements/%d/reach", id), "", &to)
			return to
		}
		if to := reach(); to.Mail == 0 || to.Telegram != 1 {
			h.Errorf("it would reach %+v", to)
		}
		setToken("")
		if to := reach(); to.Telegram != 0 {
			h.Errorf("without a bot it would reach %+v", to)
		}
		h.passes(3, h.App)
		if one := h.broadcasts(id)[0]; one.State != "running" || one.Passed != 0 {
			h.Errorf("without a bot: %+v", one)
		}
		setToken("1:token")
		h.passes(3, h.App)
		if one := h.broadcasts(id)[0]; one.State != "done" || one.Users != 2 || one.Queued != 1 {
			h.Errorf("by Telegram: %+v", one)
		}
		var told []string
		if err := h.DB.NewSelect().Table("job").ColumnExpr("CAST(payload AS text)").Where("kind = 'telegram.tell'").
			Scan(h.Context(), &told); err != nil {
			h.Fatal(err)
		}
		if len(told) != 1 || !strings.Contains(told[0], "700") || !strings.Contains(told[0], "Now") ||
			!strings.Contains(told[0], h.unsubscribePath(h.users[1])) {
			h.Errorf("the bot says %q", told)
		}
	})
}

func TestUnsubscribe_OneClick(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		one, other := h.addUser(h.T, "leaver", 0), h.users[1]
		subscribed := func(u testUser) bool {
			_, yes, err := h.Broadcasts.Subscriber(h.Context(), strings.TrimPrefix(h.unsubscribePath(u), "/unsubscribe/"))
			if err != nil {
				h.Fatal(err)
			}
			return yes
		}
		path := h.unsubscribePath(one)
		page := h.ask(testUser{}, 200, "GET", path, "", nil)
		if !strings.Contains(page, `<form method="post">`) || strings.Contains(page, "<script") || !subscribed(one) {
			h.Fatalf("to open the link is not to unsubscribe: %s", page)
		}
		click := func(status int, path string, form url.Values) string {
			w := h.callAs(h.Context(), testUser{}, "POST", path, "application/x-www-form-urlencoded", form.Encode())
			if w.Code != status || !strings.HasPrefix(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
				h.Errorf("POST %s answers %d %v, want %d", path, w.Code, w.Header(), status)
			}
			return w.Body.String()
		}
		oneClick := url.Values{"List-Unsubscribe": {"One-Click"}}
		for range 2 { // mail programs repeat themselves
			click(200, path, oneClick)
			if subscribed(one) || !subscribed(other) {
				h.Error("a click unsubscribes its user, and nobody else")
			}
		}
		if page := h.ask(testUser{}, 200, "GET", path, "", nil); !strings.Contains(page, `value="again"`) {
			h.Errorf("no way back: %s", page)
		}
		click(200, path, url.Values{"subscribe": {"again"}})
		if !subscribed(one) {
			h.Error("still unsubscribed")
		}

		// The head of a token is the user's id and the rest its signature.
		own, others := strings.TrimPrefix(path, "/unsubscribe/"), strings.TrimPrefix(h.unsubscribePath(other), "/unsubscribe/")
		last := "A"
		if strings.HasSuffix(own, last) {
			last = "B"
		}
		for _, forged := range []string{
			others[:11] + own[11:], own[:len(own)-1] + last, own[:len(own)-4], own + "AAAA", "x", "%20", strings.Repeat("A", 32),
			strings.Repeat("A", 5000),
		} {
			h.ask(testUser{}, 404, "GET", "/unsubscribe/"+forged, "", nil)
			click(404, "/unsubscribe/"+forged, oneClick)
		}
		if !subscribed(one) || !subscribed(other) {
			h.Error("a forged link unsubscribed somebody")
		}
		click(200, path, oneClick)
		if err := h.Accounts.Close(h.Context(), account.Identity{UserID: one.id},
			account.CloseInput{Password: "a long enough password", Email: "leaver@example.com"}, account.Client{}); err != nil {
			h.Fatal(err)
		}
		click(404, path, oneClick)
		if n, err := h.DB.NewSelect().Table("notice_choice").Count(h.Context()); err != nil || n != 0 {
			h.Errorf("a closed account leaves %d rows, %v", n, err)
		}
	})
}

// The text is in the language of the browser, and the site's name is text.
func TestUnsubscribe_Page_EscapesTheSite(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.set(map[string]any{"site_name": `<b>Air</b>`})
		page := h.ask(testUser{}, 200, "GET", h.unsubscribePath(h.users[0]), "", nil)
		if strings.Contains(page, "<b>") || !regexp.MustCompile(`<html lang="(en|zh-CN)">`).MatchString(page) {
			h.Errorf("%s", bytes.TrimSpace([]byte(page)))
		}
	})
}

// BenchmarkBroadcast queues an announcement for 50,000 users.
func BenchmarkBroadcast_50000Users(b *testing.B) {
	const users = 50_000
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			c := Config{Data: b.TempDir(), Listen: "127.0.0.1:1", SiteURL: "https://air.example.com", TelegramAPI: "http://127.0.0.1:1"}
			if engine == "postgres" {
				c.DatabaseURL, c.SecretKey = dbtest.PostgresURL(b), keyText
			}
			a, err := Open(b.Context(), c, "test")
			if err != nil {
				b.Fatal(err)
			}
			defer a.Close()
			if err := addMany(b.Context(), a.DB, users); err != nil {
				b.Fatal(err)
			}
			if err := a.Settings.Set(b.Context(), map[string]json.RawMessage{
				"broadcast_per_minute": json.RawMessage("1000000000"),
			}); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				one, err := a.Announcements.Add(b.Context(), announcement.Announcement{
					Type: announcement.Index, Audience: announcement.ForAll, Title: "News",
					Body: strings.Repeat("Some **words** with a [link](/shop).\n\n", 20),
				})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := a.Broadcasts.Start(b.Context(), one.ID, announcement.ByMail, ""); err != nil {
					b.Fatal(err)
				}
				if err := a.Queue.Work(b.Context()); err != nil {
					b.Fatal(err)
				}
				list, err := a.Broadcasts.List(b.Context(), one.ID)
				if err != nil || list[0].State != announcement.Done || list[0].Queued != users {
					b.Fatalf("%+v %v", list, err)
				}
			}
		})
	}
}

// addMany adds accounts as the import does, without passwords.
func addMany(ctx context.Context, d *db.DB, users int) error {
	type row struct {
		bun.BaseModel     `bun:"table:account"`
		UUID              uuid.UUID
		Email, Name, Role string
		Password          string
		PasswordVersion   uuid.UUID
		PasswordChangedAt time.Time
		InviteCode        string
		Lang              string
		CreatedAt         time.Time
	}
	return d.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		for first := 0; first < users; first += 1000 {
			var rows []row
			for i := first; i < first+1000; i++ {
				rows = append(rows, row{
					UUID: uuid.New(), Email: fmt.Sprintf("u%d@example.com", i), Name: "U", Password: "x",
					PasswordVersion: uuid.New(), PasswordChangedAt: d.Now(), InviteCode: fmt.Sprint("code", i),
					Lang: []string{"en", "zh-CN"}[i%2], CreatedAt: d.Now(),
				})
			}
			if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}
