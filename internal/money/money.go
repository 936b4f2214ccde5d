// Package money holds amounts as integer hundredths of the site's currency. It contains no floats. Every sum is
// checked: an overflow is an error, never a wrong number.
package money

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Amount is a sum in hundredths of the site currency (fen, cents). On the wire it is a decimal string such as "12.30".
type Amount int64

// Currencies that a site may use: those that ISO 4217 gives two decimal places.
var Currencies = []string{
	"AUD", "BRL", "CAD", "CHF", "CNY", "EUR", "GBP", "HKD", "IDR", "INR", "MYR", "MXN", "NZD",
	"PHP", "PLN", "RUB", "SGD", "THB", "TRY", "TWD", "UAH", "USD", "ZAR",
}

// Max is the largest amount that is read from outside, ten trillion. Thousands of such amounts add up without overflow.
const Max = Amount(1e15)

// Errors of this package.
var (
	ErrOverflow = errors.New("money: the sum is too large")
	ErrFormat   = errors.New("money: not an amount with at most two decimal places")
)

// String gives the amount with exactly two decimal places.
func (a Amount) String() string {
	sign, u := "", uint64(a)
	if a < 0 {
		sign, u = "-", -u
	}
	return fmt.Sprintf("%s%d.%02d", sign, u/100, u%100)
}

// Parse reads "12", "12.3", "12.30" or a negative one of these; ASCII digits only, no exponent, no sign but a minus.
// What is beyond Max either way is ErrOverflow.
func Parse(s string) (Amount, error) {
	a, err := parse(s)
	if err == nil && (a > Max || a < -Max) {
		return 0, ErrOverflow
	}
	return a, err
}

// parse reads every amount that String writes.
func parse(s string) (Amount, error) {
	digits, neg := strings.CutPrefix(s, "-")
	whole, frac, dotted := strings.Cut(digits, ".")
	if whole == "" || len(frac) > 2 || (dotted && frac == "") || !allDigits(whole) || !allDigits(frac) {
		return 0, ErrFormat
	}
	minor, err := strconv.ParseInt(whole+(frac + "00")[:2], 10, 64)
	if err != nil {
		return 0, ErrOverflow
	}
	if neg {
		minor = -minor
	}
	return Amount(minor), nil
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// MarshalJSON writes the decimal string.
func (a Amount) MarshalJSON() ([]byte, error) { return json.Marshal(a.String()) }

// UnmarshalJSON reads a decimal string or a JSON number, those beyond Max too: what was stored can always be read.
func (a *Amount) UnmarshalJSON(b []byte) error {
	s := string(b)
	if len(b) > 0 && b[0] == '"' {
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
	}
	v, err := parse(s)
	if err != nil {
		return err
	}
	*a = v
	return nil
}

// Add gives a + b, or ErrOverflow.
func (a Amount) Add(b Amount) (Amount, error) {
	sum := a + b
	if (b > 0 && sum < a) || (b < 0 && sum > a) {
		return 0, ErrOverflow
	}
	return sum, nil
}

// Share gives a × part / whole for 0 ≤ part ≤ whole and a ≥ 0, rounded down, without overflow in between.
func (a Amount) Share(part, whole int64) (Amount, error) {
	if a < 0 || part < 0 || whole <= 0 || part > whole {
		return 0, fmt.Errorf("money: no share %d/%d of %s", part, whole, a)
	}
	hi, lo := bits.Mul64(uint64(a), uint64(part))
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return Amount(q), nil
}
