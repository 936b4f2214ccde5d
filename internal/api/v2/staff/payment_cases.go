package staff

import (
	"context"
	"strings"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/approval"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/permission"
	"airstrip/internal/wallet"
)

// PaymentCaseItem is a payment case without its notifies; exported because it is embedded.
type PaymentCaseItem struct {
	ID            int64         `json:"id"`
	Kind          string        `json:"kind" enum:"paid_twice,transaction_used,unknown_number,wrong_gateway,wrong_amount,wrong_currency,not_confirmed,account_closed" doc:"Why the payment was not credited"`
	State         string        `json:"state" enum:"open,waiting,refunding,credited,refunded,dismissed" doc:"waiting: a second member of staff must approve the credit; refunding: the refund waits, or the gateway has not answered and is asked again"`
	Waits         bool          `json:"waits" doc:"A second member of staff must approve the credit or the refund; nothing moves before"`
	Gateway       string        `json:"gateway"`
	TransactionID string        `json:"transaction_id" doc:"The gateway's name of the payment"`
	TradeNo       string        `json:"trade_no" doc:"The number that the payment names; not always one of ours"`
	Amount        money.Amount  `json:"amount" doc:"What was paid, in currency"`
	Currency      string        `json:"currency"`
	RechargeNo    *int64        `json:"recharge_no" nullable:"true"`
	UserID        *int64        `json:"user_id" nullable:"true" doc:"Whose recharge it is, or to whom it was credited; null: not known"`
	Credit        *money.Amount `json:"credit" nullable:"true" doc:"What the wallet gains, in the site's currency"`
	Reason        string        `json:"reason" doc:"Of what staff decided; empty while open"`
	DecidedBy     *int64        `json:"decided_by" nullable:"true" doc:"Id of the member of staff; null: nobody yet, or at the command line"`
	Answer        string        `json:"answer" doc:"What the gateway said last to a refund, in its own words"`
	CreatedAt     time.Time     `json:"created_at"`
	EndedAt       *time.Time    `json:"ended_at" nullable:"true"`
}

func showPaymentCase(c *payment.Case, err error) (PaymentCaseItem, error) {
	if err != nil {
		return PaymentCaseItem{}, err
	}
	item := PaymentCaseItem{
		ID: c.ID, Kind: string(c.Kind), State: string(c.State), Waits: c.Waits || c.State == payment.CaseWaiting,
		Gateway:       c.Gateway,
		TransactionID: c.TransactionID, TradeNo: c.TradeNo,
		Amount: c.Amount, Currency: c.Currency, RechargeNo: c.RechargeID, UserID: c.UserID, Reason: c.Reason,
		DecidedBy: c.DecidedBy,
		Answer:    c.Answer, CreatedAt: c.CreatedAt, EndedAt: c.EndedAt,
	}
	if c.Credit != 0 {
		item.Credit = &c.Credit
	}
	return item, nil
}

type paymentCaseRow struct {
	PaymentCaseItem
	Assigned
	User *personRef `json:"user,omitempty" doc:"Of user_id; absent: not known"`
}

type paymentCaseList struct {
	Cases      []paymentCaseRow `json:"cases" doc:"Newest first"`
	TotalCount int64            `json:"total_count"`
}

type paymentCaseEvent struct {
	ID        int64               `json:"id"`
	Method    string              `json:"method" doc:"Of the request; HAND or ASK where a member of staff began it"`
	Query     string              `json:"query"`
	Header    map[string][]string `json:"header"`
	Body      string              `json:"body"`
	Address   string              `json:"address" doc:"Of who sent it"`
	Outcome   string              `json:"outcome"`
	Reason    string              `json:"reason"`
	CreatedAt time.Time           `json:"created_at"`
}

func newPaymentEvent(n *payment.StoredNotify) paymentCaseEvent {
	return paymentCaseEvent{
		n.ID, n.Method, n.Query, n.Header, strings.ToValidUTF8(string(n.Body), "\uFFFD"), n.Address,
		string(n.Outcome), string(n.Reason), n.CreatedAt,
	}
}

type paymentCaseResult struct {
	PaymentCaseItem
	Assigned
	User       *personRef         `json:"user,omitempty" doc:"Of user_id; absent: not known"`
	Decider    string             `json:"decided_by_email" doc:"Of decided_by; empty: nobody yet, at the command line, or the account is closed"`
	Expected   *casePayment       `json:"expected,omitempty" doc:"The recharge that the payment names; absent: it names none of ours"`
	Candidates []casePayment      `json:"candidates" doc:"Unpaid recharges of the gateway with this amount that began in the three days before, newest first, at most 10"`
	Bookings   []booking          `json:"bookings" doc:"What its credit moved in the ledger"`
	Events     []paymentCaseEvent `json:"events" doc:"The newest 100 notifies of the payment as they came, newest first"`
}

