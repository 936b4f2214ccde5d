package account

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/mail"
	"airstrip/internal/permission"
	"airstrip/internal/role"
)

// Faults of API keys.
var (
	ErrNoKey      = fault.NotFound("api_key_not_found", "没有这个 API 密钥", "There is no such API key")
	ErrKeyOfOther = fault.Forbidden("api_key_of_another", "只能更换自己的密钥：请撤销它，再创建新的",
		"Only who made a key may replace its secret; revoke it and make another one")
)

// APIKey is an API token that does what is staff's, as staff sees it.
type APIKey struct {
	APIToken
	Email string // of the member who made it
	Works bool   // whether that member may do all of it at the moment; else it is refused
}

// Keys returns the keys that were not revoked, expired ones too, the newest first.
func (a *APITokens) Keys(ctx context.Context) (keys []APIKey, err error) {
	var tokens []APIToken
	if err := a.db.NewSelect().Model(&tokens).Where("for_staff AND revoked_at IS NULL").OrderExpr("id DESC").
		Scan(ctx); err != nil {
		return nil, err
	}
	type maker struct {
		email string
		may   permission.Set
	}
	makers := map[int64]maker{}
	for _, t := range tokens {
		m, known := makers[t.AccountID]
		if !known {
			r, err := find(ctx, a.db, "id = ?", t.AccountID)
			if err != nil {
				return nil, err
			}
			has, _, err := a.roles.inEffect(ctx, a.db, r.ID, r.Role, r.Banned())
			if err != nil {
				return nil, err
			}
			m.email = r.Email
			if m.may, err = role.Of(ctx, a.db, has); err != nil {
				return nil, err
			}
			makers[r.ID] = m
		}
		works := !slices.ContainsFunc(t.Scopes, func(s Scope) bool { return !s.allows(m.may) })
		keys = append(keys, APIKey{t, m.email, works && (t.ExpiresAt == nil || t.ExpiresAt.After(a.db.Now()))})
	}
	return keys, nil
}

// MakeKey makes a key that acts for the member by, who gets a mail about it. The secret cannot be shown again. Invalid
// input names the fields name, scopes and expires_at.
func (a *APITokens) MakeKey(ctx context.Context, by Identity, draft APITokenDraft, reason string, from Client) (
	secret uuid.UUID, key APIKey, err error,
) {
	err = a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := find(ctx, tx, "id = ? AND closed_at IS NULL", by.UserID)
		if err != nil {
			return err
		}
		var t APIToken
		if secret, t, err = a.draft(ctx, r, draft); err != nil {
			return err
		}
		if err := invalid(checkKeyScopes(t.Scopes)); err != nil {
			return err
		}
		if err := insertToken(ctx, tx, &t); err != nil {
			return err
		}
		key = APIKey{t, r.Email, true}
		if err := a.notifyMade(ctx, tx, r, t, from); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "api_key.make", audit.ID("api_key", t.ID), nil, key.audited(), reason)
	})
	return secret, key, err
}

// RotateKey replaces the secret of a key of the member by. The former one is refused from now on.
func (a *APITokens) RotateKey(ctx context.Context, by Identity, id int64, reason string, from Client) (
	secret uuid.UUID, err error,
) {
	secret = uuid.New()
	err = a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		t, err := keyIn(ctx, tx, id)
		if err != nil {
			return err
		}
		if t.AccountID != by.UserID {
			return ErrKeyOfOther
		}
		former := t.Hint
		t.Hash, t.Hint, t.LastUsedAt = tokenHash(secret), secret.String()[:8], nil
		if _, err := tx.NewUpdate().Model(&t).Column("hash", "hint", "last_used_at").WherePK().Exec(ctx); err != nil {
			return err
		}
		r, err := find(ctx, tx, "id = ?", t.AccountID)
		if err != nil {
			return err
		}
		if err := a.notifyMade(ctx, tx, r, t, from); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "api_key.rotate", audit.ID("api_key", id), map[string]any{"hint": former},
			map[string]any{"hint": t.Hint}, reason)
	})
	return secret, err
}

// RevokeKey ends a key at once, whoever made it; that of a member who may do more than by, or whom by may not act on,
// is ErrOnStaff.
func (a *APITokens) RevokeKey(ctx context.Context, by Identity, id int64) error {
	return a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		t, err := keyIn(ctx, tx, id)
		if err != nil {
			return err
		}
		if t.AccountID != by.UserID {
			maker, err := find(ctx, tx, "id = ?", t.AccountID)
			if err == nil {
				err = by.admittedTo(ctx, tx, permission.APIKeyWrite, maker)
			}
			if err != nil {
				return err
			}
		}
		if _, err := tx.NewUpdate().Model(&t).Set("revoked_at = ?", a.db.Now()).WherePK().Exec(ctx); err != nil {
			return err
		}
		if err := a.history.noteBy(ctx, tx, t.AccountID, APITokenRevoked, Client{}, by.staffID()); err != nil {
			return err
		}
		key := APIKey{APIToken: t}
		return audit.Record(ctx, tx, "api_key.revoke", audit.ID("api_key", id), key.audited(), nil, "")
	})
}

// keyIn locks a key that was not revoked, or returns ErrNoKey.
func keyIn(ctx context.Context, tx bun.Tx, id int64) (t APIToken, err error) {
	err = db.Locked(tx.NewSelect().Model(&t).Where("id = ? AND for_staff AND revoked_at IS NULL", id)).Scan(ctx)
	return t, db.OrMissing(err, ErrNoKey)
}

// audited returns the key as the audit log has it.
func (k APIKey) audited() map[string]any {
	return map[string]any{
		"name": k.Name, "hint": k.Hint, "scopes": k.Scopes, "expires_at": k.ExpiresAt, "member_id": k.AccountID,
	}
}

func checkKeyScopes(scopes []Scope) *fault.Field {
	if slices.ContainsFunc(scopes, func(s Scope) bool { return s.Permission() == "" }) {
		return field("scopes", "choice", "此处只能授予工作人员的权限", "Only scopes of staff can be given here")
	}
	return nil
}

// notifyMade records a new secret in the history of the user r, and tells them by mail.
func (a *APITokens) notifyMade(ctx context.Context, tx bun.Tx, r row, t APIToken, from Client) error {
	if err := a.history.note(ctx, tx, r.ID, APITokenMade, from); err != nil {
		return err
	}
	content := mail.SecurityChanged{What: string(APITokenMade), Name: t.Name, At: a.db.Now(), IP: addressOf(from)}
	return a.notices.Notify(ctx, tx, r.recipient(), content)
}
