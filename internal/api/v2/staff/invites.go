package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/checkin"
	"airstrip/internal/console"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/wallet"
)

type staffCommission struct {
	v2.CommissionItem
	InviterID int64     `json:"inviter_id" doc:"Who earned it, or owes it"`
	Inviter   personRef `json:"inviter" doc:"Who earned it, or owes it"`
	BuyerID   int64     `json:"buyer_id"`
	Buyer     personRef `json:"buyer"`
	OrderNo   int64     `json:"order_no"`
}

type staffCommissionList struct {
	Commissions []staffCommission `json:"commissions" doc:"Newest first"`
	TotalCount  int64             `json:"total_count"`
}

type commissionFigure struct {
	State  string       `json:"state" enum:"pending,released,reversed"`
	Count  int64        `json:"count"`
	Amount money.Amount `json:"amount"`
}

type inviteCodeFigure struct {
	InviterID    int64        `json:"inviter_id"`
	InviterEmail string       `json:"inviter_email"`
	Code         string       `json:"code"`
	Label        string       `json:"label" doc:"What the inviter calls it"`
	IsDisabled   bool         `json:"is_disabled"`
	SignUps      int64        `json:"sign_ups"`
	Payers       int64        `json:"payers" doc:"Of them, who bought something"`
	Commission   money.Amount `json:"commission" doc:"That it brought and that was not taken back"`
}

type invitation struct {
	UserID       int64        `json:"user_id"`
	Email        string       `json:"email"`
	InviterID    int64        `json:"inviter_id"`
	InviterEmail string       `json:"inviter_email"`
	Code         string       `json:"code"`
	JoinedAt     time.Time    `json:"joined_at"`
	Orders       int64        `json:"orders" doc:"Paid ones"`
	Earned       money.Amount `json:"earned" doc:"By their orders, for the inviter"`
}

type checkInFigure struct {
	Date  string `json:"date" format:"date"`
	Users int64  `json:"users"`
	Bytes int64  `json:"bytes" doc:"Traffic given"`
}

type inviteFigures struct {
	From          time.Time          `json:"from"`
	SignUps       int64              `json:"sign_ups" doc:"Of people whom somebody invited"`
	Payers        int64              `json:"payers" doc:"Of them, who bought something"`
	Commissions   []commissionFigure `json:"commissions" doc:"Made in these days, by the state that they are in now"`
	Owed          money.Amount       `json:"owed" doc:"Of commissions that were taken back after their withdrawal, of all times"`
	OpenPayouts   int64              `json:"open_payouts" doc:"That staff is still to decide"`
	PayoutsAmount money.Amount       `json:"payouts_amount" doc:"Of those"`
	Codes         []inviteCodeFigure `json:"codes" doc:"The 20 that brought most people in during these days"`
	Newest        []invitation       `json:"newest" doc:"Who was invited last; the list of users has all, by inviter"`
	CheckIns      []checkInFigure    `json:"check_ins" doc:"Each of these days, the oldest first"`
}

// newestInvited is how many of those who were invited last the figures name.
const newestInvited = 20

func newInviteFigures(from time.Time, f invite.Figures, newest []invite.Invitation, days []checkin.DayFigure,
) inviteFigures {
	out := inviteFigures{
		From: from, SignUps: f.SignUps, Payers: f.Payers, Owed: f.Owed, OpenPayouts: f.Payouts.Count,
		PayoutsAmount: f.Payouts.Amount,
		Codes:         []inviteCodeFigure{}, Newest: []invitation{}, CheckIns: []checkInFigure{},
	}
	for _, state := range []invite.State{invite.Pending, invite.Released, invite.Reversed} {
		one := commissionFigure{State: string(state)}
		for _, c := range f.Commissions {
			if c.State == state {
				one.Count, one.Amount = c.Count, c.Amount
			}
		}
		out.Commissions = append(out.Commissions, one)
	}
	for _, c := range f.Codes {
		out.Codes = append(out.Codes, inviteCodeFigure{
			c.InviterID, c.Email, c.Code, c.Label, c.IsDisabled, c.SignUps, c.Payers, c.Commission,
		})
	}
	for _, n := range newest {
		out.Newest = append(out.Newest, invitation(n))
	}
	for _, d := range days {
		out.CheckIns = append(out.CheckIns, checkInFigure{d.Day.String(), d.Users, d.Bytes})
	}
	return out
}

// InviteFigures adds what invites and check-ins of the last days came to.
func InviteFigures(i *invite.Invites, checkIns *checkin.CheckIns, c *console.Console) v2.Resource {
	return func(r *v2.Router) {
		type last struct {
			Days int `query:"days" minimum:"1" maximum:"366" default:"30" doc:"How many days of the site's time zone, with today"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/invites", permission.RefundRead).
			Named("staff_invites", "What invites and check-ins of the last days brought, and what they cost"),
			func(ctx context.Context, _ account.Identity, in *last) (inviteFigures, error) {
				from := c.PeriodOf(in.Days).From
				figures, err := i.Figures(ctx, from)
				if err != nil {
					return inviteFigures{}, err
				}
				newest, err := i.Newest(ctx, newestInvited)
				if err != nil {
					return inviteFigures{}, err
				}
				days, err := checkIns.Days(ctx, from)
				return newInviteFigures(from, figures, newest, days), err
			})
	}
}

// Invites adds what users earned by bringing in others.
func Invites(i *invite.Invites, w *wallet.Wallets, a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		addPayouts(r, i, w, a)
		type staffPart struct {
			InviterID int64 `query:"inviter_id" minimum:"1" doc:"Only what this user earned"`
			Owed      bool  `query:"owed" doc:"Only what is still owed"`
			Limit     int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset    int64 `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/commissions", permission.RefundRead).
			Named("staff_commissions_list", "What users earned by the orders of others, and what they owe of it"),
			func(ctx context.Context, _ account.Identity, in *staffPart) (staffCommissionList, error) {
				filter := invite.CommissionFilter{InviterID: in.InviterID, Owed: in.Owed}
				earned, total, err := i.Commissions(ctx, filter, in.Limit, in.Offset)
				if err != nil {
					return staffCommissionList{}, err
				}
				var people []int64
				for _, e := range earned {
					people = append(people, e.Whose(), e.UserID)
				}
				known, err := peopleOf(ctx, a, people)
				out := staffCommissionList{[]staffCommission{}, total}
				for _, e := range earned {
					out.Commissions = append(out.Commissions, staffCommission{
						v2.NewCommissionItem(e), e.Whose(), known.ref(e.Whose()), e.UserID, known.ref(e.UserID),
						e.OrderID,
					})
				}
				return out, err
			})
	}
}
