package mail

import (
	"strconv"
	"time"

	"airstrip/internal/money"
)

// Renewed tells that a service renewed itself.
type Renewed struct {
	Service  string
	EndsAt   time.Time // its new end
	Amount   money.Amount
	Currency string
}

// NotRenewed tells that a service could not renew itself.
type NotRenewed struct {
	Service  string
	EndsAt   time.Time
	Missing  money.Amount // in the wallet; 0: it is not that
	Price    money.Amount // above what was agreed; 0: it is not that. Neither of both: it is not sold any more
	Agreed   money.Amount // beside Price; 0: nothing was
	Currency string
	Last     bool // whether it is not tried again
}

// ServiceEnding tells that a service ends soon and does not renew itself.
type ServiceEnding struct {
	Service string
	EndsAt  time.Time
	Days    int // until then, rounded up
}

// TrafficUsed tells how much of a service's traffic is used.
type TrafficUsed struct {
	Service  string
	Percent  int
	ResetsAt *time.Time // nil: not before the service ends
}

func (c Renewed) fill(v *values) {
	v.text("service", c.Service)
	v.time("ends_at", c.EndsAt)
	v.amount("amount", c.Amount, c.Currency)
}

func (c NotRenewed) fill(v *values) {
	v.text("service", c.Service)
	v.time("ends_at", c.EndsAt)
	switch {
	case c.Missing != 0:
		missing := c.Missing.String() + " " + c.Currency
		v.say("cause", "钱包余额还差 "+missing+"。", "your wallet lacks "+missing+".")
		v.say("next_step", "充值后我们会在几小时内自动重试：", "Recharge, and we will try again within a few hours:")
		v.page("next_url", "/user/wallet/recharge/new")
	case c.Price != 0:
		price, zh, en := c.Price.String()+" "+c.Currency, "", ""
		if c.Agreed != 0 {
			agreed := c.Agreed.String() + " " + c.Currency
			zh, en = "由 "+agreed+" ", " instead of "+agreed
		}
		v.say("cause", "价格"+zh+"变为 "+price+"，未经你同意我们不会扣款。",
			"the price is "+price+" now"+en+", and we do not take it before you agree.")
		v.say("next_step", "同意新价格后，我们会在几小时内自动重试：",
			"Agree to the new price, and we will try again within a few hours:")
		v.page("next_url", "/user/services/renewals")
	default:
		v.say("cause", "该套餐已不再出售。", "the plan is not sold any more.")
		v.say("next_step", "请选购其他套餐：", "Please choose another plan:")
		v.page("next_url", "/user/services/buy")
	}
	if c.Last {
		v.say("next_step", "我们不会再尝试。你可以自行续费或选购其他套餐：",
			"We will not try again. You can renew it yourself or choose another plan:")
		v.page("next_url", "/user/services")
	}
}

func (c ServiceEnding) fill(v *values) {
	v.text("service", c.Service)
	v.time("ends_at", c.EndsAt)
	v.say("days", strconv.Itoa(c.Days), strconv.Itoa(c.Days)+" days")
	if c.Days == 1 {
		v.say("days", "1", "1 day")
	}
}

func (c TrafficUsed) fill(v *values) {
	v.text("service", c.Service)
	v.text("percent", strconv.Itoa(c.Percent))
	v.text("reset_note", "")
	if c.ResetsAt != nil {
		v.say("reset_note", "流量将于 "+v.when(*c.ResetsAt)+" 重置。", "It begins anew at "+v.when(*c.ResetsAt)+".")
	}
}

func (Renewed) kind() string       { return "renewed" }
func (NotRenewed) kind() string    { return "not_renewed" }
func (ServiceEnding) kind() string { return "service_ending" }
func (TrafficUsed) kind() string   { return "traffic_used" }
