package cli

import (
	"context"

	"airstrip/internal/app"
	"airstrip/internal/approval"
)

type approvalCommand struct {
	List    approvalList    `cmd:"" help:"List what staff gave that is worth money, and what of it waits, as JSON."`
	Approve approvalApprove `cmd:"" help:"Approve an act that waits for a second member of staff, which carries it out."`
	Decline approvalDecline `cmd:"" help:"Decline an act that waits; nothing of it takes effect."`
}

type approvalList struct {
	State string `enum:",alone,waiting,approved,declined" default:"" help:"alone, waiting, approved or declined; all by default."`
	part
}

func (c approvalList) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		acts, _, err := a.Approvals.Find(ctx, approval.State(c.State), 0, int64(c.Limit), int64(c.Offset))
		if err != nil {
			return err
		}
		out := []map[string]any{}
		for _, g := range acts {
			act := map[string]any{
				"id": g.ID, "kind": g.Kind, "reference_no": g.ReferenceID, "staff_id": g.StaffID,
				"beneficiary_id": g.BeneficiaryID, "worth": g.Worth,
				"state": g.State, "created_at": g.CreatedAt, "decided_by": g.DecidedBy, "decided_at": g.DecidedAt,
			}
			if g.Worth == approval.Unknown {
				act["worth"] = nil // without bound
			}
			out = append(out, act)
		}
		return printJSON(out)
	})
}

type approvalApprove struct {
	ID int64 `arg:"" help:"Number of the act, as the list has it."`
}

func (c approvalApprove) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error { return a.Approvals.DecideAct(ctx, c.ID, true, nil) })
}

type approvalDecline struct {
	ID int64 `arg:"" help:"Number of the act, as the list has it."`
}

func (c approvalDecline) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error { return a.Approvals.DecideAct(ctx, c.ID, false, nil) })
}
