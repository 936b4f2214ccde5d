// Package checkin owns the daily check-ins: once on each day of the site a user gets some traffic as a package. The
// account is locked while it is given and the schema allows one row per user and day, so that calls at the same time
// give it once. What is given has no worth in money: no order refers to the package, so nothing of it is ever refunded.
package checkin

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/captcha"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/job"
	"airstrip/internal/limit"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/wallet"
)

const (
	// BonusStreak is how many days in a row give the upper bound, each time that so many are full.
	BonusStreak = 7

	// newcomerTime is how long after the sign-up a user may check in without a running service.
	newcomerTime = 30 * 24 * time.Hour

	// minDays is how long the traffic lasts at least, the day of the check-in included. It ends with the month, but
	// on the last days of a month users expect more than some hours to use it.
	minDays = 7

	// riskyAccounts is how many accounts of one network may check in on a day before a captcha set to "risk" is asked.
	riskyAccounts = 3

	// networkRetention is how many days networks are kept, which only the captcha needs.
	networkRetention = 2

	megabyte = 1 << 20
)

// Faults of check-ins.
var (
	ErrDone = fault.Conflict("checkin_done", "今天已签到，明天再来吧",
		"You have checked in today; come back tomorrow")
	ErrNotEligible = fault.Forbidden("checkin_not_eligible", "需要有使用中的套餐，或注册未满 30 天，才能签到",
		"Checking in takes a running plan, or an account that is not yet 30 days old")
	ErrOff = fault.Forbidden("checkin_off", "本站未开启签到", "There is no check-in on this site")
)

// CheckIns are all users' check-ins.
type CheckIns struct {
	db       *db.DB
	settings *setting.Settings
	accounts *account.Accounts
	services *service.Services
	captchas *captcha.Captchas

	mu      sync.Mutex
	waiting []*claim // of this process
	giving  bool     // somebody gives to those who wait
}

// New gives the check-ins kept in d.
func New(d *db.DB, settings *setting.Settings, accounts *account.Accounts, services *service.Services,
	captchas *captcha.Captchas,
) *CheckIns {
	return &CheckIns{db: d, settings: settings, accounts: accounts, services: services, captchas: captchas}
}

// Register puts the forgetting of networks on the timetable.
func (c *CheckIns) Register(q *job.Queue) {
	q.Every("checkin.forget", c.forget)
}

// Day is a day on the site's calendar, counted from 1970-01-01.
type Day int64

// DayOf gives the day of t in its own time zone.
func DayOf(t time.Time) Day {
	y, m, d := t.Date()
	return Day(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60))
}

// Date gives midnight of the day in UTC.
func (d Day) Date() time.Time { return time.Unix(int64(d)*24*60*60, 0).UTC() }

// String gives the day as 2006-01-02.
func (d Day) String() string { return d.Date().Format(time.DateOnly) }

// CheckIn is one day's check-in of a user.
type CheckIn struct {
	bun.BaseModel `bun:"table:checkin"`
	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	Day           Day
	Streak        int64 // days in a row, this one included
	Bytes         int64
	PackageID     int64
	Network       *string
	CreatedAt     time.Time
	ExpiresAt     time.Time `bun:"-"` // of the traffic; set where it was given just now
}

// IsBonus tells whether the streak gave the upper bound.
func (c *CheckIn) IsBonus() bool { return c.Streak%BonusStreak == 0 }

// Text says what was given, for clients that show nothing else.
func (c *CheckIn) Text() fault.Text {
	size := fmt.Sprintf("%d MB", c.Bytes/megabyte)
	return fault.Text{
		ZH: fmt.Sprintf("签到成功，获得 %s 流量，已连续签到 %d 天", size, c.Streak),
		EN: fmt.Sprintf("Checked in: %s of traffic, day %d in a row", size, c.Streak),
	}
}

// now gives the present time on the site's clock.
func (c *CheckIns) now() time.Time { return c.db.Now().In(c.settings.Get().Zone()) }

// CheckIn gives the user today's traffic. It is a fault where the user has it already, may not have it, or has to solve
// a captcha first; answer is that captcha's.
func (c *CheckIns) CheckIn(ctx context.Context, userID int64, answer string, ip netip.Addr) (*CheckIn, error) {
	// Who cannot check in hears of that before a captcha is asked for, and a second click costs no transaction.
	status, err := c.Status(ctx, userID)
	if err != nil {
		return nil, err
	}
	if err := status.fault(); err != nil {
		return nil, err
	}
	network := limit.Network(ip)
	var others int64
	err = c.db.NewSelect().Model((*CheckIn)(nil)).ColumnExpr("COUNT(*)").
		Where("day = ? AND network = ?", DayOf(c.now()), network).Scan(ctx, &others)
	if err != nil {
		return nil, err
	}
	if err := c.captchas.Require(ctx, captcha.CheckIn, others >= riskyAccounts, answer, ip); err != nil {
		return nil, err
	}
	return c.join(ctx, userID, network)
}

// CheckInByTelegram gives today's traffic to the user of a linked Telegram account, as part of tx. Where a captcha is
// always asked for it is captcha.ErrRequired: the bot can show none.
func (c *CheckIns) CheckInByTelegram(ctx context.Context, tx bun.Tx, userID int64) (*CheckIn, error) {
	if err := c.captchas.Require(ctx, captcha.CheckIn, false, "", netip.Addr{}); err != nil {
		return nil, err
	}
	answers, err := c.give(ctx, tx, []*claim{{userID: userID}})
	if err != nil {
		return nil, err
	}
	return answers[0].given, answers[0].err
}

