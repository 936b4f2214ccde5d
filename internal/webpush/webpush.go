// Package webpush notifies users in their browsers, also while no page of the site is open. A browser subscribes at the
// push service of its vendor and names that service's address and its own key; messages are encrypted for that key, so
// the service reads none of them (RFC 8030, 8291, 8292). A message is a row written in the transaction of its cause and
// is sent at least once until the service takes it or it expires. A subscription belongs to the session that made it:
// when that ends, the subscription and what waits for it are removed. Addresses are sealed at rest and never logged.
package webpush

import (
	"context"
	"crypto/ecdh"
	"crypto/hmac"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/job"
	"airstrip/internal/limit"
	"airstrip/internal/outbound"
	"airstrip/internal/seal"
)

// MaxDevices is how many browsers of one user may be subscribed.
const MaxDevices = 10

// Faults of subscriptions.
var (
	ErrNoSubscription = fault.NotFound("push_subscription_not_found", "没有这台设备，或它已关闭推送通知",
		"There is no such device, or it is not notified any more")
	ErrBanned = fault.Forbidden("push_account_banned", "账号封禁期间不能开启推送通知，请联系客服",
		"A suspended account cannot turn push notices on; please write to support")
	ErrTooMany = fault.Conflict("push_too_many", "已有 10 台设备开启了推送通知，请先移除一台",
		"10 devices are notified already; please remove one first")
)

const (
	subscriptionPurpose = "push subscription"
	endpointPurpose     = "push endpoint"
	messagePurpose      = "push message"

	maxEndpoint = 2048 // bytes; those of today have up to about 900
)

// Push keeps the subscriptions of a site and sends its messages.
type Push struct {
	db     *db.DB
	key    seal.Key
	site   string
	client *http.Client
	renews *limit.Limiter // by network address
	alive  func(ctx context.Context, sessionID uuid.UUID) (bool, error)

	mu   sync.Mutex
	pair *keyPair
	busy map[string]bool // push services that this process sends to at the moment
}

// New returns the web push of the site at the address site, which has no closing slash. What it stores is sealed with
// key.
func New(d *db.DB, key seal.Key, site string) *Push {
	p := &Push{db: d, key: key, site: site, busy: map[string]bool{}, renews: limit.Per(time.Minute, 20)}
	p.client = outbound.Client(sendTimeout, func() bool { return false })
	p.alive = func(context.Context, uuid.UUID) (bool, error) { return true, nil }
	return p
}

// UseClient has messages sent by c, which must be as careful as that of package outbound. It must be called before the
// server starts.
func (p *Push) UseClient(c *http.Client) { p.client = c }

// UseSessions has alive tell whether a session still runs, of a user who is not banned: nothing is sent to others. It
// must be called before the server starts.
func (p *Push) UseSessions(alive func(ctx context.Context, sessionID uuid.UUID) (bool, error)) {
	p.alive = alive
}

// Register puts the deletion of expired messages on the timetable.
func (p *Push) Register(q *job.Queue) { q.Every("push.forget", p.deleteExpired) }

func (p *Push) deleteExpired(ctx context.Context) error {
	return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewDelete().Model((*messageRow)(nil)).Where("expires_at <= ?", p.db.Now()).Exec(ctx)
		return err
	})
}

type subscriptionRow struct {
	bun.BaseModel `bun:"table:push_subscription"`
	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	SessionID     uuid.UUID
	Service       string
	Endpoint      []byte // digest
	Sealed        []byte
	CreatedAt     time.Time
	SentAt        *time.Time
}

// Target is where a browser gets messages, as its PushSubscription says.
type Target struct {
	Endpoint string
	P256DH   string // base64url
	Auth     string // base64url
}

// keys returns the browser's key and secret.
func (t Target) keys() (browser *ecdh.PublicKey, auth []byte, err error) {
	raw, err := decode(t.P256DH)
	if err != nil {
		return nil, nil, err
	}
	if browser, err = ecdh.P256().NewPublicKey(raw); err != nil {
		return nil, nil, err
	}
	auth, err = decode(t.Auth)
	return browser, auth, err
}

