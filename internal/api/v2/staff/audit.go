package staff

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/permission"
)

type auditEntry struct {
	ID        int64           `json:"id"`
	Seq       *int64          `json:"seq" nullable:"true" doc:"Place in the chain; null: it is sealed within a minute"`
	At        time.Time       `json:"at"`
	Actor     audit.Kind      `json:"actor" enum:"member,token,operator" doc:"operator: at the command line"`
	ActorID   *int64          `json:"actor_id" nullable:"true" doc:"The account; of a token its owner's"`
	ActorRole permission.Role `json:"actor_role" doc:"That the member had; empty for tokens"`
	ActorName string          `json:"actor_name" doc:"The operator's user on the server's machine"`
	Address   string          `json:"address"`
	RequestID string          `json:"request_id"`
	Action    string          `json:"action" example:"node.secret.rotate"`
	Object    string          `json:"object" doc:"Kind of what was changed" example:"node"`
	ObjectID  string          `json:"object_id"`
	Before    any             `json:"before" doc:"The fields that differ, without secrets; null: nothing was there"`
	After     any             `json:"after"`
	Reason    string          `json:"reason"`
}

func newAuditEntry(e *audit.Entry) auditEntry {
	value := func(text string) any {
		if text == "" {
			return nil
		}
		return json.RawMessage(text)
	}
	return auditEntry{
		e.ID, e.Seq, e.At.UTC(), e.Actor, e.ActorID, e.ActorRole, e.ActorName, e.Address, e.RequestID,
		e.Action, e.Object, e.ObjectID, value(e.Before), value(e.After), e.Reason,
	}
}

type auditPage struct {
	Entries    []auditEntry `json:"entries" doc:"Newest first"`
	TotalCount int64        `json:"total_count"`
}

// AuditQuery is which entries are asked for; exported because it is embedded.
type AuditQuery struct {
	ActorID  int64      `query:"actor_id" minimum:"1"`
	Actor    audit.Kind `query:"actor" enum:"member,token,operator"`
	Action   string     `query:"action" maxLength:"64" doc:"With a dot at its end all that begin so" example:"node."`
	Object   string     `query:"object" maxLength:"64" example:"node"`
	ObjectID string     `query:"object_id" maxLength:"64"`
	From     string     `query:"from" format:"date-time" doc:"Included"`
	To       string     `query:"to" format:"date-time" doc:"Not included"`
}

func (q *AuditQuery) filter(limit, offset int64) (audit.Filter, error) {
	f := audit.Filter{
		ActorID: q.ActorID, Actor: q.Actor, Action: q.Action, Object: q.Object, ObjectID: q.ObjectID,
		Limit: limit, Offset: offset,
	}
	read := func(name, text string, into *time.Time) (err error) {
		if text == "" {
			return nil
		}
		*into, err = v2.ParseTime(name, text)
		return err
	}
	return f, cmp.Or(read("from", q.From, &f.From), read("to", q.To, &f.To))
}

// maxAuditRows is how many entries one file has at most.
const maxAuditRows = 10_000

// Audit has what staff does written to the audit log, and adds the operations that show it.
func Audit(log *audit.Log, accounts *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		r.UseAuditLog(log, accounts.Emails)
		type page struct {
			AuditQuery
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/audit", permission.AuditRead).
			Named("staff_audit_list", "What staff and the operator changed: who, what, before and after, why"),
			func(ctx context.Context, _ account.Identity, in *page) (auditPage, error) {
				f, err := in.filter(in.Limit, in.Offset)
				if err != nil {
					return auditPage{}, err
				}
				entries, total, err := log.Find(ctx, f)
				out := auditPage{[]auditEntry{}, total}
				for i := range entries {
					out.Entries = append(out.Entries, newAuditEntry(&entries[i]))
				}
				return out, err
			})
		v2.HandleCSV(r, v2.StaffOp("GET /staff/audit/csv", permission.AuditRead).
			Named("staff_audit_csv", "The same as a file, the newest 10,000 entries at most"),
			func(ctx context.Context, _ account.Identity, in *AuditQuery) ([][]string, error) {
				f, err := in.filter(maxAuditRows, 0)
				if err != nil {
					return nil, err
				}
				entries, _, err := log.Find(ctx, f)
				rows := [][]string{{
					"id", "seq", "at", "actor", "actor_id", "actor_role", "actor_name", "address", "request_id",
					"action", "object", "object_id", "before", "after", "reason",
				}}
				for _, e := range entries {
					rows = append(rows, []string{
						number(&e.ID), number(e.Seq), e.At.UTC().Format(time.RFC3339Nano),
						string(e.Actor), number(e.ActorID), string(e.ActorRole), e.ActorName, e.Address, e.RequestID,
						e.Action, e.Object, e.ObjectID, e.Before, e.After, e.Reason,
					})
				}
				return rows, err
			})
	}
}

func number(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}
