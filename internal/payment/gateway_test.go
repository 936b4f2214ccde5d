package payment_test

import (
	"errors"
	"testing"

	"airstrip/internal/payment"
)

func TestNotifyForm_TextThatCannotBeKept_IsUnreadable(t *testing.T) {
	for _, form := range []string{"out_trade_no=1%00", "out_trade_no=%FF", "%00=1", "a=1&a=2", "a=%"} {
		for _, n := range []payment.Notify{{Query: form}, {Body: []byte(form)}} {
			if got, err := n.Form(); !errors.Is(err, payment.ErrUnreadable) {
				t.Errorf("%s: %v, %v; want ErrUnreadable", form, got, err)
			}
		}
	}
	if form, err := (payment.Notify{Query: "out_trade_no=1&name=%E4%BD%A0"}).Form(); err != nil || form["name"] != "你" {
		t.Errorf("%v, %v", form, err)
	}
}
