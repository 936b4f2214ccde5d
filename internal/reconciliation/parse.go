package reconciliation

import (
	"encoding/csv"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"airstrip/internal/fault"
	"airstrip/internal/money"
)

// Kind is what a line of a statement is about.
type Kind string

// The kinds of lines. Only payments and refunds are compared with the books.
const (
	Payment Kind = "payment"
	Refund  Kind = "refund"
	Fee     Kind = "fee"
	Payout  Kind = "payout"
	Other   Kind = "other"
)

// Kinds are all kinds of lines.
var Kinds = []Kind{Payment, Refund, Fee, Payout, Other}

const (
	maxLines = 20_000
	maxCell  = 200 // runes of a number; longer ones name nothing
)

// Parsed is what a statement's text says.
type Parsed struct {
	Head    []string
	Columns Columns
	Lines   []Line
	Skipped int // lines without a time or an amount, such as sums, and payments that failed
}

var errNoHead = fault.Invalid("text", "format", "找不到表头：请确认文件是带列名的 CSV，或手动选择各列",
	"No head was found: the file must be CSV with names of columns, or choose the columns yourself")

// Parse reads a statement: text whose columns are divided by commas, semicolons or tabs. Where columns is the zero
// value they are found by their names. Times without a zone are in zone. A line that has a time and an unreadable
// amount is a fault of "text" that names the line.
func Parse(text string, columns Columns, zone *time.Location) (*Parsed, error) {
	rows, err := readRows(text)
	if err != nil {
		return nil, err
	}
	at, found := findHead(rows, columns)
	if !found {
		if columns != (Columns{}) && len(rows) > 0 {
			head, _ := findHead(rows, Columns{})
			return nil, columns.check(rows[head])
		}
		return nil, errNoHead
	}
	p := &Parsed{Head: rows[at], Columns: columns}
	if columns == (Columns{}) {
		p.Columns = detect(p.Head)
	}
	if err := p.Columns.check(p.Head); err != nil {
		return p, err
	}
	for i, row := range rows[at+1:] {
		line, ok, err := p.line(row, zone)
		if err != nil {
			return p, badLine(at+2+i, err)
		}
		if !ok {
			p.Skipped++
			continue
		}
		line.Position = int64(at + 2 + i)
		if p.Lines = append(p.Lines, line); len(p.Lines) > maxLines {
			return p, fault.Invalid("text", "too_long", "一份对账单最多 20000 行，请按日期拆分",
				"A statement has at most 20,000 lines; divide it by days")
		}
	}
	if len(p.Lines) == 0 {
		return p, fault.Invalid("text", "empty", "对账单没有可用的行", "The statement has no line that could be used")
	}
	return p, nil
}

func badLine(number int, err error) error {
	n := strconv.Itoa(number)
	return fault.Invalid("text", "format", "第 "+n+" 行无法读取："+err.Error(), "Line "+n+" cannot be read: "+err.Error())
}

// readRows divides the text into cells without the spaces and marks around them: WeChat Pay begins each with a grave
// accent, and others with a tab, so that spreadsheets keep long numbers.
func readRows(text string) (rows [][]string, err error) {
	text = strings.TrimPrefix(text, "\ufeff")
	if !utf8.ValidString(text) {
		return nil, fault.Invalid("text", "encoding", "文件不是 UTF-8 编码", "The file is not UTF-8")
	}
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = divider(text), -1, true
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, badLine(len(rows)+1, err)
		}
		for i := range row {
			row[i] = strings.Trim(row[i], " \t\u00a0`'\"")
		}
		rows = append(rows, row)
	}
}

// divider is whichever of the usual dividers the text has most of.
func divider(text string) rune {
	best := ','
	for _, d := range []rune{';', '\t'} {
		if strings.Count(text, string(d)) > strings.Count(text, string(best)) {
			best = d
		}
	}
	return best
}

