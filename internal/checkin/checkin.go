// Package checkin owns the daily check-ins: once on each day of the site a user gets some traffic as a package. The
// account is locked while it is given and the schema allows one row per user and day, so that calls at the same time
// give it once. What is given has no worth in money: no order refers to the package, so nothing of it is ever refunded.
package checkin

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
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

	// leastDays is how long the traffic lasts at least, the day of the check-in included. It ends with the month, but
	// on the last days of a month users expect more than some hours to use it.
	leastDays = 7

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
}

// New gives the check-ins kept in d.
func New(d *db.DB, settings *setting.Settings, accounts *account.Accounts, services *service.Services,
	captchas *captcha.Captchas,
) *CheckIns {
	return &CheckIns{d, settings, accounts, services, captchas}
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
	var given *CheckIn
	err = c.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		given, err = c.give(ctx, tx, userID, &network)
		return err
	})
	return given, err
}

// CheckInByTelegram gives today's traffic to the user of a linked Telegram account, as part of tx. Where a captcha is
// always asked for it is captcha.ErrRequired: the bot can show none.
func (c *CheckIns) CheckInByTelegram(ctx context.Context, tx bun.Tx, userID int64) (*CheckIn, error) {
	if err := c.captchas.Require(ctx, captcha.CheckIn, false, "", netip.Addr{}); err != nil {
		return nil, err
	}
	return c.give(ctx, tx, userID, nil)
}

func (c *CheckIns) give(ctx context.Context, tx bun.Tx, userID int64, network *string) (*CheckIn, error) {
	u, err := c.accounts.Lock(ctx, tx, userID) // a second call, a ban and the closing of the account wait here
	if err != nil {
		return nil, err
	}
	now := c.now()
	last, err := c.last(ctx, tx, userID)
	if err != nil {
		return nil, err
	}
	status, err := c.status(ctx, tx, u, last)
	if err != nil {
		return nil, err
	}
	if err := status.fault(); err != nil {
		return nil, err
	}
	given := &CheckIn{
		UserID: userID, Day: DayOf(now), Streak: 1, Network: network, CreatedAt: c.db.Now(),
		ExpiresAt: expiry(now),
	}
	if last != nil && last.Day == given.Day-1 {
		given.Streak = last.Streak + 1
	}
	given.Bytes = amount(c.settings.Get(), given.IsBonus())
	p, err := c.services.AddPackage(ctx, tx, service.PackageTerms{
		UserID: userID, Name: "签到流量", Names: fault.ByLang{fault.EN: "Check-in traffic"}, Kind: service.CheckIn,
		Bytes: given.Bytes, ExpiresAt: &given.ExpiresAt,
	})
	if err != nil {
		return nil, err
	}
	given.PackageID = p.ID
	if _, err := tx.NewInsert().Model(given).Exec(ctx); err != nil {
		if err = db.Error(err); errors.Is(err, db.ErrUnique) {
			err = ErrDone.Because(err)
		}
		return nil, err
	}
	return given, nil
}

// amount gives a random number of whole megabytes between the two settings, or the upper one.
func amount(site setting.Site, isBonus bool) int64 {
	if isBonus {
		return int64(site.CheckInMaxMB) * megabyte
	}
	return (int64(site.CheckInMinMB) + rand.Int64N(int64(site.CheckInMaxMB-site.CheckInMinMB)+1)) * megabyte
}

// expiry gives when traffic given at now ends: with the month of the site, and not before leastDays are over.
func expiry(now time.Time) time.Time {
	y, m, d := now.Date()
	end := time.Date(y, m+1, 1, 0, 0, 0, 0, now.Location())
	if least := time.Date(y, m, d+leastDays, 0, 0, 0, 0, now.Location()); least.After(end) {
		end = least
	}
	return end.UTC()
}

// last gives the user's newest check-in; nil: there is none.
func (c *CheckIns) last(ctx context.Context, idb bun.IDB, userID int64) (*CheckIn, error) {
	var found []CheckIn
	err := idb.NewSelect().Model(&found).Where("user_id = ?", userID).OrderExpr("day DESC").Limit(1).Scan(ctx)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
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
	default:
		s.State = Open
		if c.db.Now().Sub(u.CreatedAt) < newcomerTime {
			break
		}
		runs, err := c.services.HasRunning(ctx, idb, u.ID)
		if err != nil {
			return Status{}, err
		}
		if !runs {
			s.State = NotEligible
		}
	}
	return s, nil
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
