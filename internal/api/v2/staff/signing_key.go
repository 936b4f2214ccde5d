package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/permission"
	"airstrip/internal/token"
)

type signingKey struct {
	ID            string     `json:"key_id"`
	CreatedAt     time.Time  `json:"created_at"`
	HonouredUntil *time.Time `json:"honoured_until" nullable:"true" doc:"Of a former key: when the last token that it signed has expired; null: it signs"`
}

type signingKeys struct {
	Keys []signingKey `json:"keys" doc:"Those that are honoured: the one that signs, then the former ones, the newest first"`
}

type signingKeyRotation struct {
	Revoke bool   `json:"revoke" doc:"Honour no former key, so that everybody signs in again, the caller too: for a key that leaked"`
	Reason string `json:"reason,omitempty" maxLength:"500" doc:"For the audit log"`
}

// SigningKey adds what staff sees of the keys that sign the tokens of sessions, and their replacement. No operation
// shows a key.
func SigningKey(tokens *token.Tokens) v2.Resource {
	show := func(ctx context.Context) (signingKeys, error) {
		keys, err := tokens.Keys(ctx)
		out := signingKeys{make([]signingKey, len(keys))}
		for i, k := range keys {
			out.Keys[i] = signingKey{k.ID, k.CreatedAt, k.Until}
		}
		return out, err
	}
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/signing-key", permission.SystemRead).
			Named("staff_signing_key", "The keys that sign the tokens of sessions: their ids, and since and until when"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (signingKeys, error) { return show(ctx) })
		v2.Handle(r, v2.StaffOp("POST /staff/signing-key/rotate", permission.SigningKeyRotate).
			Named("staff_signing_key_rotate",
				"Sign the tokens of sessions with a new key; the former one is honoured or revoked"),
			func(ctx context.Context, _ account.Identity, in *v2.Body[signingKeyRotation]) (signingKeys, error) {
				if _, err := tokens.Rotate(audit.Because(ctx, in.Body.Reason), in.Body.Revoke); err != nil {
					return signingKeys{}, err
				}
				return show(ctx)
			})
	}
}
