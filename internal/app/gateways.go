package app

import (
	"airstrip/internal/payment"
	"airstrip/internal/payment/manual"
)

// gatewayKinds are the payment platforms that accounts can be opened with, in the order in which staff sees them.
func gatewayKinds() []payment.Kind {
	return []payment.Kind{manual.Kind}
}
