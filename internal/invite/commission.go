package invite

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/money"
	"airstrip/internal/wallet"
)

// Earn books the commission for an order that its user has just paid from the wallet in tx, where somebody invited
// them. It counts the part that was paid with money: what came through gateways is spent before gifts are. Who was
// banned, or closed their account, earns nothing. Where the order earns nothing, that part is recorded for itself.
func (i *Invites) Earn(ctx context.Context, tx bun.Tx, userID, orderID int64, name string) error {
	inviter, err := inviterOf(ctx, tx, userID)
	if err != nil || inviter.ID == 0 {
		return err
	}
	base, err := i.paid(ctx, tx, userID, orderID)
	if err != nil || base == 0 {
		return err
	}
	c := &Commission{
		OrderID: orderID, InviterID: inviter.ID, UserID: userID, Base: base, State: Pending, CreatedAt: i.db.Now(),
	}
	if inviter.Earns {
		if err := i.assess(ctx, tx, c); err != nil {
			return err
		}
	}
	if c.Amount == 0 {
		return spend(ctx, tx, &orderMoney{OrderID: orderID, UserID: userID, Amount: base})
	}
	return i.book(ctx, tx, c, name)
}

// inviter is who invited a user, and whether they earn by them. The zero value is nobody.
type inviter struct {
	ID    int64
	Earns bool
}

// inviterOf returns who invited the user, whose account then stays as it is (hasLeft). Where a merge has just ended
// that account, the user's inviter is the one that stays.
func inviterOf(ctx context.Context, tx bun.Tx, userID int64) (found inviter, err error) {
	for {
		before := found.ID
		err := db.ScanPrepared(ctx, tx, &found, `SELECT i.id, i.banned_at IS NULL AS earns
			FROM account u JOIN account i ON i.id = u.invited_by WHERE u.id = ?`, userID)
		if err != nil {
			return inviter{}, db.OrMissing(err, nil)
		}
		left, err := hasLeft(ctx, tx, found.ID)
		if err != nil || !left {
			return found, err
		}
		if found.Earns = false; found.ID == before {
			return found, nil
		}
	}
}

// assess sets what a new commission amounts to, rounded down, and when it is released. It is nothing where the inviter
// has earned by the buyer before and the site gives commission once.
func (i *Invites) assess(ctx context.Context, tx bun.Tx, c *Commission) (err error) {
	site := i.settings.Get()
	if site.CommissionFirstOnly {
		earned, err := tx.NewSelect().Model((*Commission)(nil)).Where("user_id = ? AND state <> ?", c.UserID, Reversed).
			Exists(ctx)
		if err != nil || earned {
			return err
		}
	}
	if c.Permille, err = i.Rate(ctx, tx, c.InviterID); err != nil {
		return err
	}
	c.ReleaseAt = c.CreatedAt.AddDate(0, 0, site.CommissionDays)
	c.Amount, err = c.Base.Share(c.Permille, 1000)
	return err
}

type paidMoney struct {
	bun.BaseModel `bun:"table:paid_money"`
	UserID        int64 `bun:",pk"`
	Version       int64
	Amount        money.Amount
	Owed          money.Amount // what earlier versions made of it that went back beyond what orders had counted
}

// Follow notes what of the user's wallet is money that came in, up to now, and takes back commissions that counted
// money which went back to its payer; it is called in the transaction that posts such a refund.
func (i *Invites) Follow(ctx context.Context, tx bun.Tx, userID int64) error {
	_, err := i.paid(ctx, tx, userID, 0)
	return err
}

