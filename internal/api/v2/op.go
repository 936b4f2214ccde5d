package v2

import (
	"context"
	"net/http"
	"strings"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/approval"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
)

// access is who may call an operation.
type access int

const (
	open  access = iota // anybody; see PublicOp
	user                // a signed-in user; what they see is bound to their id; see UserOp
	staff               // a member of staff whose role has the operation's permission; see StaffOp
)

// Op describes one operation. PublicOp, UserOp and StaffOp begin one.
type Op struct {
	method, path string
	id           string // operationId, the name of the function in generated clients
	tag          string // user, staff or public
	access       access
	permission   permission.Permission
	gives        []approval.Kind
	summary      string
	message      fault.Text // of the envelope on success; empty: a plain "done"
	keyed        bool       // takes an Idempotency-Key
	changes      bool       // changes something although it is a GET, as the original's does
}

// PublicOp describes an operation that anybody may call: "METHOD /path" below /api/v2.
func PublicOp(route string) Op {
	method, path, _ := strings.Cut(route, " ")
	return Op{method: method, path: path, tag: "public", access: open}
}

// UserOp describes an operation of a signed-in user: "METHOD /path" below /api/v2.
func UserOp(route string) Op {
	method, path, _ := strings.Cut(route, " ")
	return Op{method: method, path: path, tag: "user", access: user}
}

// StaffOp describes an operation of staff: "METHOD /path" below /api/v2, the permission that a member needs, and the
// kinds of acts by which it gives something that is worth money. Whatever an operation without kinds does, nobody's
// wallet, service or traffic gains by it. The acts and the permission belong together: see approval.Kind.Permission.
func StaffOp(route string, needs permission.Permission, gives ...approval.Kind) Op {
	method, path, _ := strings.Cut(route, " ")
	permission.Must(needs, route)
	for _, kind := range gives {
		if kind.Permission() != needs {
			panic("v2: " + route + " gives " + string(kind) + ", which needs " + string(kind.Permission()))
		}
	}
	return Op{method: method, path: path, tag: "staff", access: staff, permission: needs, gives: gives}
}

// Named sets the operation's id, which generated clients call it by, and its summary.
func (o Op) Named(id, summary string) Op {
	o.id, o.summary = id, summary
	return o
}

// WithKey lets the operation take an Idempotency-Key.
func (o Op) WithKey() Op {
	o.keyed = true
	return o
}

// ChangesByGET marks an operation that changes something although it is a GET.
func (o Op) ChangesByGET() Op {
	o.changes = true
	return o
}

// Answering sets the message of a success.
func (o Op) Answering(message fault.Text) Op {
	o.message = message
	return o
}

// Message returns the message of a success in the caller's language.
func (o Op) Message(ctx context.Context) string {
	text := o.message
	switch {
	case text != fault.Text{}:
	case o.method == http.MethodGet:
		text = fault.Text{ZH: "获取成功", EN: "OK"}
	default:
		text = fault.Text{ZH: "操作成功", EN: "Done"}
	}
	return text.In(api.CallerOf(ctx).Lang)
}

// forPrograms tells whether an API token may call: not where it is about the account or about tokens, nor for staff.
func (o Op) forPrograms() bool {
	return o.access == user && strings.HasPrefix(o.path, "/user") &&
		!strings.HasPrefix(o.path, "/user/account/") && !strings.HasPrefix(o.path, "/user/developer/")
}

// scope is what an API token needs for the operation: to write wherever it changes something, also by GET. Which ones
// may be called to read only, a test names and calls (internal/app/token_scope_test.go).
func (o Op) scope() account.Scope {
	if o.method == http.MethodGet && !o.changes {
		return account.ScopeRead
	}
	return account.ScopeWrite
}