// casePayment is a recharge that a payment may be for.
type casePayment struct {
	No            int64        `json:"no"`
	User          personRef    `json:"user"`
	Gateway       string       `json:"gateway"`
	TradeNo       string       `json:"trade_no"`
	TransactionID string       `json:"transaction_id" doc:"Of the payment that it was credited for; empty: not paid"`
	PayAmount     money.Amount `json:"pay_amount" doc:"What was to be paid, in pay_currency"`
	PayCurrency   string       `json:"pay_currency"`
	State         string       `json:"state" enum:"pending,paid,expired,failed,refunded"`
	OrderNo       *int64       `json:"order_no" nullable:"true" doc:"The order that waits, or waited, for it"`
	CreatedAt     time.Time    `json:"created_at"`
}

// caseDetails reads payment cases for their pages.
type caseDetails struct {
	payments *payment.Payments
	wallets  *wallet.Wallets
	accounts *account.Accounts
	list     assignable
}

func (d caseDetails) of(ctx context.Context, id int64) (paymentCaseResult, error) {
	c, notifies, err := d.payments.Case(ctx, id)
	if err != nil {
		return paymentCaseResult{}, err
	}
	item, _ := showPaymentCase(c, nil)
	assigned, err := d.list.named(ctx, c.AssignedTo)
	if err != nil {
		return paymentCaseResult{}, err
	}
	out := paymentCaseResult{
		PaymentCaseItem: item, Assigned: assigned(c.AssignedTo), Candidates: []casePayment{},
		Events: []paymentCaseEvent{},
	}
	for i := range notifies {
		out.Events = append(out.Events, newPaymentEvent(&notifies[i]))
	}
	expected, others, err := d.payments.Candidates(ctx, c)
	if err != nil {
		return out, err
	}
	known, err := d.peopleOf(ctx, c, expected, others)
	if err != nil {
		return out, err
	}
	out.Decider = known.emailOf(c.DecidedBy)
	if c.UserID != nil {
		out.User = new(known.ref(*c.UserID))
	}
	if expected != nil {
		out.Expected = new(newCasePayment(expected, known))
	}
	for i := range others {
		out.Candidates = append(out.Candidates, newCasePayment(&others[i], known))
	}
	found, err := d.wallets.BookingsFor(ctx, c.Ref())
	out.Bookings = newBookings(found)
	return out, err
}

func (d caseDetails) peopleOf(ctx context.Context, c *payment.Case, expected *wallet.Recharge,
	others []wallet.Recharge,
) (knownUsers, error) {
	ids := namedOf(c.UserID, c.DecidedBy)
	if expected != nil {
		ids = append(ids, expected.UserID)
	}
	for i := range others {
		ids = append(ids, others[i].UserID)
	}
	return peopleOf(ctx, d.accounts, ids)
}

func newCasePayment(r *wallet.Recharge, known knownUsers) casePayment {
	out := casePayment{
		No: r.ID, User: known.ref(r.UserID), Gateway: r.Gateway, TradeNo: r.TradeNo, PayAmount: r.PayAmount,
		PayCurrency: r.PayCurrency, State: string(r.State), OrderNo: r.OrderID, CreatedAt: r.CreatedAt,
	}
	if r.TransactionID != nil {
		out.TransactionID = *r.TransactionID
	}
	return out
}

func listPaymentCases(ctx context.Context, p *payment.Payments, d assignable, f payment.CaseFilter,
) (paymentCaseList, error) {
	cases, total, err := p.Cases(ctx, f)
	if err != nil {
		return paymentCaseList{}, err
	}
	assigned, err := namedIn(ctx, d, cases, func(c *payment.Case) *int64 { return c.AssignedTo })
	if err != nil {
		return paymentCaseList{}, err
	}
	known, err := makersOf(ctx, d.accounts, cases, func(c *payment.Case) []*int64 { return []*int64{c.UserID} })
	if err != nil {
		return paymentCaseList{}, err
	}
	out := paymentCaseList{[]paymentCaseRow{}, total}
	for i := range cases {
		item, _ := showPaymentCase(&cases[i], nil)
		row := paymentCaseRow{item, assigned(cases[i].AssignedTo), nil}
		if cases[i].UserID != nil {
			row.User = new(known.ref(*cases[i].UserID))
		}
		out.Cases = append(out.Cases, row)
	}
	return out, nil
}

