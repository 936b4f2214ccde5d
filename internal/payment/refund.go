package payment

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/detached"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/money"
	"airstrip/internal/wallet"
)

// ErrNoRefund is the fault of a refund through a gateway that gives nothing back.
var ErrNoRefund = fault.Conflict("gateway_cannot_refund", "此支付方式不能自动退款；请自行退给付款人，再以“已人工退款”登记",
	"This gateway cannot give money back. Pay it back yourself, then note the refund as paid by hand")

// RefundWish is what staff wants to go back to who paid a recharge.
type RefundWish struct {
	RechargeID int64
	Amount     money.Amount // out of the wallet
	Reason     string       // the user reads it, and the platform
	ByHand     bool         // staff has paid it, or is about to, past the platform
	StaffID    *int64       // nil: the operator
}

// GiveBack pays a part of a recharge, or all of it, back through its gateway and gives what became of that. The money
// is held in the wallet first and kept as on its way; then the platform is asked, by a number that stays, so that
// whatever happens in between it is asked again by RetryRefunds and gives back once. While it does not answer the
// refund is pending; once it refuses the refund has failed, with its words.
//
// By hand nobody is asked: the money counts as paid at the member's word. Either way one out of the member's own
// wallet, or of more than the member may give alone on a day, waits until a second one confirms it.
func (p *Payments) GiveBack(ctx context.Context, wish RefundWish) (*wallet.GatewayRefund, error) {
	if n := len([]rune(wish.Reason)); n == 0 || n > 200 {
		return nil, fault.Invalid("reason", "length", "须为 1 到 200 个字符", "This must have 1 to 200 characters")
	}
	r, err := p.wallets.RechargeByNo(ctx, p.db, wish.RechargeID)
	if err != nil {
		return nil, err
	}
	if !wish.ByHand && !p.CanRefund(r) {
		return nil, ErrNoRefund
	}
	id, err := idempotency.Tx(ctx, p.db, func(ctx context.Context, tx bun.Tx) (int64, error) {
		g := &wallet.GatewayRefund{Amount: wish.Amount, Reason: wish.Reason, ByHand: wish.ByHand, MadeBy: wish.StaffID}
		if err := p.approvals.Lock(ctx, tx, wish.StaffID); err != nil { // before the wallet
			return 0, err
		}
		if err := p.wallets.StartGatewayRefund(ctx, tx, r, g); err != nil {
			return 0, err
		}
		alone, err := p.approvals.Propose(ctx, tx, approval.Act{
			Kind: refundKind(g), ReferenceID: g.ID, MadeBy: wish.StaffID, Beneficiary: g.UserID, Worth: g.Amount,
			Reason: g.Reason, Gives: map[string]any{"recharge_no": wish.RechargeID, "by_hand": g.ByHand},
		})
		if err == nil && alone {
			err = p.release(ctx, tx, g, nil)
		}
		return g.ID, err
	})
	if err != nil {
		return nil, err
	}
	asking, cancel := detached.WithTimeout(db.Unguarded(ctx), settleTimeout)
	defer cancel()
	if err := p.retry(asking, id); err != nil {
		slog.ErrorContext(ctx, "a refund could not be asked for; it is tried again", "refund", id, "error", err)
	}
	return p.wallets.GatewayRefund(ctx, id)
}

// CanRefund reports whether the platform of the recharge can give it back.
func (p *Payments) CanRefund(r *wallet.Recharge) bool {
	_, can := p.AsksPlatform(r.Gateway)
	return can && !r.IsOutside()
}

func refundKind(g *wallet.GatewayRefund) approval.Kind {
	if g.ByHand {
		return approval.RefundByHand
	}
	return approval.Refund
}

// release lets a refund that waits go on: one by hand is paid, for any other the platform can be asked.
func (p *Payments) release(ctx context.Context, tx bun.Tx, g *wallet.GatewayRefund, by *int64) error {
	if g.ByHand {
		return p.endRefund(ctx, tx, g, wallet.GatewayRefundDone, "", by)
	}
	return p.wallets.ReleaseGatewayRefund(ctx, tx, g, by)
}

// DecideRefund lets a refund that waits for a second member of staff go on, one by hand as paid, or ends it as failed;
// who made it, and whose wallet it is, may only do the latter. by is nil for the operator.
func (p *Payments) DecideRefund(ctx context.Context, id int64, approve bool, by *int64) (*wallet.GatewayRefund, error) {
	err := p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		g, err := p.wallets.GatewayRefundIn(ctx, tx, id)
		if err != nil {
			return err
		}
		switch {
		case !g.Waits && !g.ByHand:
			return errPlatformDecides
		case g.State != wallet.GatewayRefundPending:
			return wallet.ErrRefundEnded
		}
		if err := p.approvals.Decide(ctx, tx, refundKind(g), id, approve, by); err != nil {
			return err
		}
		if approve {
			return p.release(ctx, tx, g, by)
		}
		return p.endRefund(ctx, tx, g, wallet.GatewayRefundFailed, "", by)
	})
	if err != nil {
		return nil, err
	}
	asking, cancel := detached.WithTimeout(db.Unguarded(ctx), settleTimeout)
	defer cancel()
	if err := p.retry(asking, id); err != nil {
		slog.ErrorContext(ctx, "a refund could not be asked for; it is tried again", "refund", id, "error", err)
	}
	return p.wallets.GatewayRefund(ctx, id)
}

