// Package emby gives users of the right plans an account on the operator's Emby media server and says who may use it.
package emby

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/link"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/service"
	"airstrip/internal/setting"
)

// State is the state of an account on the media server.
type State string

// The states of an account.
const (
	None     State = "none"
	Enabled  State = "enabled"
	Disabled State = "disabled"
)

// Standing is how an account is to be read, in one word: its state where the media server is as it is wanted, or why it
// is not yet.
type Standing string

// The standings of accounts.
const (
	StandingNone     Standing = "none"
	StandingEnabled  Standing = "enabled"
	StandingDisabled Standing = "disabled"
	StandingChanging Standing = "changing" // the media server does not know yet what is wanted
	StandingFailed   Standing = "failed"   // the last try to tell it failed; the queue tries again
)

// standing is Account.Standing in SQL.
const standing = `CASE WHEN account.last_error <> '' THEN 'failed' WHEN account.wanted <> account.state
	THEN 'changing' ELSE account.state END`

// Faults of this package.
var (
	ErrOff       = fault.NotFound("emby_not_configured", "本站没有媒体服务器", "This site has no media server")
	ErrNoLink    = fault.NotFound("emby_link_not_found", "链接不存在", "There is no such link")
	ErrNoRight   = fault.Forbidden("emby_not_allowed", "当前套餐不包含媒体服务", "Your plan does not include the media server")
	ErrNoAccount = fault.NotFound("emby_account_not_found", "该用户没有媒体账号", "This user has no media account")
)

const (
	sealedFor = "emby password"
	// sealedForLink and hashOf are also in the migration that sealed the tokens of earlier versions (db/sealing.go).
	sealedForLink = "emby link"
	timedFor      = 10 * time.Minute // how long an address to the media server is good
)

// Account is a user's account on the media server.
type Account struct {
	bun.BaseModel `bun:"table:emby_account"`
	UserID        int64     `bun:",pk"`
	Token         uuid.UUID `bun:"-"` // opens the user's link to the media server
	TokenHash     []byte    // SHA-256
	TokenSealed   []byte
	Name          string
	Password      []byte // sealed
	EmbyID        string // empty: there is none yet
	Wanted        State
	State         State // what the media server was last brought to
	Held          bool  // by staff: the plan does not change it
	LastError     string
	CreatedAt     time.Time
	UpdatedAt     time.Time
	Allowed       bool       `bun:",scanonly"` // whether the user's plan includes the media server now
	ExpiresAt     *time.Time `bun:",scanonly"` // of the plan
}

// Standing returns how the account is to be read.
func (a *Account) Standing() Standing {
	switch {
	case a.LastError != "":
		return StandingFailed
	case a.Wanted != a.State:
		return StandingChanging
	}
	return Standing(a.State)
}

// Query narrows the list of accounts.
type Query struct {
	Standing      Standing // empty: any
	UserIDs       []int64  // nil: of all users
	Limit, Offset int64
}

// Emby is the media server, as far as we know it.
type Emby struct {
	db       *db.DB
	key      seal.Key
	tokens   seal.RowCipher
	settings *setting.Settings
	secrets  *secret.Secrets
	services *service.Services
	links    *link.Links
}

// New returns the media server that the settings name.
func New(d *db.DB, key seal.Key, settings *setting.Settings, secrets *secret.Secrets, services *service.Services,
	links *link.Links,
) *Emby {
	return &Emby{d, key, key.RowCipher(sealedForLink), settings, secrets, services, links}
}

// query selects accounts with what the users' plans say of them.
func (e *Emby) query(into any) *bun.SelectQuery {
	return e.db.NewSelect().Model(into).ColumnExpr("account.*, a.expires_at, (a.allowed AND a.class >= ?) AS allowed",
		e.settings.Get().EmbyClass).
		Join("JOIN access AS a ON a.user_id = account.user_id")
}

// open sets the tokens of accounts that were read.
func (e *Emby) open(accounts []Account) error {
	for i := range accounts {
		a := &accounts[i]
		token, err := e.tokens.Open(a.UserID, a.TokenSealed)
		if err == nil {
			a.Token, err = uuid.FromBytes(token)
		}
		if err != nil {
			return fmt.Errorf("link of user %d to the media server: %w", a.UserID, err)
		}
	}
	return nil
}

func hashOf(token uuid.UUID) []byte {
	sum := sha256.Sum256(token[:])
	return sum[:]
}

// Sealed returns the accounts in d that key does not open.
func Sealed(ctx context.Context, d *db.DB, key seal.Key) (closed []string, err error) {
	var accounts []Account
	if err := d.NewSelect().Model(&accounts).OrderExpr("user_id").Scan(ctx); err != nil {
		return nil, err
	}
	e := &Emby{key: key, tokens: key.RowCipher(sealedForLink)}
	for i, a := range accounts {
		_, err := key.Open(sealedFor, a.Password)
		if err != nil || e.open(accounts[i:i+1]) != nil {
			closed = append(closed, fmt.Sprintf("media account of user %d", a.UserID))
		}
	}
	return closed, nil
}

// Version is the number of the last change of what any user may use.
func (e *Emby) Version(ctx context.Context) (int64, error) {
	return db.Revision(ctx, e.db, service.Revision)
}

// Right is what the operators of the media server learn of a user.
type Right struct {
	UserID    int64
	Allowed   bool
	Class     int
	ExpiresAt *time.Time
	Account   *Account // nil: the user never had one
}

