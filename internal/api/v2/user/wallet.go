package user

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/renewal"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

type walletResult struct {
	CreatedAt     time.Time    `json:"created_at"`
	WalletBalance money.Amount `json:"wallet_balance" doc:"All of the wallet"`
	InviteBalance money.Amount `json:"invite_balance" doc:"Commission from invites that can be moved into the wallet"`
	InvitePending money.Amount `json:"invite_pending" doc:"Commission from invites that is not released yet"`
	Held          money.Amount `json:"held" doc:"What pending orders keep of the balance"`
	Available     money.Amount `json:"available" doc:"The balance less what is held"`
	Currency      string       `json:"currency" doc:"ISO 4217"`
}

// movementReason is why money of a wallet moved.
type movementReason wallet.Reason

func (movementReason) Schema(huma.Registry) *huma.Schema {
	return v2.EnumSchema(wallet.MovementReasons)
}

type movementPage struct {
	Movements  []movementItem `json:"movements"`
	TotalCount int64          `json:"total_count"`
	Page       int64          `json:"page"`
	Size       int64          `json:"size"`
}

type movementItem struct {
	ID           int64             `json:"id"`
	CreatedAt    time.Time         `json:"created_at"`
	Reason       movementReason    `json:"reason"`
	Text         string            `json:"text" doc:"What it was, for people: the kind and the note"`
	Note         string            `json:"note" doc:"Of that the part beside the kind: what was bought, which gateway; empty: nothing"`
	Amount       money.Amount      `json:"amount" doc:"Negative where money left the wallet"`
	BalanceAfter money.Amount      `json:"balance_after"`
	Reference    movementReference `json:"reference"`
}

type movementReference struct {
	Kind string `json:"kind" enum:"order,recharge,gateway_refund,cd_key,adjustment,commission_withdrawal,invite_purchase,payment_case,account_merge"`
	No   int64  `json:"no" doc:"Number of the order or recharge"`
}

// movementTexts name the reasons of movements; the name of what was bought or the title of the gateway follows.
var movementTexts = map[wallet.Reason]fault.Text{
	wallet.RechargePaid: {ZH: "充值", EN: "Recharge"},
	wallet.Purchase:     {ZH: "购买", EN: "Purchase"},
	wallet.PlanChange:   {ZH: "更换套餐退差", EN: "Rest of a change of plan"},
	wallet.Merged:       {ZH: "账号合并", EN: "Merge of accounts"},
	wallet.Refund:       {ZH: "退款", EN: "Refund"},
	wallet.Refunded:     {ZH: "充值原路退回", EN: "Recharge paid back"},

	wallet.CDKey:           {ZH: "兑换码", EN: "Cd-key"},
	wallet.Adjusted:        {ZH: "客服调整", EN: "Adjustment by staff"},
	wallet.CommissionMoved: {ZH: "返佣转入", EN: "Commission"},
	wallet.InvitesBought:   {ZH: "购买邀请名额", EN: "Invites"},
	wallet.CaseCredited:    {ZH: "付款补入账", EN: "Payment credited by staff"},
}

// movementText says for people what a movement was, and the note alone.
func movementText(p *payment.Payments, m *wallet.Movement, lang fault.Lang) (text, note string) {
	text, note = movementTexts[m.Reason].In(lang), m.Note
	if m.Reason == wallet.RechargePaid || m.Reason == wallet.Refunded || m.Reason == wallet.CaseCredited {
		note = p.Title(note).In(lang)
	}
	if note != "" {
		text += " · " + note
	}
	return text, note
}

type purchaseRecord struct {
	ID          uuid.UUID    `json:"id"`
	No          int64        `json:"no"`
	CreatedAt   time.Time    `json:"created_at"`
	ShopID      int64        `json:"shop_id"`
	ShopName    string       `json:"shop_name"`
	MoneyAmount money.Amount `json:"money_amount"`
	RenewAt     *time.Time   `json:"renew_at" nullable:"true" doc:"When the renewal of the service is tried next; null where it does not renew itself"`
	Months      int          `json:"months" doc:"0 of a package"`
	Kind        string       `json:"kind" enum:"plan,renewal,package"`
	State       string       `json:"state" enum:"paid,refunded"`
	EndsAt      *time.Time   `json:"ends_at" nullable:"true" doc:"When the service or package ends or ended; null for a package that lives until it is used up"`
}

// Wallet adds the operations on a user's balance and its history.
func Wallet(w *wallet.Wallets, s *shop.Shop, renewals *renewal.Renewals, p *payment.Payments,
	settings *setting.Settings,
) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/wallet").OpenToVisits().
			Named("wallet_get", "The balance"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (walletResult, error) {
				b, err := w.Balance(ctx, who.UserID)
				return walletResult{
					b.CreatedAt, b.Posted, b.Commission, b.Pending, b.Held, b.Available,
					settings.Get().Currency,
				}, err
			})

		type page struct {
			Reason movementReason `query:"reason" doc:"Only those for this reason"`
			Page   int64          `query:"page" minimum:"1" maximum:"1000000000" default:"1"`
			Size   int64          `query:"size" minimum:"1" maximum:"100" default:"15"`
		}
		v2.Handle(r, v2.UserOp("GET /user/wallet/movements").OpenToVisits().
			Named("wallet_movements", "Every movement of the balance, newest first"),
			func(ctx context.Context, who account.Identity, in *page) (movementPage, error) {
				read := w.Movements
				if in.Reason != "" {
					read = func(ctx context.Context, userID, page, size int64) ([]wallet.Movement, int64, error) {
						return w.MovementsFor(ctx, userID, wallet.Reason(in.Reason), page, size)
					}
				}
				movements, total, err := read(ctx, who.UserID, in.Page, in.Size)
				out := movementPage{[]movementItem{}, total, in.Page, in.Size}
				lang := api.CallerOf(ctx).Lang
				for _, m := range movements {
					text, note := movementText(p, &m, lang)
					out.Movements = append(out.Movements, movementItem{
						m.ID, m.CreatedAt, movementReason(m.Reason), text, note, m.Amount, m.BalanceAfter,
						movementReference{m.Reference.Kind, m.Reference.ID},
					})
				}
				return out, err
			})

		type part struct {
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.UserOp("GET /user/wallet/purchase-records").OpenToVisits().
			Named("wallet_purchase_records", "What was bought, newest first"),
			func(ctx context.Context, who account.Identity, in *part) ([]purchaseRecord, error) {
				upcoming, _, err := renewals.Upcoming(ctx, who.UserID)
				if err != nil {
					return nil, err
				}
				renewAt := map[int64]*time.Time{}
				for _, u := range upcoming {
					if u.AutoRenew {
						renewAt[u.ServiceID] = u.At
					}
				}
				orders, _, err := s.Purchases(ctx, who.UserID, in.Limit, in.Offset)
				out := []purchaseRecord{}
				for _, o := range orders {
					record := purchaseRecord{
						ID: o.UUID, No: o.ID, CreatedAt: o.CreatedAt, ShopID: o.PriceID,
						ShopName: o.Terms.NameIn(api.CallerOf(ctx).Lang), MoneyAmount: o.Amount, Months: o.Terms.Months,
						Kind: string(o.Kind), State: string(o.State), EndsAt: o.EndsAt,
					}
					if o.Service != nil {
						record.RenewAt = renewAt[*o.Service]
					}
					out = append(out, record)
				}
				return out, err
			})
	}
}
