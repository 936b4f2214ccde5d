package user

import (
	"context"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/setting"
)

type inviteCodeItem struct {
	Code       string       `json:"code"`
	Link       string       `json:"link"`
	Label      string       `json:"label" doc:"What the user calls it; empty: nothing"`
	IsGiven    bool         `json:"is_given" doc:"Whether it is the one that every account has, which cannot be removed"`
	IsDisabled bool         `json:"is_disabled" doc:"Nobody can sign up with it"`
	SignUps    int64        `json:"sign_ups"`
	Payers     int64        `json:"payers" doc:"Who signed up with it and bought something"`
	Commission money.Amount `json:"commission" doc:"All that it earned and that was not taken back by refunds"`
}

type inviteCodeList struct {
	Codes     []inviteCodeItem `json:"codes" doc:"The given one first, then as they were made"`
	MostCodes int              `json:"most_codes" doc:"How many a user may have beside the given one"`
	LeastSize int              `json:"least_size" doc:"Characters that a chosen code has at least"`
}

type inviteCodeNew struct {
	Code  string `json:"code,omitempty" maxLength:"32" doc:"Letters, digits, - and _, whatever their case; absent: made up"`
	Label string `json:"label,omitempty" maxLength:"40"`
}

type inviteCodeChange struct {
	Code string `path:"code" maxLength:"32"`
	Body struct {
		Label      *string `json:"label,omitempty" maxLength:"40"`
		IsDisabled *bool   `json:"is_disabled,omitempty"`
	}
}

type invitesBought struct {
	Left int64 `json:"left" doc:"People whom the user may still bring in"`
}

type invitesWanted struct {
	Count int64 `json:"count" minimum:"1" maximum:"100"`
}

// addInviteCodes adds the codes that users make themselves, and buying more invites.
func addInviteCodes(r *v2.Router, i *invite.Invites, settings *setting.Settings, site string) {
	item := func(c *invite.Code) inviteCodeItem {
		return inviteCodeItem{
			Code: c.Code, Link: inviteLink(site, c.Code), Label: c.Label, IsGiven: c.IsGiven,
			IsDisabled: c.DisabledAt != nil, SignUps: c.SignUps, Payers: c.Payers, Commission: c.Commission,
		}
	}
	v2.Handle(r, v2.UserOp("GET /user/invite/codes").OpenToVisits().
		Named("invite_codes", "The user's invite codes and what each brought"),
		func(ctx context.Context, who account.Identity, _ *v2.Empty) (inviteCodeList, error) {
			codes, err := i.Codes(ctx, who.UserID)
			s := settings.Get()
			out := inviteCodeList{[]inviteCodeItem{}, s.InviteCodes, s.InviteCodeMin}
			for n := range codes {
				out.Codes = append(out.Codes, item(&codes[n]))
			}
			return out, err
		})
	v2.Handle(r, v2.UserOp("POST /user/invite/codes").
		Named("invite_code_add", "Make another invite code, with a text of the user's own choice or not"),
		func(ctx context.Context, who account.Identity, in *v2.Body[inviteCodeNew]) (inviteCodeItem, error) {
			made, err := i.AddCode(ctx, who.UserID, in.Body.Code, in.Body.Label)
			if err != nil {
				return inviteCodeItem{}, err
			}
			return item(made), nil
		})
	v2.Handle(r, v2.UserOp("PATCH /user/invite/codes/{code}").
		Named("invite_code_change", "Name an invite code, disable it or let people sign up with it again"),
		func(ctx context.Context, who account.Identity, in *inviteCodeChange) (v2.Empty, error) {
			return v2.Empty{}, i.ChangeCode(ctx, who.UserID, in.Code, invite.CodeChange{
				Label: in.Body.Label, Disabled: in.Body.IsDisabled,
			})
		})
	type which struct {
		Code string `path:"code" maxLength:"32"`
	}
	v2.Handle(r, v2.UserOp("DELETE /user/invite/codes/{code}").
		Named("invite_code_remove", "Remove an invite code that nobody has used"),
		func(ctx context.Context, who account.Identity, in *which) (v2.Empty, error) {
			return v2.Empty{}, i.RemoveCode(ctx, who.UserID, in.Code)
		})
	v2.Handle(r, v2.UserOp("POST /user/invite/buy").WithKey().
		Named("invite_buy", "Buy invites from the wallet, at the site's price"),
		func(ctx context.Context, who account.Identity, in *v2.Body[invitesWanted]) (invitesBought, error) {
			left, err := i.Buy(ctx, who.UserID, in.Body.Count)
			return invitesBought{left}, err
		})
}

func inviteLink(site, code string) string { return site + "/auth/sign-up?invite_code=" + code }
