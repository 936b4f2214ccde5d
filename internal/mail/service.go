package mail

import (
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

func (Renewed) kind() string       { return "renewed" }
func (NotRenewed) kind() string    { return "not_renewed" }
func (ServiceEnding) kind() string { return "service_ending" }
func (TrafficUsed) kind() string   { return "traffic_used" }
