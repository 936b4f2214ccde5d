package user

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
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
	Fee         money.Amount   `json:"fee" doc:"What the gateway costs beside the amount, in the same currency"`
	PayAmount   money.Amount   `json:"pay_amount" doc:"What is paid at the gateway: the amount and the fee"`
	PayCurrency string         `json:"pay_currency" doc:"ISO 4217; may be another than the amount's"`
	IsFinish    bool           `json:"is_finish" doc:"Whether the money is in the wallet"`
	Refunded    money.Amount   `json:"refunded" doc:"Of the amount, what went back to who paid"`
	State       string         `json:"state" enum:"pending,paid,expired,failed,refunded"`
	Gateway     string         `json:"gateway" doc:"Its name"`
	Title       string         `json:"gateway_title" doc:"For people, in the language of Accept-Language"`
	PayMethodID int            `json:"pay_method_id" doc:"Always 0; the gateway has a name"`
	PayPage     *payPage       `json:"pay_page,omitempty" doc:"Where to pay; only while the recharge is pending and once the gateway has been asked"`
	OrderNo     *int64         `json:"order_no" nullable:"true" doc:"The order that completes by itself when this is paid"`
	Order       *orderItem     `json:"order,omitempty" doc:"The same: what the money is for; absent where it is for the balance alone"`
	ExpiresAt   time.Time      `json:"expires_at"`
	PaidAt      *time.Time     `json:"paid_at" nullable:"true"`
	InvoiceID   *uuid.UUID     `json:"invoice_id" nullable:"true"`
	Remark      *string        `json:"remark" nullable:"true"`
	ConfigJSON  map[string]any `json:"config_json"`
}

type payPage struct {
	Kind string `json:"kind" enum:"url,qrcode,text" doc:"What to do: open the address, show it as a QR code, or show the text, which says how to pay"`
	URL  string `json:"url" doc:"Empty with a text"`
	Text string `json:"text,omitempty" doc:"For people, in the language of Accept-Language"`
}

// newRechargeRecord shows a recharge; order is the one that waits, or waited, for it, nil for none.
func newRechargeRecord(p *payment.Payments, r *wallet.Recharge, order *shop.Order, lang fault.Lang) rechargeRecord {
	out := rechargeRecord{
		ID: r.UUID, No: r.ID, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, TradeNo: r.TradeNo, MoneyAmount: r.Amount,
		Currency: r.Currency,
		Fee:      r.Fee, PayAmount: r.PayAmount, PayCurrency: r.PayCurrency,
		Refunded: r.Refunded, IsFinish: r.State == wallet.RechargeDone, State: string(r.State), Gateway: r.Gateway,
		Title: p.Title(r.Gateway).In(lang), OrderNo: r.OrderID, ExpiresAt: r.ExpiresAt, PaidAt: r.PaidAt,
		InvoiceID: r.InvoiceUUID, ConfigJSON: map[string]any{},
	}
	if order != nil {
		out.Order = new(newOrderItem(order, lang))
	}
	if r.State == wallet.RechargePending && r.PayPage != nil {
		out.PayPage = &payPage{Kind: r.PayPage.Kind, URL: r.PayPage.URL}
		if r.PayPage.Text != nil {
			out.PayPage.Text = r.PayPage.Text.In(lang)
		}
	}
	return out
}

type gatewayItem struct {
	Name       string            `json:"name"`
	Title      string            `json:"title" doc:"For people, in the language of Accept-Language"`
	Icon       string            `json:"icon" doc:"Name of a picture that the pages have: alipay, bank, card, cash, crypto, epay, manual, sandbox, stripe, wallet or wechatpay"`
	FeePercent string            `json:"fee_percent" doc:"Of the amount, such as 1.50"`
	FeeFixed   money.Amount      `json:"fee_fixed"`
	Minimum    money.Amount      `json:"minimum" doc:"The smallest recharge that begins here"`
	Maximum    money.Amount      `json:"maximum"`
	Currency   string            `json:"currency" doc:"In which it is paid, ISO 4217"`
	Rate       *string           `json:"rate" nullable:"true" doc:"Of that currency for one of the site's; null where it is the site's"`
	Charge     *gatewayChargeNow `json:"charge,omitempty" doc:"What the amount that was asked about costs here now; absent where it is outside the limits or none was asked about"`
}

type gatewayChargeNow struct {
	Amount      money.Amount `json:"amount"`
	Fee         money.Amount `json:"fee"`
	PayAmount   money.Amount `json:"pay_amount" doc:"Amount and fee, in pay_currency, rounded up"`
	PayCurrency string       `json:"pay_currency"`
}

func newGatewayItem(m *payment.Method, site setting.Site, lang fault.Lang) gatewayItem {
	minAmount, maxAmount := m.Limits(site)
	out := gatewayItem{
		Name: m.Name, Title: m.Title().In(lang), Icon: cmp.Or(m.Icon, m.Kind), FeePercent: m.FeePercent.String(),
		FeeFixed: m.FeeFixed, Minimum: minAmount, Maximum: maxAmount,
		Currency: cmp.Or(m.Currency, site.Currency),
	}
	if m.Rate != 0 {
		out.Rate = new(m.Rate.String())
	}
	return out
}

