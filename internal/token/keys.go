package token

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/uptrace/bun"
	"golang.org/x/time/rate"

	"airstrip/internal/audit"
	"airstrip/internal/cache"
	"airstrip/internal/clock"
	"airstrip/internal/db"
	"airstrip/internal/seal"
)

const (
	purpose  = "jwt signing key"
	revision = "jwt_key"
)

// Tokens signs and verifies.
type Tokens struct {
	db     *db.DB
	key    seal.Key
	ring   *db.Snapshot[ring]
	reload *rate.Limiter // an unknown key id may be one that another process just made, or somebody's invention
	parser *jwt.Parser

	// verified remembers good signatures: checking one again costs more than all else that a signed-in call does here.
	verified *cache.Cache[[sha256.Size]byte, verified]
}

type verified struct {
	claims Claims
	kid    string
}

const remembered = 20_000 // signatures; about ten megabytes

type ring struct {
	signing ed25519.PrivateKey
	kid     string
	public  map[string]ed25519.PublicKey
}

type keyRow struct {
	bun.BaseModel `bun:"table:jwt_key"`
	Kid           string `bun:",pk"`
	Sealed        []byte
	Signing       *bool
	CreatedAt     time.Time
	ExpiresAt     *time.Time
}

// New loads the keys and makes the first one where there is none; of several processes that start at once one makes it.
func New(ctx context.Context, d *db.DB, key seal.Key) (*Tokens, error) {
	t := &Tokens{
		db: d, key: key, reload: rate.NewLimiter(rate.Every(time.Second), 1),
		verified: cache.New[[sha256.Size]byte](cache.Options[verified]{MaxEntries: remembered}),
	}
	t.parser = jwt.NewParser(jwt.WithStrictDecoding(), jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}),
		jwt.WithExpirationRequired(), jwt.WithTimeFunc(d.Now))
	has, err := d.NewSelect().Model((*keyRow)(nil)).Where("signing").Exists(ctx)
	if err != nil {
		return nil, err
	}
	if !has {
		if err := d.Tx(ctx, t.add); err != nil {
			return nil, err
		}
	}
	t.ring = db.NewSnapshot(d, revision, "signing keys", t.read)
	return t, t.ring.Load(ctx)
}

// add makes a signing key, unless another process made one meanwhile.
func (t *Tokens) add(ctx context.Context, tx bun.Tx) error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	sum, signing := sha256.Sum256(public), true
	row := keyRow{
		Kid: hex.EncodeToString(sum[:8]), Sealed: t.key.Seal(purpose, private.Seed()), Signing: &signing,
		CreatedAt: t.db.Now(),
	}
	_, err = tx.NewInsert().Model(&row).On("CONFLICT (signing) DO NOTHING").Exec(ctx)
	return err
}

// Rotate makes a new signing key and returns its id. The former key is honoured until the last token that it signed has
// expired; with revoke no former key is, so that every session ends: that is for a key that leaked.
func (t *Tokens) Rotate(ctx context.Context, revoke bool) (kid string, err error) {
	err = t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now := t.db.Now()
		var former []string
		if err := tx.NewSelect().Model((*keyRow)(nil)).Column("kid").Where("signing").Scan(ctx, &former); err != nil {
			return err
		}
		// Another process may sign with the former key until it reads of the new one.
		if _, err := tx.NewUpdate().Model((*keyRow)(nil)).Set("signing = NULL").
			Set("expires_at = ?", now.Add(maxLife+time.Hour)).
			Where("signing").Exec(ctx); err != nil {
			return err
		}
		dead := tx.NewDelete().Model((*keyRow)(nil)).Where("signing IS NULL")
		if !revoke {
			dead = dead.Where("expires_at < ?", now)
		}
		if _, err := dead.Exec(ctx); err != nil {
			return err
		}
		if err := t.add(ctx, tx); err != nil {
			return err
		}
		if err := tx.NewSelect().Model((*keyRow)(nil)).Column("kid").Where("signing").Scan(ctx, &kid); err != nil {
			return err
		}
		if err := audit.Record(ctx, tx, "signing_key.rotate", audit.Object{Kind: "signing_key"},
			map[string]any{"key_ids": former},
			map[string]any{"key_ids": []string{kid}, "is_former_revoked": revoke}, ""); err != nil {
			return err
		}
		_, err := db.Bump(ctx, tx, revision)
		return err
	})
	if err != nil {
		return "", err
	}
	return kid, t.ring.Load(ctx)
}

// Key is what staff sees of a key that is honoured.
type Key struct {
	ID        string
	CreatedAt time.Time
	Until     *time.Time // of a former key: when the last token that it signed has expired; nil: it signs
}

