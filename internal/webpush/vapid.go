package webpush

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/seal"
)

const (
	keyPurpose = "web push key"
	// tokenLife is how long a push service may take a token. RFC 8292 allows 24 hours; clocks may be apart.
	tokenLife = 12 * time.Hour
)

type keyRow struct {
	bun.BaseModel `bun:"table:push_key"`
	ID            int64 `bun:",pk"`
	Public        []byte
	Private       []byte // sealed
	CreatedAt     time.Time
}

// A keyPair proves to push services that messages come from the site that the browser subscribed to.
type keyPair struct {
	private *ecdsa.PrivateKey
	public  string // as browsers and push services read it
}

// PublicKey returns the key that browsers subscribe with, in base64url. The first call of a site makes it.
func (p *Push) PublicKey(ctx context.Context) (string, error) {
	pair, err := p.keys(ctx)
	if err != nil {
		return "", err
	}
	return pair.public, nil
}

func (p *Push) keys(ctx context.Context) (*keyPair, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pair != nil {
		return p.pair, nil
	}
	var row keyRow
	err := p.db.NewSelect().Model(&row).Where("id = 1").Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		if row, err = p.makeKeys(ctx); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	plain, err := p.key.Open(keyPurpose, row.Private)
	if err != nil {
		return nil, fmt.Errorf("the key pair of web push: %w", err)
	}
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), plain)
	if err != nil {
		return nil, fmt.Errorf("the key pair of web push: %w", err)
	}
	p.pair = &keyPair{private, base64.RawURLEncoding.EncodeToString(row.Public)}
	return p.pair, nil
}

// makeKeys stores a key pair, unless another process has done so meanwhile, and returns the one that is stored.
func (p *Push) makeKeys(ctx context.Context) (row keyRow, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return row, err
	}
	plain, err := private.Bytes()
	if err != nil {
		return row, err
	}
	public, err := private.PublicKey.Bytes()
	if err != nil {
		return row, err
	}
	made := keyRow{ID: 1, Public: public, Private: p.key.Seal(keyPurpose, plain), CreatedAt: p.db.Now()}
	err = p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewInsert().Model(&made).On("CONFLICT (id) DO NOTHING").Exec(ctx); err != nil {
			return err
		}
		row = keyRow{}
		return tx.NewSelect().Model(&row).Where("id = 1").Scan(ctx)
	})
	return row, err
}

// authorization returns the header that identifies the site to the push service of an endpoint (RFC 8292).
func (k *keyPair) authorization(endpoint *url.URL, site string, now time.Time) (string, error) {
	claims := jwt.MapClaims{"aud": endpoint.Scheme + "://" + endpoint.Host, "exp": now.Add(tokenLife).Unix()}
	if strings.HasPrefix(site, "https:") { // of addresses, the only ones that services take
		claims["sub"] = site
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodES256, claims).SignedString(k.private)
	return "vapid t=" + token + ", k=" + k.public, err
}

// Sealed returns what of web push in d key does not open.
func Sealed(ctx context.Context, d *db.DB, key seal.Key) (closed []string, err error) {
	var keys []keyRow
	if err := d.NewSelect().Model(&keys).Scan(ctx); err != nil {
		return nil, err
	}
	for _, row := range keys {
		if _, err := key.Open(keyPurpose, row.Private); err != nil {
			closed = append(closed, "the key pair of web push")
		}
	}
	var subscriptions []subscriptionRow
	if err := d.NewSelect().Model(&subscriptions).Column("id", "sealed").OrderExpr("id").Scan(ctx); err != nil {
		return nil, err
	}
	for _, row := range subscriptions {
		if _, err := key.Open(subscriptionPurpose, row.Sealed); err != nil {
			closed = append(closed, fmt.Sprintf("push subscription %d", row.ID))
		}
	}
	return closed, nil
}
