package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/node"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/shop"
	"airstrip/internal/webhook"
)

// Each kind of event is caused by the part that it is about, with the ids of its object.
func TestWebhooks_EachEvent_ComesWithItsCause(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		var mu sync.Mutex
		bodies := map[string][]string{}
		receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			var event struct{ Type string }
			_ = json.Unmarshal(body, &event)
			mu.Lock()
			defer mu.Unlock()
			bodies[event.Type] = append(bodies[event.Type], string(body))
		}))
		defer receiver.Close()
		if err := h.Settings.Set(h.Context(), settings(`{"webhook_allow_private":true}`)); err != nil {
			h.Fatal(err)
		}
		var types []struct{ Type string }
		h.ask(h.staff[account.Admin], 200, "GET", "/api/v2/staff/webhook-events", "", &types)
		names := []string{}
		for _, of := range types {
			names = append(names, of.Type)
		}
		list, _ := json.Marshal(names)
		var made struct {
			Webhook struct{ ID int64 }
			Secret  string
		}
		h.ask(h.staff[account.Owner], 200, "POST", "/api/v2/staff/webhooks",
			fmt.Sprintf(`{"name":"ops","url":%q,"events":%s,"is_enabled":true}`, receiver.URL, list), &made)
		if !strings.HasPrefix(made.Secret, "whsec_") {
			h.Errorf("the secret is %q", made.Secret)
		}
		shown := h.ask(h.staff[account.Owner], 200, "GET", "/api/v2/staff/webhooks", "", nil)
		if strings.Contains(shown, made.Secret) {
			h.Error("the secret is shown again")
		}

		user := h.addUser(h.T, "hooked", 0)
		r := h.recharge(h.T, user.id, 3000)
		if err := h.sandbox.Close(h.Context(), r.TradeNo, true); err != nil {
			h.Fatal(err)
		}
		if w := h.notify(h.Context(), sandbox.Name, h.signed(notice(r))); w.Code != 200 {
			h.Fatal(w.Body)
		}
		h.ask(user, 200, "POST", buy(h.sells(h.T, shop.KindPlan, 2000)), "{}", nil)
		var opened struct{ UUID string }
		h.ask(user, 200, "POST", "/api/v2/user/tickets-v2/", `{"title":"Slow","content":"Since noon"}`, nil)
		if err := h.DB.NewRaw(`SELECT CAST(uuid AS TEXT) AS uuid FROM ticket`).Scan(h.Context(), &opened); err != nil {
			h.Fatal(err)
		}
		h.ask(h.staff[account.Support], 200, "POST", "/api/v2/staff/tickets/"+opened.UUID+"/notes",
			`{"content":"only we read this"}`, nil)
		if err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
			if err := h.Services.Close(ctx, tx, user.id); err != nil {
				return err
			}
			began, ended := h.now, h.now
			outage := node.Outage{NodeID: 1, BeganAt: began}
			if err := h.notifyOutage(ctx, tx, node.Node{ID: 1, Name: "hk"}, outage); err != nil {
				return err
			}
			outage.EndedAt = &ended
			return h.notifyOutage(ctx, tx, node.Node{ID: 1, Name: "hk"}, outage)
		}); err != nil {
			h.Fatal(err)
		}
		if err := h.Webhooks.Work(h.Context()); err != nil {
			h.Fatal(err)
		}
		for event, want := range map[webhook.Type]string{
			webhook.UserCreated:    `"email":"hooked@example.com"`,
			webhook.RechargePaid:   `"amount":"30.00"`,
			webhook.OrderPaid:      `"amount":"20.00"`,
			webhook.ServiceStarted: fmt.Sprintf(`"user_id":%d`, user.id),
			webhook.ServiceEnded:   `"end_reason":"closed"`,
			webhook.NodeOffline:    `"ended_at":null`,
			webhook.NodeOnline:     `"name":"hk"`,
			webhook.TicketMessage:  `"by_staff":false`, // and none for the note
		} {
			got := bodies[string(event)]
			if len(got) != 1 || !strings.Contains(got[0], want) {
				h.Errorf("%s: %q, want one with %s", event, got, want)
			}
		}

		path := fmt.Sprintf("/api/v2/staff/webhooks/%d", made.Webhook.ID)
		var attempt struct {
			Status     int
			IsAccepted bool `json:"is_accepted"`
		}
		h.ask(h.staff[account.Admin], 200, "POST", path+"/test", "", &attempt)
		if attempt.Status != 200 || !attempt.IsAccepted {
			h.Errorf("the test answers %+v", attempt)
		}
		var log struct {
			Total      int64 `json:"total_count"`
			Deliveries []struct {
				ID    int64
				Type  string
				State string
			}
		}
		h.ask(h.staff[account.Admin], 200, "GET", path+"/deliveries?state=delivered&type=webhook.test", "", &log)
		if log.Total != 1 || log.Deliveries[0].State != "delivered" {
			h.Fatalf("the log has %+v", log)
		}
		one := fmt.Sprintf("%s/deliveries/%d", path, log.Deliveries[0].ID)
		h.ask(h.staff[account.Admin], 200, "POST", one+"/redeliver", "", nil)
		h.ask(h.staff[account.Admin], 409, "POST", one+"/redeliver", "", nil)
		if err := h.Webhooks.Work(h.Context()); err != nil {
			h.Fatal(err)
		}
		var delivery struct{ Log []struct{ Status int } }
		h.ask(h.staff[account.Admin], 200, "GET", one, "", &delivery)
		if len(delivery.Log) != 2 {
			h.Errorf("the delivery has %+v", delivery)
		}
		h.ask(h.staff[account.Owner], 422, "POST", "/api/v2/staff/webhooks",
			`{"name":"a","url":"https://ops.example/","events":["no.such"],"is_enabled":true}`, nil)
		h.ask(h.staff[account.Owner], 404, "POST", "/api/v2/staff/webhooks/1000/rotate", "", nil)
		if !slices.Contains(names, string(webhook.TicketMessage)) || slices.Contains(names, string(webhook.Test)) {
			h.Errorf("the types are %q", names)
		}
	})
}

// An expired service and a quota that is used up are found by the timetable and by reports.
func TestWebhooks_ServiceExpiresAndQuotaIsUsedUp(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		if _, _, err := h.Webhooks.Add(h.Context(), webhook.Draft{
			Name: "ops", URL: "https://ops.example/", Enabled: true,
			Types: []webhook.Type{webhook.ServiceEnded, webhook.QuotaReached},
		}); err != nil {
			h.Fatal(err)
		}
		n := h.add("hk", "")
		access, err := h.Services.Access(h.Context(), h.users[0].id)
		if err != nil || access.QuotaBytes == nil {
			h.Fatalf("%+v, %v", access, err)
		}
		h.now = h.now.Add(time.Hour)
		h.moves(n.Secret, 0, *access.QuotaBytes)
		h.now = h.now.AddDate(1, 0, 0)
		if err := h.Queue.Trigger(h.Context(), "service.expire"); err != nil {
			h.Fatal(err)
		}
		sent, _, err := h.Webhooks.Deliveries(h.Context(), 1, webhook.DeliveryFilter{Limit: 100})
		if err != nil {
			h.Fatal(err)
		}
		count := map[webhook.Type]int{}
		for _, d := range sent {
			count[d.Type]++
		}
		if count[webhook.QuotaReached] != 1 || count[webhook.ServiceEnded] != 3 {
			h.Errorf("%v, want one used-up quota and three ended services", count)
		}
	})
}