func decode(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
}

// check refuses what no push service and no browser gives, and returns the host of the push service.
func (t Target) check() (service string, err error) {
	var p fault.Problems
	at, err := url.Parse(t.Endpoint)
	isAddress := err == nil && at.Scheme == "https" && at.User == nil && at.Fragment == "" && at.Opaque == "" &&
		(at.Port() == "" || at.Port() == "443") && isDomain(at.Hostname()) && len(t.Endpoint) <= maxEndpoint
	p.When(!isAddress, "endpoint", "invalid", "不是有效的推送服务地址", "This is not the address of a push service")
	browser, auth, err := t.keys()
	p.When(err != nil && browser == nil, "p256dh", "invalid", "不是有效的 P-256 公钥", "This is not a public key of P-256")
	p.When(browser != nil && (err != nil || len(auth) != authBytes), "auth", "invalid", "必须是 16 字节的 base64url",
		"This must be 16 bytes in base64url")
	if err := p.Err(); err != nil {
		return "", err
	}
	return strings.ToLower(at.Hostname()), nil
}

// isDomain tells whether host is a domain name of several labels, and no address.
func isDomain(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil || len(host) > 253 || !strings.Contains(host, ".") {
		return false
	}
	return !slices.ContainsFunc(strings.Split(host, "."), func(label string) bool {
		return label == "" || len(label) > 63 || strings.ContainsFunc(label, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-'
		})
	})
}

// A Device is a browser that is notified.
type Device struct {
	ID        int64
	SessionID uuid.UUID
	CreatedAt time.Time
	SentAt    *time.Time // when its push service last took a message
}

// Subscribe has the browser of a session notified from now on, in place of what the session subscribed before. A
// browser has one user: the subscription of whoever used it before ends. ErrTooMany where the user has MaxDevices,
// ErrBanned where the session may not be notified.
func (p *Push) Subscribe(ctx context.Context, userID int64, sessionID uuid.UUID, t Target) error {
	service, err := t.check()
	if err != nil {
		return err
	}
	if alive, err := p.alive(ctx, sessionID); err != nil {
		return err
	} else if !alive { // a transaction of a closed account is refused as such
		return p.db.Tx(ctx, func(context.Context, bun.Tx) error { return ErrBanned })
	}
	if _, err := p.keys(ctx); err != nil {
		return err
	}
	plain, err := json.Marshal(t)
	if err != nil {
		return err
	}
	made := subscriptionRow{
		UserID: userID, SessionID: sessionID, Service: service, CreatedAt: p.db.Now(),
		Endpoint: p.key.Digest(endpointPurpose, []byte(t.Endpoint)), Sealed: p.key.Seal(subscriptionPurpose, plain),
	}
	return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		// One after the other, so that simultaneous calls neither collide nor exceed the limit.
		if _, err := db.LockRow[keyRow](ctx, tx, 1, db.ErrNoRows); err != nil {
			return err
		}
		same, err := db.Changed(tx.NewUpdate().Model(&made).Column("sealed").
			Where("session_id = ? AND endpoint = ? AND user_id = ?", sessionID, made.Endpoint, userID).Exec(ctx))
		if err != nil || same == 1 {
			return err
		}
		if _, err := tx.NewDelete().Model((*subscriptionRow)(nil)).
			Where("session_id = ? OR endpoint = ?", sessionID, made.Endpoint).Exec(ctx); err != nil {
			return err
		}
		n, err := tx.NewSelect().Model((*subscriptionRow)(nil)).Where("user_id = ?", userID).Count(ctx)
		if err != nil {
			return err
		}
		if n >= MaxDevices {
			return ErrTooMany
		}
		made.ID = 0
		_, err = tx.NewInsert().Model(&made).Exec(ctx)
		return err
	})
}

