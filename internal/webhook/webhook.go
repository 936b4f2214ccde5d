// Package webhook tells the operator's own programs what happens on the site. An event is a row that is written in the
// transaction of its cause, so it is sent if and only if that commits. Deliveries are signed as Standard Webhooks
// (https://www.standardwebhooks.com) describes, repeated with growing pauses until the receiver accepts them, and sent
// at least once across restarts and replicas: a process leases a delivery before it sends it. Endpoints are sent to
// side by side, so that one that stalls delays no other. Every attempt is logged.
package webhook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/job"
	"airstrip/internal/outbound"
	"airstrip/internal/seal"
	"airstrip/internal/setting"
)

// Faults of webhooks.
var (
	ErrNoEndpoint = fault.NotFound("webhook_not_found", "没有这个 Webhook", "There is no such webhook")
	ErrNoDelivery = fault.NotFound("webhook_delivery_not_found", "没有这条投递记录，或已过保留期",
		"There is no such delivery, or it is no longer kept")
	ErrWaiting = fault.Conflict("webhook_delivery_waiting", "这条投递正在等待发送，无需重发",
		"This delivery is waiting to be sent already")
	ErrTooMany = fault.Conflict("webhook_too_many", "Webhook 数量已达上限（50 个）", "There are as many webhooks as there may be (50)")
)

const (
	maxEndpoints = 50
	sealedSecret = "webhook secret"
	secretBytes  = 32
	secretPrefix = "whsec_" // as Standard Webhooks writes secrets

	// previousLife is how long a replaced secret signs beside the new one.
	previousLife = 24 * time.Hour
	// maxAge is how long a delivery is repeated.
	maxAge = 3 * 24 * time.Hour
	// failingLife is for how long an endpoint may fail before it is disabled.
	failingLife = 5 * 24 * time.Hour
	// retention is how long deliveries that have ended are kept, with their attempts.
	retention = 30 * 24 * time.Hour
)

// Reason is why an endpoint was disabled by the server.
type Reason string

// The reasons.
const (
	NotDisabled Reason = ""
	Failing     Reason = "failing" // it failed for days
	Gone        Reason = "gone"    // it answered 410
)

// An Endpoint is an address that hears of events.
type Endpoint struct {
	bun.BaseModel  `bun:"table:webhook_endpoint"`
	ID             int64 `bun:",pk,autoincrement"`
	Name           string
	URL            string `bun:"url"`
	Enabled        bool
	Secret         []byte // sealed
	PreviousSecret []byte
	PreviousUntil  *time.Time
	FailingSince   *time.Time
	PausedUntil    *time.Time
	DisabledReason Reason
	CreatedAt      time.Time
	UpdatedAt      time.Time
	Types          []Type `bun:"-"`
}

// State is how a delivery stands.
type State string

// The states of a delivery.
const (
	Waiting   State = "waiting"
	Delivered State = "delivered"
	Failed    State = "failed"
)

// A Delivery is one event for one endpoint.
type Delivery struct {
	bun.BaseModel `bun:"table:webhook_delivery"`
	ID            int64 `bun:",pk,autoincrement"`
	EndpointID    int64
	EventID       int64
	State         State
	Attempts      int64
	NextAt        *time.Time
	LeaseUntil    *time.Time
	ExpiresAt     time.Time
	CreatedAt     time.Time
	EndedAt       *time.Time
}

// An Attempt is one try to deliver.
type Attempt struct {
	bun.BaseModel `bun:"table:webhook_attempt"`
	ID            int64 `bun:",pk,autoincrement"`
	DeliveryID    int64
	At            time.Time
	DurationMS    int64 `bun:"duration_ms"`
	Status        int   // of HTTP; 0: there was no answer
	Error         string
	Answer        string // its beginning
}

// Accepted reports whether the receiver took the event.
func (a Attempt) Accepted() bool { return a.Error == "" && a.Status >= 200 && a.Status < 300 }

// Webhooks are the webhooks of a site.
type Webhooks struct {
	db         *db.DB
	secrets    seal.RowCipher
	settings   *setting.Settings
	client     *http.Client
	onDisabled []func(ctx context.Context, tx bun.Tx, e Endpoint) error

	mu   sync.Mutex
	busy map[int64]bool // endpoints that this process sends to at the moment
}

// New returns the webhooks in d, whose secrets are sealed with key.
func New(d *db.DB, key seal.Key, settings *setting.Settings) *Webhooks {
	w := &Webhooks{db: d, secrets: key.RowCipher(sealedSecret), settings: settings, busy: map[int64]bool{}}
	w.client = outbound.Client(sendTimeout, func() bool { return settings.Get().WebhookAllowPrivate })
	return w
}

// OnDisabled has fn called in the transaction that disables an endpoint which failed for too long.
func (w *Webhooks) OnDisabled(fn func(ctx context.Context, tx bun.Tx, e Endpoint) error) {
	w.onDisabled = append(w.onDisabled, fn)
}

// Register puts the deletion of old deliveries on the timetable.
func (w *Webhooks) Register(q *job.Queue) { q.Every("webhook.forget", w.deleteOld) }

func (w *Webhooks) deleteOld(ctx context.Context) error {
	now := w.db.Now()
	return w.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		// Deliveries of endpoints that were disabled meanwhile end too.
		if _, err := tx.NewUpdate().Model((*Delivery)(nil)).Set("state = ?", Failed).Set("next_at = NULL").
			Set("lease_until = NULL").Set("ended_at = ?", now).Where("state = ? AND expires_at <= ?", Waiting, now).
			Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model((*Delivery)(nil)).
			Where("state <> ? AND ended_at < ?", Waiting, now.Add(-retention)).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewRaw(`DELETE FROM webhook_event WHERE at < ? AND NOT EXISTS (
			SELECT 1 FROM webhook_delivery d WHERE d.event_id = webhook_event.id)`, now.Add(-maxAge)).Exec(ctx)
		return err
	})
}

// Sealed returns the webhooks in d that key does not open.
func Sealed(ctx context.Context, d *db.DB, key seal.Key) (closed []string, err error) {
	var endpoints []Endpoint
	if err := d.NewSelect().Model(&endpoints).OrderExpr("id").Scan(ctx); err != nil {
		return nil, err
	}
	secrets := key.RowCipher(sealedSecret)
	for _, e := range endpoints {
		if _, err := secrets.Open(e.ID, e.Secret); err != nil {
			closed = append(closed, fmt.Sprintf("webhook %d", e.ID))
		}
	}
	return closed, nil
}

func newSecret() []byte {
	secret := make([]byte, secretBytes)
	rand.Read(secret)
	return secret
}

// shownSecret is the secret as receivers are configured with it.
func shownSecret(secret []byte) string {
	return secretPrefix + base64.StdEncoding.EncodeToString(secret)
}

// locked gives the endpoint with this id, locked until tx ends, or ErrNoEndpoint.
func locked(ctx context.Context, tx bun.Tx, id int64) (*Endpoint, error) {
	e, err := db.LockRow[Endpoint](ctx, tx, id, ErrNoEndpoint)
	if err != nil {
		return nil, err
	}
	return &e, tx.NewSelect().Table("webhook_subscription").Column("type").Where("endpoint_id = ?", id).
		OrderExpr("type").Scan(ctx, &e.Types)
}
