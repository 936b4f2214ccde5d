// Package notify tells users what happened to their accounts, by the channels that each of them chose: mail, Telegram
// and web push. Notify queues a notice in the transaction of its cause, once for each channel, so that there is no
// notice of what did not happen and none is lost. Only what a user chose is stored; Rules has the defaults, and what
// nobody can turn off. The words of a notice are those of its mail, whichever way it goes.
package notify

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/limit"
	"airstrip/internal/mail"
	"airstrip/internal/webpush"
)

// Notices queues notices and keeps what users chose.
type Notices struct {
	db    *db.DB
	mails *mail.Mails
	bot   Bot            // nil: the site has none
	push  *webpush.Push  // nil: no browser is notified
	tests *limit.Limiter // by user
}

// Bot speaks to users by Telegram.
type Bot interface {
	Configured(ctx context.Context) (bool, error)
	// Tell says text, which is what content says in the words of a mail, to a user who linked Telegram.
	Tell(ctx context.Context, tx bun.Tx, to User, content mail.Content, text string) error
}

// New returns the notices of the users in d.
func New(d *db.DB, mails *mail.Mails) *Notices {
	return &Notices{db: d, mails: mails, tests: limit.Per(10*time.Minute, 10)}
}

// UseBot has b tell notices by Telegram. It must be called before the server starts.
func (n *Notices) UseBot(b Bot) { n.bot = b }

// UsePush has p notify browsers. It must be called before the server starts.
func (n *Notices) UsePush(p *webpush.Push) { n.push = p }

// User is whom a notice is for.
type User struct {
	ID         int64
	Email      string
	Lang       fault.Lang
	TelegramID *int64 // nil: not linked
}

// choice is what a user chose for one event and channel.
type choice struct {
	bun.BaseModel `bun:"table:notice_choice"`
	UserID        int64   `bun:",pk"`
	Event         Event   `bun:",pk"`
	Channel       Channel `bun:",pk"`
	Wanted        bool
	UpdatedAt     time.Time
}

// Choice is whether a user is notified of an event by a channel.
type Choice struct {
	Event   Event
	Channel Channel
	Wanted  bool
}

// Faults of choices.
var (
	ErrMandatory = fault.Conflict("notice_mandatory", "账号安全通知的邮件不能关闭",
		"Mails about the security of the account cannot be turned off")
	ErrUnavailable = fault.Conflict("notice_channel_unavailable", "这种通知方式目前不可用，请先完成绑定或开启",
		"This channel is not available at the moment; please link or turn it on first")
)

// Notify queues a notice for a user by each channel that they want for its event, as part of tx.
func (n *Notices) Notify(ctx context.Context, tx bun.Tx, to User, content mail.Content) error {
	_, err := n.NotifyExcept(ctx, tx, to, content, nil)
	return err
}

// NotifyExcept is Notify by the channels that are not in except. It returns those by which a notice was queued: the
// user wants it by them and could be reached.
func (n *Notices) NotifyExcept(ctx context.Context, tx bun.Tx, to User, content mail.Content, except []Channel) (
	queued []Channel, err error,
) {
	rule, err := ruleFor(content)
	if err != nil {
		return nil, err
	}
	wanted, err := n.wanted(ctx, tx, to.ID, rule)
	if err != nil {
		return nil, err
	}
	for _, by := range Channels {
		if !wanted[by] || slices.Contains(except, by) {
			continue
		}
		isQueued, err := n.send(ctx, tx, to, by, content, rule.Page)
		if err != nil {
			return nil, err
		}
		if isQueued {
			queued = append(queued, by)
		}
	}
	return queued, nil
}

// send queues a notice that leads to page by one channel; nothing where the user cannot be reached by it.
func (n *Notices) send(ctx context.Context, tx bun.Tx, to User, by Channel, content mail.Content, page string) (
	queued bool, err error,
) {
	msg := mail.Message{To: to.Email, Lang: to.Lang, Content: content}
	switch {
	case by == ByMail:
		return true, n.mails.Send(ctx, tx, msg)
	case by == ByPush && n.push != nil:
		return n.push.Queue(ctx, tx, to.ID, func() (webpush.Notice, error) { return n.brief(msg, page) })
	case by == ByPush:
		return false, nil
	}
	if reached, err := n.ReachedByBot(ctx, to); err != nil || !reached.Linked {
		return false, err
	}
	letter, err := n.mails.Write(msg)
	if err != nil {
		return false, err
	}
	return true, n.bot.Tell(ctx, tx, to, content, letter.Text)
}

// wanted returns by which channels a user is notified of an event.
func (n *Notices) wanted(ctx context.Context, idb bun.IDB, userID int64, rule Rule) (map[Channel]bool, error) {
	wanted := map[Channel]bool{}
	for _, by := range Channels {
		wanted[by] = rule.Default(by)
	}
	var chosen []choice
	if err := idb.NewSelect().Model(&chosen).Where("user_id = ? AND event = ?", userID, rule.Event).
		Scan(ctx); err != nil {
		return nil, err
	}
	for _, c := range chosen {
		wanted[c.Channel] = rule.Has(c.Channel) && c.Wanted || slices.Contains(rule.Mandatory, c.Channel)
	}
	return wanted, nil
}

