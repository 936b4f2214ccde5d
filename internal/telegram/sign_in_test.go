package telegram_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"airstrip/internal/account"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/telegram"
	"airstrip/internal/telegram/telegramtest"
)

func (w *world) begin() telegram.Begun {
	w.Helper()
	s, err := w.bot.Begin(w.Context(), page)
	w.must(err)
	return s
}

func (w *world) state(s telegram.Begun, want telegram.State) {
	w.Helper()
	if got, err := w.bot.State(w.Context(), s.Secret); err != nil || got != want {
		w.Fatalf("state %q, %v; want %q", got, err, want)
	}
}

func (w *world) signIn(s telegram.Begun, code string) (account.Grant, error) {
	return w.bot.SignIn(w.Context(), s.Secret, code, false, page)
}

func (w *world) activity(userID int64) (kinds []account.ActivityKind) {
	w.Helper()
	all, _, err := w.accounts.History.Activity(w.Context(), userID, 100, 0)
	w.must(err)
	for _, a := range all {
		kinds = append(kinds, a.Kind)
	}
	return kinds
}

func TestAPageSignsInOnceTheLinkedTelegramConfirms(t *testing.T) {
	each(t, func(w *world) {
		u := w.linked("lin@example.com", lin)
		s := w.begin()
		w.state(s, telegram.Waiting)
		_, err := w.signIn(s, "")
		w.want(err, telegram.ErrNotConfirmed)

		w.Start(lin, s.Link)
		asked := w.says("l***@example.com", "Chrome 140 · Windows", "192.0.2.1", "Number: "+strconv.Itoa(s.Number))
		w.state(s, telegram.Opened)
		w.Press(lin, asked.Markup.Rows[0][0])
		w.says("Confirmed")
		w.state(s, telegram.Confirmed)

		g, err := w.signIn(s, "")
		w.must(err)
		who, err := w.accounts.Sessions.Authenticate(w.Context(), g.Access)
		if err != nil || who.UserID != u.ID {
			w.Fatalf("signed in as %+v, %v", who, err)
		}
		w.state(s, telegram.Over)
		_, err = w.signIn(s, "")
		w.want(err, telegram.ErrLoginCode)
		if kinds := w.activity(u.ID); kinds[0] != account.SignedIn || kinds[1] != account.TelegramLinked {
			w.Errorf("activity %v", kinds)
		}
		w.Press(lin, asked.Markup.Rows[0][0])
		w.says("too old")
	})
}

func TestWhatIsRefusedOrTooOldSignsNobodyIn(t *testing.T) {
	each(t, func(w *world) {
		w.linked("lin@example.com", lin)
		refused := w.begin()
		w.Start(lin, refused.Link)
		asked := w.says("Number")
		w.Press(lin, asked.Markup.Rows[1][0])
		w.says("Refused")
		w.state(refused, telegram.Denied)
		_, err := w.signIn(refused, "")
		w.want(err, telegram.ErrDenied)
		w.Press(lin, asked.Markup.Rows[0][0])
		w.says("too old")
		w.state(refused, telegram.Denied)

		late, confirmed := w.begin(), w.begin()
		w.Start(lin, late.Link)
		asked = w.says("Number")
		w.Start(lin, confirmed.Link)
		w.Press(lin, w.says("Number").Markup.Rows[0][0])
		w.says("Confirmed")
		w.later.Add(int64(5 * time.Minute))
		w.Press(lin, asked.Markup.Rows[0][0])
		w.says("too old")
		for _, s := range []telegram.Begun{late, confirmed} {
			w.state(s, telegram.Over)
			_, err = w.signIn(s, "")
			w.want(err, telegram.ErrLoginCode)
		}
		w.Start(lin, late.Link)
		w.says("too old")
	})
}

