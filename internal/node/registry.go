package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/seal"
	"airstrip/internal/service"
)

// Revision is the name of the revision that grows when a node is added, changed or removed.
const Revision = "node"

// ErrNotFound is the fault of an id that no node has.
var ErrNotFound = fault.NotFound("node_not_found", "没有找到该节点", "There is no such node")

// What the secrets in nodes' settings are sealed for: those that the node alone knows, and those that clients know too.
// The migration that sealed the latter in rows of earlier versions (db/sealing.go) has the same purpose and form.
const (
	sealed           = "node settings"
	sealedForClients = "node client secrets"
)

// Registry holds the settings of all nodes and seals the secrets in them.
type Registry struct {
	db     *db.DB
	key    seal.Key
	limits *Limits
}

// Add creates a node and its secret, which is shown only once. Keys that the settings need and lack are generated. The
// fault of invalid fields names each of them. A draft with an ID keeps it, because agents that move here from another
// panel go on naming it.
func (rg *Registry) Add(ctx context.Context, n Node) (Node, string, error) {
	now := rg.db.Now()
	secret := newSecret()
	id := n.ID
	n.CreatedAt, n.Settings = now, n.Settings.clone()
	err := rg.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n.ID = id // a transaction may run again
		revision, err := bump(ctx, tx)
		if err != nil {
			return err
		}
		if err := rg.put(ctx, tx, revision, &n, nil); err != nil {
			return err
		}
		return insertSecret(ctx, tx, n.ID, secret, now)
	})
	return n, secret, err
}

// Change edits a node, private keys included. Its agent is notified after the commit.
func (rg *Registry) Change(ctx context.Context, id int64, edit func(*Node)) (n Node, err error) {
	err = rg.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err = rg.changeIn(ctx, tx, id, edit)
		return err
	})
	return n, err
}

func (rg *Registry) changeIn(ctx context.Context, tx bun.Tx, id int64, edit func(*Node)) (Node, error) {
	revision, err := bump(ctx, tx)
	if err != nil {
		return Node{}, err
	}
	was, err := rg.read(ctx, tx, id)
	if err != nil {
		return Node{}, err
	}
	n := was
	n.Settings = was.Settings.clone()
	edit(&n)
	n.ID, n.CreatedAt, n.ScopeRevision, n.ScopeAt = was.ID, was.CreatedAt, was.ScopeRevision, was.ScopeAt
	return n, rg.put(ctx, tx, revision, &n, &was)
}

// put checks and writes n, stamped with the revision that its transaction bumped before it read the node. was is the
// stored node; nil: n is new.
func (rg *Registry) put(ctx context.Context, tx bun.Tx, revision int64, n, was *Node) error {
	now := rg.db.Now()
	setDefaults(n)
	if err := fillKeys(n, now); err != nil {
		return err
	}
	if err := check(n, was); err != nil {
		return err
	}
	if err := rg.setDerived(ctx, tx, n); err != nil {
		return err
	}
	if err := checkRelays(ctx, tx, n); err != nil {
		return err
	}
	n.Revision, n.UpdatedAt = revision, now
	switch {
	case was == nil:
		n.ScopeRevision, n.ScopeAt = revision, nil
	case n.Class != was.Class || n.GroupID != was.GroupID || n.Serves() != was.Serves():
		n.ScopeRevision, n.ScopeAt = revision, &now
	case n.PublishedPermille != was.PublishedPermille: // the rest of a quota is another number of bytes on the node
		n.ScopeRevision = revision
	}
	stored := *n
	err := rg.hide(&stored)
	switch {
	case err != nil:
	case was == nil:
		err = rg.insert(ctx, tx, &stored)
		n.ID = stored.ID
	default:
		_, err = tx.NewUpdate().Model(&stored).WherePK().Exec(ctx)
	}
	if err != nil {
		return err
	}
	if was == nil {
		err = audit.Record(ctx, tx, "node.add", audit.ID("node", n.ID), nil, n.recorded(), "")
		was = n
	} else {
		err = audit.Record(ctx, tx, "node.change", audit.ID("node", n.ID), was.recorded(), n.recorded(), "")
	}
	if err != nil {
		return err
	}
	return stampRelays(ctx, tx, revision, n, was)
}

