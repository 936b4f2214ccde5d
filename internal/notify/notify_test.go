package notify_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/mail"
	"airstrip/internal/notify"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

// site is a site with one user, whom notices reach by mail and Telegram.
type site struct {
	*testing.T
	*notify.Notices
	db       *db.DB
	mails    *mail.Mails
	settings *setting.Settings
	bot      *bot
	user     notify.User
}

// bot keeps what it is to say.
type bot struct {
	said []string
}

func (b *bot) Configured(context.Context) (bool, error) { return true, nil }

func (b *bot) Tell(_ context.Context, _ bun.Tx, to notify.User, _ mail.Content, text string) error {
	b.said = append(b.said, strconv.FormatInt(*to.TelegramID, 10)+" "+text)
	return nil
}

func openSite(t *testing.T, d *db.DB) *site {
	t.Helper()
	s := &site{T: t, db: d, bot: new(bot)}
	var err error
	s.settings, err = setting.New(t.Context(), d)
	s.must(err)
	s.mails = mail.New(d, seal.Key{1}, s.settings, secret.New(d, seal.Key{1}), "https://air.example.com")
	s.Notices = notify.New(d, s.mails)
	s.UseBot(s.bot)
	s.user = s.addUser(7)
	return s
}

func (s *site) addUser(id int64) notify.User {
	s.Helper()
	u := notify.User{ID: id, Email: "u" + strconv.FormatInt(id, 10) + "@example.com", Lang: fault.EN, TelegramID: new(id + 1000)}
	s.must(s.db.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`INSERT INTO account (id, uuid, email, name, role, password, password_version,
			password_changed_at, invite_code, created_at, lang) VALUES (?, ?, ?, 'A', '', '', ?, ?, ?, ?, 'en')`,
			id, uuid.New(), u.Email, uuid.New(), s.db.Now(), u.Email, s.db.Now()).Exec(ctx)
		return err
	}))
	return u
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *site) notify(content mail.Content) {
	s.Helper()
	s.must(s.db.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error {
		return s.Notify(ctx, tx, s.user, content)
	}))
}

func (s *site) choose(event notify.Event, by notify.Channel, wanted bool) {
	s.Helper()
	s.must(s.Choose(s.Context(), s.user.ID, notify.Choice{Event: event, Channel: by, Wanted: wanted}))
}

// reached returns how many notices went by mail and by Telegram so far.
func (s *site) reached() (byMail, byTelegram int) {
	s.Helper()
	mails, err := s.mails.List(s.Context(), 100)
	s.must(err)
	return len(mails), len(s.bot.said)
}

func (s *site) want(byMail, byTelegram int) {
	s.Helper()
	if m, b := s.reached(); m != byMail || b != byTelegram {
		s.Fatalf("%d notices by mail and %d by Telegram, want %d and %d", m, b, byMail, byTelegram)
	}
}

var (
	ending  = mail.ServiceEnding{Service: "Pro", Days: 3}
	changed = mail.SecurityChanged{What: "api_token_made", Name: "x"}
)

func TestNotify_SendsByTheChosenChannels(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := openSite(t, d)
		s.notify(ending)
		s.want(1, 1)
		if !strings.HasPrefix(s.bot.said[0], "1007 ") || !strings.Contains(s.bot.said[0], "Pro") {
			t.Errorf("the bot says %q", s.bot.said[0])
		}
		s.choose(notify.Service, notify.ByMail, false)
		s.notify(ending)
		s.want(1, 2)
		s.choose(notify.Service, notify.ByTelegram, false)
		s.notify(ending)
		s.want(1, 2)
		s.notify(mail.TrafficUsed{Service: "Pro", Percent: 80}) // another event
		s.want(2, 3)
		s.choose(notify.Service, notify.ByMail, true)
		s.notify(ending)
		s.want(3, 3)
		s.user.TelegramID = nil
		s.notify(mail.TrafficUsed{Service: "Pro", Percent: 95})
		s.want(4, 3)
	})
}

func TestNotify_OfAnAbortedTransaction_SendsNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := openSite(t, d)
		failed := errors.New("the cause failed")
		err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			return errors.Join(s.Notify(ctx, tx, s.user, ending), failed)
		})
		mails, _ := s.reached()
		if !errors.Is(err, failed) || mails != 0 {
			t.Errorf("%d mails, %v", mails, err)
		}
	})
}