// line reads one row; not ok where it is none of a movement.
func (p *Parsed) line(row []string, zone *time.Location) (l Line, ok bool, err error) {
	cell := func(name string) string {
		if i := slices.Index(p.Head, name); name != "" && i < len(row) {
			return row[i]
		}
		return ""
	}
	at, isTime := parseTime(cell(p.Columns.Time), zone)
	if !isTime || hasFailed(cell(p.Columns.State)) {
		return Line{}, false, nil
	}
	amount, given, err := parseAmount(cell(p.Columns.Amount))
	if err != nil {
		return Line{}, false, err
	}
	if amount == 0 {
		var out money.Amount
		if out, given, err = parseAmount(cell(p.Columns.Out)); err != nil {
			return Line{}, false, err
		}
		amount = -max(out, -out)
	}
	fee, _, err := parseAmount(cell(p.Columns.Fee))
	if err != nil || (!given && amount == 0) {
		return Line{}, false, err
	}
	l = Line{
		Kind: kindOf(cell(p.Columns.Kind), amount), TransactionID: cell(p.Columns.Transaction),
		TradeNo: cell(p.Columns.TradeNo), Amount: max(amount, -amount), Fee: max(fee, -fee), HappenedAt: at,
	}
	if utf8.RuneCountInString(l.TransactionID) > maxCell || utf8.RuneCountInString(l.TradeNo) > maxCell {
		return Line{}, false, errors.New("number > 200")
	}
	return l, true, nil
}

// A comma divides thousands in the first form and begins the decimals in the second.
var (
	withThousands    = regexp.MustCompile(`^-?\d{1,3}(,\d{2,3})*,\d{3}(\.\d*)?$`)
	withDecimalComma = regexp.MustCompile(`^-?(\d+|\d{1,3}(\.\d{3})+),\d{1,2}$`)
)

// parseAmount reads an amount as statements write it, with signs of currencies, dividers of thousands, and a point or a
// comma before the decimals. A comma that may be neither is an error.
func parseAmount(s string) (a money.Amount, given bool, err error) {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("¥￥$€£+元", r) {
			return -1
		}
		return r
	}, s)
	switch {
	case s == "" || s == "-" || s == "--":
		return 0, false, nil
	case withThousands.MatchString(s):
		s = strings.ReplaceAll(s, ",", "")
	case withDecimalComma.MatchString(s):
		s = strings.ReplaceAll(strings.ReplaceAll(s, ".", ""), ",", ".")
	}
	if whole, part, dotted := strings.Cut(s, "."); dotted && len(part) > 2 {
		s = whole + "." + part[:2] + strings.TrimRight(part[2:], "0")
	}
	a, err = money.Parse(s)
	return a, true, err
}

var timeForms = []string{
	time.RFC3339, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006/01/02 15:04:05", "2006/1/2 15:04:05",
	"2006-01-02 15:04", "2006/01/02 15:04", "2006/1/2 15:04", "2006-01-02", "2006/01/02", "2006/1/2", "20060102150405",
	"20060102",
}

func parseTime(s string, zone *time.Location) (time.Time, bool) {
	for _, form := range timeForms {
		if t, err := time.ParseInLocation(form, s, zone); err == nil && t.Year() >= 2000 && t.Year() < 2200 {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// kindWords are what the kinds of lines are called, in the order in which they are looked for: a refund of a fee is no
// refund of a payment.
var kindWords = []struct {
	kind  Kind
	words []string
}{
	{Fee, []string{"fee", "服务费", "手续费", "收费"}},
	{Payout, []string{"payout", "transfer", "withdraw", "提现", "结算", "转账"}},
	{Refund, []string{"refund", "退款", "退费"}},
	{Payment, []string{"payment", "charge", "pay", "sale", "收入", "交易", "支付", "在线", "success"}},
}

// kindOf reads a kind; where the statement has none, the sign of the amount says it.
func kindOf(s string, amount money.Amount) Kind {
	s = strings.ToLower(s)
	for _, k := range kindWords {
		for _, word := range k.words {
			if s != "" && strings.Contains(s, word) {
				if k.kind == Payment && amount < 0 {
					return Refund
				}
				return k.kind
			}
		}
	}
	switch {
	case s != "":
		return Other
	case amount < 0:
		return Refund
	}
	return Payment
}

func hasFailed(state string) bool {
	state = strings.ToLower(state)
	return slices.ContainsFunc([]string{"fail", "cancel", "expired", "unpaid", "关闭", "失败", "未支付", "取消"},
		func(word string) bool { return strings.Contains(state, word) })
}