// recordedNode is a node as the audit log stores it.
type recordedNode Node

// recorded returns what staff decides about the node. Of secrets the audit log shows only that they changed.
func (n *Node) recorded() recordedNode {
	r := recordedNode(*n)
	r.Private, r.ClientSecrets = nil, nil
	r.Revision, r.ScopeRevision, r.ScopeAt, r.PublishedPermille, r.UpdatedAt = 0, 0, nil, 0, time.Time{}
	return r
}

// insert writes a new node. After a node with a chosen ID, generated IDs continue above it.
func (rg *Registry) insert(ctx context.Context, tx bun.Tx, n *Node) error {
	numbered := n.ID != 0
	_, err := tx.NewInsert().Model(n).Exec(ctx)
	if err = db.Error(err); numbered && errors.Is(err, db.ErrUnique) {
		return fault.Invalid("id", "taken", "已有该编号的节点", "There is a node of this number already").Because(err)
	}
	if err != nil || !numbered || rg.db.SQLite() {
		return err
	}
	_, err = tx.NewRaw(`SELECT setval(sequence, greatest(?, nextval(sequence)))
		FROM (SELECT pg_get_serial_sequence('node', 'id')::regclass AS sequence) AS s`, n.ID).Exec(ctx)
	return err
}

// bump increments both revisions, always in this order, and returns the value that rows are stamped with. A change of a
// node bumps before it reads the node: the lock on the revision's row then keeps two changes from overwriting each
// other. Locks on the nodes' own rows could deadlock with changes that stamp relays.
func bump(ctx context.Context, tx bun.Tx) (int64, error) {
	revision, err := db.Bump(ctx, tx, service.Revision)
	if err != nil {
		return 0, err
	}
	_, err = db.Bump(ctx, tx, Revision)
	return revision, err
}

// Remove deletes a node. Its agent is refused from then on, and other nodes lose it as a relay. Counted traffic stays.
func (rg *Registry) Remove(ctx context.Context, id int64) error {
	return rg.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		revision, err := bump(ctx, tx)
		if err != nil {
			return err
		}
		if err := rg.leaveRelays(ctx, tx, revision, id); err != nil {
			return err
		}
		was, err := rg.read(ctx, tx, id)
		if err != nil {
			return err
		}
		n, err := db.Changed(tx.NewDelete().Model((*Node)(nil)).Where("id = ?", id).Exec(ctx))
		if err == nil && n == 0 {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, "node.remove", audit.ID("node", id), was.recorded(), nil, "")
	})
}

// Names returns the names of all nodes by their ids.
func (rg *Registry) Names(ctx context.Context) (map[int64]string, error) {
	var nodes []Node
	err := rg.db.NewSelect().Model(&nodes).Column("id", "name").Scan(ctx)
	names := make(map[int64]string, len(nodes))
	for _, n := range nodes {
		names[n.ID] = n.Name
	}
	return names, err
}

// List returns all nodes in the order of links, without private keys.
func (rg *Registry) List(ctx context.Context) ([]Node, error) {
	var nodes []Node
	if err := rg.db.NewSelect().Model(&nodes).OrderExpr("sort, id").Scan(ctx); err != nil {
		return nil, err
	}
	for i := range nodes {
		if err := rg.showClientSecrets(&nodes[i]); err != nil { // the others are listed; links leave the node out
			slog.ErrorContext(ctx, "a node is listed without its secrets; run airstrip doctor", "node", nodes[i].ID,
				"error", err)
		}
	}
	return nodes, nil
}

// NamesIn returns the names of nodes in a language; nil ids: of all nodes. Pages of the traffic log need no more of
// them, and to read all settings of 200 nodes takes longer than to read the page.
func (rg *Registry) NamesIn(ctx context.Context, lang fault.Lang, ids []int64) (map[int64]string, error) {
	var nodes []Node
	q := rg.db.NewSelect().Model(&nodes).Column("id", "name", "names")
	if ids != nil {
		q.Where("id IN (?)", bun.List(ids))
	}
	if err := q.Scan(ctx); err != nil {
		return nil, err
	}
	names := make(map[int64]string, len(nodes))
	for _, n := range nodes {
		names[n.ID] = n.Localized(lang).Name
	}
	return names, nil
}