func TestNotify_OfPayments_GoesByMailOnlyToWhoAskedForIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := openSite(t, d)
		s.notify(mail.PaymentReceived{Amount: 1000, Currency: "CNY"})
		s.want(0, 1)
		s.choose(notify.Payment, notify.ByMail, true)
		s.notify(mail.PaymentReceived{Amount: 1000, Currency: "CNY"})
		s.want(1, 2)
	})
}

func TestChoose_SecurityByMail_CannotBeTurnedOff(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := openSite(t, d)
		err := s.Choose(t.Context(), s.user.ID,
			notify.Choice{Event: notify.Ticket, Channel: notify.ByMail},
			notify.Choice{Event: notify.Security, Channel: notify.ByMail})
		if !errors.Is(err, notify.ErrMandatory) {
			t.Fatal(err)
		}
		s.notify(mail.TicketAnswered{No: 1, Title: "T", Text: "X"}) // nothing of the refused call was stored
		s.want(1, 1)
		// A row that some other program wrote changes nothing either.
		s.must(d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`INSERT INTO notice_choice (user_id, event, channel, wanted, updated_at)
				VALUES (7, 'security', 'mail', ?, ?)`, false, d.Now()).Exec(ctx)
			return err
		}))
		s.notify(changed)
		s.want(2, 2)
		if wanted, err := s.Wants(t.Context(), d, s.user.ID, notify.Security, notify.ByMail); err != nil || !wanted {
			t.Error(wanted, err)
		}
		choices, err := s.Choices(t.Context(), s.user.ID)
		s.must(err)
		if choices[0] != (notify.Choice{Event: notify.Security, Channel: notify.ByMail, Wanted: true}) {
			t.Errorf("%+v", choices[0])
		}
	})
}

func TestChoose_UnknownEventOrChannel_IsRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := openSite(t, d)
		for _, c := range []notify.Choice{{Event: "x", Channel: notify.ByMail}, {Event: notify.Ticket, Channel: "x"}} {
			if err := s.Choose(t.Context(), s.user.ID, c); err == nil {
				t.Errorf("%+v is taken", c)
			}
		}
	})
}

func TestUnwilling_NamesWhoTurnedAnEventOff(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := openSite(t, d)
		s.addUser(8)
		s.choose(notify.Announcement, notify.ByMail, false)
		got, err := s.Unwilling(t.Context(), notify.Announcement, notify.ByMail, []int64{7, 8})
		s.must(err)
		if !got[7] || got[8] {
			t.Errorf("%v", got)
		}
		got, err = s.Unwilling(t.Context(), notify.Announcement, notify.ByTelegram, []int64{7, 8})
		if err != nil || got[7] {
			t.Errorf("%v %v", got, err)
		}
		if got, err = s.Unwilling(t.Context(), notify.Payment, notify.ByMail, []int64{7}); err != nil || !got[7] {
			t.Errorf("%v %v", got, err)
		}
	})
}

func TestTest_ReachesTheUserWhateverTheyChose(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := openSite(t, d)
		s.must(s.Test(t.Context(), s.user, notify.ByMail, "7"))
		s.must(s.Test(t.Context(), s.user, notify.ByTelegram, "7"))
		s.want(1, 1)
		s.user.TelegramID = nil
		if err := s.Test(t.Context(), s.user, notify.ByTelegram, "7"); !errors.Is(err, notify.ErrUnavailable) {
			t.Error(err)
		}
		var err error
		for range 20 {
			err = s.Test(t.Context(), s.user, notify.ByMail, "7")
		}
		if f, ok := fault.As(err); !ok || f.Status != 429 {
			t.Errorf("twenty tests in a row: %v", err)
		}
	})
}

func TestClose_ForgetsTheChoices(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := openSite(t, d)
		s.choose(notify.Service, notify.ByMail, false)
		s.must(d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error { return s.Close(ctx, tx, s.user.ID) }))
		n, err := d.NewSelect().Table("notice_choice").Count(t.Context())
		if err != nil || n != 0 {
			t.Errorf("%d rows, %v", n, err)
		}
	})
}
