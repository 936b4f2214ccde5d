package payment

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"airstrip/internal/money"
)

// Percent is a share in hundredths of a percent, "1.50" on the wire.
type Percent int64

func (p Percent) String() string { return money.Amount(p).String() }

// ParsePercent reads a percentage of at most two decimal places.
func ParsePercent(s string) (Percent, error) {
	a, err := money.Parse(s)
	return Percent(a), err
}

// MarshalJSON writes the decimal string.
func (p Percent) MarshalJSON() ([]byte, error) { return json.Marshal(p.String()) }

// of returns the share of a, rounded up.
func (p Percent) of(a money.Amount) (money.Amount, error) { return scale(a, int64(p), 100_00) }

// Rate is how much of another currency one unit of the site's is, in hundred-millionths: "0.13850000" on the wire.
type Rate int64

const (
	oneRate Rate = 1_0000_0000
	maxRate      = 1_000_000 * oneRate
	places       = 8
)

func (r Rate) String() string { return fmt.Sprintf("%d.%08d", r/oneRate, r%oneRate) }

// ParseRate reads a decimal above zero with at most eight places.
func ParseRate(s string) (Rate, error) {
	whole, part, _ := strings.Cut(s, ".")
	digits := whole + part
	if whole == "" || len(whole) > 7 || len(part) > places || strings.HasSuffix(s, ".") ||
		strings.Trim(digits, "0123456789") != "" {
		return 0, money.ErrFormat
	}
	n, err := strconv.ParseInt(digits+strings.Repeat("0", places-len(part)), 10, 64)
	return Rate(n), err
}

// MarshalJSON writes the decimal string.
func (r Rate) MarshalJSON() ([]byte, error) { return json.Marshal(r.String()) }

// of returns a in the other currency, rounded up, so that a fraction is never lost to the site.
func (r Rate) of(a money.Amount) (money.Amount, error) { return scale(a, int64(r), int64(oneRate)) }

// scale returns a × by / from, rounded up, for values that are not negative.
func scale(a money.Amount, by, from int64) (money.Amount, error) {
	if a < 0 || by < 0 {
		return 0, money.ErrFormat
	}
	hi, lo := bits.Mul64(uint64(a), uint64(by))
	lo, carry := bits.Add64(lo, uint64(from-1), 0)
	hi += carry
	if hi >= uint64(from) {
		return 0, money.ErrOverflow
	}
	q, _ := bits.Div64(hi, lo, uint64(from))
	if q > 1<<63-1 {
		return 0, money.ErrOverflow
	}
	return money.Amount(q), nil
}
