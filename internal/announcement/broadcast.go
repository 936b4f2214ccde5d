package announcement

import (
	"context"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/job"
	"airstrip/internal/mail"
	"airstrip/internal/markdown"
	"airstrip/internal/notify"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
)

// Channel is a way by which an announcement is sent.
type Channel string

// The channels.
const (
	ByMail     Channel = "mail"
	ByTelegram Channel = "telegram"
)

// State is how far a broadcast is.
type State string

// The states. A stopped broadcast may go on from where it was.
const (
	Running State = "running"
	Stopped State = "stopped"
	Done    State = "done"
)

// Broadcast is an announcement that is sent by one channel, to each user once.
type Broadcast struct {
	bun.BaseModel  `bun:"table:announcement_broadcast"`
	ID             int64 `bun:",pk,autoincrement"`
	AnnouncementID int64
	Channel        Channel
	State          State
	Step           int64
	PassedID       int64 // users were looked at up to this one
	LastID         int64 // the highest user when it began
	Users          int64 // how many there were when it began
	Passed         int64 // how many were looked at
	Queued         int64 // how many of those it is for, who want it
	PacedAt        time.Time
	StartedAt      time.Time
	EndedAt        *time.Time
}

// Bot is what tells users by Telegram.
type Bot interface {
	Configured(ctx context.Context) (bool, error)
	Notify(ctx context.Context, tx bun.Tx, telegramID int64, text string) error
	NoticesDue(ctx context.Context, most int64) (int64, error)
}

// Broadcasts send announcements by mail and Telegram. A broadcast is a row whose cursor moves in the transaction that
// queues the mails of the users that it passed; its steps are jobs, each adding the next one. So each user gets one,
// whatever is restarted and however many servers there are.
type Broadcasts struct {
	Config
}

// Config names what broadcasts are made from.
type Config struct {
	DB       *db.DB
	Key      seal.Key
	Settings *setting.Settings
	Accounts *account.Accounts
	Services *service.Services
	Mails    *mail.Mails
	Notices  *notify.Notices
	Bot      Bot
	Site     string // the address that users see, without closing slash
}

// NewBroadcasts gives the broadcasts stored in c.DB.
func NewBroadcasts(c Config) *Broadcasts { return &Broadcasts{c} }

// Faults of broadcasts.
var (
	ErrNotInForce = fault.Conflict("announcement_not_in_force", "公告未在有效期内，不能发送",
		"The announcement is not in force, so it cannot be sent")
	ErrRunning = fault.Conflict("broadcast_running", "这条公告正在发送", "This announcement is being sent already")
	ErrDone    = fault.Conflict("broadcast_done", "这条公告已经发送过", "This announcement was sent already")
	ErrIdle    = fault.Conflict("broadcast_not_running", "这条公告没有在发送", "This announcement is not being sent")
	ErrNoBot   = fault.Conflict("telegram_unset", "本站未设置 Telegram 机器人", "The site has no Telegram bot")
)

const (
	stepKind    = "announcement.broadcast"
	stepPause   = time.Second
	maxStep     = 5000 // users that one step queues mails for
	maxLooked   = 5000 // users that one step looks at
	maxTelegram = 1200 // a minute; Telegram takes 30 a second from a bot
	maxText     = 1800 // characters of a text by Telegram, which takes 4096 in all
)

type step struct{ ID, Step int64 }

// Register makes q run the steps.
func (b *Broadcasts) Register(q *job.Queue) {
	job.Handle(q, stepKind, b.step)
	q.Every("announcement.resume", b.resume)
}

// Reach counts the users to whom a channel would bring an announcement if it were sent now: ErrNone. By Telegram there
// are none while the site has no bot.
func (b *Broadcasts) Reach(ctx context.Context, announcementID int64, channel Channel) (int64, error) {
	var text Announcement
	err := b.DB.NewSelect().Model(&text).Where("id = ?", announcementID).Scan(ctx)
	if err != nil {
		return 0, db.OrMissing(err, ErrNone)
	}
	if channel == ByTelegram {
		if ok, err := b.Bot.Configured(ctx); err != nil || !ok {
			return 0, err
		}
	}
	m := &moved{next: Broadcast{Channel: channel}}
	if _, m.next.LastID, err = b.Accounts.RecipientCount(ctx, b.DB, channel == ByTelegram); err != nil {
		return 0, err
	}
	for m.next.State != Done {
		m.to = m.to[:0]
		if err := b.choose(ctx, m, &text, maxStep); err != nil {
			return 0, err
		}
	}
	return m.next.Queued, nil
}

