package v1

import (
	"net/http"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/link"
	"airstrip/internal/service"
)

// Credentials adds the older ways to another link and to another password on nodes: the one that the form brings as
// sspwd where it is good, else one that is made.
func (r *Router) Credentials(links *link.Links, services *service.Services) {
	r.user("POST /v1/user/sspwd", params{may("sspwd", "password")}, func(req *http.Request, who account.Identity,
		in Input,
	) (Answer, error) {
		made := fault.Text{ZH: "已生成新的连接密码，请更新订阅", EN: "A new password was made; update your subscription"}
		err := error(nil)
		if in.Get("sspwd") == "" {
			err = links.ResetCredentials(req.Context(), who.UserID)
		} else {
			made = fault.Text{ZH: "连接密码已修改，请更新订阅", EN: "The password was changed; update your subscription"}
			err = services.ChooseCredentials(req.Context(), who.UserID, in.Get("sspwd"))
		}
		if err != nil {
			return Answer{}, err
		}
		access, err := services.Access(req.Context(), who.UserID)
		return Answer{Msg: made.In(api.CallerOf(req.Context()).Lang), Data: map[string]any{
			"sspwd": access.Password,
			"uuid":  access.UUID,
		}}, err
	})
	// A GET that changes something, as the original has it: no address alone calls it, since it takes a bearer.
	r.user("GET /v1/user/url_reset", nil, func(req *http.Request, who account.Identity, _ Input) (Answer, error) {
		token, err := links.Reset(req.Context(), who.UserID, false)
		if err != nil {
			return Answer{}, err
		}
		made := fault.Text{ZH: "已生成新的订阅链接，旧链接已失效", EN: "A new link was made; the old one has ended"}
		return Answer{Msg: made.In(api.CallerOf(req.Context()).Lang), Data: map[string]any{
			"token": token.Token,
			"url":   token.URLs[0], "urls": token.URLs,
		}}, nil
	})
}