// Keys returns the keys that are honoured: the one that signs, then the former ones, the newest first.
func (t *Tokens) Keys(ctx context.Context) ([]Key, error) {
	var rows []keyRow
	if err := t.db.NewSelect().Model(&rows).Column("kid", "created_at", "expires_at").
		Where("expires_at IS NULL OR expires_at > ?", t.db.Now()).
		OrderExpr("expires_at IS NOT NULL, created_at DESC, kid").Scan(ctx); err != nil {
		return nil, err
	}
	keys := make([]Key, len(rows))
	for i, row := range rows {
		keys[i] = Key{row.Kid, row.CreatedAt, row.ExpiresAt}
	}
	return keys, nil
}

// Follow keeps the keys current with what other processes change, until ctx ends.
func (t *Tokens) Follow(ctx context.Context) { t.ring.Follow(ctx) }

func (t *Tokens) read(ctx context.Context) (ring, error) {
	var rows []keyRow
	if err := t.db.NewSelect().Model(&rows).Where("expires_at IS NULL OR expires_at > ?", t.db.Now()).
		Scan(ctx); err != nil {
		return ring{}, err
	}
	r := ring{public: map[string]ed25519.PublicKey{}}
	for _, row := range rows {
		seed, err := t.key.Open(purpose, row.Sealed)
		if err != nil || len(seed) != ed25519.SeedSize {
			return ring{}, fmt.Errorf("the signing key %s in the database was sealed with another secret key; start with "+
				"the AIRSTRIP_SECRET_KEY (or secret.key) that this database was made with", row.Kid)
		}
		private := ed25519.NewKeyFromSeed(seed)
		r.public[row.Kid] = private.Public().(ed25519.PublicKey)
		if row.Signing != nil {
			r.signing, r.kid = private, row.Kid
		}
	}
	if r.signing == nil {
		return ring{}, fmt.Errorf("the database has no signing key")
	}
	return r, nil
}

// Sign gives the token of c. The same claims give the same token while the signing key is the same.
func (t *Tokens) Sign(c Claims) (string, error) {
	r := t.ring.Get()
	unsigned := jwt.NewWithClaims(jwt.SigningMethodEdDSA, &c)
	unsigned.Header["kid"] = r.kid
	return unsigned.SignedString(r.signing)
}

const maxLength = 4096 // of a token in bytes; ours are far shorter

// Verify gives the claims of a living token of type want, or ErrInvalid.
func (t *Tokens) Verify(ctx context.Context, raw string, want Type) (Claims, error) {
	// base64 skips line breaks even when it is strict, so one token would have many spellings.
	if len(raw) > maxLength || strings.ContainsAny(raw, "\r\n") {
		return Claims{}, ErrInvalid
	}
	c, err := t.claims(ctx, raw)
	if err != nil {
		return Claims{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if !c.sound(want) {
		return Claims{}, fmt.Errorf("%w: it is no %s token", ErrInvalid, want)
	}
	if c.IssuedAt.After(t.db.Now().Add(clock.Tolerance)) { // by a clock that was ahead; it would last until that time
		return Claims{}, fmt.Errorf("%w: it is of a time to come", ErrInvalid)
	}
	return c, nil
}

// claims gives what a token says that one of the keys signed and that is not out yet.
func (t *Tokens) claims(ctx context.Context, raw string) (Claims, error) {
	name := sha256.Sum256([]byte(raw))
	if v, ok := t.verified.Get(name); ok && t.ring.Get().public[v.kid] != nil &&
		v.claims.ExpiresAt.After(t.db.Now()) {
		return v.claims, nil
	}
	var c Claims
	parsed, err := t.parser.ParseWithClaims(raw, &c,
		func(unverified *jwt.Token) (any, error) { return t.public(ctx, unverified) })
	if err != nil {
		return Claims{}, err
	}
	kid, _ := parsed.Header["kid"].(string)
	t.verified.Set(name, verified{c, kid})
	return c, nil
}

func (t *Tokens) public(ctx context.Context, unverified *jwt.Token) (any, error) {
	kid, _ := unverified.Header["kid"].(string)
	key, ok := t.ring.Get().public[kid]
	if !ok && t.reload.Allow() {
		if err := t.ring.Load(ctx); err != nil {
			return nil, err
		}
		key, ok = t.ring.Get().public[kid]
	}
	if !ok {
		return nil, fmt.Errorf("unknown key %q", kid)
	}
	return key, nil
}

// Sealed gives the signing keys in d that key does not open.
func Sealed(ctx context.Context, d *db.DB, key seal.Key) (closed []string, err error) {
	var rows []keyRow
	if err := d.NewSelect().Model(&rows).Scan(ctx); err != nil {
		return nil, err
	}
	for _, row := range rows {
		if _, err := key.Open(purpose, row.Sealed); err != nil {
			closed = append(closed, "signing key "+row.Kid)
		}
	}
	return closed, nil
}
