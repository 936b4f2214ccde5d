package db

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"

	"github.com/google/uuid"
	"github.com/pressly/goose/v3"
	"github.com/uptrace/bun"

	"airstrip/internal/seal"
)

// sealingVersion is the migration after which the database holds no proxy secret and no link to the media server in
// clear. It is one transaction: a process that is killed in it leaves the rows as they were, and the next start does
// all of it. Packages service, node and emby open what it seals; like every migration it never changes, whatever they
// do later.
const sealingVersion = 20261123080603

// errSealingKey is returned by a migration that must seal rows and has no key.
var errSealingKey = errors.New("this version seals secrets that earlier ones kept in clear, and needs the site's " +
	"secret key for it: " +
	"put the file secret.key that the database was made with in the data folder, or set AIRSTRIP_SECRET_KEY or " +
	"AIRSTRIP_SECRET_KEY_FILE")

// SealWith sets the key with which Migrate seals secrets that earlier versions stored in clear. It must be the key with
// which the database was made, which Migrate checks.
func (d *DB) SealWith(key seal.Key) { d.sealing = &sealingKey{key: key} }

// SealForScratch makes Migrate seal with a random key, for a copy that is removed after it was checked.
func (d *DB) SealForScratch() { d.sealing = &sealingKey{key: seal.Random(), tested: true} }

type sealingKey struct {
	key    seal.Key
	tested bool
}

func (d *DB) sealingMigration() *goose.Migration {
	return goose.NewGoMigration(sealingVersion, &goose.GoFunc{RunTx: d.sealSecrets}, nil)
}

// accessColumns are the columns of access that stay as they are.
const accessColumns = `banned, state, allowed, class, groups, speed_mbps, devices, expires_at, resets_at, sources, was_class, was_groups, was_until, revision`

// The table is created again, so that on PostgreSQL the pages that held the old columns are removed with it.
const (
	beginSealing = `
CREATE TABLE sealed_access (
	user_id         {{int}} PRIMARY KEY,
	credentials     {{blob}} NOT NULL, -- how nodes know the user: UUID and password, sealed
	password_digest {{blob}} UNIQUE,   -- keyed; null: of two users who chose the same password when nothing kept them from it
	banned          {{bool}} NOT NULL,
	state           {{text}} NOT NULL CHECK (state IN ('active', 'none', 'exhausted', 'expired', 'banned')),
	allowed         {{bool}} NOT NULL,
	class           {{int}} NOT NULL,
	groups          {{json}} NOT NULL,
	speed_mbps      {{int}} CHECK (speed_mbps > 0),
	devices         {{int}} CHECK (devices > 0),
	expires_at      {{time}},
	resets_at       {{time}},
	sources         {{text}} NOT NULL, -- what the quota is made of: services with their cycles, packages
	was_class       {{int}} NOT NULL,  -- the widest right that ended within the day before was_until
	was_groups      {{json}} NOT NULL,
	was_until       {{time}},
	revision        {{int}} NOT NULL   -- value of the revision "access" at the last change
) {{strict}};
CREATE TABLE sealing (
	user_id         {{int}} PRIMARY KEY,
	credentials     {{blob}} NOT NULL,
	password_digest {{blob}}
) {{strict}};
CREATE TABLE sealed_emby_account (
	user_id      {{int}} PRIMARY KEY,
	token_hash   {{blob}} NOT NULL UNIQUE, -- SHA-256 of the token in the address that leads to the media server
	token_sealed {{blob}} NOT NULL,        -- the token itself, to be shown again
	name         {{text}} NOT NULL UNIQUE, -- on the media server
	password     {{blob}} NOT NULL, -- sealed
	emby_id      {{text}} NOT NULL, -- empty: there is no account
	wanted       {{text}} NOT NULL CHECK (wanted IN ('none', 'enabled', 'disabled')),
	state        {{text}} NOT NULL CHECK (state IN ('none', 'enabled', 'disabled')),
	held         {{bool}} NOT NULL, -- by staff: the plan does not change it
	last_error   {{text}} NOT NULL,
	created_at   {{time}} NOT NULL,
	updated_at   {{time}} NOT NULL,
	CHECK ((emby_id = '') = (state = 'none'))
) {{strict}};
ALTER TABLE node ADD COLUMN client_secrets {{blob}}; -- what stands in links too, sealed; null: nothing
`
	endSealing = `
INSERT INTO sealed_access (user_id, credentials, password_digest, ` + accessColumns + `)
	SELECT a.user_id, s.credentials, s.password_digest, ` + accessColumns + ` FROM access AS a JOIN sealing AS s
		ON s.user_id = a.user_id ORDER BY a.user_id;
DROP TABLE sealing;
DROP TABLE chosen_password;
DROP TABLE access;
ALTER TABLE sealed_access RENAME TO access;
CREATE INDEX access_revision ON access (revision);
DROP TABLE emby_account;
ALTER TABLE sealed_emby_account RENAME TO emby_account;
CREATE INDEX emby_account_behind ON emby_account (user_id) WHERE wanted <> state;
`
	// rewriteNodes makes PostgreSQL write the table again, since an update leaves the old rows in its pages.
	rewriteNodes = `ALTER TABLE node ALTER COLUMN settings TYPE JSONB USING settings - 'server_key' - 'obfs_password';`
	// markRemains notes on PostgreSQL that removeRemains has work to do. It commits with the migration, so that a
	// process that is killed before it cleaned leaves the work to the next one.
	markRemains = `
DO $$ BEGIN
	IF EXISTS (SELECT FROM access) OR EXISTS (SELECT FROM node) OR EXISTS (SELECT FROM emby_account) THEN
		COMMENT ON TABLE access IS 'statistics hold remains';
	END IF;
END $$`
)

