package app

import (
	"airstrip/internal/payment"
	"airstrip/internal/payment/alipay"
	"airstrip/internal/payment/crypto"
	"airstrip/internal/payment/epay"
	"airstrip/internal/payment/manual"
	"airstrip/internal/payment/stripe"
	"airstrip/internal/payment/wechatpay"
)

// gatewayKinds are the supported payment platforms in the order in which staff sees them.
func gatewayKinds() []payment.Kind {
	return []payment.Kind{alipay.Kind, wechatpay.Kind, epay.Kind, stripe.Kind, crypto.Kind, manual.Kind}
}
