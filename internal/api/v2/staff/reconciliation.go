package staff

import (
	"context"
	"errors"
	"slices"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/reconciliation"
	"airstrip/internal/wallet"
)

type gatewaySums struct {
	Gateway     string       `json:"gateway"`
	Received    money.Amount `json:"received" doc:"Recharges and credited cases with their fees, in the site's currency"`
	Returned    money.Amount `json:"returned" doc:"Went back to payers through it"`
	Settled     money.Amount `json:"settled" doc:"Paid out by it, its fees included"`
	Owed        money.Amount `json:"owed" doc:"What it should still have; negative: it paid out more than it received"`
	StatementTo *time.Time   `json:"statement_to" nullable:"true" doc:"Up to when its statements reach; null: none was imported"`

	OutsideReceived money.Amount `json:"outside_received" doc:"Recharges that staff says were paid past it; not among received"`
	OutsideReturned money.Amount `json:"outside_returned" doc:"Paid back past it, by hand; not among returned"`
}

type settlement struct {
	ID         int64        `json:"id"`
	Gateway    string       `json:"gateway"`
	Gross      money.Amount `json:"gross" doc:"What the gateway owes less by it, in the site's currency"`
	Fee        money.Amount `json:"fee" doc:"Of gross, what the gateway took"`
	Net        money.Amount `json:"net" doc:"What arrived"`
	Reference  string       `json:"reference" doc:"The bank's or the gateway's number of the payment"`
	ArrivedAt  time.Time    `json:"arrived_at"`
	Note       string       `json:"note"`
	MadeBy     *int64       `json:"made_by" nullable:"true" doc:"Member of staff; null: at the command line"`
	CreatedAt  time.Time    `json:"created_at"`
	ReversedBy *int64       `json:"reversed_by" nullable:"true"`
	ReversedAt *time.Time   `json:"reversed_at" nullable:"true"`
}

func newSettlement(s *wallet.Settlement, err error) (settlement, error) {
	if err != nil {
		return settlement{}, err
	}
	return settlement{
		s.ID, s.Gateway, s.Gross, s.Fee, s.Gross - s.Fee, s.Reference, s.ArrivedAt, s.Note, s.MadeBy, s.CreatedAt,
		s.ReversedBy, s.ReversedAt,
	}, nil
}

type settlementList struct {
	Settlements []settlement `json:"settlements" doc:"Newest first"`
	TotalCount  int64        `json:"total_count"`
}

type settlementBody struct {
	Gateway   string         `json:"gateway" minLength:"1" maxLength:"32"`
	Gross     v2.AmountInput `json:"gross" doc:"What the gateway owes less by it, in the site's currency"`
	Fee       v2.AmountInput `json:"fee" doc:"Of gross, what the gateway took"`
	Reference string         `json:"reference" minLength:"1" maxLength:"200" doc:"The bank's or the gateway's number of the payment; each is entered once"`
	ArrivedAt time.Time      `json:"arrived_at"`
	Note      string         `json:"note,omitempty" maxLength:"200"`

	Beyond *v2.AmountInput `json:"beyond,omitempty" doc:"How much gross is above what the gateway should have by the books; 400 names it where it is missing or too small"`
}

type statementColumns struct {
	Time        string `json:"time,omitempty" maxLength:"200"`
	Kind        string `json:"kind,omitempty" maxLength:"200"`
	Transaction string `json:"transaction,omitempty" maxLength:"200" doc:"The gateway's number"`
	TradeNo     string `json:"trade_no,omitempty" maxLength:"200" doc:"The merchant's number"`
	Amount      string `json:"amount,omitempty" maxLength:"200" doc:"Negative amounts went out"`
	Out         string `json:"out,omitempty" maxLength:"200" doc:"Amounts that went out, where they have a column of their own"`
	Fee         string `json:"fee,omitempty" maxLength:"200"`
	State       string `json:"state,omitempty" maxLength:"200" doc:"Lines of payments that failed are left out"`
}

// StatementText is the text of a statement; exported because it is embedded.
type StatementText struct {
	Text    string           `json:"text" minLength:"1" maxLength:"4000000" doc:"CSV with names of columns; at most 20,000 lines"`
	Columns statementColumns `json:"columns,omitempty" doc:"Which column is what, by name; absent: found by their names"`
}

type statementImport struct {
	Gateway string `json:"gateway" minLength:"1" maxLength:"32"`
	Name    string `json:"name" minLength:"1" maxLength:"200" doc:"Such as that of the file"`
	StatementText
}

