package modmu

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"strconv"
	"time"

	"airstrip/internal/cache"
	"airstrip/internal/fault"
	"airstrip/internal/node"
)

// databaseTimeout bounds small queries: agents wait for five seconds at most.
const databaseTimeout = 1500 * time.Millisecond

// fallback holds the last answers from before a database outage. On an error at its start XrayR exits, with all of its
// nodes.
type fallback struct {
	nodes *cache.Cache[[32]byte, node.Node] // By the hash of ID and key.
	infos *cache.Cache[int64, infoJSON]     // By the node's ID.
}

func newFallback() fallback {
	return fallback{
		cache.New[[32]byte](cache.Options[node.Node]{MaxEntries: 10_000}),
		cache.New[int64](cache.Options[infoJSON]{MaxEntries: 10_000}),
	}
}

// noRevision is a revision at which no list was made.
const noRevision = -1

// find returns the node of a key and the current revision. While the database is away it returns the last known node
// and noRevision. id selects the node for the key of all nodes.
func (s *server) find(ctx context.Context, key string, id int64) (node.Node, int64, error) {
	hash := sha256.Sum256([]byte(strconv.FormatInt(id, 10) + " " + key))
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	n, revision, err := s.nodes.Secrets.NodeByKey(ctx, key, id)
	if err == nil {
		s.fallback.nodes.Set(hash, n)
		return n, revision, nil
	}
	if fault.Refused(err) {
		s.fallback.nodes.Delete(hash)
		return n, 0, err
	}
	n, known := s.fallback.nodes.Get(hash)
	if !known {
		return n, 0, err
	}
	slog.WarnContext(ctx, "a node could not be looked for; it is taken to be as it was", "node", n.ID, "error", err)
	return n, noRevision, nil
}

// info returns the description of a node, or the last known one while the database is away.
func (s *server) info(ctx context.Context, id int64) (infoJSON, error) {
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	fresh, err := s.freshInfo(ctx, id)
	if err == nil {
		s.fallback.infos.Set(id, fresh)
		return fresh, nil
	}
	if known, ok := s.fallback.infos.Get(id); ok {
		if !fault.Refused(err) {
			slog.WarnContext(ctx, "a node could not be read; its agent gets the last answer", "node", id, "error", err)
			return known, nil
		}
	}
	return fresh, err
}
