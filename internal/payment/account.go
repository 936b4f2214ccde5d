package payment

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/setting"
	"airstrip/internal/wallet"
)

// Account is the site's account with a payment platform: one way to pay.
type Account struct {
	bun.BaseModel `bun:"table:payment_gateway"`
	ID            int64 `bun:",pk,autoincrement"`
	Kind          string
	Name          string // part of the path of its notifies and of the ledger; it never changes
	TitleZH       string
	TitleEN       string
	Icon          string // one of Icons; empty: its kind's
	FeePercent    Percent
	FeeFixed      money.Amount // in the site's currency
	Minimum       money.Amount `bun:",nullzero"` // of a recharge, in the site's currency; 0: the site's
	Maximum       money.Amount `bun:",nullzero"`
	Sort          int
	Enabled       bool   // whether recharges may begin here; notifies of those that did are always taken
	Currency      string // in which it is paid, ISO 4217
	Rate          Rate   `bun:",nullzero"` // of that currency for one of the site's; 0 where it is the site's
	Sealed        []byte `json:"-"`        // the credentials
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Title is what users see.
func (a *Account) Title() fault.Text { return fault.Text{ZH: a.TitleZH, EN: a.TitleEN} }

var accountName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

func (a *Account) check(k *Kind, site setting.Site) error {
	switch {
	case !accountName.MatchString(a.Name):
		return fault.Invalid("name", "format", "名称以小写字母开头，只含小写字母、数字、- 和 _，最长 32 个字符",
			"A name begins with a small letter and has up to 32 small letters, digits, - and _")
	case utf8.RuneCountInString(a.TitleZH) > 50:
		return fault.Invalid("title_zh", "too_long", "标题最长 50 个字符", "A title has at most 50 characters")
	case utf8.RuneCountInString(a.TitleEN) > 50:
		return fault.Invalid("title_en", "too_long", "标题最长 50 个字符", "A title has at most 50 characters")
	case a.Icon != "" && !slices.Contains(Icons, a.Icon):
		return fault.Invalid("icon", "choice", "图标只能是 "+strings.Join(Icons, "、"),
			"The icon is one of: "+strings.Join(Icons, ", "))
	case a.FeePercent < 0 || a.FeePercent > 100_00:
		return fault.Invalid("fee_percent", "range", "费率需为 0 至 100", "The percentage is 0 to 100")
	case a.FeeFixed < 0 || a.FeeFixed > site.RechargeMax:
		return fault.Invalid("fee_fixed", "range", "固定手续费不能小于零或超过充值上限",
			"The fixed fee is not below zero or above the largest recharge")
	case a.Minimum < 0:
		return fault.Invalid("minimum", "range", "下限不能小于零", "The minimum must not be below zero")
	case a.Maximum != 0 && a.Maximum < max(site.RechargeMin, a.Minimum):
		return fault.Invalid("maximum", "range", "上限不能低于下限", "The maximum must not be below the minimum")
	case !slices.Contains(money.Currencies, a.Currency) ||
		(len(k.Currencies) > 0 && !slices.Contains(k.Currencies, a.Currency)):
		return fault.Invalid("currency", "choice", "该支付平台不支持此货币", "This platform cannot be paid in this currency")
	case a.Rate < 0 || a.Rate > maxRate:
		return fault.Invalid("rate", "range", "汇率不能小于零，且不超过一百万", "The rate is not below zero and at most a million")
	case a.Rate == 0 && a.Currency != site.Currency:
		return fault.Invalid("rate", "required", "货币与网站货币不同时必须设置汇率", "A currency other than the site's needs a rate")
	case a.Rate != 0 && a.Currency == site.Currency:
		return fault.Invalid("rate", "unused", "货币与网站货币相同时不能设置汇率", "The site's own currency has no rate")
	}
	return nil
}

// Icons are the names of the pictures that the pages have for ways to pay: one for each kind, and some for what else is
// paid through one of them. Pictures from elsewhere are none: no page loads what the site does not serve.
var Icons = []string{
	"alipay", "bank", "card", "cash", "crypto", "epay", "manual", "sandbox", "stripe", "wallet",
	"wechatpay",
}

// Limits returns the smallest and the largest recharge that begins here.
func (a *Account) Limits(site setting.Site) (minAmount, maxAmount money.Amount) {
	return max(site.RechargeMin, a.Minimum), min(site.RechargeMax, cmp.Or(a.Maximum, site.RechargeMax))
}

// usable reports whether what is paid here has a price in the site's currency, which may have changed since.
func (a *Account) usable(site setting.Site) bool {
	return a.currency(site) == site.Currency || a.Rate != 0
}

// currency is in which it is paid; what is built in has the site's.
func (a *Account) currency(site setting.Site) string { return cmp.Or(a.Currency, site.Currency) }

// Charge returns what a recharge of amount costs here. An amount outside the limits is a fault of the field "amount".
func (a *Account) Charge(site setting.Site, amount money.Amount) (wallet.Charge, error) {
	if minAmount, maxAmount := a.Limits(site); amount < minAmount || amount > maxAmount {
		return wallet.Charge{}, fault.Invalid("amount", "range",
			"此支付方式的充值金额须在 "+minAmount.String()+" 到 "+maxAmount.String()+" 之间",
			"With this gateway the amount must be from "+minAmount.String()+" to "+maxAmount.String())
	}
	fee, err := a.FeePercent.of(amount)
	if err != nil {
		return wallet.Charge{}, err
	}
	if fee, err = fee.Add(a.FeeFixed); err != nil {
		return wallet.Charge{}, err
	}
	pay, err := amount.Add(fee)
	if err == nil && a.currency(site) != site.Currency {
		pay, err = a.Rate.of(pay)
	}
	return wallet.Charge{Gateway: a.Name, Amount: amount, Fee: fee, PayAmount: pay, PayCurrency: a.currency(site)}, err
}
