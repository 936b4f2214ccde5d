package staff

import (
	"context"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/approval"
	"airstrip/internal/invite"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/wallet"
)

type staffPayout struct {
	v2.PayoutItem
	UserID    int64     `json:"user_id"`
	User      personRef `json:"user"`
	MadeBy    *int64    `json:"made_by" doc:"Member of staff who paid or refused it last; null: nobody, or the operator"`
	MadeByWho string    `json:"made_by_email" doc:"Empty: nobody, the operator, or the account is closed"`
	DecidedBy *int64    `json:"decided_by" doc:"The second member, where one was needed"`
	Decider   string    `json:"decided_by_email" doc:"Empty: nobody, or the account is closed"`
	Assigned
}

type staffPayoutList struct {
	Payouts    []staffPayout `json:"payouts" doc:"Newest first"`
	TotalCount int64         `json:"total_count"`
}

type staffPayoutDetail struct {
	StaffPayout
	Released money.Amount `json:"released" doc:"Commission of the user that neither waits nor is held by a payout"`
	Pending  money.Amount `json:"pending" doc:"Commission of the user that may still be taken back"`
	Bookings []booking    `json:"bookings" doc:"What it moved in the ledger"`
}

// StaffPayout is a payout in a list; exported because it is embedded.
type StaffPayout = staffPayout

func listPayouts(ctx context.Context, i *invite.Invites, d assignable, f invite.PayoutFilter) (staffPayoutList, error) {
	found, total, err := i.Payouts(ctx, f)
	if err != nil {
		return staffPayoutList{}, err
	}
	assigned, err := namedIn(ctx, d, found, func(p *invite.Payout) *int64 { return p.AssignedTo })
	if err != nil {
		return staffPayoutList{}, err
	}
	known, err := makersOf(ctx, d.accounts, found, peopleOfPayout)
	if err != nil {
		return staffPayoutList{}, err
	}
	out := staffPayoutList{[]staffPayout{}, total}
	for n := range found {
		out.Payouts = append(out.Payouts, newStaffPayout(&found[n], known, assigned(found[n].AssignedTo)))
	}
	return out, nil
}

// peopleOfPayout gives whose a payout is, and the members of staff who decided it.
func peopleOfPayout(p *invite.Payout) []*int64 { return []*int64{&p.UserID, p.MadeBy, p.DecidedBy} }

func newStaffPayout(p *invite.Payout, known knownUsers, assigned Assigned) staffPayout {
	return staffPayout{
		v2.NewPayoutItem(p), p.UserID, known.ref(p.UserID), p.MadeBy, known.emailOf(p.MadeBy), p.DecidedBy,
		known.emailOf(p.DecidedBy), assigned,
	}
}

// addPayouts adds paying commission outside of the site. The member pays by whatever means the user named, and says so
// here; nothing of the site pays by itself.
func addPayouts(r *v2.Router, i *invite.Invites, w *wallet.Wallets, a *account.Accounts) {
	d := assignable{a, permission.CommissionPay}
	type inState struct {
		AssigneeFilter
		State  string `query:"state" enum:"open,waiting,paid,refused,withdrawn" doc:"Only those in this state"`
		UserID int64  `query:"user_id" minimum:"1" doc:"Only those of this user"`
		Limit  int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
		Offset int64  `query:"offset" minimum:"0" default:"0"`
	}
	v2.Handle(r, v2.StaffOp("GET /staff/commission-payouts", permission.CommissionPay).
		Named("staff_payouts_list", "Commission that users want paid outside of the site"),
		func(ctx context.Context, who account.Identity, in *inState) (staffPayoutList, error) {
			narrowed, err := d.narrowed(ctx, who, in.Assignee)
			if err != nil {
				return staffPayoutList{}, err
			}
			return listPayouts(ctx, i, d, invite.PayoutFilter{
				UserID: in.UserID, State: invite.PayoutState(in.State), Assigned: narrowed, Limit: in.Limit,
				Offset: in.Offset,
			})
		})
	d.choices(r, "/staff/commission-payouts/assignees", "staff_payout_assignees",
		"Members of staff to whom payouts can be assigned")
	type assigning struct {
		ID   int64 `path:"payout_id" minimum:"1"`
		Body assignTo
	}
	v2.Handle(r, v2.StaffOp("PUT /staff/commission-payouts/{payout_id}/assignee", permission.CommissionPay).
		WithoutVersion(whyNoVersion).
		Named("staff_payout_assign", "Assign a payout to a member of staff, or to nobody"),
		func(ctx context.Context, _ account.Identity, in *assigning) (nothing, error) {
			return nothing{}, i.AssignPayout(ctx, in.ID, in.Body.wish())
		})
	type which struct {
		ID int64 `path:"payout_id" minimum:"1"`
	}
	v2.Handle(r, v2.StaffOp("GET /staff/commission-payouts/{payout_id}", permission.CommissionPay).
		Named("staff_payout_get", "A payout, with what its user has besides it"),
		func(ctx context.Context, _ account.Identity, in *which) (out staffPayoutDetail, err error) {
			p, err := i.Payout(ctx, in.ID)
			if err != nil {
				return out, err
			}
			known, err := peopleOf(ctx, a, namedOf(peopleOfPayout(p)...))
			if err != nil {
				return out, err
			}
			has, err := w.Balance(ctx, p.UserID)
			if err != nil {
				return out, err
			}
			assigned, err := d.named(ctx, p.AssignedTo)
			if err != nil {
				return out, err
			}
			found, err := w.BookingsFor(ctx, p.Ref())
			return staffPayoutDetail{
				newStaffPayout(p, known, assigned(p.AssignedTo)), has.Commission, has.Pending, newBookings(found),
			}, err
		})
	type payment struct {
		ID   int64 `path:"payout_id" minimum:"1"`
		Body struct {
			Note string `json:"note" maxLength:"500" doc:"Such as the number of the transfer; shown to the user"`
		}
	}
	v2.Handle(r, v2.StaffOp("POST /staff/commission-payouts/{payout_id}/pay", permission.CommissionPay,
		approval.CommissionPayout).
		Named("staff_payout_pay", "Note that a payout is paid; 403 second_member_needed where that waits now").WithKey(),
		func(ctx context.Context, who account.Identity, in *payment) (v2.Empty, error) {
			return v2.Empty{}, i.PayPayout(ctx, in.ID, in.Body.Note, &who.UserID)
		})
	type refusal struct {
		ID   int64 `path:"payout_id" minimum:"1"`
		Body struct {
			Answer string `json:"answer" minLength:"1" maxLength:"500" doc:"Shown to the user"`
		}
	}
	v2.Handle(r, v2.StaffOp("POST /staff/commission-payouts/{payout_id}/refuse", permission.CommissionPay).
		Named("staff_payout_refuse", "Refuse a payout; the commission is its user's again"),
		func(ctx context.Context, who account.Identity, in *refusal) (v2.Empty, error) {
			return v2.Empty{}, i.RefusePayout(ctx, in.ID, in.Body.Answer, &who.UserID)
		})
}
