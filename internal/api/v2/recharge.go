package v2

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/wallet"
)

type rechargeList struct {
	CreatedAt       time.Time        `json:"created_at" doc:"When the wallet was opened"`
	RechargeRecords []rechargeRecord `json:"recharge_records"`
	TotalCount      int64            `json:"total_count"`
}

type rechargeRecord struct {
	ID          uuid.UUID      `json:"id"`
	No          int64          `json:"no" doc:"Number of the recharge; paths take it or the id"`
	CreatedAt   time.Time      `json:"created_at"`
	UpdatedAt   time.Time      `json:"updated_at"`
	TradeNo     string         `json:"trade_no"`
	MoneyAmount money.Amount   `json:"money_amount"`
	Currency    string         `json:"currency" doc:"ISO 4217"`
	IsFinish    bool           `json:"is_finish" doc:"Whether the money is in the wallet"`
	State       string         `json:"state" enum:"pending,paid,expired,failed,refunded"`
	Gateway     string         `json:"gateway"`
	PayMethodID int            `json:"pay_method_id" doc:"Always 0; the gateway has a name"`
	PayPage     *payPage       `json:"pay_page,omitempty" doc:"Where to pay; only while the recharge is pending and once the gateway has been asked"`
	OrderNo     *int64         `json:"order_no" nullable:"true" doc:"The order that completes by itself when this is paid"`
	ExpiresAt   time.Time      `json:"expires_at"`
	PaidAt      *time.Time     `json:"paid_at" nullable:"true"`
	InvoiceID   *uuid.UUID     `json:"invoice_id" nullable:"true"`
	Remark      *string        `json:"remark" nullable:"true"`
	ConfigJSON  map[string]any `json:"config_json"`
}

type payPage struct {
	Kind string `json:"kind" enum:"url,qrcode" doc:"What to do with the address: open it, or show it as a QR code"`
	URL  string `json:"url"`
}

func newRechargeRecord(r *wallet.Recharge) rechargeRecord {
	out := rechargeRecord{
		ID: r.UUID, No: r.ID, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, TradeNo: r.TradeNo, MoneyAmount: r.Amount, Currency: r.Currency,
		IsFinish: r.State == wallet.RechargeDone, State: string(r.State), Gateway: r.Gateway, OrderNo: r.OrderID, ExpiresAt: r.ExpiresAt, PaidAt: r.PaidAt,
		InvoiceID: r.InvoiceUUID, ConfigJSON: map[string]any{},
	}
	if r.State == wallet.RechargePending && r.PayPage != nil {
		out.PayPage = &payPage{r.PayPage.Kind, r.PayPage.URL}
	}
	return out
}

type gatewayItem struct {
	Name  string `json:"name"`
	Title string `json:"title" doc:"For people, in the language of Accept-Language"`
}

// Recharge adds the operations that bring money into the wallet.
func Recharge(w *wallet.Wallets, p *payment.Payments) Resource {
	return func(r *Router) {
		handleList(r, op{method: http.MethodGet, path: "/user/wallet/gateways", id: "gateways_list", tag: "user", access: user, summary: "The ways to pay"},
			func(ctx context.Context, _ account.Identity, _ *Empty) ([]gatewayItem, error) {
				var out []gatewayItem
				for _, g := range p.Gateways() {
					out = append(out, gatewayItem{g.Name(), g.Title().In(api.CallerOf(ctx).Lang)})
				}
				return out, nil
			})

		type part struct {
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		handle(r, op{method: http.MethodGet, path: "/user/wallet/recharge", id: "recharge_list", tag: "user", access: user, summary: "The user's recharges, newest first"},
			func(ctx context.Context, who account.Identity, in *part) (rechargeList, error) {
				b, err := w.Balance(ctx, who.UserID)
				if err != nil {
					return rechargeList{}, err
				}
				recharges, total, err := w.Recharges(ctx, who.UserID, in.Limit, in.Offset)
				out := rechargeList{b.CreatedAt, []rechargeRecord{}, total}
				for i := range recharges {
					out.RechargeRecords = append(out.RechargeRecords, newRechargeRecord(&recharges[i]))
				}
				return out, err
			})

		type rechargeWish struct {
			Body struct {
				Amount  AmountInput `json:"amount"`
				Gateway string      `json:"gateway" maxLength:"32" doc:"Name of one of the gateways"`
			}
		}
		handle(r, op{method: http.MethodPost, path: "/user/wallet/recharge", id: "recharge_create", tag: "user", access: user, keyed: true, summary: "Begin a recharge and get its pay page"},
			func(ctx context.Context, who account.Identity, in *rechargeWish) (rechargeRecord, error) {
				recharge, err := p.Recharge(ctx, who.UserID, in.Body.Gateway, in.Body.Amount.Amount)
				if err != nil {
					return rechargeRecord{}, err
				}
				return newRechargeRecord(recharge), nil
			})

		type which struct {
			ID string `path:"recharge_id" maxLength:"36" doc:"Number or id of the recharge"`
		}
		handle(r, op{method: http.MethodPost, path: "/user/wallet/recharge/{recharge_id}", id: "recharge_get", tag: "user", access: user, summary: "The state of a recharge and, while it is pending, its pay page"},
			func(ctx context.Context, who account.Identity, in *which) (rechargeRecord, error) {
				recharge, err := p.Show(ctx, who.UserID, in.ID)
				if err != nil {
					return rechargeRecord{}, err
				}
				return newRechargeRecord(recharge), nil
			})
	}
}
