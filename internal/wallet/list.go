package wallet

import (
	"context"
	"strings"

	"github.com/uptrace/bun"

	"airstrip/internal/fault"
	"airstrip/internal/listing"
	"airstrip/internal/money"
)

// RechargeList declares the list of all recharges. Who has users searches it by them.
func RechargeList() *listing.Resource {
	return &listing.Resource{
		Name: "recharges", Table: "recharge", ID: "id", Default: "-created",
		Filters: []listing.Filter{
			{
				Key: "state", Kind: listing.Choice, Column: "state", Doc: "State of the recharge",
				Choices: []string{"pending", "paid", "expired", "failed", "refunded"},
			},
			{Key: "gateway", Kind: listing.Choice, Column: "gateway", Doc: "Name of the gateway"},
			{Key: "user", Kind: listing.Reference, Of: "users", Column: "user_id", Doc: "Whose wallet"},
			{Key: "amount", Kind: listing.Range, Unit: "money", Column: "amount", Doc: "What the wallet gains"},
			{Key: "created", Kind: listing.Date, Column: "created_at", Doc: "When it was begun"},
			{Key: "paid", Kind: listing.Date, Column: "paid_at", None: true, Doc: "When it was paid"},
		},
		Sorts: []listing.Sort{
			{Key: "created", Column: "created_at", Kind: listing.Time},
			{Key: "amount", Column: "amount"},
			{Key: "paid", Column: "paid_at", Kind: listing.Time, None: true},
		},
		Indexes: []listing.Index{
			{Name: "recharge_created", Columns: []string{"created_at", "id", "paid_at", "amount"}},
			{Name: "recharge_paid", Columns: []string{"paid_at", "id", "created_at", "amount"}},
			{Name: "recharge_amount", Columns: []string{"amount", "id", "created_at", "paid_at"}},
			{Name: "recharge_state", Columns: []string{"state", "amount", "id", "paid_at", "created_at"}},
		},
	}
}

// RechargesByID returns the recharges with these numbers, whosever they are, in any order.
func (w *Wallets) RechargesByID(ctx context.Context, ids []int64) (recharges []Recharge, err error) {
	err = selectRecharges(w.db, &recharges).Where("?TableAlias.id IN (?)", bun.List(ids)).Scan(ctx)
	return recharges, err
}

// BookingList declares the list of all transactions of the ledger. Who has users searches it by amounts.
func BookingList() *listing.Resource {
	sides := "SELECT p.transaction_id FROM posting p JOIN ledger_account a ON a.id = p.account_id WHERE "
	return &listing.Resource{
		Name: "ledger", Table: "ledger_transaction", ID: "id", Default: "-created",
		Filters: []listing.Filter{
			{
				Key: "reason", Kind: listing.Choice, Column: "reason", Doc: "Why money moved",
				Choices: []string{
					"recharge", "purchase", "plan_change", "refund", "gateway_refund", "cd_key", "adjustment", "commission",
					"commission_reversed", "commission_settled", "commission_withdrawal", "commission_payout",
					"invite_purchase", "payment_case", "account_merge", "settlement", "settlement_reversed",
				},
			},
			{
				Key: "user", Kind: listing.Reference, Of: "users", Column: "id", Doc: "Whose wallet or commission moved",
				Within: sides + "a.user_id IS NOT NULL AND a.user_id IN (?)",
			},
			{
				Key: "account", Kind: listing.Choice, Column: "id", Doc: "Which of the site's accounts moved",
				Choices: []string{"clearing", "outside", "sales", "refunds", "gifts", "fees", "bank", "rounding"},
				Within:  sides + "a.user_id IS NULL AND a.kind IN (?)",
			},
			{
				Key: "gateway", Kind: listing.Choice, Column: "id", Doc: "Gateway of whose money some moved",
				Within: sides + "a.user_id IS NULL AND a.kind IN ('clearing', 'outside') AND a.name IN (?)",
			},
			{Key: "created", Kind: listing.Date, Column: "created_at", Doc: "When it was booked"},
		},
		Sorts:     []listing.Sort{{Key: "created", Column: "created_at", Kind: listing.Time}},
		SearchDoc: "An amount such as 25.00, which either side may have",
		Search:    searchBookings,
	}
}

