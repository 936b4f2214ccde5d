package reconciliation

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/wallet"
)

// State says how a line of a statement compares with the books.
type State string

// The states of lines.
const (
	Matched      State = "matched"
	Repeated     State = "repeated"      // another statement of the gateway, or an earlier line, has it too
	Unknown      State = "unknown"       // the site knows nothing of it
	Unpaid       State = "unpaid"        // the site's recharge of that number counts as unpaid
	OtherAmount  State = "other_amount"  // the site booked another amount
	OtherPayment State = "other_payment" // the site's recharge of that number was paid by another payment
	HasCase      State = "case"          // a payment case is open, or was decided
	Noted        State = "noted"         // fees, payouts and the like, which are not compared
)

// States are all states of lines.
var States = []State{Unknown, Unpaid, OtherAmount, OtherPayment, HasCase, Repeated, Matched, Noted}

// ComparedLine is a line with what the books have for it.
type ComparedLine struct {
	Line
	State      State
	RechargeNo *int64        // the recharge of that number
	CaseID     *int64        // the payment case of that number
	Booked     *money.Amount // what the books have, in the statement's currency
}

// Missing is what the books have in the time of a statement and no statement of the gateway names.
type Missing struct {
	Kind       Kind // Payment or Refund
	RechargeNo int64
	Number     string // ours: the trade number, or the refund's
	Amount     money.Amount
	At         time.Time
}

// Comparison is a statement held against the books as they are now.
type Comparison struct {
	Statement Statement
	Lines     []ComparedLine // in the order of the file
	Missing   []Missing      // the oldest first
}

// Sums are the number of lines and the sum of their amounts by kind.
func (c *Comparison) Sums() map[Kind]Sum {
	sums := map[Kind]Sum{}
	for i := range c.Lines {
		l := &c.Lines[i]
		s := sums[l.Kind]
		s.Count, s.Amount, s.Fee = s.Count+1, s.Amount+l.Amount, s.Fee+l.Fee
		sums[l.Kind] = s
	}
	return sums
}

// Sum is what lines of one kind come to.
type Sum struct {
	Count       int64
	Amount, Fee money.Amount
}

// Compare holds a statement against the books.
func (r *Reconciliation) Compare(ctx context.Context, id int64) (*Comparison, error) {
	s, err := r.Statement(ctx, id)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Statement: *s}
	var lines []Line
	if err := r.db.NewSelect().Model(&lines).Where("statement_id = ?", id).OrderExpr("position").
		Scan(ctx); err != nil {
		return nil, err
	}
	books, err := r.books(ctx, s.Gateway, lines)
	if err != nil {
		return nil, err
	}
	for i := range lines {
		c.Lines = append(c.Lines, books.compare(s, lines[i]))
	}
	if err := r.repeated(ctx, c); err != nil {
		return nil, err
	}
	c.Missing, err = r.missing(ctx, s)
	return c, err
}

// books are what the site has under the numbers of a statement.
type books struct {
	recharges map[string]*wallet.Recharge // by either number
	cases     map[string]*payment.Case    // by the gateway's number
	returned  map[int64][]wallet.ReturnedPayment
	used      map[string]bool // numbers of refunds that a line was matched with
}

func numbersOf(lines []Line) (numbers []string) {
	for i := range lines {
		numbers = append(numbers, lines[i].TransactionID, lines[i].TradeNo)
	}
	slices.Sort(numbers)
	return slices.DeleteFunc(slices.Compact(numbers), func(n string) bool { return n == "" })
}

func (r *Reconciliation) books(ctx context.Context, gateway string, lines []Line) (*books, error) {
	b := &books{
		map[string]*wallet.Recharge{},
		map[string]*payment.Case{},
		map[int64][]wallet.ReturnedPayment{},
		map[string]bool{},
	}
	numbers := numbersOf(lines)
	recharges, err := r.wallets.RechargesNumbered(ctx, gateway, numbers)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(recharges))
	for i := range recharges {
		one := &recharges[i]
		ids[i] = one.ID
		b.recharges[one.TradeNo] = one
		if one.TransactionID != nil {
			b.recharges[*one.TransactionID] = one
		}
	}
	returned, err := r.wallets.ReturnedOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, one := range returned {
		b.returned[one.RechargeID] = append(b.returned[one.RechargeID], one)
	}
	cases, err := r.payments.CasesNumbered(ctx, gateway, numbers)
	for i := range cases { // of several of one payment, that which settled it
		one, known := &cases[i], b.cases[cases[i].TransactionID]
		isSettled := one.State != payment.CaseOpen && one.State != payment.CaseDismissed
		if known == nil || known.State == payment.CaseDismissed || known.State == payment.CaseOpen && isSettled {
			b.cases[one.TransactionID] = one
		}
	}
	return b, err
}