// Start begins to send an announcement, or goes on with it where it was stopped: ErrNone, ErrNotInForce, ErrRunning,
// ErrDone, ErrNoBot. The reason is for the audit log.
func (b *Broadcasts) Start(ctx context.Context, announcementID int64, channel Channel, reason string) (
	one Broadcast, err error,
) {
	if channel == ByTelegram {
		if ok, err := b.Bot.Configured(ctx); err != nil || !ok {
			return one, errors.Join(err, unless(ok, ErrNoBot))
		}
	}
	err = b.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		text, err := db.LockRow[Announcement](ctx, tx, announcementID, ErrNone)
		if err != nil {
			return err
		}
		now := b.DB.Now()
		if !text.inForce(now) {
			return ErrNotInForce
		}
		present, err := locked(ctx, tx, "announcement_id = ? AND channel = ?", announcementID, channel)
		switch {
		case err != nil:
			return err
		case present == nil:
			one = Broadcast{AnnouncementID: announcementID, Channel: channel, StartedAt: now}
			one.Users, one.LastID, err = b.Accounts.RecipientCount(ctx, tx, channel == ByTelegram)
		case present.State == Running:
			err = ErrRunning
		case present.State == Done:
			err = ErrDone
		default:
			one = *present
		}
		if err != nil {
			return err
		}
		one.State, one.EndedAt, one.PacedAt, one.Step = Running, nil, now.Add(-stepPause), one.Step+1
		if one.ID == 0 {
			_, err = tx.NewInsert().Model(&one).Exec(ctx)
		} else {
			_, err = tx.NewUpdate().Model(&one).WherePK().Exec(ctx)
		}
		if err != nil {
			return err
		}
		if err := b.add(ctx, tx, &one, now); err != nil {
			return err
		}
		return record(ctx, tx, "announcement.broadcast", present, &one, reason)
	})
	return one, err
}

func unless(ok bool, err error) error {
	if ok {
		return nil
	}
	return err
}

func (one *Announcement) inForce(now time.Time) bool {
	return !now.Before(one.StartsAt) && (one.EndsAt == nil || now.Before(*one.EndsAt))
}

func locked(ctx context.Context, tx bun.Tx, where string, values ...any) (*Broadcast, error) {
	found := []Broadcast{}
	err := db.Locked(tx.NewSelect().Model(&found).Where(where, values...)).Scan(ctx)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

func record(ctx context.Context, tx bun.Tx, action string, before, after *Broadcast, reason string) error {
	entry := func(one *Broadcast) any {
		if one == nil {
			return nil
		}
		return map[string]any{"channel": one.Channel, "state": one.State, "users": one.Users, "queued": one.Queued}
	}
	return audit.Record(ctx, tx, action, audit.ID("announcement", after.AnnouncementID), entry(before), entry(after),
		reason)
}

// add adds the job of the present step.
func (b *Broadcasts) add(ctx context.Context, tx bun.Tx, one *Broadcast, at time.Time) error {
	return job.Add(ctx, tx, b.DB.Now(), stepKind, step{one.ID, one.Step},
		job.Options{At: at, Key: fmt.Sprintf("%d.%d", one.ID, one.Step)})
}

// Stop ends the sending of an announcement: ErrIdle. What is in the queue already is what the rate lets through in
// about two seconds.
func (b *Broadcasts) Stop(ctx context.Context, announcementID int64, channel Channel) (one Broadcast, err error) {
	err = b.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		was, err := locked(ctx, tx, "announcement_id = ? AND channel = ?", announcementID, channel)
		if err != nil {
			return err
		}
		if was == nil || was.State != Running {
			return ErrIdle
		}
		one = *was
		one.State, one.EndedAt = Stopped, new(b.DB.Now())
		if _, err := tx.NewUpdate().Model(&one).WherePK().Exec(ctx); err != nil {
			return err
		}
		return record(ctx, tx, "announcement.broadcast_stop", was, &one, "")
	})
	return one, err
}

