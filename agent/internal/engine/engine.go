// Package engine defines what the agent needs from a proxy core. An Engine serves one node; engine/xray and engine/sing
// embed the cores, and engine/engines picks the one for a protocol. The package also checks whether a node's port is
// free before a listener is opened. Engines admit and count every connection through a gate, which decides in case of
// doubt.
package engine

import "airstrip/agent/internal/api"

// Engine serves one node. Its methods are called one at a time. A call does not affect connections of users it does not
// name, except that Configure closes them where the protocol requires it (QUIC) when the listener is reopened. Every
// connection passes a gate. The gate may know users that the engine does not list any more, and the reverse; the gate's
// decision counts.
type Engine interface {
	// Configure serves the node for exactly these users. It reopens the listener only if a setting of the listener
	// changed. Certificates are in the settings as PEM. On an error the engine continues with its previous state if
	// possible, and Add and Remove apply to that.
	Configure(node api.Node, users []api.User) error
	// Add admits users, or replaces their secrets. Users who already have the same secrets are not affected.
	Add(users []api.User) error
	// Remove stops admitting users.
	Remove(ids []int64) error
	// Drain refuses new connections. Open connections continue where the protocol permits it. Only Close may follow.
	Drain() error
	Close() error
}