// OfUser tells of a user by their number.
func (e *Emby) OfUser(ctx context.Context, userID int64) (Right, error) {
	access, err := e.services.Access(ctx, userID)
	if err != nil {
		return Right{}, err
	}
	right := Right{UserID: userID, Allowed: e.admits(&access), Class: access.Class, ExpiresAt: access.ExpiresAt}
	var rows []Account
	if err := e.query(&rows).Where("account.user_id = ?", userID).Scan(ctx); err != nil {
		return right, err
	}
	if err := e.open(rows); err != nil {
		return right, err
	}
	if len(rows) > 0 {
		right.Account = &rows[0]
	}
	return right, nil
}

// OfToken tells of the user whose link to the media server has this token, or whose subscription link has it.
func (e *Emby) OfToken(ctx context.Context, token string) (Right, error) {
	id, err := uuid.Parse(token)
	if err != nil || len(token) != 36 {
		userID, err := e.links.Owner(ctx, token)
		if err != nil {
			return Right{}, err
		}
		return e.OfUser(ctx, userID)
	}
	account, err := e.byToken(ctx, id)
	if err != nil {
		return Right{}, err
	}
	return e.OfUser(ctx, account.UserID)
}

func (e *Emby) byToken(ctx context.Context, token uuid.UUID) (Account, error) {
	var account Account
	err := e.query(&account).Where("account.token_hash = ?", hashOf(token)).Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		err = ErrNoLink.Because(err)
	}
	return account, err
}

func (e *Emby) admits(a *service.Access) bool {
	return a.Allowed && a.Class >= e.settings.Get().EmbyClass
}

// IsSetUp reports whether the media server's address and its key are set.
func (e *Emby) IsSetUp(ctx context.Context) (bool, error) {
	_, err := e.server(ctx)
	if errors.Is(err, ErrOff) {
		return false, nil
	}
	return err == nil, err
}

// Find returns a part of the accounts that q matches, the one that was changed last first, and how many there are.
func (e *Emby) Find(ctx context.Context, q Query) (accounts []Account, total int64, err error) {
	if q.UserIDs != nil && len(q.UserIDs) == 0 {
		return nil, 0, nil
	}
	sel := e.query(&accounts).OrderExpr("account.updated_at DESC, account.user_id DESC").Limit(q.Limit).Offset(q.Offset)
	if q.Standing != "" {
		sel = sel.Where("("+standing+") = ?", q.Standing)
	}
	if q.UserIDs != nil {
		sel = sel.Where("account.user_id IN (?)", bun.List(q.UserIDs))
	}
	total, err = sel.ScanAndCount(ctx)
	if err != nil {
		return nil, 0, err
	}
	return accounts, total, e.open(accounts)
}

// All returns all accounts, by user.
func (e *Emby) All(ctx context.Context) (accounts []Account, err error) {
	if err := e.query(&accounts).OrderExpr("account.user_id").Scan(ctx); err != nil {
		return nil, err
	}
	return accounts, e.open(accounts)
}

// Own returns the user's account, and makes the place for one where there is none; the account itself is made once the
// user opens the link, or by staff. With it comes the password.
func (e *Emby) Own(ctx context.Context, userID int64) (account Account, password string, err error) {
	if e.settings.Get().EmbyURL == "" {
		return account, "", ErrOff
	}
	if err := e.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now, token := e.db.Now(), uuid.New()
		made := Account{
			UserID: userID, TokenHash: hashOf(token), TokenSealed: e.tokens.Seal(userID, token[:]),
			Name: "user-" + strconv.FormatInt(userID, 10), Password: e.key.Seal(sealedFor, []byte(rand.Text())),
			Wanted: None, State: None, CreatedAt: now, UpdatedAt: now,
		}
		_, err := tx.NewInsert().Model(&made).On("CONFLICT (user_id) DO NOTHING").Exec(ctx)
		return err
	}); err != nil {
		return account, "", err
	}
	one := make([]Account, 1)
	if err := e.query(&one[0]).Where("account.user_id = ?", userID).Scan(ctx); err != nil {
		return account, "", err
	}
	if err := e.open(one); err != nil {
		return account, "", err
	}
	plain, err := e.key.Open(sealedFor, one[0].Password)
	return one[0], string(plain), err
}

// Open returns the address that leads the bearer of a link to the media server, good for ten minutes: it names the
// account and when the address ends, signed by HMAC-SHA256 with the media server's API key. The account is made now
// where there is none. Who has no right to it gets ErrNoRight.
func (e *Emby) Open(ctx context.Context, token uuid.UUID) (string, error) {
	server, err := e.server(ctx)
	if err != nil {
		return "", err
	}
	account, err := e.byToken(ctx, token)
	if err != nil {
		return "", err
	}
	if !account.Allowed || (account.Held && account.Wanted != Enabled) {
		return "", ErrNoRight
	}
	if account.Wanted != Enabled {
		if err := e.Want(ctx, account.UserID, Enabled, false); err != nil {
			return "", err
		}
	}
	end := strconv.FormatInt(e.db.Now().Add(timedFor).Unix(), 10)
	mac := hmac.New(sha256.New, []byte(server.key))
	fmt.Fprintf(mac, "%s\n%s", account.Name, end)
	return server.address + "?" + url.Values{
		"user": {account.Name}, "expires": {end},
		"signature": {hex.EncodeToString(mac.Sum(nil))},
	}.Encode(), nil
}