// List gives the broadcasts of an announcement.
func (b *Broadcasts) List(ctx context.Context, announcementID int64) (list []Broadcast, err error) {
	there, err := b.DB.NewSelect().Model((*Announcement)(nil)).Where("id = ?", announcementID).Exists(ctx)
	if err == nil && !there {
		err = ErrNone
	}
	if err != nil {
		return nil, err
	}
	err = b.DB.NewSelect().Model(&list).Where("announcement_id = ?", announcementID).Order("id").Scan(ctx)
	return list, err
}

// resume adds the job of each running broadcast, should it have failed for good.
func (b *Broadcasts) resume(ctx context.Context) error {
	var running []Broadcast
	if err := b.DB.NewSelect().Model(&running).Where("state = ?", Running).Scan(ctx); err != nil || len(running) == 0 {
		return err
	}
	return b.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		for i := range running {
			if err := b.add(ctx, tx, &running[i], b.DB.Now()); err != nil {
				return err
			}
		}
		return nil
	})
}

// moved is what a step does: whom it looked at and what it sends them.
type moved struct {
	next    Broadcast
	batch   *mail.Batch
	to      []account.Recipient
	texts   []string // by Telegram, of each of to
	nextRun time.Time
}

// step sends the announcement to the next users. What it sends is written before the transaction, which only counts if
// nobody moved or stopped the broadcast meanwhile.
func (b *Broadcasts) step(ctx context.Context, s step) error {
	var found []Broadcast
	if err := b.DB.NewSelect().Model(&found).Where("id = ?", s.ID).Scan(ctx); err != nil {
		return err
	}
	if len(found) == 0 || found[0].State != Running || found[0].Step != s.Step {
		return nil
	}
	m, err := b.prepare(ctx, found[0])
	if err != nil {
		return err
	}
	return b.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		present, err := locked(ctx, tx, "id = ?", s.ID)
		if err != nil || present == nil || present.State != Running || present.Step != s.Step {
			return err
		}
		if m.batch != nil {
			if err := m.batch.Send(ctx, tx); err != nil {
				return err
			}
		}
		for i, text := range m.texts {
			if err := b.Bot.Notify(ctx, tx, *m.to[i].TelegramID, text); err != nil {
				return err
			}
		}
		next := m.next
		if _, err := tx.NewUpdate().Model(&next).WherePK().Exec(ctx); err != nil || next.State != Running {
			return err
		}
		return b.add(ctx, tx, &next, m.nextRun)
	})
}

func (b *Broadcasts) prepare(ctx context.Context, one Broadcast) (*moved, error) {
	now := b.DB.Now()
	m := &moved{next: one, nextRun: now.Add(stepPause)}
	m.next.Step++
	texts := []Announcement{}
	if err := b.DB.NewSelect().Model(&texts).Where("id = ?", one.AnnouncementID).Scan(ctx); err != nil {
		return nil, err
	}
	if len(texts) == 0 || !texts[0].inForce(now) {
		m.next.State, m.next.EndedAt = Stopped, &now
		return m, nil
	}
	if one.Channel == ByTelegram { // without a bot it waits
		if ok, err := b.Bot.Configured(ctx); err != nil || !ok {
			return m, err
		}
	}
	each, from := b.pace(&one, now)
	n, err := b.allowed(ctx, &one, int64(min(now.Sub(from)/each, maxStep)))
	if err != nil || n == 0 {
		return m, err
	}
	if err := b.choose(ctx, m, &texts[0], n); err != nil {
		return nil, err
	}
	m.next.PacedAt = from.Add(time.Duration(len(m.to)) * each)
	if len(m.to) == maxStep || int64(len(m.to)) < n {
		m.nextRun = now
	}
	if m.next.State == Done {
		m.next.EndedAt = &now
		slog.InfoContext(ctx, "an announcement was sent to its audience", "announcement", one.AnnouncementID, "by",
			one.Channel, "users", m.next.Queued)
	}
	return m, b.write(m, &texts[0])
}

