package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/node"
	"airstrip/internal/permission"
	"airstrip/internal/traffic"
)

type heldBatch struct {
	ID          int64      `json:"id"`
	Report      string     `json:"report" doc:"Boot and sequence, as the agent's log has them"`
	Reason      string     `json:"reason" enum:"too_old,future" doc:"Why it was not counted: its window ended more than 7 days ago, or ends in the future"`
	FromAt      time.Time  `json:"from_at" doc:"Of its window, by the agent's clock"`
	ToAt        time.Time  `json:"to_at"`
	Rows        int64      `json:"rows" doc:"One of each user"`
	UpBytes     int64      `json:"up_bytes" doc:"As moved, of all rows"`
	DownBytes   int64      `json:"down_bytes"`
	ReceivedAt  time.Time  `json:"received_at"`
	State       string     `json:"state" enum:"waiting,counted,dismissed"`
	DecidedAt   *time.Time `json:"decided_at" nullable:"true"`
	DecidedBy   *int64     `json:"decided_by" nullable:"true" doc:"Id of the member of staff; null: nobody yet, or at the command line"`
	Rate        *string    `json:"rate" nullable:"true" doc:"At which it was counted"`
	Cycle       *string    `json:"cycle" nullable:"true" enum:"own,current" doc:"Where it was counted"`
	RowsRefused *int64     `json:"rows_refused" nullable:"true" doc:"Rows of it that were not counted: the users could not use the node"`
	Note        string     `json:"note" doc:"Of whoever decided"`
}

func showHeld(b traffic.HeldBatch) heldBatch {
	out := heldBatch{
		ID: b.ID, Report: b.Report, Reason: string(b.Reason), FromAt: b.FromAt, ToAt: b.ToAt, Rows: b.RowCount,
		UpBytes:   b.Up,
		DownBytes: b.Down, ReceivedAt: b.ReceivedAt, State: b.State, DecidedAt: b.DecidedAt, DecidedBy: b.DecidedBy,
		RowsRefused: b.RowsRefused, Note: b.Note,
	}
	if b.RatePermille != nil {
		rate, cycle := v2.RateText(*b.RatePermille), "current"
		if *b.OwnCycle == 1 {
			cycle = "own"
		}
		out.Rate, out.Cycle = &rate, &cycle
	}
	return out
}

type heldBatchPage struct {
	Batches    []heldBatch `json:"batches" doc:"The newest first"`
	TotalCount int64       `json:"total_count"`
}

type heldRefusal struct {
	UserID int64  `json:"user_id"`
	Code   string `json:"code" enum:"not_on_list,absurd,counter_full"`
}

type countedBatch struct {
	Batch   heldBatch     `json:"batch"`
	Refused []heldRefusal `json:"refused" doc:"Rows that were not counted"`
}

// HeldBatches adds, for staff, the reports of a node that were refused for their time.
func HeldBatches(nodes *node.Nodes, t *traffic.Traffic) v2.Resource {
	const path = "/staff/nodes/{node_id}/held-batches"
	return func(r *v2.Router) {
		type part struct {
			NodeID int64  `path:"node_id" minimum:"1"`
			State  string `query:"state" enum:"waiting,counted,dismissed"`
			Limit  int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64  `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET "+path, permission.BatchRead).
			Named("staff_held_batches",
				"Reports of a node that were refused for their time, and what was decided of them"),
			func(ctx context.Context, _ account.Identity, in *part) (heldBatchPage, error) {
				if _, err := nodes.Get(ctx, in.NodeID); err != nil {
					return heldBatchPage{}, err
				}
				held, total, err := t.HeldBatches(ctx, traffic.HeldQuery{
					NodeID: in.NodeID, State: in.State,
					Limit: in.Limit, Offset: in.Offset,
				})
				out := heldBatchPage{[]heldBatch{}, total}
				for _, b := range held {
					out.Batches = append(out.Batches, showHeld(b))
				}
				return out, err
			})
		type count struct {
			NodeID  int64 `path:"node_id" minimum:"1"`
			BatchID int64 `path:"batch_id" minimum:"1"`
			Body    struct {
				Rate  string `json:"rate" doc:"0 to 100, with at most three places" example:"1.5"`
				Cycle string `json:"cycle,omitempty" enum:"own,current" default:"own" doc:"own: in the hour and the quotas' cycles of its window"`
				Note  string `json:"note" minLength:"1" maxLength:"200" doc:"Why, for whoever reads it later"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST "+path+"/{batch_id}/count", permission.BatchDecide).
			Named("staff_held_batch_count", "Count a report that was refused for its time, once"),
			func(ctx context.Context, who account.Identity, in *count) (countedBatch, error) {
				rate, ok := parseRate(in.Body.Rate)
				if !ok {
					return countedBatch{}, traffic.ErrHeldRate
				}
				one := traffic.Decision{BatchID: in.BatchID, NodeID: in.NodeID, Note: in.Body.Note, By: &who.UserID}
				b, refused, err := t.CountHeld(ctx, one, rate, in.Body.Cycle != "current")
				out := countedBatch{showHeld(b), []heldRefusal{}}
				for _, r := range refused {
					out.Refused = append(out.Refused, heldRefusal{r.UserID, r.Code})
				}
				return out, err
			})
		type dismissal struct {
			NodeID  int64 `path:"node_id" minimum:"1"`
			BatchID int64 `path:"batch_id" minimum:"1"`
			Body    struct {
				Note string `json:"note" minLength:"1" maxLength:"200" doc:"Why, for whoever reads it later"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST "+path+"/{batch_id}/dismiss", permission.BatchDecide).
			Named("staff_held_batch_dismiss", "Decide that a report that was refused for its time is never counted"),
			func(ctx context.Context, who account.Identity, in *dismissal) (heldBatch, error) {
				one := traffic.Decision{BatchID: in.BatchID, NodeID: in.NodeID, Note: in.Body.Note, By: &who.UserID}
				b, err := t.DismissHeld(ctx, one)
				return showHeld(b), err
			})
	}
}
