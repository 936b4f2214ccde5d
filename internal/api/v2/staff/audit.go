package staff

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/console"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
)

type auditEntry struct {
	ID         int64           `json:"id"`
	Seq        *int64          `json:"seq" nullable:"true" doc:"Place in the chain; null: it is sealed within a minute"`
	At         time.Time       `json:"at"`
	Actor      audit.Kind      `json:"actor" enum:"member,token,operator" doc:"operator: at the command line"`
	ActorID    *int64          `json:"actor_id" nullable:"true" doc:"The account; of a token its owner's"`
	ActorEmail string          `json:"actor_email" doc:"Of that account; empty: it is closed, or nobody was named"`
	ActorRole  permission.Role `json:"actor_role" doc:"That the member had; empty for tokens"`
	ActorName  string          `json:"actor_name" doc:"The operator's user on the server's machine"`
	Address    string          `json:"address"`
	RequestID  string          `json:"request_id"`
	Action     string          `json:"action" example:"node.secret.rotate"`
	ActionText string          `json:"action_text" doc:"What was done, in the caller's language; of what has no words the action"`
	Object     string          `json:"object" doc:"Kind of what was changed" example:"node"`
	ObjectID   string          `json:"object_id"`
	Before     any             `json:"before" doc:"The fields that differ, without secrets; null: nothing was there"`
	After      any             `json:"after"`
	Reason     string          `json:"reason"`
}

func newAuditEntry(e *audit.Entry, known knownUsers, lang fault.Lang) auditEntry {
	value := func(text string) any {
		if text == "" {
			return nil
		}
		return json.RawMessage(text)
	}
	return auditEntry{
		e.ID, e.Seq, e.At.UTC(), e.Actor, e.ActorID, known.emailOf(e.ActorID), e.ActorRole, e.ActorName, e.Address,
		e.RequestID, e.Action, cmp.Or(audit.ActionText(e.Action).In(lang), e.Action), e.Object, e.ObjectID,
		value(e.Before), value(e.After), e.Reason,
	}
}

type auditAction struct {
	Action string `json:"action" example:"node.secret.rotate"`
	ZH     string `json:"zh" doc:"What was done, in Chinese"`
	EN     string `json:"en" doc:"The same in English"`
}

func auditActions(context.Context, account.Identity, *v2.Empty) (actions []auditAction, err error) {
	for _, action := range audit.Actions() {
		says := audit.ActionText(action)
		actions = append(actions, auditAction{action, says.ZH, says.EN})
	}
	return actions, nil
}

type auditChain struct {
	Seq          int64      `json:"seq" doc:"Seals of the chain"`
	EntryID      int64      `json:"entry_id" doc:"The newest entry that is sealed; 0: none"`
	SealedAt     *time.Time `json:"sealed_at" nullable:"true" doc:"null: nothing is sealed yet"`
	Waiting      int64      `json:"waiting" doc:"Entries after it, which are sealed within a minute"`
	IsIntact     bool       `json:"is_intact" doc:"Whether the chain ends where a server signed that it ends"`
	CheckedAt    *time.Time `json:"checked_at" nullable:"true" doc:"When this process last walked all of it; null: not yet"`
	BrokenPlaces int64      `json:"broken_places" doc:"Of the log, that this check found; airstrip doctor names each"`
}

// AuditCheck is what the last check of the whole database found in the audit log.
type AuditCheck struct {
	At     time.Time
	Broken int64
}

