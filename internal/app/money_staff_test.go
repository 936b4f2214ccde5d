package app

import (
	"slices"
	"time"

	"airstrip/internal/cdkey"
	"airstrip/internal/money"
	"airstrip/internal/wallet"
)

// staffLimit is what one member of staff may give on a day of the site in the money model, in all ways together.
const staffLimit = money.Amount(5000)

// staffWork is what members of staff did to wallets. The users of the model are members of staff too.
type staffWork struct {
	alone       []staffAct
	adjustments []*wallet.Adjustment // that wait for a second member
	batches     []waitingBatch
}

// staffAct is money that one member gave or took without a second one.
type staffAct struct {
	member int64
	day    string // of the site
	amount money.Amount
}

// waitingBatch is a cd-key of a batch that waits for a second member.
type waitingBatch struct {
	cdkey.Batch
	key string
}

// did notes what a member gave alone, and reports a member who gave too much within a day.
func (w *staffWork) did(s *moneySite, member int64, amount money.Amount) {
	today := s.now.In(s.zone).Format(time.DateOnly)
	w.alone = append(w.alone, staffAct{member, today, max(amount, -amount)})
	var sum money.Amount
	for _, d := range w.alone {
		if d.member == member && d.day == today {
			sum += d.amount
		}
	}
	if sum > staffLimit {
		s.fatalf("member %d alone gave %s on a day", member, sum)
	}
}

// staffAdjust has a member of staff put money into the user's wallet or take it out.
func (s *moneySite) staffAdjust(u *moneyUser, b, c int) {
	member := s.users[b%len(s.users)].id
	amount := money.Amount(c+1) * 20
	if b%5 == 0 {
		amount = -amount
	}
	a, err := s.Wallets.Adjust(s.ctx, u.id, amount, "by staff", &member)
	switch {
	case err != nil:
		s.did(u, effect{err: err})
	case a.State == wallet.AdjustmentPending:
		s.staff.adjustments = append(s.staff.adjustments, a)
		s.same(u)
	case member == u.id:
		s.fatalf("member %d adjusted their own wallet alone", member)
	default:
		s.staff.did(s, member, amount)
		s.did(u, effect{in: amount})
	}
}

// staffDecide has a member of staff confirm or decline an adjustment that waits.
func (s *moneySite) staffDecide(_ *moneyUser, b, c int) {
	a, ok := pick(s.staff.adjustments, b)
	if !ok {
		return
	}
	u, member := s.user(a.UserID), s.users[c%len(s.users)].id
	if u.closed {
		return
	}
	if c%7 == 0 {
		_, err := s.Wallets.DeclineAdjustment(s.ctx, a.ID, &member)
		if err == nil {
			a.State = wallet.AdjustmentDeclined
		}
		s.same(u)
		return
	}
	_, err := s.Wallets.ConfirmAdjustment(s.ctx, a.ID, &member)
	if err != nil {
		s.did(u, effect{err: err})
		return
	}
	if a.State != wallet.AdjustmentPending || member == *a.MadeBy || member == u.id {
		s.fatalf("member %d confirmed the adjustment %+v", member, a)
	}
	a.State = wallet.AdjustmentPosted
	s.did(u, effect{in: a.Amount})
}

// staffMakeKey has a member of staff make a cd-key, which the user redeems unless it waits for a second member.
func (s *moneySite) staffMakeKey(u *moneyUser, b, c int) {
	member := s.users[b%len(s.users)].id
	amount := money.Amount(c+1) * 20
	batch, keys, err := s.CDKeys.Make(s.ctx, cdkey.Batch{
		Gift: cdkey.Gift{Kind: cdkey.Amount, Amount: amount}, Size: 1, MaxUses: 1,
	}, &member)
	s.must(err)
	if batch.ConfirmedAt == nil {
		if _, err := s.CDKeys.Redeem(s.ctx, u.id, keys[0]); err == nil {
			s.fatalf("a cd-key that waits for a second member is redeemed")
		}
		s.staff.batches = append(s.staff.batches, waitingBatch{batch, keys[0]})
		s.same(u)
		return
	}
	s.staff.did(s, member, amount)
	s.staffRedeem(u, keys[0], amount, member)
}

// staffRedeem has the user redeem a key, which those who made and approved it cannot.
func (s *moneySite) staffRedeem(u *moneyUser, key string, amount money.Amount, gave ...int64) {
	if _, err := s.CDKeys.Redeem(s.ctx, u.id, key); err != nil {
		s.did(u, effect{err: err})
		return
	}
	if slices.Contains(gave, u.id) {
		s.fatalf("member %d redeemed a cd-key that they made or approved", u.id)
	}
	u.redeemed = append(u.redeemed, key)
	s.did(u, effect{in: amount})
}

// staffConfirmKey has a member of staff confirm a batch that waits; the user redeems its key.
func (s *moneySite) staffConfirmKey(u *moneyUser, b, c int) {
	batch, ok := pick(s.staff.batches, b)
	if !ok {
		return
	}
	member := s.users[c%len(s.users)].id
	if err := s.CDKeys.Confirm(s.ctx, batch.ID, &member); err != nil {
		s.same(u)
		return
	}
	if member == *batch.MadeBy {
		s.fatalf("member %d confirmed the batch that they made", member)
	}
	s.staffRedeem(u, batch.key, batch.Amount, member, *batch.MadeBy)
}

func (s *moneySite) user(id int64) *moneyUser {
	for _, u := range s.users {
		if u.id == id {
			return u
		}
	}
	return nil
}
