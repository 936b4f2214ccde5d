// Package notify receives notifications of payment gateways and updates of Telegram. It passes them on unchanged to the
// packages that verify and apply them, and answers as each gateway requires. Requests are limited by address, because
// every notification is stored.
package notify

import (
	"io"
	"net/http"
	"time"

	"airstrip/internal/api"
	"airstrip/internal/limit"
	"airstrip/internal/payment"
)

const maxBody = 64 << 10

// Payments serves GET and POST /v1/payment/notify/{payment_system} on mux. Every notification is stored, so the number
// from one address is limited.
func Payments(mux *http.ServeMux, payments *payment.Payments) {
	perAddress := limit.Per(time.Minute, 600)
	handle := func(w http.ResponseWriter, r *http.Request) {
		answer, err := take(w, r, payments, perAddress)
		if err != nil {
			fail(w, r, err)
			return
		}
		w.Header().Set("Content-Type", answer.ContentType)
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(answer.Status)
		io.WriteString(w, answer.Body)
	}
	mux.HandleFunc("GET /v1/payment/notify/{payment_system}", handle)
	mux.HandleFunc("POST /v1/payment/notify/{payment_system}", handle)
}

func take(w http.ResponseWriter, r *http.Request, payments *payment.Payments,
	perAddress *limit.Limiter,
) (payment.Answer, error) {
	name := r.PathValue("payment_system")
	if _, err := payments.Method(name); err != nil {
		return payment.Answer{}, err
	}
	address := api.CallerOf(r.Context()).IP.String()
	if err := perAddress.Allow(address); err != nil {
		return payment.Answer{}, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return payment.Answer{}, api.Unreadable(err)
	}
	return payments.Notify(r.Context(), name, payment.Notify{
		Method: r.Method, Query: r.URL.RawQuery, Header: r.Header,
		Body: body, Address: address,
	})
}

func fail(w http.ResponseWriter, r *http.Request, err error) {
	f := api.NewFailure(r.Context(), err)
	f.WriteAs(w, map[string]any{"ret": 0, "msg": f.Message, "data": nil, "code": f.Code, "request_id": f.RequestID})
}