// pace gives the time that one user takes of the rate, and from when on the rate was not used. What was not used two
// seconds ago is lost.
func (b *Broadcasts) pace(one *Broadcast, now time.Time) (each time.Duration, from time.Time) {
	rate := b.rate(one)
	each = max(time.Minute/time.Duration(rate), 1)
	from = one.PacedAt
	if earliest := now.Add(-max(2*stepPause, each)); from.Before(earliest) {
		from = earliest
	}
	return each, from
}

func (b *Broadcasts) rate(one *Broadcast) int64 {
	rate := int64(b.Settings.Get().BroadcastPerMinute)
	if one.Channel == ByTelegram {
		rate = min(rate, maxTelegram)
	}
	return rate
}

// allowed gives how many of n users may be queued while no more waits than the rate lets through in two seconds.
// So little is sent after a stop.
func (b *Broadcasts) allowed(ctx context.Context, one *Broadcast, n int64) (int64, error) {
	if n <= 0 {
		return 0, nil
	}
	most := max(2, b.rate(one)/30)
	count := b.Mails.BulkDue
	if one.Channel == ByTelegram {
		count = b.Bot.NoticesDue
	}
	due, err := count(ctx, most)
	return min(n, most-due), err
}

// choose looks at the next users until it has n that the announcement is for and who want it.
func (b *Broadcasts) choose(ctx context.Context, m *moved, text *Announcement, n int64) error {
	limit := n
	if text.Audience != ForAll {
		limit = maxLooked
	}
	users, err := b.Accounts.Recipients(ctx, m.next.PassedID, m.next.LastID, m.next.Channel == ByTelegram, limit)
	if err != nil {
		return err
	}
	ids := make([]int64, len(users))
	for i := range users {
		ids[i] = users[i].ID
	}
	holds := map[int64]service.Holding{}
	if text.Audience != ForAll {
		if holds, err = b.Services.Holdings(ctx, ids); err != nil {
			return err
		}
	}
	refused, err := b.Notices.Unwilling(ctx, notify.Announcement, notify.Channel(m.next.Channel), ids)
	if err != nil {
		return err
	}
	for _, u := range users {
		if int64(len(m.to)) == n {
			return nil
		}
		m.next.PassedID, m.next.Passed = u.ID, m.next.Passed+1
		h := holds[u.ID]
		if !refused[u.ID] && (text.Audience == ForAll || text.isFor(&h)) {
			m.to = append(m.to, u)
			m.next.Queued++
		}
	}
	if int64(len(users)) < limit {
		m.next.State = Done
	}
	return nil
}

// write writes what is sent to the users of m.
func (b *Broadcasts) write(m *moved, text *Announcement) (err error) {
	if len(m.to) == 0 {
		return nil
	}
	contents := map[fault.Lang]mail.Announcement{} // those of one language differ in the link only
	messages := make([]mail.Message, len(m.to))
	for i, u := range m.to {
		content, ok := contents[u.Lang]
		if !ok {
			title, body := text.In(u.Lang)
			content = mail.Announcement{
				Title: title, Text: markdown.TextFrom(b.Site+"/", body),
				URL:  b.Site + "/user/announcements/announcements",
				HTML: htmltemplate.HTML(markdown.HTMLFrom(b.Site+"/", body)),
			}
			contents[u.Lang] = content
		}
		content.Unsubscribe = b.UnsubscribeURL(u.ID)
		messages[i] = mail.Message{To: u.Email, Lang: u.Lang, Content: content}
	}
	if m.next.Channel == ByMail {
		m.batch, err = b.Mails.Prepare(messages)
		return err
	}
	for _, msg := range messages {
		m.texts = append(m.texts, chatText(msg.Lang, msg.Content.(mail.Announcement)))
	}
	return nil
}

var textUnsubscribe = fault.Text{ZH: "不再接收公告", EN: "No more announcements"}

// chatText is an announcement as the bot tells it. The page has what is too long for a message.
func chatText(lang fault.Lang, content mail.Announcement) string {
	text := content.Text
	if runes := []rune(text); len(runes) > maxText {
		text = strings.TrimSpace(string(runes[:maxText])) + "…"
	}
	parts := []string{
		content.Title, text, content.URL, textUnsubscribe.In(lang) + ": " + content.Unsubscribe,
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n\n")
}
