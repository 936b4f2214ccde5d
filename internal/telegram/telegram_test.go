package telegram_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/attachment"
	"airstrip/internal/audit"
	"airstrip/internal/captcha"
	"airstrip/internal/checkin"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/mail"
	"airstrip/internal/notify"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/telegram"
	"airstrip/internal/telegram/telegramtest"
	"airstrip/internal/ticket"
	"airstrip/internal/token"
	"airstrip/internal/wallet"
)

const (
	password = "correct horse 电池"
	site     = "https://example.com"
)

var (
	page = account.Client{
		IP: netip.MustParseAddr("192.0.2.1"),
		UserAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) " +
			"Chrome/140.0.0.0 Safari/537.36",
		Lang: fault.EN,
	}
	lin   = telegramtest.Person{ID: 42, Lang: "en"}
	other = telegramtest.Person{ID: 43, Lang: "zh-hans"}
)

// world is a site with a bot, in which time is set by the test.
type world struct {
	*testing.T
	*telegramtest.Server
	db       *db.DB
	settings *setting.Settings
	secrets  *secret.Secrets
	tokens   *token.Tokens
	accounts *account.Accounts
	services *service.Services
	checkIns *checkin.CheckIns
	tickets  *ticket.Tickets
	later    atomic.Int64 // than the world's begin
	bot      *telegram.Bot
	stop     func()
}

func each(t *testing.T, test func(w *world)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		w.bot, w.stop = w.start()
		test(w)
	})
}

func newWorld(t *testing.T, d *db.DB) *world {
	t.Helper()
	w := &world{T: t, Server: telegramtest.New(t), db: d}
	begin := time.Now()
	d.SetClock(func() time.Time { return begin.Add(time.Duration(w.later.Load())) })
	key := seal.Key{1}
	var err error
	w.settings, err = setting.New(w.Context(), d)
	w.must(err)
	w.tokens, err = token.New(w.Context(), d, key)
	w.must(err)
	w.secrets = secret.New(d, key)
	w.services = service.New(d, seal.Key{1}, w.settings)
	w.accounts = account.New(account.Config{
		PasswordMemory: 64,
		DB:             d, Key: key, Settings: w.settings, Mails: mail.New(d, key, w.settings, w.secrets, site),
		Captchas: captcha.New(d, key, w.settings, w.secrets), Tokens: w.tokens,
		Wallets: wallet.New(d, w.settings), Services: w.services, Site: site,
	})
	w.checkIns = checkin.New(d, w.settings, w.accounts, w.services, captcha.New(d, key, w.settings, w.secrets))
	w.tickets = ticket.New(d, w.settings, captcha.New(d, key, w.settings, w.secrets), w.accounts,
		attachment.NewStore(t.TempDir(), w.settings, w.secrets))
	w.tickets.OnMessage(func(ctx context.Context, tx bun.Tx, n ticket.Notice) ([]notify.Channel, error) {
		return nil, w.bot.NoteMessage(ctx, tx, n.Message)
	})
	w.must(w.secrets.Set(w.Context(), secret.TelegramToken, telegramtest.Token))
	return w
}

// start begins another process with the bot, and gives what ends it.
func (w *world) start() (*telegram.Bot, func()) {
	w.Helper()
	b := telegram.New(w.db, seal.Key{1}, w.settings, w.secrets, w.tokens, w.accounts, w.services, w.checkIns,
		site, w.URL)
	b.ShowLinks(func(_ context.Context, _ bun.Tx, userID int64) ([]string, error) {
		return []string{site + "/link/of/" + strconv.FormatInt(userID, 10)}, nil
	})
	b.ShowTickets(w.tickets, audit.New(w.db, seal.Key{1}))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.Run(ctx)
	}()
	stop := func() {
		cancel()
		<-done
	}
	w.Cleanup(stop)
	for end := time.Now().Add(2 * time.Minute); b.Name() == ""; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			w.Fatal("the bot does not come on duty")
		}
	}
	return b, stop
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) want(err, target error) {
	w.Helper()
	if !errors.Is(err, target) {
		w.Fatalf("%v, want %v", err, target)
	}
}

