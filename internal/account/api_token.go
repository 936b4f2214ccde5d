package account

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/notify"
	"airstrip/internal/permission"
	"airstrip/internal/role"
)

// APITokens makes and revokes the tokens with which programs act for users, and authenticates calls that carry one.
type APITokens struct {
	db       *db.DB
	notices  *notify.Notices
	roles    *staffRoles
	verifier *verifier
	history  *History
}

// Scope is what an API token may do.
type Scope string

// The scopes: reading what the user sees; changing what is not the account itself (see package api/v2); and, for staff,
// running the server's jobs and what the scopes below allow.
const (
	ScopeRead  Scope = "read"
	ScopeWrite Scope = "write"
	ScopeJobs  Scope = "jobs"

	ScopePartner Scope = "partner" // to ask what users may use: for media servers and bots of partners
	ScopeGrafana Scope = "grafana" // to read traffic, balance and quota of any user: for dashboards
	ScopeGrant   Scope = "grant"   // to grant traffic to users, in addition to ScopePartner
)

// staffScopes maps each scope of staff to the permission that it needs. Only members with the permission can give the
// scope, and a token has it only while its user has the permission.
var staffScopes = map[Scope]permission.Permission{
	ScopeJobs: permission.JobRun, ScopePartner: permission.PartnerRead, ScopeGrant: permission.TrafficGrant,
	ScopeGrafana: permission.TrafficRead,
}

// Permission returns the permission that the user of a token of this scope needs; empty where none is needed.
func (s Scope) Permission() permission.Permission { return staffScopes[s] }

// allows tells whether a user who may do this may give, and use, tokens of the scope.
func (s Scope) allows(may permission.Set) bool {
	needed, staff := staffScopes[s]
	return !staff || may.Has(needed)
}

// APIToken is a token with which a program acts for a user. The secret is a random UUID, of which only the hash is
// stored.
type APIToken struct {
	bun.BaseModel `bun:"table:api_token"`
	ID            int64 `bun:",pk,autoincrement"`
	AccountID     int64
	Name          string
	Hash          []byte
	Hint          string  // the first eight characters of the secret
	Scopes        []Scope `bun:"type:jsonb"`
	ForStaff      bool    // whether one of the scopes is of staff
	CreatedAt     time.Time
	ExpiresAt     *time.Time // nil: never
	LastUsedAt    *time.Time // rounded to lastUsedPrecision
	RevokedAt     *time.Time
}

// Faults of API tokens.
var (
	ErrNoToken       = fault.NotFound("api_token_not_found", "没有这个 API 令牌", "There is no such API token")
	ErrTooManyTokens = fault.Conflict("too_many_api_tokens", "API 令牌过多，请先撤销不用的",
		"There are too many API tokens; please revoke one that is not used")
	ErrTokenScope = fault.Forbidden("api_token_scope", "该 API 令牌没有此权限", "This API token may not do that")
)

const (
	maxAPITokens      = 20 // of one user, at a time
	maxAPITokenName   = 64 // characters
	lastUsedPrecision = time.Minute
)

// APITokenDraft describes a token that is to be made.
type APITokenDraft struct {
	Name    string
	Scopes  []Scope
	Expires *time.Time // nil: never
}

// Make creates a token for the caller, who proves the password and, where it is on, the second factor. The secret
// cannot be shown again. The user is notified by mail. Invalid input names the fields name, scopes, expires_at,
// password, code.
func (a *APITokens) Make(
	ctx context.Context, who Identity, draft APITokenDraft, password, code string, from Client,
) (secret uuid.UUID, t APIToken, err error) {
	r, err := find(ctx, a.db, "id = ?", who.UserID)
	if err != nil {
		return secret, t, err
	}
	if secret, t, err = a.draft(ctx, r, draft); err != nil {
		return secret, t, err
	}
	if who.refusal != nil && slices.ContainsFunc(t.Scopes, func(s Scope) bool { return s.Permission() != "" }) {
		return secret, t, who.refusal
	}
	err = a.verifier.prove(ctx, r.Email, password, a.verifier.secondFactor(code, from.within(who)), from.within(who),
		func(ctx context.Context, tx bun.Tx, r row) error {
			if err := insertToken(ctx, tx, &t); err != nil {
				return err
			}
			return a.notifyMade(ctx, tx, r, t, from)
		})
	return secret, t, atFields(err, "password", "code")
}

// Create makes a token for the user with this id without a proof, for the operator's own programs.
func (a *APITokens) Create(
	ctx context.Context, userID int64, draft APITokenDraft,
) (secret uuid.UUID, t APIToken, err error) {
	r, err := find(ctx, a.db, "id = ?", userID)
	if err != nil {
		return secret, t, err
	}
	if secret, t, err = a.draft(ctx, r, draft); err != nil {
		return secret, t, err
	}
	err = a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := insertToken(ctx, tx, &t); err != nil {
			return err
		}
		after := map[string]any{"name": t.Name, "scopes": t.Scopes, "expires_at": t.ExpiresAt}
		return audit.Record(ctx, tx, "user.api_key.add", audit.ID("user", userID), nil, after, "")
	})
	return secret, t, err
}

