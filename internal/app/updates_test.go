package app

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/audit"
	"airstrip/internal/node"
	"airstrip/internal/shop"
)

// update is one change that staff makes to a row, and what of the row then holds, as a condition of SQL. Without the
// latter the change replaces the complete row, so that only the last one remains.
type update struct{ body, holds string }

// updated is a row of a kind that staff changes.
type updated struct {
	method, path string
	change       func(ctx context.Context, body string) error // where no call of the API does it
	action       string
	object       string // of the audit log
	table, where string
	updates      []update
}

func updatedRows(h *fixture, round int) map[string]updated {
	price := h.sells(h.T, shop.KindPlan, 2000)
	plan := h.planOf(price)
	n := h.add(fmt.Sprint("n", round), "").Node.ID
	gateway := h.gateway(fmt.Sprint("bank", round))
	var gatewayID int64
	if err := h.DB.NewRaw(`SELECT id FROM payment_gateway WHERE name = ?`, gateway).
		Scan(h.Context(), &gatewayID); err != nil {
		h.Fatal(err)
	}
	coupon := h.coupon(h.staff[account.Owner], fmt.Sprintf(`{"code":"ROUND%d","amount":"1.00","total":10}`, round)).ID
	var rule struct{ ID int64 }
	h.ask(h.staff[account.Owner], 200, "POST", "/api/v2/staff/audit-rules", `{"name":"r","pattern":"a"}`, &rule)
	const app = `"icon":"x","platforms":["ios"],"import_url":"own://add?url={url}",` +
		`"download_url":"https://own.example/get","formats":["ClashMeta"]`
	id := fmt.Sprint("own", round)
	h.ask(h.staff[account.Owner], 200, "POST", "/api/v2/staff/clients", `{"id":"`+id+`","name":"Own",`+app+
		`,"is_enabled":true}`, nil)
	h.ask(h.staff[account.Owner], 200, "PUT", "/api/v2/staff/link-templates/site/0", `{"document":{"rules":"none"}}`,
		nil)

	each := func(body string) (all []update) {
		for i := range 8 {
			all = append(all, update{body: fmt.Sprintf(body, i)})
		}
		return all
	}
	return map[string]updated{
		"node": {
			method: "PATCH", path: fmt.Sprintf("nodes/%d", n), action: "node.change", object: fmt.Sprint(n),
			table: "node", where: fmt.Sprint("id = ", n),
			updates: []update{
				{`{"enabled":false}`, "NOT enabled"},
				{`{"remark":"z"}`, "remark = 'z'"},
				{`{"name":"other"}`, "name = 'other'"},
				{`{"address":"b.example"}`, "address = 'b.example'"},
				{`{"class":3}`, "class = 3"},
				{`{"country":"JP"}`, "country = 'JP'"},
				{`{"sort":7}`, "sort = 7"},
				{`{"visible":false}`, "NOT visible"},
			},
		},
		"gateway": {
			method: "PATCH", path: fmt.Sprintf("gateways/%d", gatewayID), action: "gateway.change",
			object: fmt.Sprint(gatewayID),
			table:  "payment_gateway", where: fmt.Sprint("id = ", gatewayID),
			updates: []update{
				{`{"enabled":false}`, "NOT enabled"},
				{`{"title_en":"Z"}`, "title_en = 'Z'"},
				{`{"title_zh":"乙"}`, "title_zh = '乙'"},
				{`{"fee_percent":"2.5"}`, "fee_percent = 250"},
				{`{"fee_fixed":"0.10"}`, "fee_fixed = 10"},
				{`{"sort":7}`, "sort = 7"},
				{`{"icon":"cash"}`, "icon = 'cash'"},
				{`{"credentials":{"instructions_en":"another way"}}`, "1 = 1"},
			},
		},
		"coupon": {
			method: "PATCH", path: fmt.Sprintf("coupons/%d", coupon), action: "coupon.write",
			object: fmt.Sprint(coupon),
			table:  "coupon", where: fmt.Sprint("id = ", coupon),
			updates: []update{
				{`{"enabled":false}`, "NOT enabled"},
				{`{"per_user":2}`, "per_user = 2"},
				{`{"first_only":true}`, "first_only"},
				{`{"minimum":"5.00"}`, "minimum = 500"},
				{`{"total":9}`, "total = 9"},
				{`{"months":[1]}`, "CAST(months AS TEXT) = '[1]'"},
				{fmt.Sprintf(`{"plans":[%d]}`, plan), fmt.Sprintf("CAST(plans AS TEXT) = '[%d]'", plan)},
				{`{"valid_to":"2026-09-01T00:00:00Z"}`, "valid_to IS NOT NULL"},
			},
		},
		"plan": {
			method: "PATCH", path: fmt.Sprintf("plans/%d/texts", plan), action: "plan.change", object: fmt.Sprint(plan),
			table: "plan", where: fmt.Sprint("id = ", plan),
			updates: []update{
				{`{"name":"a"}`, "name = 'a'"},
				{`{"info":"b"}`, "info = 'b'"},
				{`{"name_zh":"甲"}`, "CAST(names AS TEXT) LIKE '%甲%'"},
				{`{"name_en":"xylo"}`, "CAST(names AS TEXT) LIKE '%xylo%'"},
				{`{"info_zh":"乙"}`, "CAST(infos AS TEXT) LIKE '%乙%'"},
				{`{"info_en":"yak"}`, "CAST(infos AS TEXT) LIKE '%yak%'"},
			},
		},
		"rule": {
			method: "PUT", path: "audit-rules/" + fmt.Sprint(rule.ID), action: "node.rule.change",
			object:  fmt.Sprint(rule.ID),
			updates: each(`{"name":"r%[1]d","text":"t%[1]d","pattern":"p%[1]d"}`),
		},
		"rule by field": {
			change: func(ctx context.Context, body string) error {
				_, err := h.Nodes.Rules.Change(ctx, rule.ID, func(r *node.Rule) {
					if err := json.Unmarshal([]byte(body), r); err != nil {
						h.Error(err)
					}
				})
				return err
			},
			action: "node.rule.change", object: fmt.Sprint(rule.ID), table: "rule",
			where: "id = " + fmt.Sprint(rule.ID),
			updates: []update{
				{`{"Name":"other"}`, "name = 'other'"},
				{`{"Text":"why"}`, "text = 'why'"},
				{`{"Pattern":"b"}`, "pattern = 'b'"},
			},
		},
		"client": {
			method: "PUT", path: "clients/" + id, action: "client.change", object: id,
			updates: each(`{"name":"Own%d",` + app + `,"sort":%[1]d,"is_enabled":true}`),
		},
		"template": {
			method: "PUT", path: "link-templates/site/0", action: "link.template.set", object: "site/0",
			updates: []update{
				{body: `{"document":{"rules":"basic"}}`},
				{body: `{"document":{"rules":"full"}}`},
				{body: `{"document":{"rules":"none"}}`},
				{body: `{"document":{}}`},
				{body: `{"document":{"rules":"basic"}}`},
				{body: `{"document":{"rules":"full"}}`},
			},
		},
		"setting": {
			change: func(ctx context.Context, body string) error { return h.Settings.Set(ctx, settings(body)) },
			action: "setting.change",
			updates: []update{
				{body: `{"site_name":"a"}`},
				{body: `{"site_name":"b"}`},
				{body: `{"site_name":"c"}`},
				{body: `{"site_name":"d"}`},
				{body: `{"commission_days":3}`},
				{body: `{"commission_days":4}`},
				{body: `{"invite_quota":5}`},
				{body: `{"invite_quota":6}`},
			},
		},
		"role": {
			change: func(ctx context.Context, body string) error {
				return h.Accounts.SetRole(ctx, "user1@example.com", account.Role(body))
			},
			action: "staff.role",
			object: fmt.Sprint(h.users[1].id),
			updates: []update{
				{body: "support"},
				{body: "finance"},
				{body: "viewer"},
				{body: "admin"},
				{body: "support"},
				{body: "finance"},
				{body: "viewer"},
				{body: ""},
			},
		},
	}
}

