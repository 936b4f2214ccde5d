package v1

import "airstrip/internal/approval"

// StaffGives names, by route, what staff gives that is worth money, a token of staff included; the domain proposes an act
// of that kind. A route of staff that is not here gives nothing.
var StaffGives = map[string][]approval.Kind{
	"GET /v1/payment/admin_notify":            {approval.PaymentByHand},
	"GET /v1/payment/admin_notify_by_cookies": {approval.PaymentByHand},
	"GET /v1/casino_function":                 {approval.Traffic},
}
