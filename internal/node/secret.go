package node

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/cache"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/service"
	"airstrip/internal/text"
)

// Secrets finds nodes by what their agents prove themselves with.
type Secrets struct {
	db       *db.DB
	registry *Registry
	found    *cache.Cache[claim, known]
}

// ErrSecret is the fault of a secret that belongs to no node.
var ErrSecret = fault.Unauthorized("bad_secret", "节点密钥无效", "This is no node's secret")

// secretCached is how long the node of a secret is cached while nothing changes.
const secretCached = 30 * time.Second

func newSecret() string { return base64.RawURLEncoding.EncodeToString(random(32)) }

func insertSecret(ctx context.Context, tx bun.Tx, nodeID int64, secret string, now time.Time) error {
	hash := hashOf(secret)
	_, err := tx.NewInsert().Model(&secretRow{Hash: hash[:], NodeID: &nodeID, CreatedAt: now}).Exec(ctx)
	return err
}

// Rotate creates another secret for the node, which is shown only once. The present ones stay valid for honourOld.
func (ss *Secrets) Rotate(ctx context.Context, id int64, honourOld time.Duration) (string, error) {
	if honourOld < 0 {
		return "", fault.Invalid("honour_old", "range", "时长不能为负", "The time must not be negative")
	}
	secret := newSecret()
	err := ss.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := bump(ctx, tx); err != nil {
			return err
		}
		if _, err := ss.registry.read(ctx, tx, id); err != nil {
			return err
		}
		now := ss.db.Now()
		until := now.Add(honourOld)
		if _, err := tx.NewRaw(`UPDATE node_secret SET expires_at = ? WHERE node_id = ? AND (expires_at IS NULL
			OR expires_at > ?)`, until, id, until).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewRaw(`DELETE FROM node_secret WHERE expires_at <= ?`, now).Exec(ctx); err != nil {
			return err
		}
		if err := insertSecret(ctx, tx, id, secret, now); err != nil {
			return err
		}
		after := map[string]any{"old_honoured_seconds": int64(honourOld / time.Second)}
		return audit.Record(ctx, tx, "node.secret.rotate", audit.ID("node", id), nil, after, "")
	})
	return secret, err
}

// SharedKeyLength is the minimum length of the shared key. It is that of the panels whose keys are carried over.
const SharedKeyLength = 16

const maxSharedKey = 128

// SetSharedKey lets the key of a previous panel open every node to third-party agents, which then name their node,
// until the given time; the zero time: until it is revoked. An empty key revokes it. It is meant only for moving,
// because whoever has it has all nodes.
func (ss *Secrets) SetSharedKey(ctx context.Context, key string, until time.Time) error {
	now := ss.db.Now()
	switch {
	case key == "":
	case len(key) < SharedKeyLength || len(key) > maxSharedKey:
		return fault.Invalid("key", "length", "旧密钥为 16 至 128 个字符", "The shared key has 16 to 128 characters")
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return fault.Invalid("key", "characters", "旧密钥只含 ASCII 字母、数字和符号",
			"The shared key has letters, digits and signs of ASCII only")
	case text.IsGuessable(key):
		return fault.Invalid("key", "weak", "旧密钥过于简单，容易被猜到；请先在旧面板更换密钥",
			"The shared key follows a pattern that can be guessed; please change it at the panel before this one first")
	}
	if !until.IsZero() && !until.After(now) {
		return fault.Invalid("until", "range", "截止时间必须在将来", "The time must lie ahead")
	}
	return ss.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := bump(ctx, tx); err != nil {
			return err
		}
		var was []secretRow
		if err := tx.NewSelect().Model(&was).Where("node_id IS NULL").Scan(ctx); err != nil {
			return err
		}
		if _, err := tx.NewRaw(`DELETE FROM node_secret WHERE node_id IS NULL`).Exec(ctx); err != nil {
			return err
		}
		hash := hashOf(key)
		row := secretRow{Hash: hash[:], CreatedAt: now}
		if !until.IsZero() {
			row.ExpiresAt = &until
		}
		before, after := recordedSharedKey{}, recordedSharedKey{}
		if len(was) > 0 {
			before = was[0].recorded()
		}
		if key != "" {
			after = row.recorded()
		}
		err := audit.Record(ctx, tx, "node.shared_key.set", audit.Object{Kind: "node_shared_key"}, before, after, "")
		if err != nil || key == "" {
			return err
		}
		_, err = tx.NewInsert().Model(&row).Exec(ctx)
		if err = db.Error(err); errors.Is(err, db.ErrUnique) {
			return fault.Invalid("key", "taken", "该密钥已是某个节点的密钥", "This is a node's secret already").Because(err)
		}
		return err
	})
}

