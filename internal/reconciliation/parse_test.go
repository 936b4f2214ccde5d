package reconciliation_test

import (
	"strings"
	"testing"
	"time"

	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/reconciliation"
)

var shanghai = time.FixedZone("CST", 8*3600)

const (
	// The form of Alipay's bills: words before the head and after the last line.
	alipay = "#支付宝账务汇总查询,,,,\n#账号：[20880000]\n#-----------------------账务明细列表----------------\n" +
		"账务流水号,业务流水号,商户订单号,商品名称,发生时间,收入金额（+元）,支出金额（-元）,业务类型\n" +
		"10001\t,2026112322001\t,T1\t,套餐,2026-11-23 10:00:00,120.00,0.00,在线支付\n" +
		"10002\t,2026112322001\t,T1\t,退款,2026-11-23 12:00:00,0.00,-20.00,交易退款\n" +
		"10003\t,,,服务费,2026-11-23 23:59:00,,-0.72,收费\n" +
		"#总收入,120.00\n"
	// The form of WeChat Pay's bills: a grave accent before each value.
	wechat = "\ufeff交易时间,公众账号ID,微信订单号,商户订单号,交易状态,订单金额,手续费\n" +
		"`2026-11-23 09:00:00,`wx1,`4200001,`T2,`SUCCESS,`30.00,`0.18000\n" +
		"`2026-11-23 09:05:00,`wx1,`4200002,`T3,`CLOSED交易关闭,`30.00,`0.00\n" +
		"总交易单数,应结订单总金额\n`1,`30.00\n"
	// The form of Stripe's reports.
	stripe = "balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id,payment_intent_id\n" +
		"txn_1,2026-11-23 01:00:00,usd,\"1,200.00\",35.10,1164.90,charge,ch_1,pi_1\n" +
		"txn_2,2026-11-23 02:00:00,usd,-12.00,0.00,-12.00,refund,re_1,pi_1\n" +
		"txn_3,2026-11-23 03:00:00,usd,-1152.90,0.00,-1152.90,payout,po_1,\n"
)

func TestParse_FormsOfKnownGateways_AreReadWithoutHelp(t *testing.T) {
	at := func(s string) time.Time {
		when, err := time.ParseInLocation("2006-01-02 15:04", s, shanghai)
		if err != nil {
			t.Fatal(err)
		}
		return when.UTC()
	}
	for name, c := range map[string]struct {
		text    string
		want    []reconciliation.Line
		skipped int
	}{
		"alipay": {alipay, []reconciliation.Line{
			{Position: 5, Kind: "payment", TransactionID: "2026112322001", TradeNo: "T1", Amount: 12000, HappenedAt: at("2026-11-23 10:00")},
			{Position: 6, Kind: "refund", TransactionID: "2026112322001", TradeNo: "T1", Amount: 2000, HappenedAt: at("2026-11-23 12:00")},
			{Position: 7, Kind: "fee", Amount: 72, HappenedAt: at("2026-11-23 23:59")},
		}, 1},
		"wechat": {wechat, []reconciliation.Line{
			{Position: 2, Kind: "payment", TransactionID: "4200001", TradeNo: "T2", Amount: 3000, Fee: 18, HappenedAt: at("2026-11-23 09:00")},
		}, 3},
		"stripe": {stripe, []reconciliation.Line{
			{Position: 2, Kind: "payment", TransactionID: "pi_1", Amount: 120000, Fee: 3510, HappenedAt: at("2026-11-23 01:00")},
			{Position: 3, Kind: "refund", TransactionID: "pi_1", Amount: 1200, HappenedAt: at("2026-11-23 02:00")},
			{Position: 4, Kind: "payout", Amount: 115290, HappenedAt: at("2026-11-23 03:00")},
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := reconciliation.Parse(c.text, reconciliation.Columns{}, shanghai)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Lines) != len(c.want) || p.Skipped != c.skipped {
				t.Fatalf("%d lines and %d skipped: %+v", len(p.Lines), p.Skipped, p.Lines)
			}
			for i := range c.want {
				if p.Lines[i] != c.want[i] {
					t.Errorf("line %d is %+v, want %+v", i, p.Lines[i], c.want[i])
				}
			}
		})
	}
}

