package node

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/service"
)

// ErrSecret is the fault of a secret that no node has.
var ErrSecret = fault.Unauthorized("bad_secret", "节点密钥无效", "This is no node's secret")

// secretCached is how long a secret that was found is not looked for again, while nothing changes.
const secretCached = 30 * time.Second

func newSecret() string { return base64.RawURLEncoding.EncodeToString(random(32)) }

func insertSecret(ctx context.Context, tx bun.Tx, nodeID int64, secret string, now time.Time) error {
	hash := sha256.Sum256([]byte(secret))
	_, err := tx.NewRaw(`INSERT INTO node_secret (hash, node_id, created_at) VALUES (?, ?, ?)`, hash[:], nodeID, now).Exec(ctx)
	return err
}

// RotateSecret gives the node another secret, shown this once; the present ones stay good for the time given.
func (s *Nodes) RotateSecret(ctx context.Context, id int64, honourOld time.Duration) (string, error) {
	secret := newSecret()
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := bump(ctx, tx); err != nil {
			return err
		}
		if _, err := s.read(ctx, tx, id); err != nil {
			return err
		}
		now := s.db.Now()
		until := now.Add(honourOld)
		if _, err := tx.NewRaw(`UPDATE node_secret SET expires_at = ? WHERE node_id = ? AND (expires_at IS NULL OR expires_at > ?)`, until, id, until).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewRaw(`DELETE FROM node_secret WHERE expires_at <= ?`, now).Exec(ctx); err != nil {
			return err
		}
		return insertSecret(ctx, tx, id, secret, now)
	})
	return secret, err
}

// known is a secret's node as it was at a revision.
type known struct {
	node     Node
	revision int64
	until    *time.Time
}

// BySecret gives the node that a secret belongs to, without private keys, and the revision of everything that agents are
// told, which the node is not older than. Anything else is ErrSecret.
func (s *Nodes) BySecret(ctx context.Context, secret string) (Node, int64, error) {
	// The database compares hashes only, so the time of the answer tells nothing of how close a guess came.
	hash := sha256.Sum256([]byte(secret))
	revision, err := db.Revision(ctx, s.db, service.Revision)
	if err != nil {
		return Node{}, 0, err
	}
	now := s.db.Now()
	k, cached := s.bySecret.GetIfPresent(hash)
	if !cached || k.revision != revision {
		if k, err = s.find(ctx, hash); err != nil {
			return Node{}, 0, err
		}
		k.revision = revision
		s.bySecret.Set(hash, k)
	}
	if k.until != nil && !k.until.After(now) {
		return Node{}, 0, ErrSecret
	}
	return k.node, revision, nil
}

func (s *Nodes) find(ctx context.Context, hash [32]byte) (known, error) {
	var rows []struct {
		NodeID    int64
		ExpiresAt *time.Time
	}
	if err := s.db.NewRaw(`SELECT node_id, expires_at FROM node_secret WHERE hash = ?`, hash[:]).Scan(ctx, &rows); err != nil {
		return known{}, err
	}
	if len(rows) == 0 {
		return known{}, ErrSecret
	}
	var nodes []Node
	if err := s.db.NewSelect().Model(&nodes).Where("id = ?", rows[0].NodeID).Scan(ctx); err != nil {
		return known{}, err
	}
	if len(nodes) == 0 { // removed between the two
		return known{}, ErrSecret
	}
	return known{node: nodes[0], until: rows[0].ExpiresAt}, nil
}