func TestOnlyTheTelegramThatOpenedTheLinkConfirms(t *testing.T) {
	each(t, func(w *world) {
		w.linked("lin@example.com", lin)
		w.linked("lu@example.com", other)
		s := w.begin()
		stranger := telegramtest.Person{ID: 99, Lang: "en"}
		w.Start(stranger, s.Link)
		w.says("not linked", site+"/user/account/security")
		w.state(s, telegram.Waiting)

		w.Start(lin, s.Link)
		asked := w.says("Number")
		w.Start(other, s.Link)
		w.says("not valid")
		w.Press(other, asked.Markup.Rows[0][0])
		w.says("not valid")
		w.Press(stranger, asked.Markup.Rows[0][0])
		w.says("too old")
		w.state(s, telegram.Opened)

		w.Press(lin, asked.Markup.Rows[0][0])
		w.says("Confirmed")
		w.Say(lin, "/unlink")
		w.Press(lin, w.says("Unlink").Markup.Rows[0][0])
		w.says("Unlinked")
		_, err := w.signIn(s, "")
		w.want(err, telegram.ErrLoginCode)
	})
}

func TestTheLinkAloneSignsNobodyIn(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	w.bot, w.stop = w.start()
	u := w.linked("lin@example.com", lin)
	s, elsewhere := w.begin(), w.begin()
	w.Start(lin, s.Link)
	w.Press(lin, w.says("Number").Markup.Rows[0][0])
	w.says("Confirmed")
	_, code, _ := strings.Cut(s.Link, "start=")
	l := w.beginLink(w.signUp("lu@example.com"))
	g, err := w.accounts.SignIns.ByPassword(w.Context(), account.SignIn{Email: u.Email, Password: password}, page)
	w.must(err)
	for _, wrong := range []string{"", code, l.Token, g.Access, g.Refresh, s.Secret + "x"} {
		_, err := w.bot.SignIn(w.Context(), wrong, "", false, page)
		w.want(err, telegram.ErrLoginCode)
	}
	_, err = w.bot.SignInByNumber(w.Context(), s.Secret, (s.Number-9)%90+10, "", false, page)
	w.want(err, telegram.ErrLoginCode)
	_, err = w.signIn(elsewhere, "")
	w.want(err, telegram.ErrNotConfirmed)
	if _, err = w.bot.SignInByNumber(w.Context(), s.Secret, s.Number, "", false, page); err != nil {
		t.Error(err)
	}
}

func TestTheSecondFactorIsStillAskedFor(t *testing.T) {
	each(t, func(w *world) {
		g := w.signUp("lin@example.com")
		who, err := w.accounts.Sessions.Authenticate(w.Context(), g.Access)
		w.must(err)
		enrolment, err := w.accounts.TwoFactor.Begin(w.Context(), who, password, page)
		w.must(err)
		code := func() string {
			code, err := totp.GenerateCode(enrolment.Secret, w.db.Now())
			w.must(err)
			return code
		}
		_, err = w.accounts.TwoFactor.Confirm(w.Context(), who, code(), page)
		w.must(err)
		w.later.Add(int64(time.Minute))
		l, err := w.bot.BeginLink(w.Context(), who, password, code(), page)
		w.must(err)
		w.Start(lin, l.Address)
		w.says("Linked")
		w.later.Add(int64(time.Minute))
		s := w.begin()
		w.Start(lin, s.Link)
		w.Press(lin, w.says("Number").Markup.Rows[0][0])
		w.says("Confirmed")
		_, err = w.signIn(s, "")
		w.want(err, account.ErrTwoFactorRequired)
		_, err = w.signIn(s, "ABCDE-FGHIJ")
		w.want(err, account.ErrWrongTwoFactor)
		w.state(s, telegram.Confirmed)
		_, err = w.signIn(s, code())
		w.must(err)
		history, err := w.accounts.History.SignIns(w.Context(), who.UserID)
		w.must(err)
		if history[1].Wrong != account.WrongTwoFactor {
			w.Errorf("history %+v", history)
		}
	})
}