func TestParse_ColumnsOfUnknownNames_AreTakenAsChosen(t *testing.T) {
	text := "when;ref;sum\n23.11.2026;x;1\n2026-11-23;A9;-4.5\n"
	if _, err := reconciliation.Parse(text, reconciliation.Columns{}, shanghai); err == nil {
		t.Fatal("a head of unknown names was understood")
	}
	p, err := reconciliation.Parse(text, reconciliation.Columns{Time: "when", TradeNo: "ref", Amount: "sum"}, shanghai)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Lines) != 1 || p.Lines[0].Kind != reconciliation.Refund || p.Lines[0].Amount != 450 || p.Skipped != 1 {
		t.Errorf("%+v, %d skipped", p.Lines, p.Skipped)
	}
}

func TestParse_Amounts_AreReadWithAPointOrACommaBeforeTheDecimals(t *testing.T) {
	for amount, want := range map[string]money.Amount{
		"12.50": 1250, "12,50": 1250, "12,5": 1250, "1,000": 100000, "1,000.5": 100050, "1.000,00": 100000,
		"1.234.567,89": 123456789, "1,234,567.89": 123456789, "1,00,000.00": 10000000, "1 000,50": 100050,
		"1\u00a0000,50": 100050, "€0,07": 7, "0.18000": 18,
	} {
		p, err := reconciliation.Parse("time;id;amount\n2026-11-23;1;"+amount+"\n", reconciliation.Columns{}, shanghai)
		if err != nil || len(p.Lines) != 1 || p.Lines[0].Amount != want {
			t.Errorf("%q is read as %+v, %v; want %s", amount, p.Lines, err, want)
		}
	}
	for _, amount := range []string{"1,2345", "1.00,5", "1,,000", ",50", "1.000,000", "12,3456.00"} {
		p, err := reconciliation.Parse("time;id;amount\n2026-11-23;1;"+amount+"\n", reconciliation.Columns{}, shanghai)
		if err == nil {
			t.Errorf("%q is read as %+v", amount, p.Lines)
		}
	}
}

func TestParse_WhatCannotBeRead_NamesTheFieldAndLine(t *testing.T) {
	head := "time,id,amount\n"
	for name, c := range map[string]struct {
		text    string
		columns reconciliation.Columns
		field   string
		says    string
	}{
		"no head":        {"a,b\n1,2\n", reconciliation.Columns{}, "text", "head"},
		"bad amount":     {head + "2026-11-23,1,twelve\n", reconciliation.Columns{}, "text", "Line 2"},
		"three decimals": {head + "2026-11-23,1,1.234\n", reconciliation.Columns{}, "text", "Line 2"},
		"only its head":  {head, reconciliation.Columns{}, "text", "no line"},
		"not UTF-8":      {head + "2026-11-23,\xff,1\n", reconciliation.Columns{}, "text", "UTF-8"},
		"other column":   {head + "2026-11-23,1,1\n", reconciliation.Columns{Time: "time", TradeNo: "no", Amount: "amount"}, "columns.trade_no", "“no”"},
		"no time chosen": {head + "2026-11-23,1,1\n", reconciliation.Columns{TradeNo: "id", Amount: "amount"}, "columns.time", "times"},
		"too long":       {head + strings.Repeat("2026-11-23,1,1\n", 20_001), reconciliation.Columns{}, "text", "20,000"},
		"a huge number":  {head + "2026-11-23," + strings.Repeat("9", 201) + ",1\n", reconciliation.Columns{}, "text", "Line 2"},
		"beyond amounts": {head + "2026-11-23,1,99999999999999999999\n", reconciliation.Columns{}, "text", "Line 2"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := reconciliation.Parse(c.text, c.columns, shanghai)
			f, ok := fault.As(err)
			if !ok || len(f.Fields) != 1 || f.Fields[0].Name != c.field ||
				!strings.Contains(f.Fields[0].Text.EN, c.says) {
				t.Errorf("%v, want a fault of %s that says %q", err, c.field, c.says)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{alipay, wechat, stripe, "", "\"", "time,id,amount\n,,"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := reconciliation.Parse(text, reconciliation.Columns{}, shanghai)
		if err != nil {
			return
		}
		for _, l := range p.Lines {
			if l.Amount < 0 || l.Fee < 0 || l.HappenedAt.IsZero() || l.Position < 1 {
				t.Errorf("%+v", l)
			}
		}
	})
}