// paid follows the user's wallet up to now and gives the part of the order that was paid with money that came in.
// Orders take money before gifts. A refund of a recharge takes first money that was not spent, then what paid for the
// newest orders. What else leaves the wallet, such as the price of invites, takes gifts before money, since it earns
// nothing. What comes back by refunds of orders and by changes was counted by GiveBack, but for refunds from before
// there was GivenBack: those bring back as money what was counted of their order.
func (i *Invites) paid(ctx context.Context, tx bun.Tx, userID, orderID int64) (base money.Amount, err error) {
	known := paidMoney{UserID: userID}
	if err := tx.NewSelect().Model(&known).WherePK().Scan(ctx); err != nil && !errors.Is(err, db.ErrNoRows) {
		return 0, err
	}
	movements, err := i.wallets.MovementsAfter(ctx, tx, userID, known.Version)
	if err != nil {
		return 0, err
	}
	for _, m := range movements {
		known.Version = m.Version
		switch {
		case m.Reason == wallet.Purchase:
			if spent := known.spend(-m.Amount); m.Reference.ID == orderID {
				base = spent
			}
		case m.Reason == wallet.Refunded:
			spent := known.spend(-m.Amount)
			if err := i.uncount(ctx, tx, userID, -m.Amount-spent); err != nil {
				return 0, err
			}
		case m.Amount < 0:
			known.Amount = min(known.Amount, m.BalanceAfter)
		case m.Reason == wallet.RechargePaid:
			known.bring(m.Amount)
		case m.Reason == wallet.Refund && m.Reference.Kind == "order":
			var counted []int64
			if err := tx.NewSelect().Model((*Commission)(nil)).ColumnExpr("base - returned").
				Where("order_id = ? AND came_back", m.Reference.ID).Scan(ctx, &counted); err != nil {
				return 0, err
			}
			for _, b := range counted {
				known.bring(min(m.Amount, money.Amount(b)))
			}
		}
	}
	_, err = tx.NewInsert().Model(&known).On("CONFLICT (user_id) DO UPDATE").Set("version = EXCLUDED.version").
		Set("amount = EXCLUDED.amount").Set("owed = EXCLUDED.owed").Exec(ctx)
	return base, err
}

// bring counts money that came in, after what is owed.
func (k *paidMoney) bring(amount money.Amount) {
	off := min(k.Owed, amount)
	k.Owed -= off
	k.Amount += amount - off
}

// spend takes an amount out of the money, as far as there is that much, and returns what it took.
func (k *paidMoney) spend(amount money.Amount) (spent money.Amount) {
	spent = min(k.Amount, amount)
	k.Amount -= spent
	return spent
}

// uncount takes what is gone from the money of the user's orders, newest first, with the share of their commissions.
// Money in a wallet has no name: which recharge paid for which order is not asked. What is beyond all of that had paid
// for nothing that earns.
func (i *Invites) uncount(ctx context.Context, tx bun.Tx, userID int64, gone money.Amount) error {
	if gone == 0 {
		return nil
	}
	list, err := allSpent(ctx, tx, userID)
	if err != nil {
		return err
	}
	if err := i.LockHolders(ctx, tx, userID); err != nil {
		return err
	}
	for _, s := range list {
		part := min(gone, s.amount)
		if part == 0 {
			break
		}
		gone -= part
		if err := i.lose(ctx, tx, s, loss{returned: part}); err != nil {
			return err
		}
	}
	return nil
}

// Close takes back what the user earned and has not got yet, as part of the closing of the account.
func (i *Invites) Close(ctx context.Context, tx bun.Tx, userID int64) error {
	if _, err := i.wallets.Lock(ctx, tx, userID); err != nil { // before the commission account
		return err
	}
	if err := i.closePayouts(ctx, tx, userID); err != nil {
		return err
	}
	if err := i.closeCodes(ctx, tx, userID); err != nil {
		return err
	}
	var pending []Commission
	err := tx.NewSelect().Model(&pending).Where("inviter_id = ? AND state = ?", userID, Pending).OrderExpr("id").
		Scan(ctx)
	for n := range pending {
		if err == nil {
			err = i.reverse(ctx, tx, &pending[n])
		}
	}
	return err
}

// Earnings is what a user earned by invites.
type Earnings struct {
	Balance   wallet.Balance // at the same moment
	Code      string         // that brings others in
	Total     money.Amount   // all that was not taken back
	Permille  int64          // the user's present rate
	Invited   int64          // people
	Owed      money.Amount   // what the user withdrew of commission that was taken back later
	Remaining *int64         // invites left; nil: no limit
}