// searchBookings finds transactions by an amount.
func searchBookings(_ context.Context, typed string) (listing.Condition, error) {
	amount, err := money.Parse(typed)
	if err != nil {
		return listing.Condition{}, fault.Invalid("q", "type", "请输入金额", "Please type an amount")
	}
	return moved(amount), nil
}

// BookingsOf is the condition of transactions that move accounts of these users.
func BookingsOf(userIDs []int64) listing.Condition {
	if len(userIDs) == 0 {
		return listing.OneOf[int64]("id", nil)
	}
	users := listing.OneOf("a.user_id", userIDs)
	return listing.Within("id", "SELECT p.transaction_id FROM posting p JOIN ledger_account a ON a.id = p.account_id WHERE "+
		strings.ReplaceAll(users.SQL, "@", ""), users.Values...)
}

func moved(amount money.Amount) listing.Condition {
	return listing.Within("id", "SELECT transaction_id FROM posting WHERE amount IN (?, ?)", int64(amount), int64(-amount))
}

// SiteAccount is an account of the site, or all accounts of users of one kind, with its balance.
type SiteAccount struct {
	Kind    Kind
	Name    string // of a clearing or an outside account, the gateway
	IsUsers bool
	Count   int64 // of accounts
	Balance money.Amount
}

// Accounts returns the accounts of the site and those of users, by kind, with their balances, which sum to zero.
func (w *Wallets) Accounts(ctx context.Context) (accounts []SiteAccount, err error) {
	err = w.db.NewRaw(`SELECT kind, '' AS name, user_id IS NOT NULL AS is_users, COUNT(*) AS count,
			CAST(SUM(posted) AS BIGINT) AS balance FROM ledger_account WHERE user_id IS NOT NULL
			GROUP BY kind, user_id IS NOT NULL
		UNION ALL SELECT a.kind, a.name, a.user_id IS NOT NULL, 1, CAST(COALESCE(SUM(p.amount), 0) AS BIGINT)
			FROM ledger_account a LEFT JOIN posting p ON p.account_id = a.id WHERE a.user_id IS NULL
			GROUP BY a.id, a.kind, a.name, a.user_id IS NOT NULL
		ORDER BY is_users DESC, kind, name`).Scan(ctx, &accounts)
	return accounts, err
}

// InvoiceList declares the list of all invoices. Who has users searches it by them.
func InvoiceList() *listing.Resource {
	return &listing.Resource{
		Name: "invoices", Table: "invoice", ID: "id", Default: "-created",
		Filters: []listing.Filter{
			{
				Key: "kind", Kind: listing.Choice, Column: "reference_kind", Doc: "What it is the bill of",
				Choices: []string{"order", "recharge"},
			},
			{Key: "user", Kind: listing.Reference, Of: "users", Column: "user_id", Doc: "Whose invoice"},
			{Key: "total", Kind: listing.Range, Unit: "money", Column: "total", Doc: "Sum of its lines"},
			{Key: "created", Kind: listing.Date, Column: "created_at", Doc: "When it was issued"},
		},
		Sorts: []listing.Sort{
			{Key: "created", Column: "created_at", Kind: listing.Time},
			{Key: "total", Column: "total"},
		},
		Indexes: []listing.Index{
			{Name: "invoice_created", Columns: []string{"created_at", "id", "total"}},
			{Name: "invoice_total", Columns: []string{"total", "id", "created_at"}},
			{Name: "invoice_kind", Columns: []string{"reference_kind", "total", "id", "created_at"}},
		},
	}
}

// InvoicesByID returns the invoices with these numbers, whosever they are, with their lines, in any order.
func (w *Wallets) InvoicesByID(ctx context.Context, ids []int64) (invoices []Invoice, err error) {
	err = w.db.NewSelect().Model(&invoices).Where("id IN (?)", bun.List(ids)).Scan(ctx)
	if err != nil || len(invoices) == 0 {
		return nil, err
	}
	return invoices, w.readLines(ctx, invoices)
}