func (w *world) signUp(email string) account.Grant {
	w.Helper()
	g, err := w.accounts.SignUps.SignUp(w.Context(),
		account.SignUp{Email: email, Name: "Lin", Password: password, Repeated: password}, page)
	w.must(err)
	return g
}

// linked makes a user whose Telegram account is who's.
func (w *world) linked(email string, who telegramtest.Person) account.User {
	w.Helper()
	g := w.signUp(email)
	w.Start(who, w.beginLink(g).Address)
	w.says("l***@example.com")
	return g.User
}

// beginLink gives the way to link a Telegram account to the user of the session.
func (w *world) beginLink(g account.Grant) telegram.Link {
	w.Helper()
	l, err := w.bot.BeginLink(w.Context(), w.identity(g), password, "", page)
	w.must(err)
	return l
}

func (w *world) identity(g account.Grant) account.Identity {
	w.Helper()
	who, err := w.accounts.Sessions.Authenticate(w.Context(), g.Access)
	w.must(err)
	return who
}

// says waits for the bot's next message and tests what is in it.
func (w *world) says(parts ...string) telegramtest.Call {
	w.Helper()
	c := w.Next()
	for _, part := range parts {
		if !strings.Contains(c.Text, part) {
			w.Fatalf("the bot says %q, want %q", c.Text, part)
		}
	}
	return c
}

func TestCheckIn_ByTheBot_GivesTrafficOnceADay(t *testing.T) {
	each(t, func(w *world) {
		w.Say(lin, "/checkin")
		w.says("not linked")
		u := w.linked("lin@example.com", lin)
		w.Say(lin, "/checkin")
		w.says("Checked in", "day 1 in a row")
		w.Say(lin, "/checkin")
		w.says("You have checked in today")
		_, packages, err := w.services.List(w.Context(), u.ID)
		if err != nil || len(packages) != 1 {
			w.Errorf("%+v, %v", packages, err)
		}
		w.later.Add(int64(24 * time.Hour))
		w.must(w.settings.Set(w.Context(), map[string]json.RawMessage{"captcha_checkin": []byte(`"always"`)}))
		w.Say(lin, "/checkin")
		w.says("captcha", site+"/user/dashboard")
	})
}

func TestTheBotAnswersInThePersonsLanguageAndInPrivateOnly(t *testing.T) {
	w := newWorld(t, dbtest.Postgres(t))
	w.bot, w.stop = w.start()
	w.SayInGroup(lin, "/help")
	w.Say(other, "/help@"+telegramtest.BotName)
	w.says("/me 查看套餐")
	w.Say(lin, "hello")
	w.says("/me your plan")
	w.Say(lin, "/start nonsense")
	w.says("not valid")
	w.linked("lin@example.com", lin)
	w.Say(lin, "/start")
	w.says("Linked to l***@example.com", "/unlink")
	w.Say(lin, "/me")
	w.says("Account: l***@example.com", "no plan is running", "0.00 GB")
	w.Say(lin, "/unlink")
	w.Press(lin, w.says("Unlink").Markup.Rows[0][1])
	w.says("stays")
	if u, err := w.accounts.ByTelegram(t.Context(), lin.ID); err != nil || u.Email != "lin@example.com" {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestBot_AnswersInLanguageOfAccount(t *testing.T) {
	each(t, func(w *world) {
		w.Say(other, "/help")
		w.says("/me 查看套餐")
		w.linked("lin@example.com", other) // whose account is English, whatever their Telegram is
		w.Say(other, "/help")
		w.says("/me your plan")
		noLanguage := telegramtest.Person{ID: 44}
		w.Say(noLanguage, "/help")
		w.says("/me 查看套餐")
		w.must(w.settings.Set(w.Context(), map[string]json.RawMessage{"language": json.RawMessage(`"en"`)}))
		w.Say(noLanguage, "/help")
		w.says("/me your plan")
	})
}

func TestAPersonWhoFloodsTheBotIsNotAnswered(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	w.bot, w.stop = w.start()
	for range 40 {
		w.Say(other, "/help")
	}
	w.Say(lin, "/help")
	answered := 0
	for w.Next().ChatID == other.ID {
		answered++
	}
	if answered == 0 || answered > 25 {
		t.Errorf("%d of 40 were answered", answered)
	}
}

// service gives a user a running plan.
func (w *world) service(userID int64) {
	w.Helper()
	w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := w.services.Start(ctx, tx, service.Terms{
			UserID: userID, PlanID: 1, Name: "P", Class: 1, Reset: service.Never, Months: 1,
		})
		return err
	}))
}

