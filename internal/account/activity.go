package account

import (
	"context"
	"net/netip"
	"time"

	"github.com/uptrace/bun"
)

// ActivityKind is something that a user or the operator did to an account.
type ActivityKind string

// The kinds of activity.
const (
	SignedUp           ActivityKind = "signed_up"
	SignedIn           ActivityKind = "signed_in"
	SignedOut          ActivityKind = "signed_out"
	SessionEnded       ActivityKind = "session_ended"
	OtherSessionsEnded ActivityKind = "other_sessions_ended"
	PasswordChanged    ActivityKind = "password_changed"
	EmailChanged       ActivityKind = "email_changed"
	TwoFactorOn        ActivityKind = "two_factor_on"
	TwoFactorOff       ActivityKind = "two_factor_off"
	RecoveryCodesMade  ActivityKind = "recovery_codes_made"
	RecoveryCodeUsed   ActivityKind = "recovery_code_used"
	PasskeyAdded       ActivityKind = "passkey_added"
	PasskeyRemoved     ActivityKind = "passkey_removed"
	PasskeySuspected   ActivityKind = "passkey_suspected" // it counts backwards, as a copy does
	ProfileChanged     ActivityKind = "profile_changed"
	SignInTokenMade    ActivityKind = "sign_in_token_made" // by staff, to sign in as the user
	TelegramLinked     ActivityKind = "telegram_linked"
	TelegramUnlinked   ActivityKind = "telegram_unlinked"
	APITokenMade       ActivityKind = "api_token_made"
	APITokenRevoked    ActivityKind = "api_token_revoked"
	RefreshTokenReused ActivityKind = "refresh_token_reused" // somebody has a copy of it; its session ended
)

type activity struct {
	bun.BaseModel `bun:"table:activity"`
	ID            int64 `bun:",pk,autoincrement"`
	AccountID     int64
	Kind          ActivityKind
	IP            string
	UserAgent     string
	MadeBy        *int64 // member of staff; nil: the user, or the operator
	At            time.Time
}

// note keeps what happened, as part of tx; the zero Client stands for the operator.
func (a *Accounts) note(ctx context.Context, tx bun.Tx, accountID int64, kind ActivityKind, from Client) error {
	return a.noteBy(ctx, tx, accountID, kind, from, nil)
}

// noteBy keeps what the member of staff did to the account, as part of tx. by is nil for the user and for the operator.
func (a *Accounts) noteBy(ctx context.Context, tx bun.Tx, accountID int64, kind ActivityKind, from Client, by *int64) error {
	n := activity{AccountID: accountID, Kind: kind, UserAgent: userAgent(from), MadeBy: by, At: a.db.Now()}
	if from.IP.IsValid() {
		n.IP = from.IP.String()
	}
	_, err := tx.NewInsert().Model(&n).Exec(ctx)
	return err
}

// Activity is one thing that happened to an account.
type Activity struct {
	ID   int64
	Kind ActivityKind
	At   time.Time
	Place
}

// Place is where a call came from.
type Place struct {
	IP     string // empty: done by the operator or by staff
	Area   string // ISO 3166-1, or geo.Unknown
	Device Device
}

func (a *Accounts) place(ip, userAgent string) Place {
	addr, _ := netip.ParseAddr(ip) // the zero Addr has no area
	return Place{ip, a.areas.Of(addr), deviceOf(userAgent)}
}

// Activity gives what happened to a user's account in the last year, newest first, and how much that is altogether.
func (a *Accounts) Activity(ctx context.Context, userID int64, limit, offset int64) ([]Activity, int64, error) {
	var rows []activity
	total, err := a.db.NewSelect().Model(&rows).Where("account_id = ?", userID).OrderExpr("at DESC, id DESC").
		Limit(limit).Offset(offset).ScanAndCount(ctx)
	if err != nil {
		return nil, 0, err
	}
	all := make([]Activity, len(rows))
	for i, r := range rows {
		if r.MadeBy != nil { // the address and device of a member of staff are not the user's to see
			r.IP, r.UserAgent = "", ""
		}
		all[i] = Activity{r.ID, r.Kind, r.At, a.place(r.IP, r.UserAgent)}
	}
	return all, total, nil
}
