package user

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/setting"
)

type inviteResult struct {
	InviteCode      string        `json:"invite_code"`
	InviteLink      string        `json:"invite_link"`
	TotalInvites    int64         `json:"total_invites"`
	TotalCommission money.Amount  `json:"total_commission" doc:"All that was earned and not taken back by refunds"`
	CommissionRate  money.Amount  `json:"commission_rate" doc:"Part of what the invited pay: 0.10 is a tenth"`
	RatePermille    int64         `json:"commission_permille" doc:"The same in thousandths, exact"`
	InvitedUsers    []invitedUser `json:"invited_users" doc:"The newest 50"`
	Released        money.Amount  `json:"released" doc:"Commission that can be moved into the wallet"`
	Pending         money.Amount  `json:"pending" doc:"Commission that is not released yet"`
	PayingOut       money.Amount  `json:"paying_out" doc:"Released commission that is held until staff has paid it"`
	PayoutMin       *money.Amount `json:"payout_min,omitempty" doc:"The least that is paid outside of the site; absent: nothing is"`
	Owed            money.Amount  `json:"owed" doc:"Commission that was withdrawn and taken back later; what is released next pays it first"`
	ReleaseDays     int           `json:"release_days" doc:"Days until a commission is released"`
	FirstOrderOnly  bool          `json:"first_order_only"`
	InvitesLeft     *int64        `json:"invites_left" nullable:"true" doc:"null: no limit"`
	InvitePrice     *money.Amount `json:"invite_price,omitempty" doc:"Of one more invite; absent: not for sale"`
}

type invitedUser struct {
	UserID           int64        `json:"user_id"`
	Username         string       `json:"username"`
	RegisteredAt     time.Time    `json:"registered_at"`
	CommissionEarned money.Amount `json:"commission_earned"`
	Status           string       `json:"status" enum:"registered,paid" doc:"paid: has bought something"`
}

func newInvitedUsers(people []invite.Person) []invitedUser {
	out := []invitedUser{}
	for _, p := range people {
		status := "registered"
		if p.Orders > 0 {
			status = "paid"
		}
		out = append(out, invitedUser{p.UserID, p.Name, p.JoinedAt, p.Earned, status})
	}
	return out
}

type inviteRecords struct {
	Records    []invitedUser `json:"records" doc:"Newest first"`
	TotalCount int64         `json:"total_count"`
}

type commissionList struct {
	Commissions []v2.CommissionItem `json:"commissions" doc:"Newest first"`
	TotalCount  int64               `json:"total_count"`
}

type withdrawalBody struct {
	Amount v2.AmountInput `json:"amount"`
}

// Invites adds what a user earns by bringing in others. site is the address of the site without a closing slash.
func Invites(i *invite.Invites, settings *setting.Settings, site string) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/invite").OpenToVisits().
			Named("invite_get", "The user's invite link and what it earned"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (inviteResult, error) {
				e, err := i.Earnings(ctx, who.UserID)
				if err != nil {
					return inviteResult{}, err
				}
				b := e.Balance
				people, err := i.People(ctx, who.UserID, 50, 0)
				s := settings.Get()
				out := inviteResult{
					InviteCode: e.Code, InviteLink: inviteLink(site, e.Code),
					TotalInvites: e.Invited, TotalCommission: e.Total,
					CommissionRate: money.Amount(e.Permille / 10), RatePermille: e.Permille,
					InvitedUsers: newInvitedUsers(people), Released: b.Commission, Pending: b.Pending,
					PayingOut: b.PayingOut,
					Owed:      e.Owed, ReleaseDays: s.CommissionDays, FirstOrderOnly: s.CommissionFirstOnly,
					InvitesLeft: e.Remaining,
				}
				if s.PayoutMin > 0 {
					out.PayoutMin = &s.PayoutMin
				}
				if s.InvitePrice > 0 && e.Remaining != nil {
					out.InvitePrice = &s.InvitePrice
				}
				return out, err
			})

		type part struct {
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.UserOp("GET /user/invite/record").OpenToVisits().
			Named("invite_records", "Whom the user brought in"),
			func(ctx context.Context, who account.Identity, in *part) (inviteRecords, error) {
				e, err := i.Earnings(ctx, who.UserID)
				if err != nil {
					return inviteRecords{}, err
				}
				people, err := i.People(ctx, who.UserID, in.Limit, in.Offset)
				return inviteRecords{newInvitedUsers(people), e.Invited}, err
			})
		v2.Handle(r, v2.UserOp("GET /user/invite/commissions").OpenToVisits().
			Named("invite_commissions", "What the user earned by the orders of others"),
			func(ctx context.Context, who account.Identity, in *part) (commissionList, error) {
				filter := invite.CommissionFilter{InviterID: who.UserID}
				earned, total, err := i.Commissions(ctx, filter, in.Limit, in.Offset)
				out := commissionList{[]v2.CommissionItem{}, total}
				for _, e := range earned {
					out.Commissions = append(out.Commissions, v2.NewCommissionItem(e))
				}
				return out, err
			})

		addPayouts(r, i)
		addInviteCodes(r, i, settings, site)

		v2.Handle(r, v2.UserOp("POST /user/invite/withdraw").
			Named("invite_withdraw", "Move released commission into the wallet").WithKey().
			Answering(fault.Text{ZH: "已转入钱包", EN: "It is in the wallet"}),
			func(ctx context.Context, who account.Identity, in *v2.Body[withdrawalBody]) (v2.Empty, error) {
				return v2.Empty{}, i.Withdraw(ctx, who.UserID, in.Body.Amount.Amount)
			})
	}
}
