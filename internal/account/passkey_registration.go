package account

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/mail"
)

// Begin returns what a browser needs to create a passkey for the user (PublicKeyCredentialCreationOptionsJSON). The
// user proves the password and, since a passkey replaces both factors, the second one where it is on. An empty name
// becomes that of the device. Invalid input names the fields name, password, code.
func (p *Passkeys) Begin(
	ctx context.Context, who Identity, name, password, code string, from Client,
) (options json.RawMessage, err error) {
	if p.webauthn == nil {
		return nil, ErrPasskeysOff
	}
	if name = normalName(name); name == "" {
		name = passkeyNameFor(from)
	}
	if err := invalid(checkPasskeyName(name)); err != nil {
		return nil, err
	}
	u, err := userByID(ctx, p.db, who.UserID)
	if err != nil {
		return nil, err
	}
	err = p.verifier.prove(ctx, u.Email, password, p.verifier.secondFactor(code, from.within(who)), from.within(who),
		func(ctx context.Context, tx bun.Tx, r row) error {
			keys, err := roomForPasskey(ctx, tx, r.ID)
			if err != nil {
				return err
			}
			o := webauthnUser{r.User, keys}
			creation, session, err := p.webauthn.BeginRegistration(o,
				webauthn.WithRegistrationRelyingPartyName(p.settings.Get().SiteName),
				webauthn.WithExclusions(webauthn.Credentials(o.WebAuthnCredentials()).CredentialDescriptors()))
			if err != nil {
				return err
			}
			if options, err = json.Marshal(creation.Response); err != nil {
				return err
			}
			return p.storeChallenge(ctx, tx, session, &r.ID, name)
		})
	return options, atFields(err, "password", "code")
}

// Finish adds the passkey that a browser created (RegistrationResponseJSON) after Begin, and notifies the user by mail,
// since it opens the account. All other sessions and all API tokens end. Faults: ErrPasskeyTooLate, ErrPasskeyInvalid,
// ErrPasskeyTaken.
func (p *Passkeys) Finish(
	ctx context.Context, who Identity, response json.RawMessage, from Client,
) (key Passkey, err error) {
	if p.webauthn == nil {
		return key, ErrPasskeysOff
	}
	answer, err := protocol.ParseCredentialCreationResponseBytes(response)
	if err != nil {
		return key, ErrPasskeyInvalid.Because(err)
	}
	c, err := p.consumeChallenge(ctx, answer.Response.CollectedClientData.Challenge, &who.UserID)
	if err != nil {
		return key, err
	}
	err = p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := find(ctx, tx, "id = ?", who.UserID)
		if err != nil {
			return err
		}
		if _, err := roomForPasskey(ctx, tx, r.ID); err != nil {
			return err
		}
		made, err := p.webauthn.CreateCredential(webauthnUser{User: r.User}, c.Session, answer)
		if err != nil {
			return ErrPasskeyInvalid.Because(err)
		}
		now := p.db.Now()
		key = Passkey{
			AccountID: r.ID, CredentialID: made.ID, PublicKey: made.PublicKey,
			SignCount:      int64(made.Authenticator.SignCount),
			Transports:     append([]protocol.AuthenticatorTransport{}, made.Transport...),
			BackupEligible: made.Flags.BackupEligible, Name: c.Name, CreatedAt: now,
		}
		if _, err := tx.NewInsert().Model(&key).Exec(ctx); err != nil {
			if err = db.Error(err); errors.Is(err, db.ErrUnique) {
				err = ErrPasskeyTaken.Because(err)
			}
			return err
		}
		return p.credentials.recordChange(ctx, tx, r,
			credentialChange{kind: PasskeyAdded, keep: who.SessionID, content: func(otherCredentials) mail.Content {
				return mail.PasskeyAdded{At: now, IP: addressOf(from), Name: key.Name}
			}}, from)
	})
	return key, err
}

// roomForPasskey returns the user's passkeys, or ErrTooManyPasskeys.
func roomForPasskey(ctx context.Context, tx bun.Tx, userID int64) ([]Passkey, error) {
	keys, err := passkeysOf(ctx, tx, userID)
	if err == nil && len(keys) >= maxPasskeys {
		err = ErrTooManyPasskeys
	}
	return keys, err
}

// passkeyNameFor names a passkey after the device that creates it.
func passkeyNameFor(from Client) string {
	d := deviceOf(userAgent(from))
	if name := strings.Trim(d.Browser+" · "+d.System, " ·"); name != "" {
		return name
	}
	return "Passkey"
}
