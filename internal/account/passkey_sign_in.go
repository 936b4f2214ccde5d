package account

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// BeginPasskeySignIn gives what a browser needs to let somebody choose one of their passkeys
// (PublicKeyCredentialRequestOptionsJSON). Nobody is named: the passkey will say whose it is.
func (p *Passkeys) BeginSignIn(ctx context.Context, from Client) (options json.RawMessage, err error) {
	if p.webauthn == nil {
		return nil, ErrPasskeysOff
	}
	if err := p.challenges.Allow(network(from.IP)); err != nil {
		return nil, err
	}
	assertion, session, err := p.webauthn.BeginDiscoverableLogin()
	if err != nil {
		return nil, err
	}
	if options, err = json.Marshal(assertion.Response); err != nil {
		return nil, err
	}
	return options, p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error { return p.storeChallenge(ctx, tx, session, nil, "") })
}

// SignInByPasskey begins a session for whose passkey has answered (AuthenticationResponseJSON) a challenge of
// BeginPasskeySignIn. The second factor is not asked for, since the passkey knows its owner. Faults: ErrPasskeyTooLate,
// ErrPasskeyInvalid, ErrPasskeyUnknown, ErrPasskeySuspected.
func (p *Passkeys) SignIn(ctx context.Context, response json.RawMessage, remember bool, from Client) (g Grant, err error) {
	if p.webauthn == nil {
		return g, ErrPasskeysOff
	}
	answer, err := protocol.ParseCredentialRequestResponseBytes(response)
	if err != nil {
		return g, ErrPasskeyInvalid.Because(err)
	}
	c, err := p.consumeChallenge(ctx, answer.Response.CollectedClientData.Challenge, nil)
	if err != nil {
		return g, err
	}
	var good bool
	err = p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var key Passkey
		if err := tx.NewSelect().Model(&key).Where("credential_id = ?", answer.RawID).Scan(ctx); err != nil {
			if errors.Is(err, db.ErrNoRows) {
				err = ErrPasskeyUnknown
			}
			return err
		}
		r, err := find(ctx, tx, "id = ?", key.AccountID)
		if err != nil {
			return err
		}
		whose := func([]byte, []byte) (webauthn.User, error) { return owner{r.User, []Passkey{key}}, nil }
		if _, _, err := p.webauthn.ValidatePasskeyLogin(whose, c.Session, answer); err != nil {
			return ErrPasskeyInvalid.Because(err)
		}
		if good, err = p.countUse(ctx, tx, key, int64(answer.Response.AuthenticatorData.Counter)); err != nil {
			return err
		}
		if !good {
			return p.history.note(ctx, tx, r.ID, PasskeySuspected, from)
		}
		g, err = p.signIns.complete(ctx, tx, r, remember, from)
		return err
	})
	if err == nil && !good {
		err = ErrPasskeySuspected
	}
	return g, err
}

// countPasskey notes a use of the key. An authenticator that counts, counts upwards; where it does not, there is a copy
// that counts too, nobody can tell which is the right one, and neither is good from then on.
func (p *Passkeys) countUse(ctx context.Context, tx bun.Tx, key Passkey, count int64) (good bool, err error) {
	now := p.db.Now()
	n, err := db.Changed(tx.NewUpdate().Model((*Passkey)(nil)).Set("sign_count = ?", count).Set("last_used_at = ?", now).
		Where("id = ? AND suspected_at IS NULL AND (sign_count < ? OR (sign_count = 0 AND ? = 0))", key.ID, count, count).Exec(ctx))
	if err != nil || n == 1 {
		return n == 1, err
	}
	_, err = tx.NewUpdate().Model((*Passkey)(nil)).Set("suspected_at = ?", now).Where("id = ? AND suspected_at IS NULL", key.ID).Exec(ctx)
	return false, err
}
