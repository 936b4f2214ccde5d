package app

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"airstrip/internal/payment"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/shop"
)

// Everything that can end an order or spend what it holds, at once: cancelling, expiry, the notify, staff who confirms
// the recharge by hand, and purchases that want the same balance.
func TestOrder_EverythingAtOnce_EndsInOneState(t *testing.T) {
	eachCluster(t, func(t *testing.T, fronts []*testServer) {
		f := fronts[0]
		c := f.cfg.Config
		late := newTestServer(t, c) // whose clock is ahead, so that for it the order's time is over
		late.DB.SetClock(func() time.Time { return time.Now().Add(31 * time.Minute) })
		plan, pack := f.sells(t, shop.KindPlan, 1000), f.sells(t, shop.KindPackage, 300)
		staff, err := f.Accounts.Create(t.Context(), "staff@example.com", "Staff", "a long enough password", "")
		if err != nil {
			t.Fatal(err)
		}
		ended := map[shop.State]int{}
		for i := range size(6, 1_000) {
			who := f.addUser(t, fmt.Sprintf("user%d", i), 400)
			placed := f.call(t.Context(), who, http.MethodPost, buy(plan), `{"gateway":"`+sandbox.Name+`"}`)
			o, err := answer[struct {
				Order    struct{ No int64 }
				Recharge struct{ ID string }
			}](placed)
			if err != nil {
				t.Fatal(err)
			}
			r, err := f.Payments.Show(t.Context(), who.id, o.Recharge.ID)
			if err != nil {
				t.Fatal(err)
			}
			no := strconv.FormatInt(o.Order.No, 10)
			byHand := func(f *testServer) error {
				_, err := f.Payments.ConfirmByHand(f.operator(t), payment.Confirmation{
					TradeNo: r.TradeNo,
					StaffID: staff.ID, Address: "192.0.2.1",
				})
				if errors.Is(err, payment.ErrNotPaid) {
					return nil // asked before the payer had pressed the button
				}
				return err
			}
			acts := []func(f *testServer) error{
				func(f *testServer) error {
					w := f.call(t.Context(), who, http.MethodPost, "/api/v2/user/orders/"+no+"/cancel", "")
					return oneOf(w.Code, w.Body, http.StatusOK, http.StatusConflict)
				},
				func(*testServer) error { return late.Payments.Expire(t.Context()) },
				func(f *testServer) error {
					if err := f.sandbox.Close(t.Context(), r.TradeNo, true); err != nil {
						return err
					}
					w := f.notify(t.Context(), sandbox.Name, f.signed(notice(r)))
					return oneOf(w.Code, w.Body, http.StatusOK)
				},
				func(f *testServer) error {
					w := f.call(t.Context(), who, http.MethodPost, buy(pack), "")
					return oneOf(w.Code, w.Body, http.StatusOK, http.StatusConflict)
				},
				byHand,
				func(f *testServer) error { return f.Payments.Check(t.Context()) },
			}
			if i%2 == 0 { // half of the orders may be completed: nobody ends them
				acts = acts[2:]
			}
			var wg sync.WaitGroup
			for j, act := range acts {
				at := fronts[(i+j)%len(fronts)]
				wg.Go(func() {
					time.Sleep(time.Duration((i*7+j*13)%5) * time.Millisecond)
					if err := act(at); err != nil {
						t.Errorf("order %d, act %d: %v", i, j, err)
					}
				})
			}
			wg.Wait()
			if err := byHand(f); err != nil {
				t.Fatal(err)
			}
			order, err := f.Shop.Order(t.Context(), who.id, no)
			if err != nil {
				t.Fatal(err)
			}
			services, packages, err := f.Services.List(t.Context(), who.id)
			if err != nil {
				t.Fatal(err)
			}
			ended[order.State]++
			b := f.balance(t, who.id)
			worth := int64(b.Posted) + 1000*int64(len(services)) + 300*int64(len(packages))
			if worth != 1000 || b.Held != 0 || order.State == shop.Pending ||
				(order.State == shop.Paid) != (len(services) == 1) || len(services) > 1 {
				t.Fatalf("order %d is %s: %+v, %d services, %d packages", i, order.State, b, len(services),
					len(packages))
			}
		}
		t.Log(ended)
		f.sound(t)
	})
}

func oneOf(code int, body fmt.Stringer, want ...int) error {
	for _, w := range want {
		if w == code {
			return nil
		}
	}
	return fmt.Errorf("%d %s", code, body)
}