// Recharges adds the operations that bring money into the wallet.
func Recharges(w *wallet.Wallets, s *shop.Shop, p *payment.Payments, settings *setting.Settings) v2.Resource {
	show := func(ctx context.Context, userID int64, recharges ...wallet.Recharge) ([]rechargeRecord, error) {
		ids := make([]int64, len(recharges))
		for i := range recharges {
			ids[i] = recharges[i].ID
		}
		orders, err := s.OrdersOf(ctx, userID, ids)
		out := make([]rechargeRecord, len(recharges))
		for i := range recharges {
			out[i] = newRechargeRecord(p, &recharges[i], orders[recharges[i].ID], api.CallerOf(ctx).Lang)
		}
		return out, err
	}
	return func(r *v2.Router) {
		type question struct {
			Amount  string `query:"amount" pattern:"^\\d+(\\.\\d{1,2})?$" maxLength:"16" doc:"Of a recharge: each gateway says what that costs"`
			Missing string `query:"missing" pattern:"^\\d+(\\.\\d{1,2})?$" maxLength:"16" doc:"Instead of amount: each gateway says what the smallest recharge costs that brings at least this"`
		}
		v2.HandleList(r, v2.UserOp("GET /user/wallet/gateways").OpenToVisits().
			Named("gateways_list", "The ways to pay"),
			func(ctx context.Context, _ account.Identity, in *question) ([]gatewayItem, error) {
				var asked [2]money.Amount
				for i, part := range []struct{ name, text string }{{"amount", in.Amount}, {"missing", in.Missing}} {
					var err error
					if asked[i], err = money.Parse(cmp.Or(part.text, "0")); err != nil {
						return nil, fault.Invalid(part.name, "range", "金额过大", "The amount is too large").Because(err)
					}
				}
				var out []gatewayItem
				for _, m := range p.Methods() {
					item := newGatewayItem(&m, settings.Get(), api.CallerOf(ctx).Lang)
					amount := asked[0]
					if in.Missing != "" {
						amount = max(asked[1], item.Minimum)
					}
					if c, err := m.Charge(settings.Get(), amount); err == nil {
						item.Charge = &gatewayChargeNow{c.Amount, c.Fee, c.PayAmount, c.PayCurrency}
					}
					out = append(out, item)
				}
				return out, nil
			})

		type part struct {
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.UserOp("GET /user/wallet/recharge").OpenToVisits().
			Named("recharge_list", "The user's recharges, newest first"),
			func(ctx context.Context, who account.Identity, in *part) (rechargeList, error) {
				b, err := w.Balance(ctx, who.UserID)
				if err != nil {
					return rechargeList{}, err
				}
				recharges, total, err := w.Recharges(ctx, who.UserID, in.Limit, in.Offset)
				if err != nil {
					return rechargeList{}, err
				}
				records, err := show(ctx, who.UserID, recharges...)
				return rechargeList{b.CreatedAt, records, total}, err
			})

		type rechargeWish struct {
			Body struct {
				Amount  v2.AmountInput `json:"amount"`
				Gateway string         `json:"gateway" maxLength:"32" doc:"Name of one of the gateways"`
			}
		}
		v2.Handle(r, v2.UserOp("POST /user/wallet/recharge").
			Named("recharge_create", "Begin a recharge and get its pay page").WithKey(),
			func(ctx context.Context, who account.Identity, in *rechargeWish) (rechargeRecord, error) {
				recharge, err := p.Recharge(ctx, who.UserID, in.Body.Gateway, in.Body.Amount.Amount)
				if err != nil {
					return rechargeRecord{}, err
				}
				return newRechargeRecord(p, recharge, nil, api.CallerOf(ctx).Lang), nil
			})

		type which struct {
			ID string `path:"recharge_id" maxLength:"36" doc:"Number or id of the recharge"`
		}
		v2.Handle(r, v2.UserOp("POST /user/wallet/recharge/{recharge_id}/cancel").
			Named("recharge_cancel", "Give up a pending recharge that pays for no order; a payment that arrives all the "+
				"same is credited"),
			func(ctx context.Context, who account.Identity, in *which) (rechargeRecord, error) {
				recharge, err := w.CancelRecharge(ctx, who.UserID, in.ID)
				if err != nil {
					return rechargeRecord{}, err
				}
				return newRechargeRecord(p, recharge, nil, api.CallerOf(ctx).Lang), nil
			})
		v2.Handle(r, v2.UserOp("POST /user/wallet/recharge/{recharge_id}").
			Named("recharge_get", "The state of a recharge and, while it is pending, its pay page"),
			func(ctx context.Context, who account.Identity, in *which) (rechargeRecord, error) {
				recharge, err := p.Show(ctx, who.UserID, in.ID)
				if err != nil {
					return rechargeRecord{}, err
				}
				records, err := show(ctx, who.UserID, *recharge)
				return records[0], err
			})
	}
}
