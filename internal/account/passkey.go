package account

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/limit"
	"airstrip/internal/setting"
)

// Passkeys adds passkeys to accounts and signs users in with them.
type Passkeys struct {
	db          *db.DB
	settings    *setting.Settings
	webauthn    *webauthn.WebAuthn // nil: the site has no passkeys
	challenges  *limit.Limiter     // challenges to sign in, by network
	verifier    *verifier
	credentials *Credentials
	signIns     *SignIns
	history     *History
}

// Passkey is a WebAuthn credential of a user. The private key never leaves the user's devices.
type Passkey struct {
	bun.BaseModel  `bun:"table:passkey"`
	ID             int64 `bun:",pk,autoincrement"`
	AccountID      int64
	CredentialID   []byte // chosen by the authenticator
	PublicKey      []byte // COSE
	SignCount      int64
	Transports     []protocol.AuthenticatorTransport `bun:"type:jsonb"`
	BackupEligible bool                              // whether the user's devices may share it
	Name           string
	CreatedAt      time.Time
	LastUsedAt     *time.Time
	SuspectedAt    *time.Time // when its counter went backwards, as that of a copy does; it no longer signs in
}

// Faults of passkeys.
var (
	ErrPasskeysOff = fault.Conflict("passkeys_off", "本站地址不是域名，不能使用通行密钥",
		"This site’s address is no domain name, so there are no passkeys here")
	ErrNoPasskey       = fault.NotFound("passkey_not_found", "没有这个通行密钥", "There is no such passkey")
	ErrTooManyPasskeys = fault.Conflict("too_many_passkeys", "通行密钥过多，请先移除不用的",
		"There are too many passkeys; please remove one that is not used")
	ErrPasskeyTaken   = fault.Conflict("passkey_taken", "这个通行密钥已经添加过", "This passkey was added before")
	ErrPasskeyTooLate = fault.Conflict("passkey_too_late", "操作超时或已完成，请重试",
		"This took too long or was done before; please try again")
	ErrPasskeyInvalid = fault.Forbidden("passkey_invalid", "无法验证通行密钥的应答，请重试",
		"The passkey’s answer could not be verified; please try again")
	ErrPasskeyUnknown = fault.Unauthorized("passkey_unknown", "本站没有这个通行密钥，可能已被移除，请用其他方式登录",
		"This site does not know this passkey; it may have been removed. Please sign in another way")
	ErrPasskeySuspected = fault.Unauthorized("passkey_suspected", "这个通行密钥可能被复制，已停用。请用其他方式登录，移除后重新添加",
		"This passkey may have been copied and no longer signs you in. Please sign in another way, remove it and "+
			"add a new one")
)

const (
	maxPasskeys    = 20 // of one user
	maxPasskeyName = 64 // characters
)

func checkPasskeyName(name string) *fault.Field {
	if n := utf8.RuneCountInString(name); n < 1 || n > maxPasskeyName || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, unicode.IsControl) {
		return field("name", "length", "名称需为 1 至 64 个字符", "The name must have 1 to 64 characters")
	}
	return nil
}

// List returns a user's passkeys, the oldest first.
func (p *Passkeys) List(ctx context.Context, userID int64) ([]Passkey, error) {
	return passkeysOf(ctx, p.db, userID)
}

func passkeysOf(ctx context.Context, idb bun.IDB, userID int64) (keys []Passkey, err error) {
	err = idb.NewSelect().Model(&keys).Where("account_id = ?", userID).OrderExpr("id").Scan(ctx)
	return keys, err
}

// Rename changes the name of one of the user's passkeys, or returns ErrNoPasskey. An invalid name is reported at the
// field name.
func (p *Passkeys) Rename(ctx context.Context, userID, id int64, name string) error {
	name = normalName(name)
	if err := invalid(checkPasskeyName(name)); err != nil {
		return err
	}
	return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := db.Changed(tx.NewUpdate().Model((*Passkey)(nil)).Set("name = ?", name).
			Where("id = ? AND account_id = ?", id, userID).Exec(ctx))
		if err == nil && n == 0 {
			err = ErrNoPasskey
		}
		return err
	})
}

// Remove deletes one of the caller's passkeys, or returns ErrNoPasskey. The password still signs in.
func (p *Passkeys) Remove(ctx context.Context, who Identity, id int64, from Client) error {
	return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := find(ctx, tx, "id = ?", who.UserID)
		if err != nil {
			return err
		}
		var names []string
		if err := tx.NewRaw(`DELETE FROM passkey WHERE id = ? AND account_id = ? RETURNING name`, id, r.ID).
			Scan(ctx, &names); err != nil {
			return err
		}
		if len(names) == 0 {
			return ErrNoPasskey
		}
		return p.credentials.recordChange(ctx, tx, r, credentialChange{
			kind: PasskeyRemoved, keep: who.SessionID,
			content: p.credentials.securityMail(PasskeyRemoved, names[0], from),
		}, from)
	})
}