var errPlatformDecides = fault.Conflict("gateway_decides", "这笔退款由支付平台处理，不能人工确认",
	"The payment platform decides on this refund; it cannot be confirmed by hand")

// endRefund ends a pending refund, and of one that is done has the commissions that counted the money taken back.
func (p *Payments) endRefund(ctx context.Context, tx bun.Tx, g *wallet.GatewayRefund, to wallet.GatewayRefundState,
	answer string, by *int64,
) error {
	var err error
	if g.Outside, err = p.isPastGateway(ctx, tx, g); err != nil {
		return err
	}
	ended, err := p.wallets.EndGatewayRefund(ctx, tx, g, to, answer, by)
	if err == nil && !ended {
		err = wallet.ErrRefundEnded
	}
	if err != nil || to != wallet.GatewayRefundDone {
		return err
	}
	return p.invites.Follow(ctx, tx, g.UserID)
}

// isPastGateway reports whether staff pays a refund from elsewhere than the payment is: by hand, while the platform of
// the gateway keeps what it received. What a gateway without a platform received is in the hands of staff itself.
func (p *Payments) isPastGateway(ctx context.Context, tx bun.Tx, g *wallet.GatewayRefund) (bool, error) {
	r, err := p.wallets.RechargeByNo(ctx, tx, g.RechargeID)
	if err != nil || !g.ByHand || r.IsOutside() {
		return false, err
	}
	m, known := p.gateways.find(r.Gateway)
	if !known {
		return true, nil
	}
	_, byHand := m.Gateway.(ByHand)
	return !byHand, nil
}

// RetryRefunds asks the platforms for the refunds of recharges and of payment cases that are pending and due.
func (p *Payments) RetryRefunds(ctx context.Context) error {
	return errors.Join(p.retry(ctx, 0), p.retryCases(ctx, 0))
}

// pause is how long after its nth try a refund is tried again: longer than a call may take, so that one at a time runs.
func pause(attempts int64) time.Duration { return min(30*time.Second<<min(attempts, 8), time.Hour) }

// retry asks for the refund with this id, or with 0 for all; platforms in parallel.
func (p *Payments) retry(ctx context.Context, id int64) error {
	claimed, err := p.wallets.ClaimGatewayRefunds(ctx, id, pause)
	if err != nil {
		return err
	}
	byGateway := map[string][]func() error{}
	for i := range claimed {
		g := &claimed[i]
		r, err := p.wallets.RechargeByNo(ctx, p.db, g.RechargeID)
		if err != nil {
			return err
		}
		byGateway[r.Gateway] = append(byGateway[r.Gateway], func() error { return p.refundAtPlatform(ctx, g, r) })
	}
	var wg sync.WaitGroup
	errs := make(chan error, len(claimed))
	for _, calls := range byGateway {
		wg.Go(func() {
			for _, call := range calls {
				errs <- call()
			}
		})
	}
	wg.Wait()
	close(errs)
	for one := range errs {
		err = errors.Join(err, one)
	}
	return err
}

// refundAtPlatform has the platform give back g, which this process has claimed, and acts on what it says.
func (p *Payments) refundAtPlatform(ctx context.Context, g *wallet.GatewayRefund, r *wallet.Recharge) error {
	err := p.callRefund(ctx, g, r)
	if said := new(RefundRefused); errors.As(err, &said) {
		slog.WarnContext(ctx, "a platform refused a refund", "refund", g.ID, "recharge", r.ID, "gateway", r.Gateway,
			"words", said.Words)
		return p.closeRefund(ctx, g, wallet.GatewayRefundFailed, said.Words)
	}
	if err != nil {
		slog.WarnContext(ctx, "a refund is not certain yet; the platform is asked again", "refund", g.ID, "recharge",
			r.ID, "gateway", r.Gateway, "attempt", g.Attempts+1, "error", err)
		return p.wallets.NoteGatewayRefund(ctx, g.ID, shorten(err.Error()))
	}
	slog.InfoContext(ctx, "a platform gave a recharge back", "refund", g.ID, "recharge", r.ID, "gateway", r.Gateway, "amount",
		g.Amount.String())
	return p.closeRefund(ctx, g, wallet.GatewayRefundDone, "")
}

func (p *Payments) callRefund(ctx context.Context, g *wallet.GatewayRefund, r *wallet.Recharge) error {
	m, err := p.Method(r.Gateway)
	if err != nil {
		return err
	}
	can, ok := m.Gateway.(Refunder)
	if !ok {
		return ErrNoRefund
	}
	ctx, cancel := context.WithTimeout(ctx, gatewayTimeout)
	defer cancel()
	return can.Refund(ctx, Refund{
		No: g.No, Bill: p.bill(r), TransactionID: *r.TransactionID, Amount: g.PayAmount,
		Reason: title(g.Reason),
	})
}

// closeRefund ends a refund at the platform's word.
func (p *Payments) closeRefund(ctx context.Context, g *wallet.GatewayRefund, to wallet.GatewayRefundState,
	answer string,
) error {
	ctx, cancel := detached.WithTimeout(db.Unguarded(ctx), settleTimeout)
	defer cancel()
	return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		err := p.endRefund(ctx, tx, g, to, shorten(answer), nil)
		if errors.Is(err, wallet.ErrRefundEnded) { // a slower answer to an earlier try
			err = nil
		}
		return err
	})
}

// shorten keeps of a platform's words what a person reads.
func shorten(words string) string {
	const maxRunes = 300
	if runes := []rune(words); len(runes) > maxRunes {
		return string(runes[:maxRunes])
	}
	return words
}
