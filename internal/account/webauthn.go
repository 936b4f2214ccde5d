package account

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/uptrace/bun"
)

// Passkeys are WebAuthn credentials that identify their user and that the device uses only after it has verified the
// user by finger, face or PIN. One passkey therefore replaces both factors, and no other code is required after it.
// (https://www.w3.org/TR/webauthn-3/)

const challengeLife = 5 * time.Minute

// relyingParty returns the site as passkeys know it. Passkeys are bound to its configured address, whatever host a
// request names. It is nil where the address is no domain name, to which no passkey can be bound.
func relyingParty(site string) *webauthn.WebAuthn {
	u, err := url.Parse(site)
	if err != nil {
		return nil
	}
	// browsers omit the default port
	host := strings.TrimSuffix(u.Host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	timeout := webauthn.TimeoutConfig{Timeout: challengeLife}
	rp, err := webauthn.New(&webauthn.Config{
		RPID: strings.ToLower(u.Hostname()), RPOrigins: []string{u.Scheme + "://" + host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		},
		Timeouts: webauthn.TimeoutsConfig{Login: timeout, Registration: timeout},
		// Password managers answer extensions that were not requested.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil
	}
	return rp
}

// Enabled tells whether people can sign in with passkeys. They cannot where the site's address is an IP address.
func (p *Passkeys) Enabled() bool { return p.webauthn != nil }

// webauthnUser is a user as the WebAuthn library expects one.
type webauthnUser struct {
	User
	keys []Passkey
}

func (o webauthnUser) WebAuthnID() []byte          { return o.UUID[:] }
func (o webauthnUser) WebAuthnName() string        { return o.Email }
func (o webauthnUser) WebAuthnDisplayName() string { return o.Name }
func (o webauthnUser) WebAuthnCredentials() []webauthn.Credential {
	all := make([]webauthn.Credential, len(o.keys))
	for i, k := range o.keys {
		all[i] = webauthn.Credential{
			ID: k.CredentialID, PublicKey: k.PublicKey, Transport: k.Transports,
			Flags:         webauthn.CredentialFlags{BackupEligible: k.BackupEligible},
			Authenticator: webauthn.Authenticator{SignCount: uint32(k.SignCount)},
		}
	}
	return all
}

// challenge is a WebAuthn challenge that waits for its answer.
type challenge struct {
	bun.BaseModel `bun:"table:passkey_challenge"`
	Challenge     string `bun:",pk"`
	AccountID     *int64 // nil: to sign in
	Name          string
	Session       webauthn.SessionData `bun:"type:jsonb"`
	ExpiresAt     time.Time
}

func (p *Passkeys) storeChallenge(
	ctx context.Context, tx bun.Tx, s *webauthn.SessionData, accountID *int64, name string,
) error {
	c := challenge{Challenge: s.Challenge, AccountID: accountID, Name: name, Session: *s, ExpiresAt: p.db.Now().
		Add(challengeLife)}
	_, err := tx.NewInsert().Model(&c).Exec(ctx)
	return err
}

// consumeChallenge deletes the challenge to which an answer belongs, in a transaction of its own, so that a wrong
// answer consumes it too. accountID is the user who adds a passkey, nil for a sign-in. A challenge that was used, is
// too old or belongs to another user is ErrPasskeyTooLate.
func (p *Passkeys) consumeChallenge(ctx context.Context, answered string, accountID *int64) (challenge, error) {
	var taken []challenge
	err := p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		taken = nil
		return tx.NewRaw(`DELETE FROM passkey_challenge WHERE challenge = ? RETURNING *`, answered).Scan(ctx, &taken)
	})
	if err != nil {
		return challenge{}, err
	}
	if len(taken) == 0 || !p.db.Now().Before(taken[0].ExpiresAt) || !same(taken[0].AccountID, accountID) {
		return challenge{}, ErrPasskeyTooLate
	}
	return taken[0], nil
}

func same(a, b *int64) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

// ForgetChallenges deletes the challenges that nobody answered.
func (p *Passkeys) ForgetChallenges(ctx context.Context) error {
	return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewDelete().Model((*challenge)(nil)).Where("expires_at < ?", p.db.Now()).Exec(ctx)
		return err
	})
}