func (d *DB) sealSecrets(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, words[d.sqlite].Replace(beginSealing)); err != nil {
		return err
	}
	if err := d.sealAccess(ctx, tx); err != nil {
		return err
	}
	if err := d.sealNodes(ctx, tx); err != nil {
		return err
	}
	if err := d.sealMediaLinks(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, endSealing); err != nil {
		return err
	}
	if d.sqlite {
		return nil
	}
	_, err := tx.ExecContext(ctx, rewriteNodes+markRemains)
	return err
}

// sealAccess seals everybody's UUID and password, some users at a time.
func (d *DB) sealAccess(ctx context.Context, tx *sql.Tx) error {
	type plainRow struct {
		UserID   int64
		UUID     uuid.UUID
		Password string
	}
	type sealedRow struct {
		bun.BaseModel  `bun:"table:sealing"`
		UserID         int64
		Credentials    []byte
		PasswordDigest []byte
	}
	const together = 500
	taken := map[[16]byte]bool{}
	for last := int64(math.MinInt64); ; {
		var plain []plainRow
		if err := d.long.NewRaw(`SELECT user_id, uuid, password FROM access WHERE user_id > ? ORDER BY user_id LIMIT ?`,
			last, together).
			Conn(tx).Scan(ctx, &plain); err != nil || len(plain) == 0 {
			return err
		}
		key, err := d.sealingKey(ctx, tx)
		if err != nil {
			return err
		}
		cipher := key.RowCipher("proxy credentials")
		sealed := make([]sealedRow, len(plain))
		for i, p := range plain {
			digest := key.Digest("proxy password", []byte(p.Password))
			sealed[i] = sealedRow{
				UserID:      p.UserID,
				Credentials: cipher.Seal(p.UserID, append(p.UUID[:], p.Password...)),
			}
			if !taken[[16]byte(digest)] {
				taken[[16]byte(digest)], sealed[i].PasswordDigest = true, digest
			}
		}
		if _, err := d.long.NewInsert().Model(&sealed).Conn(tx).Exec(ctx); err != nil {
			return err
		}
		last = plain[len(plain)-1].UserID
	}
}

