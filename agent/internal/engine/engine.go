// Package engine is what the agent asks of a proxy core.
package engine

import "airstrip/agent/internal/api"

// Engine serves one node. Its calls are made one at a time. Connections of users that a call does not name are
// not touched, except that Configure closes them where the protocol leaves no choice (QUIC) if it has to open
// the listener anew. Engines let every connection through a gate, which may know users that the engine still
// lists no more, and the other way round; the gate has the last word.
type Engine interface {
	// Configure serves the node for exactly these users. Only a change of what concerns the listener opens it anew.
	// Certificates are in the settings as PEM, wherever they came from. On an error the engine goes on with what it had, if it
	// could: Add and Remove are about that, then.
	Configure(node api.Node, users []api.User) error
	// Add lets users in, or gives them new secrets. Users that are in already with the same secrets are left alone.
	Add(users []api.User) error
	// Remove lets users in no more.
	Remove(ids []int64) error
	// Drain lets nobody in any more; connections that are open go on where the protocol leaves a choice. Only Close
	// may follow.
	Drain() error
	Close() error
}
