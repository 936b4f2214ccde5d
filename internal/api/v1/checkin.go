package v1

import (
	"net/http"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/checkin"
	"airstrip/internal/setting"
)

// CheckIn adds the older routes of the daily check-in.
func (r *Router) CheckIn(c *checkin.CheckIns, settings *setting.Settings) {
	r.user("GET /v1/user/checkin", nil, func(req *http.Request, who account.Identity, _ Input) (Answer, error) {
		status, err := c.Status(req.Context(), who.UserID)
		if err != nil {
			return Answer{}, err
		}
		site := settings.Get()
		data := map[string]any{
			"state": status.State, "can_checkin": status.State == checkin.Open, "streak": status.Streak,
			"min_bytes": int64(site.CheckInMinMB) << 20, "max_bytes": int64(site.CheckInMaxMB) << 20,
			"next_at": status.NextAt, "last_bytes": nil,
		}
		if status.Today != nil {
			data["last_bytes"] = status.Today.Bytes
		}
		return Answer{Data: data}, nil
	})
	r.user("POST /v1/user/checkin", verified, func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		from := answeredBy(req, in)
		given, err := c.CheckIn(req.Context(), who.UserID, from.Captcha, from.IP)
		if err != nil {
			return Answer{}, err
		}
		return Answer{Msg: given.Text().In(api.CallerOf(req.Context()).Lang), Data: map[string]any{
			"bytes": given.Bytes, "streak": given.Streak, "is_bonus": given.IsBonus(), "expires_at": given.ExpiresAt,
		}}, nil
	})
}
