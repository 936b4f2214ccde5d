package modmu

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"strconv"
	"time"

	"github.com/maypok86/otter/v2"

	"airstrip/internal/fault"
	"airstrip/internal/node"
)

// databaseTimeout is how long the database may take for a little thing: agents wait for five seconds at most.
const databaseTimeout = 1500 * time.Millisecond

// fallback is what was known before the database went away. XrayR, with all of its nodes, dies of an error at its start.
type fallback struct {
	nodes *otter.Cache[[32]byte, node.Node] // by the hash of their id and key
	infos *otter.Cache[int64, infoJSON]     // by the node's id
}

func newFallback() fallback {
	return fallback{
		otter.Must(&otter.Options[[32]byte, node.Node]{MaximumSize: 10_000}),
		otter.Must(&otter.Options[int64, infoJSON]{MaximumSize: 10_000}),
	}
}

// noRevision is none that a list was made at.
const noRevision = -1

// find gives the node of a key and the revision of what agents are told; while the database is away the node as it was
// last, and noRevision. id names the node to the one key of all nodes.
func (s *server) find(ctx context.Context, key string, id int64) (node.Node, int64, error) {
	hash := sha256.Sum256([]byte(strconv.FormatInt(id, 10) + " " + key))
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	n, revision, err := s.nodes.ByKey(ctx, key, id)
	if err == nil {
		s.fallback.nodes.Set(hash, n)
		return n, revision, nil
	}
	if fault.Refused(err) {
		s.fallback.nodes.Invalidate(hash)
		return n, 0, err
	}
	n, known := s.fallback.nodes.GetIfPresent(hash)
	if !known {
		return n, 0, err
	}
	slog.WarnContext(ctx, "a node could not be looked for; it is taken to be as it was", "node", n.ID, "error", err)
	return n, noRevision, nil
}

// info gives what a node's agent is to serve; while the database is away, as it was last.
func (s *server) info(ctx context.Context, id int64) (infoJSON, error) {
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	fresh, err := s.freshInfo(ctx, id)
	if err == nil {
		s.fallback.infos.Set(id, fresh)
		return fresh, nil
	}
	if known, ok := s.fallback.infos.GetIfPresent(id); ok {
		if !fault.Refused(err) {
			slog.WarnContext(ctx, "a node could not be read; its agent gets the last answer", "node", id, "error", err)
			return known, nil
		}
	}
	return fresh, err
}
