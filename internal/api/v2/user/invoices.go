package user

import (
	"context"
	"fmt"
	"strings"
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

type invoiceList struct {
	TotalCount int64         `json:"total_count"`
	Invoices   []InvoiceItem `json:"invoices" doc:"Newest first"`
}

// InvoiceItem is what the list and one invoice have in common; exported because it is embedded.
type InvoiceItem struct {
	ID        uuid.UUID       `json:"id"`
	No        int64           `json:"no" doc:"Number of the invoice; paths take it or the id"`
	CreatedAt time.Time       `json:"created_at"`
	Kind      string          `json:"kind" enum:"order,recharge" doc:"What it is the bill of"`
	Reference int64           `json:"reference" doc:"Number of the order or recharge"`
	Total     money.Amount    `json:"total"`
	Currency  string          `json:"currency" doc:"ISO 4217"`
	Lines     []invoiceLine   `json:"lines"`
	Refund    *invoicedRefund `json:"refund,omitempty" doc:"What was given back since; absent: nothing"`
}

type invoiceResult struct {
	InvoiceItem
	SiteName string `json:"site_name"`
}

type invoiceLine struct {
	Kind   string       `json:"kind" enum:"plan,renewal,package,recharge,credit,discount,fee"`
	Name   string       `json:"name" doc:"Of the plan, the coupon, or the service that ended; of a gateway its title"`
	Text   string       `json:"text" doc:"For people, in the language of Accept-Language"`
	Months *int         `json:"months,omitempty" doc:"Of a plan or a renewal"`
	Amount money.Amount `json:"amount" doc:"Negative: a credit or discount"`
}

type invoicedRefund struct {
	Amount    money.Amount `json:"amount"`
	CreatedAt time.Time    `json:"created_at"`
}

var lineTexts = map[wallet.LineKind]fault.Text{
	wallet.PlanLine:     {ZH: "套餐", EN: "Plan"},
	wallet.RenewalLine:  {ZH: "续费", EN: "Renewal"},
	wallet.PackageLine:  {ZH: "流量包", EN: "Traffic package"},
	wallet.RechargeLine: {ZH: "充值", EN: "Recharge"},
	wallet.CreditLine:   {ZH: "原服务抵扣", EN: "Credit for the former service"},
	wallet.DiscountLine: {ZH: "优惠", EN: "Discount"},
	wallet.FeeLine:      {ZH: "手续费", EN: "Fee"},
}

// newInvoiceItems shows invoices with what was given back of their orders and recharges.
func newInvoiceItems(ctx context.Context, w *wallet.Wallets, s *shop.Shop, p *payment.Payments,
	invoices []wallet.Invoice,
) ([]InvoiceItem, error) {
	of := map[string][]int64{}
	for _, in := range invoices {
		of[in.Reference.Kind] = append(of[in.Reference.Kind], in.Reference.ID)
	}
	refunds, err := s.Refunded(ctx, of["order"]...)
	if err != nil {
		return nil, err
	}
	returned, err := w.Returned(ctx, of["recharge"]...)
	out := []InvoiceItem{}
	for _, in := range invoices {
		item := InvoiceItem{
			in.UUID, in.ID, in.CreatedAt, in.Reference.Kind, in.Reference.ID, in.Total, in.Currency,
			[]invoiceLine{},
			nil,
		}
		for _, l := range in.Lines {
			item.Lines = append(item.Lines, newInvoiceLine(p, l, api.CallerOf(ctx).Lang))
		}
		if r, ok := refunds[in.Reference.ID]; ok && in.Reference.Kind == "order" {
			item.Refund = &invoicedRefund{r.Amount, r.CreatedAt}
		}
		if r, ok := returned[in.Reference.ID]; ok && in.Reference.Kind == "recharge" {
			item.Refund = &invoicedRefund{r.Amount, r.CreatedAt}
		}
		out = append(out, item)
	}
	return out, err
}

func newInvoiceLine(p *payment.Payments, l wallet.Line, lang fault.Lang) invoiceLine {
	name := l.Name
	if l.Kind == wallet.RechargeLine || l.Kind == wallet.FeeLine {
		name = p.Title(name).In(lang)
	}
	text := lineTexts[l.Kind].In(lang) + " · " + name
	if l.Months != nil {
		text += fault.Text{ZH: "（" + monthsText(*l.Months).ZH + "）", EN: " (" + monthsText(*l.Months).EN + ")"}.In(lang)
	}
	return invoiceLine{string(l.Kind), name, text, l.Months, l.Amount}
}

func monthsText(months int) fault.Text {
	if months == 1 {
		return fault.Text{ZH: "1 个月", EN: "1 month"}
	}
	return fault.Text{ZH: fmt.Sprintf("%d 个月", months), EN: fmt.Sprintf("%d months", months)}
}

// Invoices adds the bills of a user.
func Invoices(w *wallet.Wallets, s *shop.Shop, p *payment.Payments, settings *setting.Settings) v2.Resource {
	return func(r *v2.Router) {
		type part struct {
			Month  string `query:"month" pattern:"^(19|[2-9][0-9])[0-9]{2}-?(0[1-9]|1[0-2])$" doc:"Only those of this month of the site's calendar" example:"2026-01"`
			Limit  int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64  `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.UserOp("GET /user/wallet/invoices").OpenToVisits().
			Named("invoices_list", "The invoices of orders and recharges"),
			func(ctx context.Context, who account.Identity, in *part) (invoiceList, error) {
				var from, to time.Time
				if in.Month != "" {
					var err error
					if from, err = time.ParseInLocation("200601", strings.ReplaceAll(in.Month, "-", ""), settings.Get().
						Zone()); err != nil {
						return invoiceList{}, err
					}
					to = from.AddDate(0, 1, 0)
				}
				invoices, total, err := w.Invoices(ctx, who.UserID, from.UTC(), to.UTC(), in.Limit, in.Offset)
				if err != nil {
					return invoiceList{}, err
				}
				items, err := newInvoiceItems(ctx, w, s, p, invoices)
				return invoiceList{total, items}, err
			})

		type which struct {
			ID string `path:"invoice_id" maxLength:"36" doc:"Number or id of the invoice"`
		}
		v2.Handle(r, v2.UserOp("GET /user/wallet/invoices/{invoice_id}").OpenToVisits().
			Named("invoice_get", "One invoice with its lines, as it was issued"),
			func(ctx context.Context, who account.Identity, in *which) (invoiceResult, error) {
				invoice, err := w.ReadInvoice(ctx, who.UserID, in.ID)
				if err != nil {
					return invoiceResult{}, err
				}
				items, err := newInvoiceItems(ctx, w, s, p, []wallet.Invoice{*invoice})
				if err != nil {
					return invoiceResult{}, err
				}
				return invoiceResult{items[0], settings.Get().SiteName}, nil
			})
	}
}