// draft returns a token that is not stored yet, or a fault that names what is wrong with the draft.
func (a *APITokens) draft(ctx context.Context, r row, draft APITokenDraft) (secret uuid.UUID, t APIToken, err error) {
	now, secret := a.db.Now(), uuid.New()
	t = APIToken{
		AccountID: r.ID, Name: strings.TrimSpace(draft.Name), Hash: tokenHash(secret),
		Hint: secret.String()[:8], CreatedAt: now,
	}
	t.Scopes = slices.Compact(slices.Sorted(slices.Values(draft.Scopes)))
	t.ForStaff = slices.ContainsFunc(t.Scopes, func(s Scope) bool { return s.Permission() != "" })
	if draft.Expires != nil {
		t.ExpiresAt = new(draft.Expires.UTC().Truncate(time.Millisecond))
	}
	has, _, err := a.roles.inEffect(ctx, a.db, r.ID, r.Role, r.Banned())
	if err != nil {
		return secret, t, err
	}
	may, err := role.Of(ctx, a.db, has)
	if err != nil {
		return secret, t, err
	}
	return secret, t, invalid(checkTokenName(t.Name), checkScopes(t.Scopes, may), checkTokenEnd(t.ExpiresAt, now))
}

func insertToken(ctx context.Context, tx bun.Tx, t *APIToken) error {
	alive, err := tx.NewSelect().Model((*APIToken)(nil)).Where("account_id = ?", t.AccountID).
		Apply(usable(t.CreatedAt)).Count(ctx)
	if err == nil && alive >= maxAPITokens {
		err = ErrTooManyTokens
	}
	if err != nil {
		return err
	}
	_, err = tx.NewInsert().Model(t).Exec(ctx)
	return err
}

func usable(now time.Time) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)", now)
	}
}

func checkTokenName(name string) *fault.Field {
	if n := utf8.RuneCountInString(name); n < 1 || n > maxAPITokenName || !utf8.ValidString(name) {
		return field("name", "length", "名称需为 1 至 64 个字符", "The name must have 1 to 64 characters")
	}
	return nil
}

func checkScopes(scopes []Scope, may permission.Set) *fault.Field {
	for _, s := range scopes {
		switch {
		case s == ScopeRead, s == ScopeWrite, s.Permission() != "" && s.allows(may):
		default:
			return field("scopes", "choice", "没有这个权限，或你不能授予它", "There is no such scope, or it is not yours to give")
		}
	}
	if len(scopes) == 0 {
		return field("scopes", "required", "请至少选择一个权限", "Please choose one scope at least")
	}
	return nil
}

func checkTokenEnd(expires *time.Time, now time.Time) *fault.Field {
	if expires != nil && !expires.After(now) {
		return field("expires_at", "range", "有效期必须晚于现在", "The end must be after now")
	}
	return nil
}

// List returns a user's tokens that were not revoked, expired ones too, newest first.
func (a *APITokens) List(ctx context.Context, userID int64) (tokens []APIToken, err error) {
	err = a.db.NewSelect().Model(&tokens).Where("account_id = ? AND revoked_at IS NULL", userID).OrderExpr("id DESC").
		Scan(ctx)
	return tokens, err
}

// Revoke ends a user's token at once, or returns ErrNoToken.
func (a *APITokens) Revoke(ctx context.Context, userID, id int64, from Client) error {
	return a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := db.Changed(tx.NewUpdate().Model((*APIToken)(nil)).Set("revoked_at = ?", a.db.Now()).
			Where("id = ? AND account_id = ? AND revoked_at IS NULL", id, userID).Exec(ctx))
		if err == nil && n == 0 {
			err = ErrNoToken
		}
		if err != nil {
			return err
		}
		return a.history.note(ctx, tx, userID, APITokenRevoked, from)
	})
}

// IsAPIToken tells whether a bearer has the form of an API token rather than that of an access token.
func IsAPIToken(bearer string) bool { return len(bearer) == 36 && !strings.Contains(bearer, ".") }

// Authenticate returns the user for whom an API token of this scope acts. The identity has no staff role: operations of
// staff need a sign-in. A token of a staff scope counts only while its user may give it. An unknown token is
// ErrSignedOut, one without the scope ErrTokenScope, one of a banned member of staff ErrStaffBanned, one of staff
// that is used elsewhere than staff may call from ErrStaffNetwork.
func (a *APITokens) Authenticate(ctx context.Context, secret string, scope Scope) (Identity, error) {
	id, err := uuid.Parse(secret)
	if err != nil || !IsAPIToken(secret) {
		return Identity{}, ErrSignedOut
	}
	now := a.db.Now()
	var t APIToken
	err = a.db.NewSelect().Model(&t).Where("hash = ?", tokenHash(id)).Apply(usable(now)).Scan(ctx)
	if err != nil {
		return Identity{}, db.OrMissing(err, ErrSignedOut)
	}
	r, err := find(ctx, a.db, "id = ?", t.AccountID)
	if err != nil {
		return Identity{}, err
	}
	holder, err := a.roles.withhold(ctx, Identity{UserID: r.ID, Role: r.Role}, r.Banned())
	if err != nil {
		return Identity{}, err
	}
	if !slices.Contains(t.Scopes, scope) || !scope.allows(holder.May()) {
		for _, refusal := range []error{ErrStaffBanned, ErrStaffNetwork} {
			if errors.Is(holder.refusal, refusal) && slices.Contains(t.Scopes, scope) {
				return Identity{}, refusal
			}
		}
		return Identity{}, ErrTokenScope
	}
	who := Identity{
		UserID: r.ID, UUID: r.UUID, IssuedAt: t.CreatedAt, apiTokenID: t.ID, banned: r.Banned(),
	}
	if t.ExpiresAt != nil {
		who.ExpiresAt = *t.ExpiresAt
	}
	if t.LastUsedAt != nil && now.Sub(*t.LastUsedAt) < lastUsedPrecision {
		return who, nil
	}
	return who, a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewUpdate().Model((*APIToken)(nil)).Set("last_used_at = ?", now).Where("id = ?", t.ID).Exec(ctx)
		return err
	})
}
