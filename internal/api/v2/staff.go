package v2

import (
	"strings"

	"airstrip/internal/approval"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
)

// staffOp describes an operation of staff: "METHOD /path" below /api/v2, the permission that a member needs, and the
// kinds of acts by which it gives something that is worth money. Whatever an operation without kinds does, nobody's
// wallet, service or traffic gains by it. The acts and the permission belong together: see approval.Kind.Permission.
func staffOp(route string, needs permission.Permission, gives ...approval.Kind) op {
	method, path, _ := strings.Cut(route, " ")
	permission.Must(needs, route)
	for _, kind := range gives {
		if kind.Permission() != needs {
			panic("v2: " + route + " gives " + string(kind) + ", which needs " + string(kind.Permission()))
		}
	}
	return op{method: method, path: path, tag: "staff", access: staff, permission: needs, gives: gives}
}

// named sets the operation's id, which generated clients call it by, and its summary.
func (o op) named(id, summary string) op {
	o.id, o.summary = id, summary
	return o
}

// withKey lets the operation take an Idempotency-Key.
func (o op) withKey() op {
	o.keyed = true
	return o
}

// changesByGET marks an operation that changes something although it is a GET.
func (o op) changesByGET() op {
	o.changes = true
	return o
}

// answering sets the message of a success.
func (o op) answering(message fault.Text) op {
	o.message = message
	return o
}
