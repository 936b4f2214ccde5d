package account

import (
	"context"
	"encoding/json"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// BeginSignIn returns what a browser needs to let the user choose a passkey (PublicKeyCredentialRequestOptionsJSON). No
// user is named: the passkey identifies its user.
func (p *Passkeys) BeginSignIn(ctx context.Context, from Client) (options json.RawMessage, err error) {
	if p.webauthn == nil {
		return nil, ErrPasskeysOff
	}
	if err := p.challenges.Allow(networkOf(from.IP)); err != nil {
		return nil, err
	}
	assertion, session, err := p.webauthn.BeginDiscoverableLogin()
	if err != nil {
		return nil, err
	}
	if options, err = json.Marshal(assertion.Response); err != nil {
		return nil, err
	}
	return options, p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		return p.storeChallenge(ctx, tx,
			session, nil, "")
	})
}

// SignIn begins a session for the user whose passkey answered (AuthenticationResponseJSON) a challenge of BeginSignIn.
// No second factor is needed, since the device has verified its user. Faults: ErrPasskeyTooLate, ErrPasskeyInvalid,
// ErrPasskeyUnknown, ErrPasskeySuspected.
func (p *Passkeys) SignIn(
	ctx context.Context, response json.RawMessage, remember bool, from Client,
) (g Grant, err error) {
	err = p.use(ctx, response, from, func(ctx context.Context, tx bun.Tx, r row) error {
		g, err = p.signIns.complete(ctx, tx, r, byKey, remember, from)
		return err
	})
	return g, err
}

// use runs then for the user whose passkey answered a challenge of BeginSignIn.
func (p *Passkeys) use(
	ctx context.Context, response json.RawMessage, from Client, then func(context.Context, bun.Tx, row) error,
) error {
	if p.webauthn == nil {
		return ErrPasskeysOff
	}
	answer, err := protocol.ParseCredentialRequestResponseBytes(response)
	if err != nil {
		return ErrPasskeyInvalid.Because(err)
	}
	c, err := p.consumeChallenge(ctx, answer.Response.CollectedClientData.Challenge, nil)
	if err != nil {
		return err
	}
	var good bool
	err = p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var key Passkey
		if err := tx.NewSelect().Model(&key).Where("credential_id = ?", answer.RawID).Scan(ctx); err != nil {
			return db.OrMissing(err, ErrPasskeyUnknown)
		}
		r, err := find(ctx, tx, "id = ?", key.AccountID)
		if err != nil {
			return err
		}
		whose := func([]byte, []byte) (webauthn.User, error) { return webauthnUser{r.User, []Passkey{key}}, nil }
		if _, _, err := p.webauthn.ValidatePasskeyLogin(whose, c.Session, answer); err != nil {
			return ErrPasskeyInvalid.Because(err)
		}
		if good, err = p.countUse(ctx, tx, key, int64(answer.Response.AuthenticatorData.Counter)); err != nil {
			return err
		}
		if !good {
			return p.history.note(ctx, tx, r.ID, PasskeySuspected, from)
		}
		return then(ctx, tx, r)
	})
	if err == nil && !good {
		err = ErrPasskeySuspected
	}
	return err
}

// countUse records a use of the key. An authenticator with a counter counts upwards. Where the counter does not grow
// there is a copy of the key; nobody can tell which one is genuine, so the key no longer signs in.
func (p *Passkeys) countUse(ctx context.Context, tx bun.Tx, key Passkey, count int64) (good bool, err error) {
	now := p.db.Now()
	n, err := db.Changed(tx.NewUpdate().Model((*Passkey)(nil)).Set("sign_count = ?", count).
		Set("last_used_at = ?", now).
		Where("id = ? AND suspected_at IS NULL AND (sign_count < ? OR (sign_count = 0 AND ? = 0))", key.ID, count,
			count).Exec(ctx))
	if err != nil || n == 1 {
		return n == 1, err
	}
	_, err = tx.NewUpdate().Model((*Passkey)(nil)).Set("suspected_at = ?", now).
		Where("id = ? AND suspected_at IS NULL", key.ID).Exec(ctx)
	return false, err
}
