package shop

import (
	"time"

	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/service"
)

// ErrCreditTooLarge is the fault of a change to a plan of which the rest of the credit would pay for more than ten
// years.
var ErrCreditTooLarge = fault.Conflict("credit_too_large", "原服务剩余的价值超过该套餐十年的价格，无法全部转为时长；请选择更贵的套餐",
	"What is left of the present service is worth more than ten years of this plan, so it cannot all become time; "+
		"choose a dearer plan")

const maxMonths = 120

// extra is what the rest of a credit brings besides the months that were bought.
type extra struct {
	Seconds int64 `json:"seconds"`
	Bytes   int64 `json:"bytes,omitempty"` // of a quota that never resets
}

// duration returns the time; nil is none.
func (e *extra) duration() time.Duration {
	if e == nil {
		return 0
	}
	return time.Duration(e.Seconds) * time.Second
}

// extraFor returns what the rest of a credit brings of a plan at this price, without any coupon, from a time on.
func (s *Shop) extraFor(p *Price, rest money.Amount, at time.Time) (*extra, error) {
	if p.Amount <= 0 || int64(rest) > int64(p.Amount)*(maxMonths-int64(p.Months))/int64(p.Months) {
		return nil, ErrCreditTooLarge
	}
	bought := func(n int64) (int64, error) { // n for each whole price, and the share of n for what is left
		part, err := money.Amount(n).Share(int64(rest%p.Amount), int64(p.Amount))
		return n*int64(rest/p.Amount) + int64(part), err
	}
	seconds, err := bought(int64(s.services.EndOfNew(at, p.Months).Sub(at) / time.Second))
	if err != nil || p.Plan.Reset != service.Never || p.Plan.TrafficBytes == nil {
		return &extra{Seconds: seconds}, err
	}
	bytes, err := bought(*p.Plan.TrafficBytes)
	return &extra{seconds, bytes}, err
}
