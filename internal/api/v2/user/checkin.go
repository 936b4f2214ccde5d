package user

import (
	"context"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/checkin"
	"airstrip/internal/setting"
)

type checkInResult struct {
	State       checkin.State `json:"state" enum:"open,done,not_eligible,banned,off" doc:"not_eligible: no plan runs and the account is older than 30 days"`
	Today       string        `json:"today" format:"date" doc:"In the site's time zone"`
	Streak      int64         `json:"streak" doc:"Days in a row up to today, or to yesterday while today is open"`
	BonusStreak int64         `json:"bonus_streak" doc:"Each time that so many days in a row are full the day gives max_bytes"`
	MinBytes    int64         `json:"min_bytes" doc:"The least that a day gives"`
	MaxBytes    int64         `json:"max_bytes" doc:"The most"`
	NextAt      time.Time     `json:"next_at" doc:"When the next day of the site begins"`
	Days        []checkInDay  `json:"days" doc:"Those of the month on which the user checked in, oldest first"`
}

type checkInDay struct {
	Date   string `json:"date" format:"date"`
	Bytes  int64  `json:"bytes"`
	Streak int64  `json:"streak"`
}

type checkInBody struct {
	VerifyToken *string `json:"verify_token,omitempty" nullable:"true" maxLength:"4096" doc:"Of a solved captcha of the kind checkin, where one is asked for"`
}

type checkedIn struct {
	Date      string    `json:"date" format:"date"`
	Bytes     int64     `json:"bytes"`
	Streak    int64     `json:"streak"`
	IsBonus   bool      `json:"is_bonus" doc:"Whether the streak gave the most"`
	ExpiresAt time.Time `json:"expires_at" doc:"Of the traffic: the end of the month, and at least 7 days"`
}

// checkInAnswer has a message of its own: older clients show nothing else.
type checkInAnswer struct {
	Body v2.Envelope[checkedIn]
}

// CheckIns adds the daily check-in.
func CheckIns(c *checkin.CheckIns, settings *setting.Settings) v2.Resource {
	return func(r *v2.Router) {
		type month struct {
			Month string `query:"month" pattern:"^(19|[2-9][0-9])[0-9]{2}-(0[1-9]|1[0-2])$" doc:"Of the days, as 2026-11; the present month by default"`
		}
		v2.Handle(r, v2.UserOp("GET /user/services-old/checkin").OpenToVisits().
			Named("checkin_get", "Whether the user can check in today, and the days of a month"),
			func(ctx context.Context, who account.Identity, in *month) (checkInResult, error) {
				status, err := c.Status(ctx, who.UserID)
				if err != nil {
					return checkInResult{}, err
				}
				from, to := monthOf(status.Day.Date(), in.Month)
				days, err := c.Between(ctx, who.UserID, from, to)
				return showCheckIn(status, days, settings.Get()), err
			})

		op := v2.UserOp("POST /user/services-old/checkin").
			Named("checkin_post", "Check in; once on each day of the site, 409 checkin_done after that")
		v2.HandleOutput(r, op, func(ctx context.Context, who account.Identity, in *struct{ Body *checkInBody }) (
			*checkInAnswer, error,
		) {
			answer := ""
			if in.Body != nil && in.Body.VerifyToken != nil {
				answer = *in.Body.VerifyToken
			}
			given, err := c.CheckIn(ctx, who.UserID, answer, api.CallerOf(ctx).IP)
			if err != nil {
				return nil, err
			}
			return &checkInAnswer{v2.NewEnvelope(given.Text().In(api.CallerOf(ctx).Lang), checkedIn{
				given.Day.String(), given.Bytes, given.Streak, given.IsBonus(), given.ExpiresAt,
			})}, nil
		})
	}
}

// monthOf gives the first and the last day of a month, as 2026-11, or of today's where it is empty.
func monthOf(today time.Time, month string) (first, last checkin.Day) {
	if asked, err := time.Parse("2006-01", month); err == nil {
		today = asked
	}
	begin := time.Date(today.Year(), today.Month(), 1, 0, 0, 0, 0, time.UTC)
	return checkin.DayOf(begin), checkin.DayOf(begin.AddDate(0, 1, -1))
}

func showCheckIn(s checkin.Status, days []checkin.CheckIn, site setting.Site) checkInResult {
	out := checkInResult{
		State: s.State, Today: s.Day.String(), Streak: s.Streak, BonusStreak: checkin.BonusStreak,
		MinBytes: int64(site.CheckInMinMB) << 20, MaxBytes: int64(site.CheckInMaxMB) << 20, NextAt: s.NextAt,
		Days: []checkInDay{},
	}
	for _, d := range days {
		out.Days = append(out.Days, checkInDay{d.Day.String(), d.Bytes, d.Streak})
	}
	return out
}