// Earnings gives what the user earned by invites.
func (i *Invites) Earnings(ctx context.Context, userID int64) (e Earnings, err error) {
	err = i.db.ReadTx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		e, err = i.earnings(ctx, tx, userID)
		return err
	})
	return e, err
}

func (i *Invites) earnings(ctx context.Context, tx bun.Tx, userID int64) (e Earnings, err error) {
	var sum struct {
		Code                 string
		Total, Owed, Invited int64
	}
	err = tx.NewRaw(`SELECT (SELECT invite_code FROM account WHERE id = ?0) AS code,
		(SELECT COALESCE(SUM(amount - reversed), 0) FROM commission WHERE inviter_id = ?0) AS total,
		(SELECT COALESCE(SUM(owed), 0) FROM commission WHERE `+heldBy+` AND owed > 0) AS owed,
		(SELECT COUNT(*) FROM account WHERE invited_by = ?0) AS invited`, userID).Scan(ctx, &sum)
	if err != nil {
		return e, err
	}
	e.Code, e.Total, e.Owed, e.Invited = sum.Code, money.Amount(sum.Total), money.Amount(sum.Owed), sum.Invited
	if e.Permille, err = i.Rate(ctx, tx, userID); err != nil {
		return e, err
	}
	if e.Balance, err = i.wallets.BalanceIn(ctx, tx, userID); err != nil {
		return e, err
	}
	e.Remaining, err = Remaining(ctx, tx, i.settings.Get(), userID)
	return e, err
}

// Earned is a commission as who earned it sees it.
type Earned struct {
	Commission `bun:",extend"`
	Buyer      string `bun:",scanonly"` // name of who bought; empty: the account was closed
}

// Whose returns who owes of the commission or, where nothing is owed, who earned it.
func (c *Commission) Whose() int64 {
	if c.Owed > 0 {
		return c.holder()
	}
	return c.InviterID
}

// CommissionFilter chooses among all commissions.
type CommissionFilter struct {
	InviterID int64 // who earned it, or owes it since a merge of accounts; 0: everybody
	Owed      bool  // only those of which something is owed, by InviterID where that is given
}

// Commissions gives a part of what users earned, newest first, and how many there are in all.
func (i *Invites) Commissions(
	ctx context.Context, filter CommissionFilter, limit, offset int64,
) (earned []Earned, total int64, err error) {
	q := i.db.NewSelect().Model(&earned).ColumnExpr("?TableColumns").
		ColumnExpr("COALESCE((SELECT name FROM account WHERE id = ?TableAlias.user_id), '') AS buyer")
	switch {
	case filter.InviterID != 0 && filter.Owed:
		q.Where(heldBy, filter.InviterID)
	case filter.InviterID != 0:
		q.Where("(inviter_id = ?0 OR holder_id = ?0 AND owed > 0)", filter.InviterID)
	}
	if filter.Owed {
		q.Where("owed > 0")
	}
	total, err = q.OrderExpr("id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
	return earned, total, err
}

// Person is somebody whom a user brought in.
type Person struct {
	UserID   int64
	Name     string
	JoinedAt time.Time
	Earned   money.Amount // by their orders, for the inviter
	Orders   int64        // paid ones
}

// What is asked of those whom a user (?0) brought in.
const (
	earnedBy = `(SELECT COALESCE(SUM(amount - reversed), 0) FROM commission WHERE user_id = a.id
		AND inviter_id = ?0)`
	paidOrders    = `(SELECT COUNT(*) FROM shop_order WHERE user_id = a.id AND state = 'paid')`
	invitedPeople = ` FROM account a`
)

// People gives a part of those whom the user brought in, newest first.
func (i *Invites) People(ctx context.Context, userID, limit, offset int64) (people []Person, err error) {
	err = i.db.NewRaw(`SELECT a.id AS user_id, a.name, a.created_at AS joined_at,
			`+earnedBy+` AS earned, `+paidOrders+` AS orders`+invitedPeople+`
		WHERE a.invited_by = ?0 ORDER BY a.id DESC
		LIMIT ?1 OFFSET ?2`, userID, limit, offset).Scan(ctx, &people)
	return people, err
}