// amount gives a random number of whole megabytes between the two settings, or the upper one.
func amount(site setting.Site, isBonus bool) int64 {
	if isBonus {
		return int64(site.CheckInMaxMB) * megabyte
	}
	return (int64(site.CheckInMinMB) + rand.Int64N(int64(site.CheckInMaxMB-site.CheckInMinMB)+1)) * megabyte
}

// expiry gives when traffic given at now ends: with the month of the site, and not before minDays are over.
func expiry(now time.Time) time.Time {
	y, m, d := now.Date()
	end := time.Date(y, m+1, 1, 0, 0, 0, 0, now.Location())
	if least := time.Date(y, m, d+minDays, 0, 0, 0, 0, now.Location()); least.After(end) {
		end = least
	}
	return end.UTC()
}

// last gives the user's newest check-in; nil: there is none.
func (c *CheckIns) last(ctx context.Context, idb bun.IDB, userID int64) (*CheckIn, error) {
	last, err := c.lastOf(ctx, idb, []int64{userID})
	return last[userID], err
}

// lastOf gives each user's newest check-in, which is of tomorrow at most, after a change of the site's time zone. A
// later one was written by a server whose clock was wrong, and is left out until its day.
func (c *CheckIns) lastOf(ctx context.Context, idb bun.IDB, userIDs []int64) (map[int64]*CheckIn, error) {
	var found []CheckIn
	err := idb.NewSelect().Model(&found).Where("user_id IN (?)", bun.List(userIDs)).
		Where("day = (SELECT MAX(day) FROM checkin AS newest WHERE newest.user_id = ?TableAlias.user_id AND newest.day <= ?)",
			DayOf(c.now())+1).Scan(ctx)
	last := make(map[int64]*CheckIn, len(found))
	for i := range found {
		last[found[i].UserID] = &found[i]
	}
	return last, err
}

// State says whether a user can check in now.
type State string

// The states of a user's check-in.
const (
	Open        State = "open"
	Done        State = "done" // for today
	NotEligible State = "not_eligible"
	Banned      State = "banned"
	Off         State = "off" // for everybody
)

// Status is how a user's check-in stands.
type Status struct {
	State  State
	Streak int64     // days in a row up to today, or to yesterday while today's is open
	Today  *CheckIn  // nil while it is open
	NextAt time.Time // when the next day of the site begins
	Day    Day       // today
}

func (s Status) fault() error {
	switch s.State {
	case Done:
		return ErrDone
	case NotEligible:
		return ErrNotEligible
	case Banned:
		return wallet.ErrBanned
	case Off:
		return ErrOff
	}
	return nil
}

// Status tells whether the user can check in now.
func (c *CheckIns) Status(ctx context.Context, userID int64) (Status, error) {
	u, err := c.accounts.User(ctx, userID)
	if err != nil {
		return Status{}, err
	}
	last, err := c.last(ctx, c.db, userID)
	if err != nil {
		return Status{}, err
	}
	return c.status(ctx, c.db, u, last)
}

// status is Status as idb sees it, of a user whose newest check-in is last.
func (c *CheckIns) status(ctx context.Context, idb bun.IDB, u account.User, last *CheckIn) (Status, error) {
	runs, err := c.running(ctx, idb, []account.User{u})
	if err != nil {
		return Status{}, err
	}
	return c.statusOf(u, last, runs[u.ID]), nil
}

// running returns which of the users have a running service. Newcomers need none and are not looked at.
func (c *CheckIns) running(ctx context.Context, idb bun.IDB, users []account.User) (map[int64]bool, error) {
	var ids []int64
	for _, u := range users {
		if !c.isNewcomer(u) {
			ids = append(ids, u.ID)
		}
	}
	return c.services.Running(ctx, idb, ids)
}

func (c *CheckIns) isNewcomer(u account.User) bool { return c.db.Now().Sub(u.CreatedAt) < newcomerTime }

// statusOf is the status of a user whose newest check-in is last, with or without a running service.
func (c *CheckIns) statusOf(u account.User, last *CheckIn, runs bool) Status {
	now := c.now()
	y, m, d := now.Date()
	s := Status{Day: DayOf(now), NextAt: time.Date(y, m, d+1, 0, 0, 0, 0, now.Location()).UTC()}
	if last != nil && last.Day >= s.Day-1 {
		s.Streak = last.Streak
	}
	switch {
	case !c.settings.Get().CheckIn:
		s.State = Off
	case u.Banned():
		s.State = Banned
	case last != nil && last.Day >= s.Day: // later than today after the site's time zone was changed
		s.State, s.Today = Done, last
	case !runs && !c.isNewcomer(u):
		s.State = NotEligible
	default:
		s.State = Open
	}
	return s
}

// Between gives the user's check-ins from one day to another, both included, oldest first.
func (c *CheckIns) Between(ctx context.Context, userID int64, from, to Day) (found []CheckIn, err error) {
	err = c.db.NewSelect().Model(&found).Where("user_id = ? AND day BETWEEN ? AND ?", userID, from, to).
		OrderExpr("day").Scan(ctx)
	return found, err
}

// Close forgets the user's check-ins, as part of the closing of the account, which has locked it.
func (c *CheckIns) Close(ctx context.Context, tx bun.Tx, userID int64) error {
	_, err := tx.NewDelete().Model((*CheckIn)(nil)).Where("user_id = ?", userID).Exec(ctx)
	return err
}

func (c *CheckIns) forget(ctx context.Context) error {
	return c.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewUpdate().Model((*CheckIn)(nil)).Set("network = NULL").
			Where("network IS NOT NULL AND day < ?", DayOf(c.now())-networkRetention).Exec(ctx)
		return err
	})
}