// StatementLine is one movement of a statement; exported because it is embedded.
type StatementLine struct {
	Position      int64        `json:"position" doc:"Its line in the file, from 1"`
	Kind          string       `json:"kind" enum:"payment,refund,fee,payout,other"`
	TransactionID string       `json:"transaction_id" doc:"The gateway's number; empty: none"`
	TradeNo       string       `json:"trade_no" doc:"The merchant's number; empty: none"`
	Amount        money.Amount `json:"amount" doc:"In the statement's currency; never negative"`
	Fee           money.Amount `json:"fee"`
	HappenedAt    time.Time    `json:"happened_at"`
}

func newStatementLine(l *reconciliation.Line) StatementLine {
	return StatementLine{l.Position, string(l.Kind), l.TransactionID, l.TradeNo, l.Amount, l.Fee, l.HappenedAt}
}

type statementPreview struct {
	Head    []string         `json:"head" doc:"Names of the columns; empty: no head was found"`
	Columns statementColumns `json:"columns" doc:"What each was taken for"`
	Lines   []StatementLine  `json:"lines" doc:"The first ten"`
	Count   int64            `json:"count"`
	Skipped int64            `json:"skipped" doc:"Lines without a time or an amount, and payments that failed"`
	Problem string           `json:"problem" doc:"Why it cannot be imported like that, in the caller's language; empty: it can"`
}

type gatewayStatement struct {
	ID         int64     `json:"id"`
	Gateway    string    `json:"gateway"`
	Name       string    `json:"name"`
	Currency   string    `json:"currency"`
	Lines      int64     `json:"lines"`
	FirstAt    time.Time `json:"first_at"`
	LastAt     time.Time `json:"last_at"`
	ImportedBy *int64    `json:"imported_by" nullable:"true" doc:"Member of staff"`
	CreatedAt  time.Time `json:"created_at"`
}

func newGatewayStatement(s *reconciliation.Statement) gatewayStatement {
	return gatewayStatement{
		s.ID, s.Gateway, s.Name, s.Currency, s.Lines, s.FirstAt, s.LastAt, s.ImportedBy, s.CreatedAt,
	}
}

type statementList struct {
	Statements []gatewayStatement `json:"statements" doc:"Newest first"`
	TotalCount int64              `json:"total_count"`
}

type statementSum struct {
	Kind   string       `json:"kind" enum:"payment,refund,fee,payout,other"`
	Count  int64        `json:"count"`
	Amount money.Amount `json:"amount" doc:"In the statement's currency"`
	Fee    money.Amount `json:"fee"`
}

type statementCount struct {
	State string `json:"state" enum:"unknown,unpaid,other_amount,other_payment,case,repeated,matched,noted"`
	Count int64  `json:"count"`
}

type missingPayment struct {
	Kind       string       `json:"kind" enum:"payment,refund"`
	RechargeNo int64        `json:"recharge_no"`
	Number     string       `json:"number" doc:"Ours: the trade number, or the refund's"`
	Amount     money.Amount `json:"amount" doc:"In the statement's currency"`
	At         time.Time    `json:"at"`
}

type comparedStatement struct {
	Statement    gatewayStatement `json:"statement"`
	Sums         []statementSum   `json:"sums" doc:"Of all lines, by kind"`
	Counts       []statementCount `json:"counts" doc:"Lines by state, those that need a decision first; none of 0"`
	Missing      []missingPayment `json:"missing" doc:"What the site booked in the time of the statement and no statement of the gateway names; the first 500"`
	MissingCount int64            `json:"missing_count"`
}

type comparedLine struct {
	StatementLine
	State      string        `json:"state" enum:"unknown,unpaid,other_amount,other_payment,case,repeated,matched,noted" doc:"unknown: the site knows nothing of it; unpaid: the recharge counts as unpaid; other_amount: booked with another; other_payment: the recharge was paid by another payment; case: a payment case has it; repeated: an earlier line has it; noted: not compared"`
	RechargeNo *int64        `json:"recharge_no" nullable:"true"`
	CaseID     *int64        `json:"case_id" nullable:"true"`
	Booked     *money.Amount `json:"booked" nullable:"true" doc:"What the site has, in the statement's currency"`
}

type comparedLines struct {
	Lines      []comparedLine `json:"lines" doc:"In the order of the file"`
	TotalCount int64          `json:"total_count"`
}

const maxMissingShown = 500

