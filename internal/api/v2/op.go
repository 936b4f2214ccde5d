package v2

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/approval"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
)

// access is who may call an operation. The zero value is nobody: such an operation cannot be registered.
type access int

const (
	open  access = iota + 1 // anybody; see PublicOp
	user                    // a signed-in user, whose id narrows what they see; see UserOp
	staff                   // a member of staff whose role has the operation's permission; see StaffOp
)

// areas are the paths below which all operations have one access, so that an operation of staff cannot be registered
// for users, nor one of users for anybody. Elsewhere, as below /auth, an operation is for anybody or for users.
var areas = []struct {
	prefix string
	access access
}{
	{"/staff/", staff},
	{"/admin_api/", staff}, // paths of the original
	{"/user/", user},
}

// Op describes one operation. PublicOp, UserOp and StaffOp begin one.
type Op struct {
	method, path string
	id           string // operationId, the name of the function in generated clients
	tag          string // user, staff or public
	access       access
	permission   permission.Permission
	gives        []approval.Kind
	stepUp       bool              // asks for a recent password or passkey; see StepUp
	stepUpWhere  func(in any) bool // for which input it asks; nil: for any; see StepUpWhere
	audited      bool              // see Audited
	summary      string
	message      fault.Text    // of the envelope on success; empty: a plain "done"
	keyed        bool          // takes an Idempotency-Key
	changes      bool          // changes something although it is a GET, as the original's does
	parameters   []*huma.Param // of the query, beside those that the type of the input names
	versioned    bool          // needs an If-Match; see HandleChange
	versionless  bool          // see WithoutVersion
	holdsFile    bool          // see HoldingFile
	visits       bool          // see OpenToVisits
}

// PublicOp describes an operation that anybody may call: "METHOD /path" below /api/v2.
func PublicOp(route string) Op { return newOp(route, "public", open) }

// UserOp describes an operation of a signed-in user: "METHOD /path" below /api/v2.
func UserOp(route string) Op { return newOp(route, "user", user) }

// StaffOp describes an operation of staff: "METHOD /path" below /api/v2, the permission that a member needs, and the
// kinds of acts by which it gives something that is worth money. Whatever an operation without kinds does, nobody's
// wallet, service or traffic gains by it. The acts and the permission belong together: see approval.Kind.Permission.
func StaffOp(route string, needs permission.Permission, gives ...approval.Kind) Op {
	o := newOp(route, "staff", staff)
	permission.Must(needs, route)
	for _, kind := range gives {
		if kind.Permission() != needs {
			panic("v2: " + route + " gives " + string(kind) + ", which needs " + string(kind.Permission()))
		}
	}
	o.permission, o.gives, o.stepUp = needs, gives, needs.Dangerous() || len(gives) > 0
	return o
}

// newOp panics where the path's area has another access, and on an operation of staff outside the areas of staff.
func newOp(route, tag string, access access) Op {
	method, path, _ := strings.Cut(route, " ")
	if demanded := accessBelow(path); demanded != access && (demanded != 0 || access == staff) {
		panic("v2: " + route + " is registered as an operation of " + tag + ", which its path is not")
	}
	return Op{method: method, path: path, tag: tag, access: access}
}

// accessBelow returns the access that the area of path demands, 0 where it is in none.
func accessBelow(path string) access {
	for _, area := range areas {
		if strings.HasPrefix(path, area.prefix) {
			return area.access
		}
	}
	return 0
}

// Named sets the operation's id, which generated clients call it by, and its summary.
func (o Op) Named(id, summary string) Op {
	o.id, o.summary = id, summary
	return o
}

// WithKey answers a repeat with the same Idempotency-Key with what the first request made, where others refuse it.
func (o Op) WithKey() Op {
	o.keyed = true
	return o
}

// takesKey reports whether a request may carry an Idempotency-Key: where somebody known changes something.
func (o Op) takesKey() bool { return o.keyed || o.access != open && o.scope() != account.ScopeRead }

// WithoutVersion marks a PUT or PATCH of staff that overwrites nothing which its caller could have read: why says how.
func (o Op) WithoutVersion(why string) Op {
	o.versionless = why != ""
	return o
}

// StepUp has the operation ask for a recent password or passkey. Of staff, what needs a dangerous permission, gives
// what is worth money or exports rows asks for it anyway. Of users, those ask which weaken the account or send its
// money elsewhere and take no password themselves. No API token opens an operation of users that asks.
func (o Op) StepUp() Op {
	o.stepUp = true
	return o
}

// HoldingFile lets the body be as large as that of an upload, since the text of a file is a part of it. The path stands
// in maxBodySize of package api, too.
func (o Op) HoldingFile() Op {
	o.holdsFile = true
	return o
}

// StepUpWhere is StepUp for those inputs alone of which asks says so: only for them an API token is refused, too.
func StepUpWhere[I any](o Op, asks func(in *I) bool) Op {
	o.stepUp, o.stepUpWhere = true, func(in any) bool { return asks(in.(*I)) }
	return o
}

// OpenToVisits lets members of staff call who see the site as the user does (account.Visits): all other operations
// refuse them. An operation that is open to visits changes nothing and shows no secret of the user.
func (o Op) OpenToVisits() Op {
	if o.access != user {
		panic("v2: " + o.path + " is no operation of users")
	}
	o.visits = true
	return o
}

// Audited has the audit log record what members of staff do by an operation of users.
func (o Op) Audited() Op {
	o.audited = true
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

// forPrograms reports whether an API token may call: not where it is about the account or about tokens, nor for staff,
// nor where a person has to show who they are.
func (o Op) forPrograms() bool {
	return o.access == user && strings.HasPrefix(o.path, "/user") && (!o.stepUp || o.stepUpWhere != nil) &&
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