// Choices returns for each event and channel whether the user is notified, in the order of Rules and Channels.
func (n *Notices) Choices(ctx context.Context, userID int64) ([]Choice, error) {
	var chosen []choice
	if err := n.db.NewSelect().Model(&chosen).Where("user_id = ?", userID).Scan(ctx); err != nil {
		return nil, err
	}
	list := make([]Choice, 0, len(Rules)*len(Channels))
	for _, rule := range Rules {
		for _, by := range Channels {
			if !rule.Has(by) {
				continue
			}
			c := Choice{rule.Event, by, rule.Default(by)}
			for _, own := range chosen {
				if own.Event == rule.Event && own.Channel == by {
					c.Wanted = own.Wanted || slices.Contains(rule.Mandatory, by)
				}
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// Wants tells whether the user is notified of an event by a channel.
func (n *Notices) Wants(ctx context.Context, idb bun.IDB, userID int64, event Event, by Channel) (bool, error) {
	rule, ok := ruleOf(event)
	if !ok {
		return false, nil
	}
	wanted, err := n.wanted(ctx, idb, userID, rule)
	return wanted[by], err
}

// Choose stores what the user chose: ErrMandatory where that is to turn off what cannot be. What is not named stays.
func (n *Notices) Choose(ctx context.Context, userID int64, choices ...Choice) error {
	return n.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		return n.ChooseIn(ctx, tx, userID, choices...)
	})
}

// ChooseIn is Choose as part of tx.
func (n *Notices) ChooseIn(ctx context.Context, tx bun.Tx, userID int64, choices ...Choice) error {
	for _, c := range choices {
		rule, ok := ruleOf(c.Event)
		if !ok || !slices.Contains(Channels, c.Channel) || !rule.Has(c.Channel) {
			return errors.New("notify: unknown event or channel")
		}
		if !c.Wanted && slices.Contains(rule.Mandatory, c.Channel) {
			return ErrMandatory
		}
		row := choice{UserID: userID, Event: c.Event, Channel: c.Channel, Wanted: c.Wanted, UpdatedAt: n.db.Now()}
		if _, err := tx.NewInsert().Model(&row).On("CONFLICT (user_id, event, channel) DO UPDATE").
			Set("wanted = EXCLUDED.wanted").Set("updated_at = EXCLUDED.updated_at").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Unwilling returns those of the users who are not to be notified of an event by a channel.
func (n *Notices) Unwilling(ctx context.Context, event Event, by Channel, userIDs []int64) (map[int64]bool, error) {
	unwilling := map[int64]bool{}
	rule, _ := ruleOf(event)
	if !rule.Default(by) {
		for _, id := range userIDs {
			unwilling[id] = true
		}
	}
	if len(userIDs) == 0 || slices.Contains(rule.Mandatory, by) {
		return unwilling, nil
	}
	var chosen []choice
	err := n.db.NewSelect().Model(&chosen).Where("event = ? AND channel = ?", event, by).
		Where("user_id IN (?)", bun.List(userIDs)).Scan(ctx)
	for _, c := range chosen {
		unwilling[c.UserID] = !c.Wanted
	}
	return unwilling, err
}

// Test sends the user a notice by one channel, whatever they chose: ErrUnavailable where it does not reach them.
func (n *Notices) Test(ctx context.Context, to User, by Channel, key string) error {
	if err := n.tests.Allow(key); err != nil {
		return err
	}
	if by == ByTelegram {
		if reached, err := n.ReachedByBot(ctx, to); err != nil {
			return err
		} else if !reached.Linked {
			return ErrUnavailable
		}
	}
	if by == ByPush {
		if devices, err := n.Devices(ctx, to.ID); err != nil {
			return err
		} else if len(devices) == 0 {
			return ErrUnavailable
		}
	}
	return n.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := n.send(ctx, tx, to, by, mail.NoticeTest{}, "/user/account/notices")
		return err
	})
}

// ByBot tells whether Telegram reaches a user.
type ByBot struct {
	Exists bool // the site has a bot
	Linked bool // and the user linked it
}

// ReachedByBot tells whether Telegram reaches the user.
func (n *Notices) ReachedByBot(ctx context.Context, to User) (r ByBot, err error) {
	if n.bot == nil {
		return r, nil
	}
	r.Exists, err = n.bot.Configured(ctx)
	r.Linked = r.Exists && to.TelegramID != nil
	return r, err
}

// Close forgets what a user chose whose account is closed, and their browsers.
func (n *Notices) Close(ctx context.Context, tx bun.Tx, userID int64) error {
	if err := n.EndPush(ctx, tx, userID); err != nil {
		return err
	}
	_, err := tx.NewDelete().Model((*choice)(nil)).Where("user_id = ?", userID).Exec(ctx)
	return err
}