func TestBot_TellsTheLinkToItsOwnerAlone(t *testing.T) {
	each(t, func(w *world) {
		w.Say(lin, "/sub")
		w.says("not linked")
		u := w.linked("lin@example.com", lin)
		w.Say(lin, "/sub")
		w.says("No plan is running", site+"/user/services/buy")
		w.service(u.ID)
		w.Say(lin, "/sub")
		c := w.says("https://example.com/link/of/" + strconv.FormatInt(u.ID, 10))
		if !c.IsProtected || c.ChatID != lin.ID {
			w.Errorf("the link can be forwarded, or is told to %d", c.ChatID)
		}
		w.must(w.settings.Set(w.Context(), map[string]json.RawMessage{"telegram_groups": json.RawMessage(`[-5]`)}))
		w.SayInGroup(lin, "/sub")
		c = w.says("in private only")
		if c.ChatID != telegramtest.GroupID || strings.Contains(c.Text, "/link/") || c.ReplyTo.MessageID != 1 ||
			c.Markup.Rows[0][0].URL != "https://t.me/"+telegramtest.BotName {
			w.Errorf("the group is told %+v", c)
		}
		_, err := w.accounts.Bans.Ban(w.Context(), account.BanTask{AccountID: u.ID, Reason: "abuse"}, account.Identity{})
		w.must(err)
		w.Say(lin, "/sub")
		if c := w.says("suspended"); strings.Contains(c.Text, "/link/") {
			w.Errorf("a banned user is told %q", c.Text)
		}
	})
}

func TestBot_InAGroup_AnswersOnlyWhereTheSettingSaysSo(t *testing.T) {
	each(t, func(w *world) {
		w.service(w.linked("lin@example.com", lin).ID)
		w.SayInGroup(lin, "/help")
		w.Say(other, "/help")
		w.says("/me 查看套餐") // so the group before it was passed over
		w.must(w.settings.Set(w.Context(), map[string]json.RawMessage{"telegram_groups": json.RawMessage(`[-5]`)}))
		w.SayInGroup(lin, "hello")
		w.SayInGroup(lin, "/help@another_bot")
		w.SayInGroup(lin, "/weather")
		w.SayInGroup(lin, "/me@"+telegramtest.BotName)
		if c := w.says("in private only"); strings.Contains(c.Text, "@example.com") {
			w.Errorf("the group is told %q", c.Text)
		}
		w.SayInGroup(lin, "/checkin")
		if c := w.says("Checked in"); c.ChatID != telegramtest.GroupID || strings.Contains(c.Text, "@example.com") {
			w.Errorf("the group is told %+v", c)
		}
		w.SayInGroup(other, "/checkin") // who has no account
		w.says("私聊")
		if !w.Silent() {
			w.Error("the bot says more")
		}
		err := w.settings.Set(w.Context(), map[string]json.RawMessage{"telegram_groups": json.RawMessage(`[5]`)})
		if !fault.Refused(err) {
			w.Errorf("the id of a person is taken for that of a group: %v", err)
		}
	})
}
