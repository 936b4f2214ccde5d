package staff

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/approval"
	"airstrip/internal/money"
	"airstrip/internal/permission"
)

// approvalKind is a kind of act in the contract, which has all that there are.
type approvalKind approval.Kind

// Schema is asked for by huma.
func (approvalKind) Schema(huma.Registry) *huma.Schema { return v2.EnumSchema(approval.Kinds) }

type approvalItem struct {
	ID               int64         `json:"id"`
	Kind             approvalKind  `json:"kind" doc:"What was given"`
	ReferenceNo      int64         `json:"reference_no" doc:"Number of the adjustment, batch of cd-keys, coupon, recharge, refund, payment case, traffic grant, payout or merge of accounts"`
	StaffID          *int64        `json:"staff_id" nullable:"true" doc:"Who made it; null: at the command line"`
	StaffEmail       string        `json:"staff_email" doc:"Of who made it; empty: at the command line, or the account is closed"`
	BeneficiaryID    *int64        `json:"beneficiary_id" nullable:"true" doc:"Whose account gains; null: nobody's in particular"`
	BeneficiaryEmail string        `json:"beneficiary_email" doc:"Empty: nobody's in particular, or the account is closed"`
	Worth            *money.Amount `json:"worth" nullable:"true" doc:"null: without bound"`
	State            string        `json:"state" enum:"alone,waiting,approved,declined" doc:"alone: within the member's daily limit"`
	CreatedAt        time.Time     `json:"created_at"`
	DecidedBy        *int64        `json:"decided_by" nullable:"true" doc:"The second member; null: nobody yet, or at the command line"`
	DecidedAt        *time.Time    `json:"decided_at" nullable:"true"`
}

// showActs returns acts as they are shown.
func showActs(ctx context.Context, accounts *account.Accounts, grants ...approval.Grant) ([]approvalItem, error) {
	var people []int64
	for i := range grants {
		for _, id := range []*int64{grants[i].StaffID, grants[i].BeneficiaryID} {
			if id != nil {
				people = append(people, *id)
			}
		}
	}
	emails, err := accounts.Emails(ctx, people)
	if err != nil {
		return nil, err
	}
	emailOf := func(id *int64) string {
		if id == nil {
			return ""
		}
		return emails[*id]
	}
	items := []approvalItem{}
	for i := range grants {
		g := &grants[i]
		item := approvalItem{
			g.ID, approvalKind(g.Kind), g.ReferenceID, g.StaffID, emailOf(g.StaffID), g.BeneficiaryID,
			emailOf(g.BeneficiaryID), &g.Worth, string(g.State), g.CreatedAt, g.DecidedBy, g.DecidedAt,
		}
		if g.Worth == approval.Unknown {
			item.Worth = nil
		}
		items = append(items, item)
	}
	return items, nil
}

type approvalList struct {
	Approvals  []approvalItem `json:"approvals" doc:"Newest first"`
	TotalCount int64          `json:"total_count"`
}

// Approvals adds the list of what staff gave that is worth money.
func Approvals(a *approval.Approvals, accounts *account.Accounts) v2.Resource {
	type part struct {
		State   string `query:"state" enum:"alone,waiting,approved,declined"`
		StaffID int64  `query:"staff_id" minimum:"1" doc:"Only what this member made"`
		Limit   int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
		Offset  int64  `query:"offset" minimum:"0" default:"0"`
	}
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/approvals", permission.ApprovalRead).
			Named("staff_approvals_list",
				"What staff gave that is worth money, and what of it waits for a second member"),
			func(ctx context.Context, _ account.Identity, in *part) (approvalList, error) {
				grants, total, err := a.Find(ctx, approval.State(in.State), in.StaffID, in.Limit, in.Offset)
				if err != nil {
					return approvalList{}, err
				}
				shown, err := showActs(ctx, accounts, grants...)
				return approvalList{shown, total}, err
			})

		type actDecision struct {
			ID   int64 `path:"approval_id" minimum:"1"`
			Body struct {
				Approve bool `json:"approve" doc:"false: decline it; nothing of it takes effect"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/approvals/{approval_id}/decision", permission.ApprovalDecide,
			approval.Decision).
			Named("staff_approval_decide", "Approve what another member made, which carries it out, or decline it"),
			func(ctx context.Context, who account.Identity, in *actDecision) (approvalItem, error) {
				if err := a.DecideAct(ctx, in.ID, in.Body.Approve, &who.UserID); err != nil {
					return approvalItem{}, err
				}
				g, err := a.Act(ctx, in.ID)
				if err != nil {
					return approvalItem{}, err
				}
				shown, err := showActs(ctx, accounts, *g)
				if err != nil {
					return approvalItem{}, err
				}
				return shown[0], nil
			})
	}
}