func (b *books) compare(s *Statement, l Line) ComparedLine {
	c := ComparedLine{Line: l, State: Unknown}
	if l.Kind != Payment && l.Kind != Refund {
		c.State = Noted
		return c
	}
	if one := b.cases[l.TransactionID]; one != nil {
		c.State, c.CaseID, c.RechargeNo = HasCase, &one.ID, one.RechargeID
		c.Booked = &one.Amount
		if l.Kind == Refund && one.State == payment.CaseRefunded && one.Amount == l.Amount {
			c.State = Matched
		}
		return c
	}
	one := b.recharges[l.TransactionID]
	if one == nil {
		one = b.recharges[l.TradeNo]
	}
	if one == nil {
		return c
	}
	c.RechargeNo = &one.ID
	if l.Kind == Refund {
		return b.compareRefund(c, one)
	}
	c.Booked = &one.PayAmount
	switch {
	case one.TransactionID == nil:
		c.State = Unpaid
	case l.TransactionID != "" && *one.TransactionID != l.TransactionID && *one.TransactionID != l.TradeNo:
		c.State = OtherPayment
	case one.PayAmount != l.Amount || one.PayCurrency != s.Currency:
		c.State = OtherAmount
	default:
		c.State = Matched
	}
	return c
}

// compareRefund matches a refund with one of the recharge that has its amount, each once.
func (b *books) compareRefund(c ComparedLine, of *wallet.Recharge) ComparedLine {
	for _, g := range b.returned[of.ID] {
		if b.used[g.No] {
			continue
		}
		c.State, c.Booked = OtherAmount, &g.PayAmount
		if g.PayAmount == c.Amount {
			b.used[g.No] = true
			c.State = Matched
			return c
		}
	}
	return c
}

// repeated marks lines that an earlier line, of whichever statement of the gateway, has too.
func (r *Reconciliation) repeated(ctx context.Context, c *Comparison) error {
	type key struct {
		number string
		kind   Kind
		amount money.Amount
		at     time.Time
	}
	first := map[key]int64{}
	of := func(l *Line) key {
		number := l.TransactionID
		if number == "" {
			number = l.TradeNo
		}
		return key{number, l.Kind, l.Amount, l.HappenedAt.UTC()}
	}
	var numbers []string
	for i := range c.Lines {
		if k := of(&c.Lines[i].Line); k.number != "" {
			numbers = append(numbers, k.number)
		}
	}
	slices.Sort(numbers)
	for some := range slices.Chunk(slices.Compact(numbers), linesAtOnce) {
		for _, column := range []string{"transaction_id", "trade_no"} {
			var same []Line
			if err := r.db.NewSelect().Model(&same).Where("gateway = ? AND ? IN (?) AND statement_id <= ?",
				c.Statement.Gateway, bun.Ident(column), bun.List(some), c.Statement.ID).Scan(ctx); err != nil {
				return err
			}
			for i := range same {
				k := of(&same[i])
				if id, has := first[k]; !has || same[i].ID < id {
					first[k] = same[i].ID
				}
			}
		}
	}
	for i := range c.Lines {
		l := &c.Lines[i]
		if id, has := first[of(&l.Line)]; has && id < l.ID && l.State != Noted {
			l.State = Repeated
		}
	}
	return nil
}

// missing finds what the books have between the first and the last line of a statement that no statement names. What
// staff says was paid past the gateway is not expected there.
func (r *Reconciliation) missing(ctx context.Context, s *Statement) (missing []Missing, err error) {
	recharges, err := r.wallets.RechargesPaid(ctx, s.Gateway, s.FirstAt, s.LastAt)
	if err != nil {
		return nil, err
	}
	returned, err := r.wallets.ReturnedPayments(ctx, s.Gateway, s.FirstAt, s.LastAt)
	if err != nil {
		return nil, err
	}
	var numbers []string
	for i := range recharges {
		numbers = append(numbers, recharges[i].TradeNo, *recharges[i].TransactionID)
	}
	for _, g := range returned {
		numbers = append(numbers, g.No, g.TransactionID)
	}
	named, err := r.named(ctx, s.Gateway, numbers)
	if err != nil {
		return nil, err
	}
	for i := range recharges {
		one := &recharges[i]
		if !one.IsOutside() && !named[one.TradeNo][Payment] && !named[*one.TransactionID][Payment] {
			missing = append(missing, Missing{Payment, one.ID, one.TradeNo, one.PayAmount, *one.PaidAt})
		}
	}
	for _, g := range returned {
		if !named[g.No][Refund] && !named[g.TransactionID][Refund] {
			missing = append(missing, Missing{Refund, g.RechargeID, g.No, g.PayAmount, g.EndedAt})
		}
	}
	slices.SortStableFunc(missing, func(a, b Missing) int { return a.At.Compare(b.At) })
	return missing, nil
}

// named reports which of the numbers lines of the gateway's statements name, and as what.
func (r *Reconciliation) named(ctx context.Context, gateway string, numbers []string) (map[string]map[Kind]bool,
	error,
) {
	named := map[string]map[Kind]bool{}
	slices.Sort(numbers)
	for some := range slices.Chunk(slices.Compact(numbers), linesAtOnce) {
		for _, column := range []string{"transaction_id", "trade_no"} {
			var lines []Line
			if err := r.db.NewSelect().Model(&lines).Column("kind", column).Where("gateway = ? AND ? IN (?)", gateway,
				bun.Ident(column), bun.List(some)).Scan(ctx); err != nil {
				return nil, err
			}
			for _, l := range lines {
				number := strings.TrimSpace(l.TransactionID + l.TradeNo) // one of them was read
				if named[number] == nil {
					named[number] = map[Kind]bool{}
				}
				named[number][l.Kind] = true
			}
		}
	}
	return named, nil
}