// PaymentCases adds, for staff, the payments that were refused, doubled or match nothing.
func PaymentCases(p *payment.Payments, w *wallet.Wallets, a *account.Accounts) v2.Resource {
	d := assignable{a, permission.CaseRead}
	details := caseDetails{p, w, a, d}
	return func(r *v2.Router) {
		type part struct {
			AssigneeFilter
			State  string `query:"state" enum:"open,waiting,refunding,credited,refunded,dismissed"`
			Limit  int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64  `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/payment-cases", permission.CaseRead).
			Named("staff_payment_cases_list", "Payments that were refused, doubled or match nothing"),
			func(ctx context.Context, who account.Identity, in *part) (paymentCaseList, error) {
				narrowed, err := d.narrowed(ctx, who, in.Assignee)
				if err != nil {
					return paymentCaseList{}, err
				}
				return listPaymentCases(ctx, p, d, payment.CaseFilter{
					State: payment.CaseState(in.State), Assigned: narrowed, Limit: in.Limit, Offset: in.Offset,
				})
			})
		d.choices(r, "/staff/payment-cases/assignees", "staff_payment_case_assignees",
			"Members of staff to whom payment cases can be assigned")
		type assigning struct {
			ID   int64 `path:"case_id" minimum:"1"`
			Body assignTo
		}
		v2.Handle(r, v2.StaffOp("PUT /staff/payment-cases/{case_id}/assignee", permission.CaseDecide).
			WithoutVersion(whyNoVersion).
			Named("staff_payment_case_assign", "Assign a payment case to a member of staff, or to nobody"),
			func(ctx context.Context, _ account.Identity, in *assigning) (nothing, error) {
				return nothing{}, p.AssignCase(ctx, in.ID, in.Body.wish())
			})

		type which struct {
			ID int64 `path:"case_id" minimum:"1"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/payment-cases/{case_id}", permission.CaseRead).
			Named("staff_payment_case_get", "A payment case: what was expected, and the notifies as they came"),
			func(ctx context.Context, _ account.Identity, in *which) (paymentCaseResult, error) {
				return details.of(ctx, in.ID)
			})

		type credit struct {
			ID   int64 `path:"case_id" minimum:"1"`
			Body struct {
				UserID int64           `json:"user_id,omitempty" minimum:"1" doc:"Needed where the user is not known or the account was closed"`
				Amount *v2.AmountInput `json:"amount,omitempty" doc:"In the site's currency, at most what was paid; absent: all of it"`
				Reason string          `json:"reason" minLength:"1" maxLength:"200"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/payment-cases/{case_id}/credit", permission.CaseDecide,
			approval.PaymentCase).
			Named("staff_payment_case_credit",
				"Put the payment into the user's wallet; beyond the member's daily limit it waits for a second member").
			WithKey(),
			func(ctx context.Context, who account.Identity, in *credit) (PaymentCaseItem, error) {
				wish := payment.CaseCredit{
					CaseID: in.ID, UserID: in.Body.UserID, Reason: in.Body.Reason,
					StaffID: &who.UserID,
				}
				if in.Body.Amount != nil {
					if wish.Amount = in.Body.Amount.Amount; wish.Amount == 0 {
						wish.Amount = -1 // zero stands for all of it inside
					}
				}
				return showPaymentCase(p.CreditCase(ctx, wish))
			})

		type decision struct {
			ID   int64 `path:"case_id" minimum:"1"`
			Body struct {
				Reason string `json:"reason" minLength:"1" maxLength:"200"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/payment-cases/{case_id}/refund", permission.CaseDecide,
			approval.CaseRefund).
			Named("staff_payment_case_refund", "Have the gateway pay back the payment"),
			func(ctx context.Context, who account.Identity, in *decision) (PaymentCaseItem, error) {
				return showPaymentCase(p.RefundCase(ctx, in.ID, in.Body.Reason, &who.UserID))
			})
		v2.Handle(r, v2.StaffOp("POST /staff/payment-cases/{case_id}/dismiss", permission.CaseDecide).
			Named("staff_payment_case_dismiss", "End the case without moving money"),
			func(ctx context.Context, who account.Identity, in *decision) (PaymentCaseItem, error) {
				return showPaymentCase(p.DismissCase(ctx, in.ID, in.Body.Reason, &who.UserID))
			})
		v2.Handle(r, v2.StaffOp("POST /staff/payment-cases/{case_id}/confirm", permission.ApprovalDecide,
			approval.Decision).
			Named("staff_payment_case_confirm",
				"Approve, as a second member of staff, the credit or refund that waits"),
			func(ctx context.Context, who account.Identity, in *which) (PaymentCaseItem, error) {
				return showPaymentCase(p.DecideCase(ctx, in.ID, true, &who.UserID))
			})
		v2.Handle(r, v2.StaffOp("POST /staff/payment-cases/{case_id}/decline", permission.ApprovalDecide,
			approval.Decision).
			Named("staff_payment_case_decline", "Decline the credit or refund that waits; the case is open again"),
			func(ctx context.Context, who account.Identity, in *which) (PaymentCaseItem, error) {
				return showPaymentCase(p.DecideCase(ctx, in.ID, false, &who.UserID))
			})
	}
}
