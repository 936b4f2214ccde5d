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

// Passkeys are WebAuthn credentials that name their user themselves and that the device gives out only after it knows its
// owner by finger, face or PIN. So one stands for both factors, what one has and what one is or knows, and no other code
// is asked for after it. (https://www.w3.org/TR/webauthn-3/)

const challengeLife = 5 * time.Minute

// relyingParty is the site as passkeys know it: they are bound to its configured address, whatever a request calls it. It
// is nil where the address is no domain name, to which no passkey can be bound.
func relyingParty(site string) *webauthn.WebAuthn {
	u, err := url.Parse(site)
	if err != nil {
		return nil
	}
	host := strings.TrimSuffix(u.Host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme]) // browsers leave it out
	timeout := webauthn.TimeoutConfig{Timeout: challengeLife}
	rp, err := webauthn.New(&webauthn.Config{
		RPID: strings.ToLower(u.Hostname()), RPOrigins: []string{u.Scheme + "://" + host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		},
		Timeouts: webauthn.TimeoutsConfig{Login: timeout, Registration: timeout},
		// Password managers answer extensions that nobody asked for.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil
	}
	return rp
}

// PasskeysOn tells whether people can sign in with passkeys here; not where the site's address is an IP address.
func (p *Passkeys) Enabled() bool { return p.webauthn != nil }

// owner is a user as the WebAuthn library wants to see one.
type owner struct {
	User
	keys []Passkey
}

func (o owner) WebAuthnID() []byte          { return o.UUID[:] }
func (o owner) WebAuthnName() string        { return o.Email }
func (o owner) WebAuthnDisplayName() string { return o.Name }
func (o owner) WebAuthnCredentials() []webauthn.Credential {
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

// challenge is one that waits for its answer.
type challenge struct {
	bun.BaseModel `bun:"table:passkey_challenge"`
	Challenge     string `bun:",pk"`
	AccountID     *int64 // nil: to sign in
	Name          string
	Session       webauthn.SessionData `bun:"type:jsonb"`
	ExpiresAt     time.Time
}

func (p *Passkeys) storeChallenge(ctx context.Context, tx bun.Tx, s *webauthn.SessionData, accountID *int64, name string) error {
	c := challenge{Challenge: s.Challenge, AccountID: accountID, Name: name, Session: *s, ExpiresAt: p.db.Now().Add(challengeLife)}
	_, err := tx.NewInsert().Model(&c).Exec(ctx)
	return err
}

// takeChallenge uses up the challenge that an answer is about, in a transaction of its own: a wrong answer uses it up too.
// accountID is who adds a passkey, nil for who signs in. One that is used, too old or somebody else's is ErrPasskeyTooLate.
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

// ForgetChallenges removes those that nobody answered.
func (p *Passkeys) ForgetChallenges(ctx context.Context) error {
	return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewDelete().Model((*challenge)(nil)).Where("expires_at < ?", p.db.Now()).Exec(ctx)
		return err
	})
}