// sealNodes seals those secrets in nodes' settings that clients know too. The nodes' private keys have always been
// sealed.
func (d *DB) sealNodes(ctx context.Context, tx *sql.Tx) error {
	var nodes []struct {
		ID       int64
		Settings string
	}
	if err := d.long.NewRaw(`SELECT id, CAST(settings AS TEXT) AS settings FROM node ORDER BY id`).Conn(tx).
		Scan(ctx, &nodes); err != nil {
		return err
	}
	for _, n := range nodes {
		settings, secrets := map[string]json.RawMessage{}, map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(n.Settings), &settings); err != nil {
			return fmt.Errorf("settings of node %d: %w", n.ID, err)
		}
		for _, name := range []string{"server_key", "obfs_password"} {
			if value, ok := settings[name]; ok {
				secrets[name] = value
				delete(settings, name)
			}
		}
		if len(secrets) == 0 {
			continue
		}
		key, err := d.sealingKey(ctx, tx)
		if err != nil {
			return err
		}
		rest, err := json.Marshal(settings)
		if err != nil {
			return err
		}
		plain, err := json.Marshal(secrets)
		if err != nil {
			return err
		}
		if _, err := d.long.NewRaw(`UPDATE node SET settings = ?, client_secrets = ? WHERE id = ?`,
			string(rest), key.Seal("node client secrets", plain), n.ID).Conn(tx).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sealMediaLinks seals the tokens with which users open the media server.
func (d *DB) sealMediaLinks(ctx context.Context, tx *sql.Tx) error {
	var accounts []struct {
		UserID int64
		Token  uuid.UUID
	}
	if err := d.long.NewRaw(`SELECT user_id, token FROM emby_account ORDER BY user_id`).Conn(tx).
		Scan(ctx, &accounts); err != nil || len(accounts) == 0 {
		return err
	}
	key, err := d.sealingKey(ctx, tx)
	if err != nil {
		return err
	}
	const same = `name, password, emby_id, wanted, state, held, last_error, created_at, updated_at`
	cipher := key.RowCipher("emby link")
	for _, a := range accounts {
		hash := sha256.Sum256(a.Token[:])
		if _, err := d.long.NewRaw(`INSERT INTO sealed_emby_account (user_id, token_hash, token_sealed, `+same+`)
			SELECT user_id, ?, ?, `+same+` FROM emby_account
				WHERE user_id = ?`, hash[:], cipher.Seal(a.UserID, a.Token[:]), a.UserID).
			Conn(tx).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sealingKey returns the key to seal with, after a check on what the database has sealed already: with another key
// nobody's credentials could be opened.
func (d *DB) sealingKey(ctx context.Context, tx *sql.Tx) (seal.Key, error) {
	s := d.sealing
	if s == nil {
		return seal.Key{}, errSealingKey
	}
	if s.tested {
		return s.key, nil
	}
	var signing [][]byte
	if err := d.long.NewRaw(`SELECT sealed FROM jwt_key`).Conn(tx).Scan(ctx, &signing); err != nil {
		return seal.Key{}, err
	}
	for _, sealed := range signing {
		if _, err := s.key.Open("jwt signing key", sealed); err != nil {
			return seal.Key{},
				fmt.Errorf("the secret key is not the one that this database was made with, so nothing was migrated: "+
					"start with the AIRSTRIP_SECRET_KEY (or secret.key) that it was made with: %w", err)
		}
	}
	s.tested = true
	return s.key, nil
}

// cleaned is the user_version of a SQLite file in whose free pages nothing is left of what sealSecrets sealed.
const cleaned = 1

// removeRemains removes what the engine itself keeps of the rows that sealSecrets sealed. A failure is logged and keeps
// nobody from starting; the next start tries again.
//
// On SQLite the pages that had secrets in clear are free, with their contents, until the file is made anew, which takes
// time and free space for a copy of it. On PostgreSQL the tables were made anew with the migration, and the planner's
// statistics hold samples of what was in them.
func (d *DB) removeRemains(ctx context.Context) error {
	if !d.sqlite {
		return d.removeStatistics(ctx)
	}
	var version int
	if err := d.write.NewRaw(`PRAGMA user_version`).Scan(ctx, &version); err != nil || version >= cleaned {
		return err
	}
	// The copy may be too large for the memory.
	if _, err := d.write.ExecContext(ctx,
		`PRAGMA temp_store = FILE; VACUUM; PRAGMA user_version = `+strconv.Itoa(cleaned)+
			`; PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		slog.WarnContext(ctx, "free pages of the database file may still hold credentials that were kept in clear "+
			"before; "+
			"the next start removes them", "error", err)
	}
	// A change of temp_store removes all that is temporary.
	_, err := d.write.ExecContext(ctx, `PRAGMA temp_store = MEMORY; `+makeGivenRows)
	return err
}

// removeStatistics makes PostgreSQL's statistics anew where markRemains noted that they hold samples of secrets.
func (d *DB) removeStatistics(ctx context.Context) error {
	var marked bool
	if err := d.long.NewRaw(`SELECT obj_description('access'::regclass) IS NOT NULL`).Scan(ctx, &marked); err != nil ||
		!marked {
		return err
	}
	if _, err := d.long.ExecContext(ctx, `VACUUM (FULL) pg_statistic`); err != nil {
		slog.WarnContext(ctx, "files of PostgreSQL may still hold some credentials that were kept in clear before; "+
			"the next start removes them, or its administrator with VACUUM FULL pg_statistic", "error", err)
		return nil
	}
	_, err := d.long.ExecContext(ctx, `COMMENT ON TABLE access IS NULL`)
	return err
}
