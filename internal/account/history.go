package account

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/geo"

	"github.com/uptrace/bun"
)

// History records what happened to accounts: sign-ins, failed ones too, and what users and staff changed.
type History struct {
	db    *db.DB
	areas *geo.Areas // may be nil
}

// ActivityKind is the kind of an entry in an account's history.
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
	PasskeySuspected   ActivityKind = "passkey_suspected" // its counter went backwards, as that of a copy does
	ProfileChanged     ActivityKind = "profile_changed"
	SignInTokenMade    ActivityKind = "sign_in_token_made" // by staff, to sign in as the user
	StaffSignedIn      ActivityKind = "staff_signed_in"    // to see the site as the user does; see Visits
	TelegramLinked     ActivityKind = "telegram_linked"
	TelegramUnlinked   ActivityKind = "telegram_unlinked"
	APITokenMade       ActivityKind = "api_token_made"
	APITokenRevoked    ActivityKind = "api_token_revoked"
	RefreshTokenReused ActivityKind = "refresh_token_reused" // somebody has a copy of it; its session was ended
)

type activity struct {
	bun.BaseModel `bun:"table:activity"`
	ID            int64 `bun:",pk,autoincrement"`
	AccountID     int64
	Kind          ActivityKind
	IP            string
	UserAgent     string
	MadeBy        *int64 // member of staff; nil: the user or the operator
	At            time.Time
}

// note records an activity as part of tx; the zero Client stands for the operator.
func (h *History) note(ctx context.Context, tx bun.Tx, accountID int64, kind ActivityKind, from Client) error {
	return h.noteBy(ctx, tx, accountID, kind, from, nil)
}

// noteBy records what a member of staff did to the account, as part of tx. by is nil for the user and for the operator.
func (h *History) noteBy(
	ctx context.Context, tx bun.Tx, accountID int64, kind ActivityKind, from Client, by *int64,
) error {
	n := activity{AccountID: accountID, Kind: kind, UserAgent: userAgent(from), MadeBy: by, At: h.db.Now()}
	if from.IP.IsValid() {
		n.IP = from.IP.String()
	}
	_, err := tx.NewInsert().Model(&n).Exec(ctx)
	return err
}

// Activity is an entry of an account's history.
type Activity struct {
	ID   int64
	Kind ActivityKind
	At   time.Time
	Origin
}

// Origin tells where a call came from.
type Origin struct {
	IP     string // empty: done by the operator or by staff
	Area   string // ISO 3166-1, or geo.Unknown
	Device Device
}

func (h *History) origin(ip, userAgent string) Origin {
	addr, _ := netip.ParseAddr(ip) // the zero Addr has no area
	return Origin{ip, h.areas.Of(addr), deviceOf(userAgent)}
}

// Activity returns the history of a user's account over the last year, newest first, and the total number of entries.
func (h *History) Activity(ctx context.Context, userID int64, limit, offset int64) ([]Activity, int64, error) {
	var rows []activity
	total, err := h.db.NewSelect().Model(&rows).Where("account_id = ?", userID).OrderExpr("at DESC, id DESC").
		Limit(limit).Offset(offset).ScanAndCount(ctx)
	if err != nil {
		return nil, 0, err
	}
	all := make([]Activity, len(rows))
	for i, r := range rows {
		if r.MadeBy != nil { // the user does not see the address and device of staff
			r.IP, r.UserAgent = "", ""
		}
		all[i] = Activity{r.ID, r.Kind, r.At, h.origin(r.IP, r.UserAgent)}
	}
	return all, total, nil
}

// signInAttempt is the record of a sign-in, a sign-up, or a wrong password or code.
type signInAttempt struct {
	bun.BaseModel `bun:"table:sign_in"`
	ID            int64 `bun:",pk,autoincrement"`
	Email         string
	Network       string
	IP            string
	UserAgent     string
	Wrong         Wrong
	At            time.Time
}

// Wrong says what was wrong with an attempt; empty for a successful one.
type Wrong string

// What may be wrong with an attempt.
const (
	nothing        Wrong = ""
	WrongPassword  Wrong = "password"
	WrongEmailCode Wrong = "email_code"
	WrongTwoFactor Wrong = "two_factor"
)

func (h *History) recordSignIn(ctx context.Context, tx bun.Tx, email string, from Client, wrong Wrong) error {
	t := signInAttempt{
		Email: email, Network: networkOf(from.IP), IP: from.IP.String(), UserAgent: userAgent(from), Wrong: wrong,
		At: h.db.Now(),
	}
	_, err := tx.NewInsert().Model(&t).Exec(ctx)
	return err
}

// SignInRecord is an entry of a user's history of sign-ins.
type SignInRecord struct {
	At        time.Time
	UserAgent string
	Wrong     Wrong
	Origin
}

const maxSignInRecords = 100

// SignIns returns the newest sign-ins of a user, failed ones too, newest first.
func (h *History) SignIns(ctx context.Context, userID int64) ([]SignInRecord, error) {
	u, err := userByID(ctx, h.db, userID)
	if err != nil {
		return nil, err
	}
	var tries []signInAttempt
	if err := h.db.NewSelect().Model(&tries).Where("email = ? AND at >= ?", u.Email, u.CreatedAt).
		OrderExpr("at DESC, id DESC").Limit(maxSignInRecords).Scan(ctx); err != nil {
		return nil, err
	}
	records := make([]SignInRecord, len(tries))
	for i, t := range tries {
		records[i] = SignInRecord{t.At, t.UserAgent, t.Wrong, h.origin(t.IP, t.UserAgent)}
	}
	return records, nil
}

const maxUserAgent = 512 // bytes

func userAgent(from Client) string {
	return strings.ToValidUTF8(from.UserAgent[:min(len(from.UserAgent), maxUserAgent)], "")
}

// knowsNetwork tells whether the account has signed in from the client's network within signInRetention.
func (h *History) knowsNetwork(ctx context.Context, idb bun.IDB, email string, from Client) (known bool, err error) {
	err = idb.NewRaw(`SELECT EXISTS (SELECT 1 FROM sign_in s JOIN account a ON a.email = s.email
		WHERE s.email = ? AND s.network = ? AND s.wrong = '' AND s.at > ? AND s.at >= a.created_at)`,
		email, networkOf(from.IP), h.db.Now().Add(-signInRetention)).Scan(ctx, &known)
	return known, err
}

// OriginOf tells where a client seems to be.
func (h *History) OriginOf(from Client) Origin { return h.origin(from.IP.String(), userAgent(from)) }

// ShortUserAgent returns the client's User-Agent header as it is stored: bounded, in valid UTF-8.
func ShortUserAgent(from Client) string { return userAgent(from) }