func TestABannedUserCanSignInAndReadsItFromTheBot(t *testing.T) {
	each(t, func(w *world) {
		u := w.linked("lin@example.com", lin)
		_, err := w.accounts.Bans.Ban(w.Context(), account.BanTask{AccountID: u.ID, Reason: "x"}, account.Identity{})
		w.must(err)
		s := w.begin()
		w.Start(lin, s.Link)
		w.Press(lin, w.says("Number").Markup.Rows[0][0])
		w.says("Confirmed")
		g, err := w.signIn(s, "")
		if err != nil || !g.User.Banned() {
			w.Fatalf("%+v, %v", g.User, err)
		}
		w.Say(lin, "/me")
		w.says("suspended")
	})
}

func TestOneTelegramAccountIsOneUsers(t *testing.T) {
	each(t, func(w *world) {
		u := w.linked("lin@example.com", lin)
		l, err := w.bot.Link(w.Context(), u.ID)
		w.must(err)
		if *l.TelegramID != lin.ID || l.Address != "" || l.Token != "" {
			w.Errorf("of a linked user %+v", l)
		}
		g := w.signUp("lu@example.com")
		second, owner := g.User, w.identity(g)
		_, err = w.bot.BeginLink(w.Context(), owner, "wrong password", "", page)
		if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Name != "password" {
			w.Errorf("a wrong password: %v", err)
		}
		first := w.beginLink(g)
		if l, err = w.bot.Link(w.Context(), second.ID); err != nil || l.Address != "" || l.Token != "" {
			w.Errorf("without the password %+v, %v", l, err)
		}
		l = w.beginLink(g)
		w.Start(telegramtest.Person{ID: 99, Lang: "en"}, first.Address) // a newer one took its place
		w.says("too old")
		w.Start(lin, l.Address)
		w.says("another user")
		w.Say(other, "/link "+l.Token)
		w.says("已绑定", "l***@example.com")
		w.Start(telegramtest.Person{ID: 99, Lang: "en"}, l.Address)
		w.says("too old")

		w.must(w.bot.Unlink(w.Context(), owner, page))
		w.want(w.bot.Unlink(w.Context(), owner, page), account.ErrTelegramFree)
		w.Say(other, "/me")
		w.says("还没有绑定")
		if kinds := w.activity(second.ID); kinds[0] != account.TelegramUnlinked || kinds[1] != account.TelegramLinked {
			w.Errorf("activity %v", kinds)
		}
		old := w.beginLink(g)
		w.later.Add(int64(10 * time.Minute))
		w.Start(other, old.Address)
		w.says("无效")
		w.Say(other, "/link "+old.Token)
		w.says("无效")
	})
}

func TestAChangeOfCredentials_VoidsWhatTelegramHasOpen(t *testing.T) {
	each(t, func(w *world) {
		u := w.linked("lin@example.com", lin)
		s := w.begin()
		w.Start(lin, s.Link)
		w.Press(lin, w.says("Number").Markup.Rows[0][0])
		w.says("Confirmed")
		g, err := w.accounts.SignIns.ByPassword(w.Context(), account.SignIn{Email: u.Email, Password: password}, page)
		w.must(err)
		_, err = w.accounts.Credentials.ChangePassword(w.Context(), w.identity(g), password, "a wholly new one", page)
		w.must(err)
		_, err = w.signIn(s, "") // confirmed before the change, and fetched after it
		w.want(err, telegram.ErrLoginCode)
	})
}

func TestALinkCode_EndsWithTheCredentialsThatItWasMadeUnder(t *testing.T) {
	each(t, func(w *world) {
		thief := w.beginLink(w.signUp("lin@example.com"))
		w.must(w.accounts.Credentials.SetPassword(w.Context(), "lin@example.com", "a wholly new one"))
		w.Start(other, thief.Address)
		w.says("无效")
	})
}
