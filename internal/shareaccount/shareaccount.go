// Package shareaccount owns the accounts of third-party services that staff shares with users of a plan, class or
// group. Passwords and TOTP secrets are sealed for their row and are never shown to staff. A user is shown a password
// or a code on demand, only while a running service entitles them, and each showing is recorded in the transaction that
// permits it. Whoever is not entitled gets the same answer as for an account that does not exist.
package shareaccount

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/job"
	"airstrip/internal/limit"
	"airstrip/internal/seal"
	"airstrip/internal/service"
)

// Faults of share accounts.
var (
	ErrNoAccount = fault.NotFound("share_account_not_found", "没有这个共享账号，或当前套餐不包含它",
		"There is no such share account, or your plan does not include it")
	ErrBanned = fault.Forbidden("share_account_banned", "账号封禁期间不能查看共享账号，请联系客服",
		"Share accounts are not shown while your account is suspended; please contact support")
	ErrFull = fault.Conflict("share_account_full", "这个共享账号的使用人数已满，请稍后再试或联系客服",
		"This share account has as many users as it may have; please try again later or contact support")
	ErrNoTOTP = fault.NotFound("share_account_no_totp", "这个共享账号没有动态验证码",
		"This share account has no verification codes")
)

// ErrNoAccountForStaff is ErrNoAccount in words for staff, from whom no plan keeps an account.
var ErrNoAccountForStaff = func() error {
	f := *ErrNoAccount
	f.Text = fault.Text{
		ZH: "没有这个共享账号，可能已被其他成员删除",
		EN: "There is no such share account; another member may have deleted it",
	}
	return &f
}()

// Kind is what somebody was shown.
type Kind string

// The kinds of views.
const (
	Secret Kind = "secret"
	Code   Kind = "code"
)

const (
	sealedSecret = "share account secret"
	sealedTOTP   = "share account totp"

	// viewRetention is how long views are kept. Those of the present secret are kept as long as it is the present one.
	viewRetention = 180 * 24 * time.Hour
)

// Account is an account of a third-party service as staff describes it.
type Account struct {
	bun.BaseModel `bun:"table:share_account"`
	ID            int64 `bun:",pk,autoincrement"`
	Draft
	Secret    []byte `json:"-"` // sealed; nil once the account is removed
	TOTP      []byte `bun:"totp" json:"-"`
	Version   int64  // of the secret
	RotatedAt time.Time
	CreatedAt time.Time
	UpdatedAt time.Time
	RemovedAt *time.Time
	Users     int64 `bun:",scanonly"` // who saw the present secret
}

// HasTOTP reports whether codes can be made for the account.
func (a *Account) HasTOTP() bool { return len(a.TOTP) > 0 }

// Draft is what staff says of an account beside its secret. All conditions must hold for one running service of a
// user; the zero values admit any running service.
type Draft struct {
	Name      string
	Names     fault.ByLang `bun:"type:jsonb"`
	URL       string       `bun:"url"` // where to sign in; empty: none
	Login     string       // user name at the third party
	Note      string
	Notes     fault.ByLang `bun:"type:jsonb"`
	Class     int          // least class of the service
	UserGroup int          // 0: any
	PlanIDs   []int64      `bun:"plan_ids,type:jsonb"` // empty: any
	MaxUsers  *int64       // who may see one version of the secret; nil: no limit
	ExpiresAt *time.Time   // of the account at the third party; nil: unknown
	Sort      int
	Enabled   bool
}

// View is one showing of a secret or a code.
type View struct {
	bun.BaseModel  `bun:"table:share_account_view"`
	ID             int64 `bun:",pk,autoincrement"`
	ShareAccountID int64
	UserID         int64
	Kind           Kind
	Version        int64 // of the secret that was shown, or that was the present one when the code was
	At             time.Time
	IP             string `bun:"ip"`
	UserAgent      string
}

// Accounts are the share accounts of a site.
type Accounts struct {
	db       *db.DB
	secrets  seal.RowCipher
	totp     seal.RowCipher
	services *service.Services
	shown    *limit.Limiter // what users are shown
}

// New returns the share accounts in d, whose secrets are sealed with key.
func New(d *db.DB, key seal.Key, services *service.Services) *Accounts {
	return &Accounts{
		d, key.RowCipher(sealedSecret), key.RowCipher(sealedTOTP), services, limit.Per(10*time.Minute, 60),
	}
}

// Register puts the deletion of old views on the timetable.
func (s *Accounts) Register(q *job.Queue) { q.Every("shareaccount.forget", s.deleteOld) }

func (s *Accounts) deleteOld(ctx context.Context) error {
	before := s.db.Now().Add(-viewRetention)
	return s.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewRaw(`DELETE FROM share_account_view WHERE at < ? AND (kind = ? OR NOT EXISTS (
			SELECT 1 FROM share_account a WHERE a.id = share_account_view.share_account_id AND a.removed_at IS NULL
			AND a.version = share_account_view.version))`, before, Code).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewRaw(`DELETE FROM share_account WHERE removed_at < ? AND NOT EXISTS (
			SELECT 1 FROM share_account_view v WHERE v.share_account_id = share_account.id)`, before).Exec(ctx)
		return err
	})
}

// Close forgets from where and with what a user whose account is closed saw secrets, as part of tx. That they saw them
// stays, by the number of their account, since the secrets are still good.
func (s *Accounts) Close(ctx context.Context, tx bun.Tx, userID int64) error {
	_, err := tx.NewRaw(`UPDATE share_account_view SET ip = '', user_agent = '' WHERE user_id = ?`, userID).Exec(ctx)
	return err
}

// Sealed returns the share accounts in d that key does not open.
func Sealed(ctx context.Context, d *db.DB, key seal.Key) (closed []string, err error) {
	var accounts []Account
	if err := d.NewSelect().Model(&accounts).Where("removed_at IS NULL").OrderExpr("id").Scan(ctx); err != nil {
		return nil, err
	}
	s := New(d, key, nil)
	for i := range accounts {
		a := &accounts[i]
		_, err := s.openSecret(a)
		if err == nil && a.HasTOTP() {
			_, err = s.openTOTP(a)
		}
		if err != nil {
			closed = append(closed, fmt.Sprintf("share account %d", a.ID))
		}
	}
	return closed, nil
}

func (s *Accounts) openSecret(a *Account) (string, error) {
	password, err := s.secrets.Open(a.ID, a.Secret)
	if err != nil {
		return "", fmt.Errorf("the secret of share account %d: %w", a.ID, err)
	}
	return string(password), nil
}

func (s *Accounts) openTOTP(a *Account) (generator, error) {
	text, err := s.totp.Open(a.ID, a.TOTP)
	if err != nil {
		return generator{}, fmt.Errorf("the TOTP secret of share account %d: %w", a.ID, err)
	}
	return readGenerator(text)
}

// locked gives the account with this id, locked until tx ends, or the error missing.
func locked(ctx context.Context, tx bun.Tx, id int64, missing error) (*Account, error) {
	a, err := db.LockRow[Account](ctx, tx, id, missing)
	if err == nil && a.RemovedAt != nil {
		err = missing
	}
	return &a, err
}