// Staff that changes different fields of a row at once loses no change, and the audit log tells what each found and
// left.
func TestStaffThatChangesARowAtOnce_LosesNothing(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		for round := range 3 {
			for name, u := range updatedRows(h, round) {
				since := h.lastAudit()
				operator := h.Audit.As(h.Context(), audit.Actor{Kind: audit.Operator, Name: "test"})
				var all sync.WaitGroup
				for _, one := range u.updates {
					all.Go(func() {
						if u.change != nil {
							if err := u.change(operator, one.body); err != nil {
								h.Errorf("%s: %s: %v", name, one.body, err)
							}
							return
						}
						if w := h.call(h.Context(), h.staff[account.Owner], u.method, "/api/v2/staff/"+u.path,
							one.body); w.Code != 200 {
							h.Errorf("%s: %s: %d %s", name, one.body, w.Code, w.Body)
						}
					})
				}
				all.Wait()
				for _, one := range u.updates {
					if one.holds == "" {
						continue
					}
					var kept bool
					query := `SELECT EXISTS (SELECT 1 FROM ` + u.table + ` WHERE ` + u.where + ` AND (` + one.holds +
						`))`
					err := h.DB.NewRaw(query).Scan(h.Context(), &kept)
					if err != nil || !kept {
						h.Errorf("round %d: %s: %s was lost %v", round, name, one.body, err)
					}
				}
				h.chained(name, u, since)
			}
		}
		h.sound(h.T)
	})
}

func (h *fixture) lastAudit() (id int64) {
	h.Helper()
	if err := h.DB.NewRaw(`SELECT COALESCE(MAX(id), 0) FROM audit_entry`).Scan(h.Context(), &id); err != nil {
		h.Fatal(err)
	}
	return id
}

// chained fails where an entry after since did not find a field as the entry before had left it, or there is not one
// entry for each update.
func (h *fixture) chained(name string, u updated, since int64) {
	h.Helper()
	var entries []struct{ Before, After string }
	err := h.DB.NewRaw(`SELECT before, after FROM audit_entry WHERE id > ? AND action = ? AND object_id = ?
		ORDER BY id`,
		since, u.action, u.object).Scan(h.Context(), &entries)
	if err != nil || len(entries) != len(u.updates) {
		h.Errorf("%s: %d changes left %d entries %v", name, len(u.updates), len(entries), err)
	}
	left := map[string]string{}
	for _, e := range entries {
		before, after := fieldsOf(h, e.Before), fieldsOf(h, e.After)
		for field, was := range before {
			if known, ok := left[field]; ok && known != string(was) {
				h.Errorf("%s: an entry says that %s was %s; the one before left %s", name, field, was, known)
			}
		}
		for field := range before { // one that the change took away is null
			left[field] = "null"
		}
		for field, is := range after {
			left[field] = string(is)
		}
	}
}

func fieldsOf(h *fixture, text string) (fields map[string]json.RawMessage) {
	h.Helper()
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		h.Fatalf("%s: %v", text, err)
	}
	return fields
}