// SharedKey reports whether there is a shared key, and until when it is valid; nil: until it is revoked.
func (ss *Secrets) SharedKey(ctx context.Context) (on bool, until *time.Time, err error) {
	var rows []secretRow
	err = ss.db.NewSelect().Model(&rows).
		Where("node_id IS NULL AND (expires_at IS NULL OR expires_at > ?)", ss.db.Now()).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return false, nil, err
	}
	return true, rows[0].ExpiresAt, nil
}

type secretRow struct {
	bun.BaseModel `bun:"table:node_secret"`
	Hash          []byte `bun:",pk"`
	NodeID        *int64
	CreatedAt     time.Time
	ExpiresAt     *time.Time
}

// recordedSharedKey is the shared key as the audit log stores it.
type recordedSharedKey struct {
	On    bool
	Key   audit.Secret // a digest of it
	Until *time.Time
}

func (r *secretRow) recorded() recordedSharedKey {
	return recordedSharedKey{On: true, Key: audit.Secret(r.Hash), Until: r.ExpiresAt}
}

// claim is a secret with the node that it is to open; 0: the node that the secret belongs to.
type claim struct {
	hash [32]byte
	node int64
}

// known is a secret's node as it was at a revision.
type known struct {
	node     Node
	revision int64
	until    *time.Time
}

// Node returns the node that a secret belongs to, without private keys, and a revision of the feed that the node is at
// least as new as. Any other secret is ErrSecret.
func (ss *Secrets) Node(ctx context.Context, secret string) (Node, int64, error) {
	return ss.open(ctx, claim{hash: hashOf(secret)})
}

// NodeByKey returns the same for a third-party agent, which may have the key that all nodes share; nodeID then names
// the node, and with 0 the node is one that nobody uses. A node's own secret opens that node alone, whatever nodeID is.
func (ss *Secrets) NodeByKey(ctx context.Context, key string, nodeID int64) (Node, int64, error) {
	c := claim{hash: hashOf(key)}
	n, revision, err := ss.open(ctx, c)
	if !errors.Is(err, ErrSecret) {
		return n, revision, err
	}
	if c.node = nodeID; nodeID <= 0 {
		c.node = -1
	}
	return ss.open(ctx, c)
}

// hashOf returns what the database compares. The time of the answer therefore says nothing about how close a guess is.
func hashOf(secret string) [32]byte { return sha256.Sum256([]byte(secret)) }

func (ss *Secrets) open(ctx context.Context, c claim) (Node, int64, error) {
	revision, err := db.Revision(ctx, ss.db, service.Revision)
	if err != nil {
		return Node{}, 0, err
	}
	now := ss.db.Now()
	k, cached := ss.found.Get(c)
	if !cached || k.revision != revision {
		if k, err = ss.find(ctx, c); err != nil {
			return Node{}, 0, err
		}
		k.revision = revision
		ss.found.Set(c, k)
	}
	if k.until != nil && !k.until.After(now) {
		return Node{}, 0, ErrSecret
	}
	return k.node, revision, nil
}

func (ss *Secrets) find(ctx context.Context, c claim) (known, error) {
	var rows []secretRow
	if err := ss.db.NewSelect().Model(&rows).Where("hash = ?", c.hash[:]).Scan(ctx, &rows); err != nil {
		return known{}, err
	}
	if len(rows) == 0 || (rows[0].NodeID == nil) != (c.node != 0) {
		return known{}, ErrSecret
	}
	k := known{until: rows[0].ExpiresAt}
	id := c.node
	switch {
	case rows[0].NodeID != nil:
		id = *rows[0].NodeID
	case c.node < 0:
		return k, nil
	}
	var nodes []Node
	if err := ss.db.NewSelect().Model(&nodes).Where("id = ?", id).Scan(ctx); err != nil {
		return known{}, err
	}
	if len(nodes) == 0 { // removed between the two, or never there
		return known{}, ErrSecret
	}
	k.node = nodes[0]
	return k, ss.registry.showClientSecrets(&k.node)
}
