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

// State is how an account on the media server stands.
type State string

// The states of an account.
const (
	None     State = "none"
	Enabled  State = "enabled"
	Disabled State = "disabled"
)

// Faults of this package.
var (
	ErrOff       = fault.NotFound("emby_not_configured", "本站没有媒体服务器", "This site has no media server")
	ErrNoLink    = fault.NotFound("emby_link_not_found", "链接不存在", "There is no such link")
	ErrNoRight   = fault.Forbidden("emby_not_allowed", "当前套餐不包含媒体服务", "Your plan does not include the media server")
	ErrNoAccount = fault.NotFound("emby_account_not_found", "该用户没有媒体账号", "This user has no media account")
)

const (
	sealedFor = "emby password"
	timedFor  = 10 * time.Minute // how long an address to the media server is good
)

// Account is a user's account on the media server.
type Account struct {
	bun.BaseModel `bun:"table:emby_account"`
	UserID        int64 `bun:",pk"`
	Token         uuid.UUID
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

// Emby is the media server, as far as we know it.
type Emby struct {
	db       *db.DB
	key      seal.Key
	settings *setting.Settings
	secrets  *secret.Secrets
	services *service.Services
	links    *link.Links
}

// New gives the media server that the settings name.
func New(d *db.DB, key seal.Key, settings *setting.Settings, secrets *secret.Secrets, services *service.Services, links *link.Links) *Emby {
	return &Emby{d, key, settings, secrets, services, links}
}

// query selects accounts with what the users' plans say of them.
func (e *Emby) query(into any) *bun.SelectQuery {
	return e.db.NewSelect().Model(into).ColumnExpr("account.*, a.expires_at, (a.allowed AND a.class >= ?) AS allowed", e.settings.Get().EmbyClass).
		Join("JOIN access AS a ON a.user_id = account.user_id")
}

// Version is the number of the last change of what any user may use.
func (e *Emby) Version(ctx context.Context) (int64, error) {
	return db.Revision(ctx, e.db, service.Revision)
}

// Right is what is told of a user to those who run the media server.
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
	err := e.query(&account).Where("account.token = ?", token).Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		err = ErrNoLink.Because(err)
	}
	return account, err
}

func (e *Emby) admits(a *service.Access) bool {
	return a.Allowed && a.Class >= e.settings.Get().EmbyClass
}

// List gives a part of the accounts, by user, and how many there are.
func (e *Emby) List(ctx context.Context, limit, offset int64) (accounts []Account, total int64, err error) {
	total, err = e.query(&accounts).OrderExpr("account.user_id").Limit(limit).Offset(offset).ScanAndCount(ctx)
	return accounts, total, err
}

// All gives all accounts, by user.
func (e *Emby) All(ctx context.Context) (accounts []Account, err error) {
	return accounts, e.query(&accounts).OrderExpr("account.user_id").Scan(ctx)
}

// Own gives the user's account, and makes the place for one where there is none; the account itself is made once the user
// opens the link, or by staff. With it comes the password.
func (e *Emby) Own(ctx context.Context, userID int64) (account Account, password string, err error) {
	if e.settings.Get().EmbyURL == "" {
		return account, "", ErrOff
	}
	if err := e.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now := e.db.Now()
		made := Account{
			UserID: userID, Token: uuid.New(), Name: "user-" + strconv.FormatInt(userID, 10), Password: e.key.Seal(sealedFor, []byte(rand.Text())),
			Wanted: None, State: None, CreatedAt: now, UpdatedAt: now,
		}
		_, err := tx.NewInsert().Model(&made).On("CONFLICT (user_id) DO NOTHING").Exec(ctx)
		return err
	}); err != nil {
		return account, "", err
	}
	if err := e.query(&account).Where("account.user_id = ?", userID).Scan(ctx); err != nil {
		return account, "", err
	}
	plain, err := e.key.Open(sealedFor, account.Password)
	return account, string(plain), err
}

// Open gives the address that takes the holder of a link to the media server, good for ten minutes: it names the account
// and when the address ends, signed by HMAC-SHA256 with the media server's API key. The account is made now where there
// is none. Who has no right to it gets ErrNoRight.
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
	return server.address + "?" + url.Values{"user": {account.Name}, "expires": {end}, "signature": {hex.EncodeToString(mac.Sum(nil))}}.Encode(), nil
}