// target opens what a browser named.
func (p *Push) target(of *subscriptionRow) (t Target, err error) {
	plain, err := p.key.Open(subscriptionPurpose, of.Sealed)
	if err != nil {
		return t, fmt.Errorf("push subscription %d: %w", of.ID, err)
	}
	return t, json.Unmarshal(plain, &t)
}

// Renew gives a subscription the target by which its browser is reached from now on, since the push service ended the
// former one. No session shows that it is the browser that asks: the former endpoint and its secret do, which only the
// browser and this site know. What waits goes to the new target. ErrNoSubscription where they are not of a subscription
// whose session may be notified. from is the network address that asks.
func (p *Push) Renew(ctx context.Context, from netip.Addr, endpoint, auth string, t Target) error {
	if err := p.renews.Allow(from.String()); err != nil {
		return err
	}
	service, err := t.check()
	if err != nil {
		return err
	}
	plain, err := json.Marshal(t)
	if err != nil {
		return err
	}
	var was subscriptionRow
	err = p.db.NewSelect().Model(&was).Where("endpoint = ?", p.key.Digest(endpointPurpose, []byte(endpoint))).Scan(ctx)
	if err != nil {
		return db.OrMissing(err, ErrNoSubscription)
	}
	known, err := p.target(&was)
	if err != nil {
		return err
	}
	_, secret, err := known.keys()
	if err != nil {
		return err
	}
	if shown, err := decode(auth); err != nil || !hmac.Equal(shown, secret) {
		return ErrNoSubscription
	}
	if alive, err := p.alive(ctx, was.SessionID); err != nil {
		return err
	} else if !alive {
		return ErrNoSubscription
	}
	now := was
	now.Service, now.Sealed = service, p.key.Seal(subscriptionPurpose, plain)
	now.Endpoint = p.key.Digest(endpointPurpose, []byte(t.Endpoint))
	return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := db.LockRow[keyRow](ctx, tx, 1, db.ErrNoRows); err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model((*subscriptionRow)(nil)).
			Where("endpoint = ? AND id <> ?", now.Endpoint, now.ID).Exec(ctx); err != nil {
			return err
		}
		n, err := db.Changed(tx.NewUpdate().Model(&now).Column("service", "endpoint", "sealed").
			Where("id = ? AND endpoint = ?", was.ID, was.Endpoint).Exec(ctx))
		if err == nil && n == 0 {
			err = ErrNoSubscription
		}
		return err
	})
}

// Devices returns the browsers of a user that are notified, the newest first.
func (p *Push) Devices(ctx context.Context, userID int64) ([]Device, error) {
	var rows []subscriptionRow
	if err := p.db.NewSelect().Model(&rows).Where("user_id = ?", userID).OrderExpr("id DESC").Scan(ctx); err != nil {
		return nil, err
	}
	devices := make([]Device, len(rows))
	for i, row := range rows {
		devices[i] = Device{row.ID, row.SessionID, row.CreatedAt, row.SentAt}
	}
	return devices, nil
}

// Unsubscribe has a browser of the user notified no more: ErrNoSubscription.
func (p *Push) Unsubscribe(ctx context.Context, userID, id int64) error {
	return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := db.Changed(tx.NewDelete().Model((*subscriptionRow)(nil)).Where("id = ? AND user_id = ?", id, userID).
			Exec(ctx))
		if err == nil && n == 0 {
			err = ErrNoSubscription
		}
		return err
	})
}

// EndSessions removes the subscriptions of sessions that end, as part of tx.
func (p *Push) EndSessions(ctx context.Context, tx bun.Tx, sessionIDs []uuid.UUID) error {
	if len(sessionIDs) == 0 {
		return nil
	}
	_, err := tx.NewDelete().Model((*subscriptionRow)(nil)).Where("session_id IN (?)", bun.List(sessionIDs)).Exec(ctx)
	return err
}

// Close removes all subscriptions of a user, as part of tx.
func (p *Push) Close(ctx context.Context, tx bun.Tx, userID int64) error {
	_, err := tx.NewDelete().Model((*subscriptionRow)(nil)).Where("user_id = ?", userID).Exec(ctx)
	return err
}
