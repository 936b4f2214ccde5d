package mail

import (
	"strconv"
	"time"

	"airstrip/internal/money"
)

// NoticeTest is what users send themselves to see that notices reach them.
type NoticeTest struct{}

// PaymentReceived tells that a recharge was paid.
type PaymentReceived struct {
	Amount   money.Amount // credited to the wallet
	Currency string
	Gateway  string
}

// PayoutDecided tells what staff decided on a request to pay commission out.
type PayoutDecided struct {
	Amount   money.Amount
	Currency string
	Paid     bool   // false: refused, and the amount is free again
	Answer   string // of staff; may be empty
}

// OrderAssigned tells a user of an order that staff made for them and that waits until they pay it.
type OrderAssigned struct {
	No       int64
	Item     string // the plan or package
	Amount   money.Amount
	Currency string
	Until    time.Time
	Recharge int64 // the number of the recharge that pays it
}

func (NoticeTest) fill(*values) {}

func (c PaymentReceived) fill(v *values) { v.amount("amount", c.Amount, c.Currency) }

func (c PayoutDecided) fill(v *values) {
	v.amount("amount", c.Amount, c.Currency)
	v.say("decision", "提现未通过", "Your payout was refused")
	v.say("outcome", "未通过，金额已退回佣金余额。", "was refused; the amount is in your commission balance again.")
	if c.Paid {
		v.say("decision", "提现已付款", "Your payout was paid")
		v.say("outcome", "已付款。", "was paid.")
	}
	v.note("answer_note", "客服备注：", "Answer of our staff: ", c.Answer)
}

func (c OrderAssigned) fill(v *values) {
	v.text("order_no", strconv.FormatInt(c.No, 10))
	v.text("item", c.Item)
	v.amount("amount", c.Amount, c.Currency)
	v.time("pay_until", c.Until)
	v.page("pay_url", "/user/wallet/recharge/new?id="+strconv.FormatInt(c.Recharge, 10))
}

func (OrderAssigned) kind() string   { return "order_assigned" }
func (NoticeTest) kind() string      { return "notice_test" }
func (PaymentReceived) kind() string { return "payment_received" }
func (PayoutDecided) kind() string   { return "payout_decided" }

// KindOf returns the kind of a mail, by which it is stored and its template is called.
func KindOf(c Content) string { return c.kind() }