// Enabled returns the number of enabled nodes. idb may be a transaction.
func (rg *Registry) Enabled(ctx context.Context, idb bun.IDB) (int64, error) {
	n, err := idb.NewSelect().Model((*Node)(nil)).Where("enabled").Count(ctx)
	return int64(n), err
}

// Get returns a node with its private keys, for its agent.
func (rg *Registry) Get(ctx context.Context, id int64) (Node, error) { return rg.read(ctx, rg.db, id) }

func (rg *Registry) read(ctx context.Context, idb bun.IDB, id int64) (Node, error) {
	var n Node
	err := idb.NewSelect().Model(&n).Where("id = ?", id).Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		return n, ErrNotFound.Because(err)
	}
	if err != nil {
		return n, err
	}
	return n, rg.show(&n)
}

// private holds the secrets that only the node knows.
type private struct {
	Reality string `json:"reality,omitempty"`
	TLS     string `json:"tls,omitempty"`
}

// clientSecrets holds the secrets that links contain, too.
type clientSecrets struct {
	ServerKey    string `json:"server_key,omitempty"`
	ObfsPassword string `json:"obfs_password,omitempty"`
}

// hide moves the secrets from the settings into the sealed columns.
func (rg *Registry) hide(n *Node) error {
	n.Settings = n.Settings.clone()
	var keys private
	if r := n.Settings.Reality; r != nil {
		keys.Reality, r.PrivateKey = r.PrivateKey, ""
	}
	if t := n.Settings.TLS; t != nil {
		keys.TLS, t.Key = t.Key, ""
	}
	plain, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	n.Private, n.ClientSecrets = rg.key.Seal(sealed, plain), nil
	shared := clientSecrets{n.Settings.ServerKey, n.Settings.ObfsPassword}
	if shared == (clientSecrets{}) {
		return nil
	}
	n.Settings.ServerKey, n.Settings.ObfsPassword = "", ""
	plain, err = json.Marshal(shared)
	n.ClientSecrets = rg.key.Seal(sealedForClients, plain)
	return err
}

// show opens the sealed columns and puts the secrets back into the settings.
func (rg *Registry) show(n *Node) error {
	var keys private
	if err := open(rg.key, sealed, n.Private, &keys); err != nil {
		return fmt.Errorf("private keys of node %d: %w", n.ID, err)
	}
	if r := n.Settings.Reality; r != nil {
		r.PrivateKey = keys.Reality
	}
	if t := n.Settings.TLS; t != nil {
		t.Key = keys.TLS
	}
	return rg.showClientSecrets(n)
}

// showClientSecrets puts the secrets back that clients know, too.
func (rg *Registry) showClientSecrets(n *Node) error {
	if n.ClientSecrets == nil {
		return nil
	}
	var shared clientSecrets
	if err := open(rg.key, sealedForClients, n.ClientSecrets, &shared); err != nil {
		return fmt.Errorf("client secrets of node %d: %w", n.ID, err)
	}
	n.Settings.ServerKey, n.Settings.ObfsPassword = shared.ServerKey, shared.ObfsPassword
	return nil
}

func open(key seal.Key, purpose string, from []byte, into any) error {
	plain, err := key.Open(purpose, from)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, into)
}

// Sealed returns the nodes in d whose secrets key does not open.
func Sealed(ctx context.Context, d *db.DB, key seal.Key) (closed []string, err error) {
	var nodes []Node
	if err := d.NewSelect().Model(&nodes).OrderExpr("id").Scan(ctx); err != nil {
		return nil, err
	}
	rg := &Registry{key: key}
	for i := range nodes {
		if rg.show(&nodes[i]) != nil {
			closed = append(closed, fmt.Sprintf("secrets of node %d", nodes[i].ID))
		}
	}
	return closed, nil
}
