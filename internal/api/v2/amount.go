package v2

import (
	"errors"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/money"
)

// amountSchema describes money.Amount in the contract.
type amountSchema struct{}

// Schema is asked for by huma.
func (amountSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Pattern: `^-?\d+\.\d{2}$`,
		Description: "Decimal amount in the site's currency", Examples: []any{"12.30"},
	}
}

// AmountInput is an amount in a request: a decimal string or a number.
type AmountInput struct {
	money.Amount
	wrong error
}

// UnmarshalJSON reads the amount and leaves what is wrong with it to Resolve, which knows the field's name.
func (a *AmountInput) UnmarshalJSON(b []byte) error {
	a.wrong = a.Amount.UnmarshalJSON(b)
	if a.wrong == nil && (a.Amount > money.Max || a.Amount < -money.Max) {
		a.wrong = money.ErrOverflow
	}
	return nil
}

// Resolve is asked for by huma.
func (a *AmountInput) Resolve(_ huma.Context, path *huma.PathBuffer) []error {
	switch {
	case a.wrong == nil:
		return nil
	case errors.Is(a.wrong, money.ErrOverflow):
		return []error{&huma.ErrorDetail{Location: path.String(), Message: "expected number <= " + money.Max.String()}}
	}
	return []error{&huma.ErrorDetail{Location: path.String(), Message: "expected string to match pattern"}}
}

// Schema is asked for by huma.
func (AmountInput) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		{Type: huma.TypeString, Pattern: `^-?\d+(\.\d{1,2})?$`},
		{Type: huma.TypeNumber},
	}, Description: "Decimal amount with at most two places", Examples: []any{"12.30"}}
}