// Reconciliation adds statements of gateways, held against the books, and what gateways paid out.
func Reconciliation(w *wallet.Wallets, c *reconciliation.Reconciliation) v2.Resource {
	return func(r *v2.Router) {
		v2.HandleList(r, v2.StaffOp("GET /staff/reconciliation", permission.LedgerRead).
			Named("staff_reconciliation", "What each gateway received, returned and paid out, and should still have"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) ([]gatewaySums, error) {
				sums, err := w.GatewaySums(ctx)
				if err != nil {
					return nil, err
				}
				last, err := c.Last(ctx)
				out := make([]gatewaySums, len(sums))
				for i, s := range sums {
					out[i] = gatewaySums{
						s.Gateway, s.Received, s.Returned, s.Settled, s.Owed, nil, s.OutsideReceived, s.OutsideReturned,
					}
					if at, has := last[s.Gateway]; has {
						out[i].StatementTo = &at
					}
				}
				return out, err
			})
		addSettlements(r, w)
		addStatements(r, c)
		addComparison(r, c)
	}
}

type ofGateway struct {
	Gateway string `query:"gateway" maxLength:"32" doc:"Only those of this gateway"`
	Limit   int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
	Offset  int64  `query:"offset" minimum:"0" default:"0"`
}

func addSettlements(r *v2.Router, w *wallet.Wallets) {
	v2.Handle(r, v2.StaffOp("GET /staff/settlements", permission.LedgerRead).
		Named("staff_settlements_list", "What gateways paid out"),
		func(ctx context.Context, _ account.Identity, in *ofGateway) (settlementList, error) {
			found, total, err := w.Settlements(ctx, in.Gateway, in.Limit, in.Offset)
			out := settlementList{[]settlement{}, total}
			for i := range found {
				one, _ := newSettlement(&found[i], nil)
				out.Settlements = append(out.Settlements, one)
			}
			return out, err
		})
	v2.Handle(r, v2.StaffOp("POST /staff/settlements", permission.Reconcile).
		Named("staff_settlement_enter", "Enter what a gateway paid out; it is booked at once").WithKey(),
		func(ctx context.Context, who account.Identity, in *v2.Body[settlementBody]) (settlement, error) {
			b := &in.Body
			s := wallet.Settlement{
				Gateway: b.Gateway, Gross: b.Gross.Amount, Fee: b.Fee.Amount, Reference: b.Reference,
				ArrivedAt: b.ArrivedAt.UTC(), Note: b.Note, MadeBy: &who.UserID,
			}
			if b.Beyond != nil {
				s.Beyond = b.Beyond.Amount
			}
			return newSettlement(w.Settle(ctx, s))
		})
	type reversal struct {
		ID   int64 `path:"settlement_id" minimum:"1"`
		Body struct {
			Reason string `json:"reason" minLength:"1" maxLength:"200"`
		}
	}
	v2.Handle(r, v2.StaffOp("POST /staff/settlements/{settlement_id}/reverse", permission.Reconcile).
		Named("staff_settlement_reverse", "Undo a settlement that was entered wrongly, by a movement the other way"),
		func(ctx context.Context, who account.Identity, in *reversal) (settlement, error) {
			return newSettlement(w.ReverseSettlement(ctx, in.ID, in.Body.Reason, &who.UserID))
		})
}

func addStatements(r *v2.Router, c *reconciliation.Reconciliation) {
	v2.Handle(r, v2.StaffOp("GET /staff/statements", permission.LedgerRead).
		Named("staff_statements_list", "Statements of gateways that staff imported"),
		func(ctx context.Context, _ account.Identity, in *ofGateway) (statementList, error) {
			found, total, err := c.Statements(ctx, in.Gateway, in.Limit, in.Offset)
			out := statementList{[]gatewayStatement{}, total}
			for i := range found {
				out.Statements = append(out.Statements, newGatewayStatement(&found[i]))
			}
			return out, err
		})
	v2.Handle(r, v2.StaffOp("POST /staff/statements/preview", permission.Reconcile).
		Named("staff_statement_preview", "Read a statement and keep nothing").HoldingFile(),
		func(ctx context.Context, _ account.Identity, in *v2.Body[StatementText]) (statementPreview, error) {
			parsed, err := c.Parse(in.Body.Text, reconciliation.Columns(in.Body.Columns))
			out := statementPreview{Head: []string{}, Lines: []StatementLine{}}
			if parsed != nil {
				out.Head = append(out.Head, parsed.Head...)
				out.Columns = statementColumns(parsed.Columns)
				out.Count, out.Skipped = int64(len(parsed.Lines)), int64(parsed.Skipped)
				for i := range parsed.Lines[:min(len(parsed.Lines), 10)] {
					out.Lines = append(out.Lines, newStatementLine(&parsed.Lines[i]))
				}
			}
			if problem := (*fault.Error)(nil); errors.As(err, &problem) && len(problem.Fields) > 0 {
				out.Problem, err = problem.Fields[0].Text.In(api.CallerOf(ctx).Lang), nil
			}
			return out, err
		})
	v2.Handle(r, v2.StaffOp("POST /staff/statements", permission.Reconcile).
		Named("staff_statement_import", "Import a statement of a gateway; it moves no money").HoldingFile(),
		func(ctx context.Context, who account.Identity, in *v2.Body[statementImport]) (gatewayStatement, error) {
			made, err := c.Import(ctx, reconciliation.Import{
				Gateway: in.Body.Gateway, Name: in.Body.Name, Text: in.Body.Text,
				Columns: reconciliation.Columns(in.Body.Columns), By: &who.UserID,
			})
			if err != nil {
				return gatewayStatement{}, err
			}
			return newGatewayStatement(made), nil
		})
	type removal struct {
		ID     int64  `path:"statement_id" minimum:"1"`
		Reason string `query:"reason" minLength:"1" maxLength:"200" required:"true"`
	}
	v2.Handle(r, v2.StaffOp("DELETE /staff/statements/{statement_id}", permission.Reconcile).
		Named("staff_statement_remove", "Remove a statement that was imported by mistake"),
		func(ctx context.Context, _ account.Identity, in *removal) (v2.Empty, error) {
			return v2.Empty{}, c.Remove(ctx, in.ID, in.Reason)
		})
}

