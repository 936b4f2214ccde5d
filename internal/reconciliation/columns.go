package reconciliation

import (
	"slices"
	"strings"

	"airstrip/internal/fault"
)

// Columns say which column of a statement holds what, by the names in its head; an empty name: none does.
type Columns struct {
	Time        string
	Kind        string
	Transaction string // the gateway's number
	TradeNo     string // the merchant's number
	Amount      string // negative amounts went out
	Out         string // amounts that went out, where they have a column of their own
	Fee         string
	State       string // of the payment; lines of payments that failed or were closed are left out
}

// known are the names that gateways give their columns, in the order of preference: those of Stripe's reports, of the
// bills of Alipay and WeChat Pay, and of the usual EPay panels.
var known = []struct {
	of    func(*Columns) *string
	names []string
}{
	{func(c *Columns) *string { return &c.Time }, []string{
		"created (utc)", "created_utc", "created", "date", "time", "交易时间", "入账时间", "完成时间", "创建时间",
		"支付时间", "完成日期", "发生时间",
	}},
	{func(c *Columns) *string { return &c.Kind }, []string{
		"reporting_category", "type", "kind", "业务类型", "账务类型", "收支类型", "交易类型",
	}},
	{func(c *Columns) *string { return &c.Transaction }, []string{
		"payment_intent_id", "charge_id", "source_id", "transaction_id", "id", "支付宝交易号", "微信订单号", "业务流水号",
		"平台订单号", "系统订单号", "trade_id",
	}},
	{func(c *Columns) *string { return &c.TradeNo }, []string{
		"out_trade_no", "client_reference_id", "order_id", "trade_no", "metadata[trade_no]", "商户订单号", "商户单号",
	}},
	{func(c *Columns) *string { return &c.Amount }, []string{
		"gross", "amount", "收入金额（+元）", "收入（+元）", "收入金额(+元)", "订单金额（元）", "应结订单金额", "订单金额",
		"总金额", "交易金额", "支付金额", "金额",
	}},
	{func(c *Columns) *string { return &c.Out }, []string{
		"支出金额（-元）", "支出（-元）", "支出金额(-元)", "退款金额",
	}},
	{func(c *Columns) *string { return &c.Fee }, []string{"fee", "fees", "服务费（元）", "服务费", "手续费"}},
	{func(c *Columns) *string { return &c.State }, []string{"status", "state", "交易状态", "订单状态", "支付状态"}},
}

// detect gives the columns that the names of a head are known for.
func detect(head []string) (c Columns) {
	plain := make([]string, len(head))
	for i, name := range head {
		plain[i] = strings.ToLower(name)
	}
	for _, column := range known {
		for _, name := range column.names {
			if i := slices.Index(plain, name); i >= 0 {
				*column.of(&c) = head[i]
				break
			}
		}
	}
	return c
}

// headRow is how far down the head of a statement is looked for: the bills of Alipay begin with some lines of words.
const headRow = 30

// findHead returns the row of the head: the first one that names an amount and a number, or, where the caller says what
// the columns are called, all of those.
func findHead(rows [][]string, c Columns) (at int, found bool) {
	for i, row := range rows[:min(len(rows), headRow)] {
		if c != (Columns{}) {
			if c.check(row) == nil {
				return i, true
			}
			continue
		}
		if d := detect(row); d.Amount != "" && (d.Transaction != "" || d.TradeNo != "") {
			return i, true
		}
	}
	return 0, false
}

// check refuses columns that the head has not got, and those without which no line can be compared.
func (c Columns) check(head []string) error {
	fields := []struct{ name, field string }{
		{c.Time, "time"},
		{c.Kind, "kind"},
		{c.Transaction, "transaction"},
		{c.TradeNo, "trade_no"},
		{c.Amount, "amount"},
		{c.Out, "out"},
		{c.Fee, "fee"},
		{c.State, "state"},
	}
	for _, f := range fields {
		if f.name != "" && !slices.Contains(head, f.name) {
			return fault.Invalid("columns."+f.field, "unknown", "对账单没有名为“"+f.name+"”的列",
				"The statement has no column called “"+f.name+"”")
		}
	}
	switch {
	case c.Amount == "":
		return fault.Invalid("columns.amount", "required", "请选择金额所在的列", "Please choose the column of amounts")
	case c.Time == "":
		return fault.Invalid("columns.time", "required", "请选择时间所在的列", "Please choose the column of times")
	case c.Transaction == "" && c.TradeNo == "":
		return fault.Invalid("columns.transaction", "required", "请选择平台交易号或商户订单号所在的列",
			"Please choose the column of the gateway's numbers or of the merchant's")
	}
	return nil
}
