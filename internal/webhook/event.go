package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"airstrip/internal/db"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/fault"
)

// Type names what happened. Types are part of the contract with receivers: they are never renamed.
type Type string

// The types of events.
const (
	UserCreated      Type = "user.created"
	OrderPaid        Type = "order.paid"
	OrderRefunded    Type = "order.refunded"
	RechargePaid     Type = "recharge.paid"
	RechargeRefunded Type = "recharge.refunded"
	ServiceStarted   Type = "service.started"
	ServiceEnded     Type = "service.ended"
	QuotaReached     Type = "quota.reached"
	NodeOffline      Type = "node.offline"
	NodeOnline       Type = "node.online"
	TicketMessage    Type = "ticket.message"
	Test             Type = "webhook.test" // sent by the test of an endpoint, whatever it hears of
)

// A TypeInfo is a type with what it says.
type TypeInfo struct {
	Type Type
	Text fault.Text
}

// Types are the types that endpoints may subscribe to.
var Types = []TypeInfo{
	{UserCreated, fault.Text{ZH: "用户注册", EN: "A user signed up"}},
	{OrderPaid, fault.Text{ZH: "订单已支付", EN: "An order was paid"}},
	{OrderRefunded, fault.Text{ZH: "订单已退款", EN: "An order was refunded"}},
	{RechargePaid, fault.Text{ZH: "充值到账", EN: "A recharge was credited"}},
	{RechargeRefunded, fault.Text{ZH: "充值已退回", EN: "A recharge was paid back"}},
	{ServiceStarted, fault.Text{ZH: "服务开通", EN: "A service started"}},
	{ServiceEnded, fault.Text{ZH: "服务结束", EN: "A service ended"}},
	{QuotaReached, fault.Text{ZH: "流量用完", EN: "A user's traffic is used up"}},
	{NodeOffline, fault.Text{ZH: "节点离线", EN: "A node went offline"}},
	{NodeOnline, fault.Text{ZH: "节点恢复", EN: "A node is back"}},
	{TicketMessage, fault.Text{ZH: "工单有新消息", EN: "A ticket has a new message"}},
}

func known(t Type) bool {
	return slices.ContainsFunc(Types, func(i TypeInfo) bool { return i.Type == t })
}

// An Event is something that happened. Data is what JSON knows; it holds ids, states and amounts, and never a secret.
type Event struct {
	Type Type
	At   time.Time
	Data any
}

type eventRow struct {
	bun.BaseModel `bun:"table:webhook_event"`
	ID            int64 `bun:",pk,autoincrement"`
	UUID          uuid.UUID
	Type          Type
	At            time.Time
	Body          string
}

// payload is the body that receivers get.
type payload struct {
	Type      Type      `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      any       `json:"data"`
}

func (e Event) row() (*eventRow, error) {
	body, err := json.Marshal(payload{e.Type, e.At, e.Data})
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.Type, err)
	}
	return &eventRow{UUID: uuid.New(), Type: e.Type, At: e.At, Body: string(body)}, nil
}

// Emit writes events for each enabled endpoint that hears of their type, as part of the transaction that causes them:
// they are sent after it commits and only then. Where no endpoint does, nothing is written.
func Emit(ctx context.Context, tx bun.Tx, events ...Event) error {
	byType := map[Type][]int64{}
	for _, e := range events {
		endpoints, asked := byType[e.Type]
		if !asked {
			if err := db.ScanPrepared(ctx, tx, &endpoints, `SELECT e.id FROM webhook_subscription s
				JOIN webhook_endpoint e ON e.id = s.endpoint_id
				WHERE s.type = ? AND e.enabled ORDER BY e.id`, e.Type); err != nil {
				return err
			}
			byType[e.Type] = endpoints
		}
		if len(endpoints) == 0 {
			continue
		}
		if _, err := insert(ctx, tx, e, endpoints...); err != nil {
			return err
		}
	}
	return nil
}

// insert writes an event and a delivery of it for each of the endpoints.
func insert(ctx context.Context, tx bun.Tx, e Event, endpoints ...int64) ([]Delivery, error) {
	row, err := e.row()
	if err != nil {
		return nil, err
	}
	if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
		return nil, err
	}
	deliveries := make([]Delivery, len(endpoints))
	for i, id := range endpoints {
		deliveries[i] = Delivery{
			EndpointID: id, EventID: row.ID, State: Waiting, NextAt: &row.At, ExpiresAt: row.At.Add(maxAge),
			CreatedAt: row.At,
		}
	}
	_, err = tx.NewInsert().Model(&deliveries).Exec(ctx)
	return deliveries, err
}