// Audit has what staff does written to the audit log, and adds the operations that show it. checked gives the last
// check of the whole chain, nil where there was none since the process started.
func Audit(c *console.Console, log *audit.Log, accounts *account.Accounts, checked func() *AuditCheck) v2.Resource {
	load := func(ctx context.Context, _ account.Identity, ids []int64) ([]auditEntry, error) {
		entries, err := log.ByID(ctx, ids)
		if err != nil {
			return nil, err
		}
		known, err := makersOf(ctx, accounts, entries, func(e *audit.Entry) []*int64 { return []*int64{e.ActorID} })
		rows, lang := make([]auditEntry, len(entries)), api.CallerOf(ctx).Lang
		for i := range entries {
			rows[i] = newAuditEntry(&entries[i], known, lang)
		}
		return rows, err
	}
	return func(r *v2.Router) {
		r.UseAuditLog(log, accounts.Emails)
		v2.HandleListing(r, c.Lists, v2.List[auditEntry]{
			Path: "/staff/audit", ID: "staff_audit",
			Summary: "What staff and the operator changed: who, what, before and after, why",
			Needs:   permission.AuditRead, Resource: c.AuditEntries(), Load: load,
			Key: func(e *auditEntry) int64 { return e.ID },
			CSV: []v2.Column[auditEntry]{
				{Name: "id", Cell: func(e *auditEntry) string { return text(e.ID) }},
				{Name: "seq", Cell: func(e *auditEntry) string { return number(e.Seq) }},
				{Name: "at", Cell: func(e *auditEntry) string { return e.At.Format(time.RFC3339Nano) }},
				{Name: "actor", Cell: func(e *auditEntry) string { return string(e.Actor) }},
				{Name: "actor_id", Cell: func(e *auditEntry) string { return number(e.ActorID) }},
				{Name: "actor_email", Cell: func(e *auditEntry) string { return e.ActorEmail }},
				{Name: "actor_role", Cell: func(e *auditEntry) string { return string(e.ActorRole) }},
				{Name: "actor_name", Cell: func(e *auditEntry) string { return e.ActorName }},
				{Name: "address", Cell: func(e *auditEntry) string { return e.Address }},
				{Name: "request_id", Cell: func(e *auditEntry) string { return e.RequestID }},
				{Name: "action", Cell: func(e *auditEntry) string { return e.Action }},
				{Name: "object", Cell: func(e *auditEntry) string { return e.Object }},
				{Name: "object_id", Cell: func(e *auditEntry) string { return e.ObjectID }},
				{Name: "before", Cell: func(e *auditEntry) string { return written(e.Before) }},
				{Name: "after", Cell: func(e *auditEntry) string { return written(e.After) }},
				{Name: "reason", Cell: func(e *auditEntry) string { return e.Reason }},
			},
		})
		v2.HandleList(r, v2.StaffOp("GET /staff/audit/actions", permission.AuditRead).
			Named("staff_audit_actions", "The actions that the audit log knows, with their words in both languages"),
			auditActions)
		v2.Handle(r, v2.StaffOp("GET /staff/audit/chain", permission.AuditRead).
			Named("staff_audit_chain", "How far the audit log is sealed, and what its last check found"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (auditChain, error) {
				s, err := log.State(ctx)
				out := auditChain{Seq: s.Seq, EntryID: s.EntryID, Waiting: s.Waiting, IsIntact: s.Intact}
				if !s.SealedAt.IsZero() {
					out.SealedAt = new(s.SealedAt.UTC())
				}
				if last := checked(); last != nil {
					out.CheckedAt, out.BrokenPlaces = new(last.At.UTC()), last.Broken
				}
				return out, err
			})
		v2.Handle(r, v2.StaffOp("GET /staff/audit/{entry_id}", permission.AuditRead).
			Named("staff_audit_get", "An entry of the audit log"),
			func(ctx context.Context, who account.Identity, in *struct {
				ID int64 `path:"entry_id" minimum:"1"`
			},
			) (auditEntry, error) {
				rows, err := load(ctx, who, []int64{in.ID})
				if err == nil && len(rows) == 0 {
					err = audit.ErrNoEntry
				}
				if err != nil {
					return auditEntry{}, err
				}
				return rows[0], nil
			})
	}
}

// written is a value of an entry in a file.
func written(value any) string {
	text, _ := value.(json.RawMessage)
	return string(text)
}

func number(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}