func addComparison(r *v2.Router, c *reconciliation.Reconciliation) {
	type named struct {
		ID int64 `path:"statement_id" minimum:"1"`
	}
	v2.Handle(r, v2.StaffOp("GET /staff/statements/{statement_id}", permission.LedgerRead).
		Named("staff_statement", "A statement held against the books as they are now"),
		func(ctx context.Context, _ account.Identity, in *named) (comparedStatement, error) {
			found, err := c.Compare(ctx, in.ID)
			if err != nil {
				return comparedStatement{}, err
			}
			return newComparedStatement(found), nil
		})
	type part struct {
		ID     int64  `path:"statement_id" minimum:"1"`
		State  string `query:"state" enum:"unknown,unpaid,other_amount,other_payment,case,repeated,matched,noted" doc:"Only those in this state"`
		Kind   string `query:"kind" enum:"payment,refund,fee,payout,other" doc:"Only those of this kind"`
		Limit  int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
		Offset int64  `query:"offset" minimum:"0" default:"0"`
	}
	v2.Handle(r, v2.StaffOp("GET /staff/statements/{statement_id}/lines", permission.LedgerRead).
		Named("staff_statement_lines", "Lines of a statement with what the books have for each"),
		func(ctx context.Context, _ account.Identity, in *part) (comparedLines, error) {
			found, err := c.Compare(ctx, in.ID)
			if err != nil {
				return comparedLines{}, err
			}
			lines := slices.DeleteFunc(found.Lines, func(l reconciliation.ComparedLine) bool {
				return in.State != "" && string(l.State) != in.State || in.Kind != "" && string(l.Kind) != in.Kind
			})
			out := comparedLines{[]comparedLine{}, int64(len(lines))}
			for i := min(in.Offset, out.TotalCount); i < min(in.Offset+in.Limit, out.TotalCount); i++ {
				l := &lines[i]
				out.Lines = append(out.Lines, comparedLine{
					newStatementLine(&l.Line), string(l.State), l.RechargeNo, l.CaseID, l.Booked,
				})
			}
			return out, nil
		})
}

func newComparedStatement(c *reconciliation.Comparison) comparedStatement {
	out := comparedStatement{
		newGatewayStatement(&c.Statement),
		[]statementSum{},
		[]statementCount{},
		[]missingPayment{},
		int64(len(c.Missing)),
	}
	sums, counts := c.Sums(), map[reconciliation.State]int64{}
	for _, kind := range reconciliation.Kinds {
		if s, has := sums[kind]; has {
			out.Sums = append(out.Sums, statementSum{string(kind), s.Count, s.Amount, s.Fee})
		}
	}
	for i := range c.Lines {
		counts[c.Lines[i].State]++
	}
	for _, state := range reconciliation.States {
		if counts[state] > 0 {
			out.Counts = append(out.Counts, statementCount{string(state), counts[state]})
		}
	}
	for _, m := range c.Missing[:min(len(c.Missing), maxMissingShown)] {
		out.Missing = append(out.Missing, missingPayment{string(m.Kind), m.RechargeNo, m.Number, m.Amount, m.At})
	}
	return out
}
