package v1

import (
	"net/http"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/invite"
)

// Invite adds the older route that sells invites. `num` is how many.
func (r *Router) Invite(i *invite.Invites) {
	r.user("POST /v1/user/buy_invite", params{need("num").as(integer)}, func(req *http.Request, who account.Identity,
		in Input,
	) (Answer, error) {
		remaining, err := i.Buy(req.Context(), who.UserID, in.Int("num"))
		if err != nil {
			return Answer{}, err
		}
		return Answer{
			Msg:  fault.Text{ZH: "购买成功", EN: "Bought"}.In(api.CallerOf(req.Context()).Lang),
			Data: map[string]any{"invite_num": remaining}, More: map[string]any{"invite_num": remaining},
		}, nil
	})
}
