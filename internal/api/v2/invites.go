package v2

import (
	"context"
	"net/http"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/fault"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/setting"
	"airstrip/internal/wallet"
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

// CommissionItem is what one order earned its inviter; exported because it is embedded.
type CommissionItem struct {
	No        int64        `json:"no"`
	CreatedAt time.Time    `json:"created_at"`
	Username  string       `json:"username" doc:"Of who bought; empty: the account was closed"`
	Amount    money.Amount `json:"amount"`
	State     string       `json:"state" enum:"pending,released,reversed" doc:"reversed: the money of the order went back"`
	Owed      money.Amount `json:"owed" doc:"The part of a reversed commission that had been withdrawn and that no later commission has paid yet"`
	Settled   money.Amount `json:"settled" doc:"The part of a released commission that paid what was owed of reversed ones"`
	ReleaseAt time.Time    `json:"release_at"`
}

func newCommissionItem(e invite.Earned) CommissionItem {
	return CommissionItem{e.ID, e.CreatedAt, e.Buyer, e.Amount, string(e.State), e.Owed, e.Settled, e.ReleaseAt}
}

type staffCommission struct {
	CommissionItem
	InviterID int64 `json:"inviter_id" doc:"Who earned it, or owes it"`
	BuyerID   int64 `json:"buyer_id"`
	OrderNo   int64 `json:"order_no"`
}

type staffCommissionList struct {
	Commissions []staffCommission `json:"commissions" doc:"Newest first"`
	TotalCount  int64             `json:"total_count"`
}

type commissionList struct {
	Commissions []CommissionItem `json:"commissions" doc:"Newest first"`
	TotalCount  int64            `json:"total_count"`
}

type withdrawalBody struct {
	Amount AmountInput `json:"amount"`
}

// Invites adds what a user earns by bringing in others. site is the address of the site without a closing slash.
func Invites(i *invite.Invites, w *wallet.Wallets, settings *setting.Settings, site string) Resource {
	return func(r *Router) {
		handle(r, op{method: http.MethodGet, path: "/user/invite", id: "invite_get", tag: "user", access: user, summary: "The user's invite link and what it earned"},
			func(ctx context.Context, who account.Identity, _ *Empty) (inviteResult, error) {
				e, err := i.Earnings(ctx, who.UserID)
				if err != nil {
					return inviteResult{}, err
				}
				b, err := w.Balance(ctx, who.UserID)
				if err != nil {
					return inviteResult{}, err
				}
				people, err := i.People(ctx, who.UserID, 50, 0)
				s := settings.Get()
				out := inviteResult{
					InviteCode: e.Code, InviteLink: site + "/auth/sign-up?invite_code=" + e.Code, TotalInvites: e.Invited, TotalCommission: e.Total,
					CommissionRate: money.Amount(e.Permille / 10), RatePermille: e.Permille, InvitedUsers: newInvitedUsers(people), Released: b.Commission, Pending: b.Pending,
					Owed: e.Owed, ReleaseDays: s.CommissionDays, FirstOrderOnly: s.CommissionFirstOnly, InvitesLeft: e.Left,
				}
				if s.InvitePrice > 0 && e.Left != nil {
					out.InvitePrice = &s.InvitePrice
				}
				return out, err
			})

		type part struct {
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		handle(r, op{method: http.MethodGet, path: "/user/invite/record", id: "invite_records", tag: "user", access: user, summary: "Whom the user brought in"},
			func(ctx context.Context, who account.Identity, in *part) (inviteRecords, error) {
				e, err := i.Earnings(ctx, who.UserID)
				if err != nil {
					return inviteRecords{}, err
				}
				people, err := i.People(ctx, who.UserID, in.Limit, in.Offset)
				return inviteRecords{newInvitedUsers(people), e.Invited}, err
			})
		handle(r, op{method: http.MethodGet, path: "/user/invite/commissions", id: "invite_commissions", tag: "user", access: user, summary: "What the user earned by the orders of others"},
			func(ctx context.Context, who account.Identity, in *part) (commissionList, error) {
				filter := invite.CommissionFilter{InviterID: who.UserID}
				earned, total, err := i.Commissions(ctx, filter, in.Limit, in.Offset)
				out := commissionList{[]CommissionItem{}, total}
				for _, e := range earned {
					out.Commissions = append(out.Commissions, newCommissionItem(e))
				}
				return out, err
			})

		type staffPart struct {
			InviterID int64 `query:"inviter_id" minimum:"1" doc:"Only what this user earned"`
			Owed      bool  `query:"owed" doc:"Only what is still owed"`
			Limit     int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset    int64 `query:"offset" minimum:"0" default:"0"`
		}
		handle(r, staffOp("GET /staff/commissions", permission.RefundRead).
			named("staff_commissions_list", "What users earned by the orders of others, and what they owe of it"),
			func(ctx context.Context, _ account.Identity, in *staffPart) (staffCommissionList, error) {
				filter := invite.CommissionFilter{InviterID: in.InviterID, Owed: in.Owed}
				earned, total, err := i.Commissions(ctx, filter, in.Limit, in.Offset)
				out := staffCommissionList{[]staffCommission{}, total}
				for _, e := range earned {
					out.Commissions = append(out.Commissions, staffCommission{newCommissionItem(e), e.InviterID, e.UserID, e.OrderID})
				}
				return out, err
			})

		handle(r, op{
			method: http.MethodPost, path: "/user/invite/withdraw", id: "invite_withdraw", tag: "user", access: user, keyed: true,
			summary: "Move released commission into the wallet", message: fault.Text{ZH: "已转入钱包", EN: "It is in the wallet"},
		}, func(ctx context.Context, who account.Identity, in *body[withdrawalBody]) (Empty, error) {
			return Empty{}, i.Withdraw(ctx, who.UserID, in.Body.Amount.Amount)
		})
	}
}
