package app

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/announcement"
	"airstrip/internal/audit"
	"airstrip/internal/bulk"
	"airstrip/internal/cdkey"
	"airstrip/internal/console"
	"airstrip/internal/fault"
	"airstrip/internal/guide"
	"airstrip/internal/job"
	"airstrip/internal/link"
	"airstrip/internal/mail"
	"airstrip/internal/node"
	"airstrip/internal/payment"
	"airstrip/internal/payment/manual"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/permission"
	"airstrip/internal/reconciliation"
	"airstrip/internal/role"
	"airstrip/internal/shareaccount"
	"airstrip/internal/shop"
	"airstrip/internal/sitepicture"
	"airstrip/internal/ticket"
	"airstrip/internal/traffic"
	"airstrip/internal/wallet"
	"airstrip/internal/webhook"
)

// act is a call of one staff operation that succeeds: as whom, with which path, and what it sends.
type act struct {
	as         testUser
	path, body string
	media      string // of the body; empty: JSON
	reads      bool   // changes nothing, although it is no GET
}

// knownSecrets are texts that the acts send or that the site has, none of which may stand in the audit log.
var knownSecrets = []string{
	"swordfish-transfer-account", "aVeryLong1SharedKey9zQ", "sk_live_of_the_gateway",
	"correct-horse-of-netflix", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "hunter2-smtp",
}

// auditedActs gives, by the operation's id, how to bring the site to where the call succeeds and the call itself.
// Nothing that the preparation does has an actor, so it leaves no entry.
func auditedActs(h *fixture) map[string]func() act {
	ctx, admin, bob, owner, user := h.Context(), h.staff[account.Admin], h.staff[account.Finance],
		h.staff[account.Owner], h.users[0]
	price := h.sells(h.T, shop.KindPlan, 2000)
	h.sells(h.T, shop.KindPackage, 300)
	must := func(err error) {
		h.Helper()
		if err != nil {
			h.Fatal(err)
		}
	}
	paid := func() *wallet.Recharge {
		r := h.recharge(h.T, user.id, 3000)
		must(h.sandbox.Close(ctx, r.TradeNo, true))
		if w := h.notify(ctx, sandbox.Name, h.signed(notice(r))); w.Code != 200 {
			h.Fatal(w.Body)
		}
		return r
	}
	order := func() (no int64) {
		h.give(h.T, user.id, 2000)
		var made struct{ Order struct{ No int64 } }
		h.ask(user, 200, "POST", buy(price), "{}", &made)
		return made.Order.No
	}
	paymentCase := func() int64 {
		r := paid()
		again := notice(r)
		again.Set("transaction_id", "SB-again-"+r.TradeNo)
		h.notify(ctx, sandbox.Name, h.signed(again))
		cases, _, err := h.Payments.Cases(ctx, payment.CaseOpen, 1, 0)
		if err != nil || len(cases) == 0 {
			h.Fatal(cases, err)
		}
		return cases[0].ID
	}
	alone := func() { h.limited("100000.00") }
	waiting := func() { h.limited("0.00") }
	adjustment := func() int64 {
		waiting()
		made, err := h.Wallets.Adjust(ctx, user.id, 100, "test", &admin.id)
		must(err)
		return made.ID
	}
	batch := func(by *int64) int64 {
		made, _, err := h.CDKeys.Make(ctx, cdkey.Batch{
			Gift: cdkey.Gift{Kind: cdkey.Amount, Amount: 100}, Size: 1,
			MaxUses: 1,
		}, by)
		must(err)
		return made.ID
	}
	rule := func() int64 {
		made, err := h.Nodes.Rules.Add(ctx, "test", "", `(^|\.)example\.com:`)
		must(err)
		return made.ID
	}
	addNode := func() node.Node {
		made, _, err := h.Nodes.Add(ctx, node.Draft("hk", node.VMess, "hk.example", 80))
		must(err)
		return made
	}
	announced := func() int64 {
		made, err := h.Announcements.Add(ctx, announcement.Announcement{
			Type: announcement.Index, Audience: announcement.ForAll, Title: "Hello",
		})
		must(err)
		return made.ID
	}
	slug := 0
	guided := func() int64 {
		slug++
		made, err := h.Guides.Add(ctx, guide.Guide{
			Slug: fmt.Sprint("unused-", slug), Title: "Hello", Body: "Hello", Category: "Hello",
		})
		must(err)
		return made.ID
	}
	bank := 0
	gateway := func() int64 {
		bank++
		made, err := h.Gateways.Add(ctx, payment.Account{
			Kind: manual.Kind.Name, Name: fmt.Sprint("unused", bank),
			Enabled: true,
		},
			map[string]string{"instructions_zh": "转账", "instructions_en": "transfer"})
		must(err)
		return made.ID
	}
	refund := func() int64 {
		waiting()
		made, err := h.Payments.GiveBack(ctx, payment.RefundWish{
			RechargeID: paid().ID, Amount: 100, Reason: "test",
			StaffID: &admin.id,
		})
		must(err)
		return made.ID
	}
	waitingCase := func() int64 {
		id := paymentCase()
		waiting()
		_, err := h.Payments.CreditCase(ctx, payment.CaseCredit{CaseID: id, Reason: "test", StaffID: &admin.id})
		must(err)
		return id
	}
	late := 0
	heldBatch := func() (nodeID, id int64) {
		late++
		n := addNode()
		r, err := h.Traffic.Record(ctx, traffic.Report{
			Node: n, ID: fmt.Sprint("boot:", late), Hash: sha256.Sum256([]byte{byte(late)}), From: h.now.AddDate(0, 0,
				-9), To: h.now.AddDate(0, 0, -8),
			Rows: []traffic.Row{{UserID: user.id, Up: 100, Down: 200}},
		})
		must(err)
		kept, _, err := h.Traffic.HeldBatches(ctx, traffic.HeldQuery{NodeID: n.ID, Limit: 1})
		if must(err); len(kept) != 1 {
			h.Fatalf("no batch is kept: %+v", r)
		}
		return n.ID, kept[0].ID
	}
	hook := func() int64 {
		made, _, err := h.Webhooks.Add(ctx, webhook.Draft{
			Name: "ops", URL: "https://127.0.0.1:9/", Types: []webhook.Type{webhook.OrderPaid},
		})
		must(err)
		return made.ID
	}
	key := func() int64 {
		_, made, err := h.Accounts.APITokens.MakeKey(ctx, account.Identity{UserID: owner.id},
			account.APITokenDraft{Name: "dashboards", Scopes: []account.Scope{account.ScopeGrafana}}, "",
			account.Client{})
		must(err)
		return made.ID
	}
	ownRole := func(name string) role.Own {
		made, err := h.Roles.Make(ctx, permission.Owner.Set(), name, []string{"ticket.read"}, "")
		must(err)
		return made
	}
	share := func() shareaccount.Account {
		made, err := h.Shares.Add(ctx, shareaccount.Draft{Name: "Netflix", Enabled: true},
			shareaccount.NewSecret{Password: "correct-horse-of-netflix"})
		must(err)
		return made
	}
	client := func(id string) string {
		must(h.Links.AddApp(ctx, link.App{
			ID: id, Name: "Own", Icon: "x", Platforms: []string{"ios"}, ImportURL: "own://add?url={url}",
			DownloadURL: "https://own.example/get", Formats: []string{"ClashMeta"},
		}))
		return id
	}
	const ownClient = `"name":"Other","icon":"x","platforms":["ios"],"import_url":"own://add?url={url}",` +
		`"download_url":"https://own.example/get","formats":["ClashMeta"],"sort":1,"is_enabled":true`
	network := "198.51.100.0/24"
	until := url.QueryEscape(h.now.AddDate(0, 0, 1).Format(time.RFC3339))
	staff := func(as testUser, path, body string, args ...any) act {
		return act{as: as, path: fmt.Sprintf("/api/v2/staff/"+path, args...), body: body}
	}
	confirm := func(path string) func() act {
		return func() act {
			alone()
			r, err := h.Payments.Recharge(ctx, user.id, "bank", 1000)
			must(err)
			return act{as: bob, path: path + "?out_trade_no=" + r.TradeNo}
		}
	}
	email := "user2@example.com"
	replace := func(path string) func() act {
		return func() act {
			former := email
			email = "a" + email
			return act{as: admin, path: fmt.Sprintf("%s?user_id=%d&user_old_email=%s&user_new_email=%s", path,
				h.users[2].id, former, email)}
		}
	}
	h.gateway("bank")
	must(h.Settings.Set(ctx, settings(`{"emby_url":"https://media.example"}`)))

	support := h.staff[account.Support]
	newTicket := func() int64 {
		made, err := h.Tickets.Open(ctx, user.id, ticket.Draft{Title: "test", Content: "test"})
		must(err)
		return made.ID
	}
	canned := func(name string) int64 {
		made, err := h.Tickets.SetCannedAnswer(ctx, ticket.CannedAnswer{Name: name, ContentZH: "test"})
		must(err)
		return made.ID
	}

	view := func(resource, name string) int64 {
		made, err := h.Console.AddView(ctx, console.Viewer{
			UserID: support.id, MayRead: func(string) bool { return true },
		}, console.View{Resource: resource, Name: name})
		must(err)
		return made.ID
	}

	// A job that fails for its one user, who has no service.
	bulkJob := func(steps ...string) int64 {
		alone()
		who := account.Identity{UserID: admin.id, Role: account.Admin}
		j, err := h.Bulks.Freeze(ctx, who, bulk.Job{
			Kind: bulk.Reset, Reason: "x",
		}, bulk.Selection{IDs: []int64{h.addUser(h.T, fmt.Sprint("bulk", late), 0).id}})
		late++
		must(err)
		for _, step := range steps {
			do := map[string]func(context.Context, account.Identity, int64) (*bulk.Job, error){
				"start": h.Bulks.Start, "stop": h.Bulks.Stop,
			}[step]
			_, err := do(ctx, who, j.ID)
			must(err)
		}
		return j.ID
	}
	return map[string]func() act{
		"staff_ticket_answer": func() act {
			return staff(support, "tickets/%d/messages", `{"content":"an answer"}`, newTicket())
		},
		"staff_ticket_note": func() act { return staff(support, "tickets/%d/notes", `{"content":"a note"}`, newTicket()) },
		"staff_ticket_attachment_upload": func() act {
			a := staff(support, "ticket-attachments/%s?name=a.log", "a log", uuid.New())
			a.media = "application/octet-stream"
			return a
		},
		"staff_ticket_attachment_remove": func() act {
			made, err := h.Tickets.Upload(ctx, support.id, uuid.New(), "a.log", []byte("a log"))
			must(err)
			return staff(support, "ticket-attachments/%s", "", made.UUID)
		},
		"staff_ticket_change": func() act {
			return staff(support, "tickets/%d", `{"priority":"high"}`, newTicket())
		},
		"staff_ticket_merge": func() act {
			return staff(support, "tickets/%d/merge", fmt.Sprintf(`{"into":"%d"}`, newTicket()), newTicket())
		},
		"staff_view_add": func() act {
			return staff(support, "views", `{"resource":"users","name":"new","is_shared":true,"search":"","columns":[],`+
				`"is_dense":false}`)
		},
		"staff_view_change": func() act {
			return staff(support, "views/%d", `{"name":"changed","is_shared":true,"search":"","columns":[],"is_dense":true}`,
				view("users", "change"))
		},
		"staff_view_remove": func() act { return staff(support, "views/%d", "", view("users", "remove")) },
		"staff_views_order": func() act {
			one, other := view("services", "one"), view("services", "other")
			return staff(support, "views/order", fmt.Sprintf(`{"resource":"services","views":[%d,%d]}`, other, one))
		},
		"staff_view_layout_set": func() act {
			return staff(support, "views/layout", `{"resource":"users","columns":["email"],"is_dense":true}`)
		},
		"staff_canned_answer_add": func() act {
			return staff(support, "canned-answers", `{"name":"new","content_zh":"test","content_en":""}`)
		},
		"staff_canned_answer_change": func() act {
			return staff(support, "canned-answers/%d", `{"name":"changed","content_zh":"test","content_en":""}`,
				canned("change"))
		},
		"staff_canned_answer_remove": func() act { return staff(support, "canned-answers/%d", "", canned("remove")) },
		"staff_adjustment_make": func() act {
			alone()
			return staff(bob, "wallet-adjustments", fmt.Sprintf(`{"user_id":%d,"amount":"1.00","reason":"an outage"}`,
				user.id))
		},
		"staff_adjustment_confirm": func() act { return staff(bob, "wallet-adjustments/%d/confirm", "", adjustment()) },
		"staff_adjustment_decline": func() act { return staff(bob, "wallet-adjustments/%d/decline", "", adjustment()) },
		"staff_approval_decide": func() act {
			adjustment()
			return staff(bob, "approvals/%d/decision", `{"approve":true}`, h.newestAct().ID)
		},
		"staff_announcement_add": func() act { return staff(admin, "announcements", `{"title":"Welcome"}`) },
		"staff_announcement_change": func() act {
			return staff(admin, "announcements/%d", `{"title":"Goodbye"}`, announced())
		},
		"staff_announcement_broadcast": func() act {
			return staff(admin, "announcements/%d/broadcast", `{"channel":"mail"}`, announced())
		},
		"staff_announcement_broadcast_stop": func() act {
			id := announced()
			_, err := h.Broadcasts.Start(ctx, id, announcement.ByMail, "")
			must(err)
			return staff(admin, "announcements/%d/broadcast/stop", `{"channel":"mail"}`, id)
		},
		"staff_announcement_remove": func() act { return staff(admin, "announcements/%d", "", announced()) },
		"admin_announcement_set": func() act {
			return act{as: admin, path: "/api/v2/admin_api/announcement", body: "# Hello", media: "text/plain"}
		},
		"POST /v1/admin/announcement": func() act {
			return act{as: admin, path: "/v1/admin/announcement", body: "# Good morning", media: "text/plain"}
		},
		"staff_guide_add": func() act {
			return staff(admin, "guides", `{"slug":"hello","title":"Hello","body":"Hello","category":"Hello"}`)
		},
		"staff_guide_change": func() act { return staff(admin, "guides/%d", `{"title":"Goodbye"}`, guided()) },
		"staff_guide_remove": func() act { return staff(admin, "guides/%d", "", guided()) },
		"staff_audit_rule_make": func() act {
			return staff(admin, "audit-rules",
				`{"name":"test","pattern":"example"}`)
		},
		"staff_audit_rule_change": func() act {
			return staff(admin, "audit-rules/%d",
				`{"name":"test","pattern":"another"}`, rule())
		},
		"staff_audit_rule_remove": func() act { return staff(admin, "audit-rules/%d", "", rule()) },
		"staff_ip_unblock": func() act {
			_, err := h.Nodes.Blocklist.Block(ctx, addNode(), []string{"8.8.4.4"})
			must(err)
			return staff(admin, "blocked-ips/unblock", `{"ip":"8.8.4.4"}`)
		},
		"staff_cd_keys_make": func() act {
			alone()
			return staff(bob, "cd-keys", `{"kind":"amount","amount":"1.00","size":1}`)
		},
		"staff_cd_keys_confirm": func() act {
			waiting()
			return staff(bob, "cd-keys/%d/confirm", "", batch(&admin.id))
		},
		"staff_cd_keys_void": func() act { return staff(bob, "cd-keys/%d/void", "", batch(nil)) },
		"staff_cd_key_void": func() act {
			id := batch(nil)
			_, keys, err := h.CDKeys.Batch(ctx, id, 1, 0)
			must(err)
			return staff(bob, "cd-keys/%d/keys/%d/void", "", id, keys[0].ID)
		},
		"staff_client_add":    func() act { return staff(admin, "clients", `{"id":"own",`+ownClient+`}`) },
		"staff_client_change": func() act { return staff(admin, "clients/"+client("other"), `{`+ownClient+`}`) },
		"staff_client_remove": func() act { return staff(admin, "clients/"+client("third"), "") },
		"staff_coupon_make": func() act {
			alone()
			return staff(bob, "coupons", `{"code":"SPRING","amount":"1.00","total":1}`)
		},
		"staff_coupon_change": func() act {
			made, err := h.Shop.AddCoupon(ctx, shop.Coupon{Code: "AUTUMN", Enabled: true, Percent: new(50)}, nil)
			must(err)
			return staff(bob, "coupons/%d", `{"enabled":false}`, made.ID)
		},
		"staff_settings_change": func() act {
			return staff(owner, "settings", `{"values":{"site_name":"Other"},"reset":["ticket_max_open"],`+
				`"secrets":{"smtp_password":"hunter2-smtp"},"reason":"why"}`)
		},
		"staff_setting_test": func() act { return staff(admin, "settings/tests/attachments", "") },
		"staff_job_run":      func() act { return staff(admin, "jobs/timetable/service.expire/run", "") },
		"staff_job_retry": func() act {
			must(h.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
				must(job.Add(ctx, tx, h.DB.Now(), "nothing", 0, job.Options{}))
				_, err := tx.NewRaw(`UPDATE job SET failed = ?, ended_at = ? WHERE kind = 'nothing'`, true, h.DB.Now()).
					Exec(ctx)
				return err
			}))
			failed, _, err := h.Queue.Find(ctx, job.Failed, "nothing", 1, 0)
			must(err)
			return staff(admin, "jobs/%d/retry", "", failed[0].ID)
		},
		"staff_role_make": func() act {
			return staff(owner, "roles", `{"name":"Night shift","permissions":["ticket.read"]}`)
		},
		"staff_role_change": func() act {
			return staff(owner, "roles/%d", `{"permissions":["ticket.read","ticket.answer"]}`, ownRole("a").ID)
		},
		"staff_role_remove": func() act { return staff(owner, "roles/%d", "", ownRole("b").ID) },
		"staff_member_add": func() act {
			return staff(owner, "members", `{"email":"user1@example.com","role":"viewer","reason":"x"}`)
		},
		"staff_member_change": func() act {
			must(h.Accounts.SetRole(ctx, "user1@example.com", account.Viewer))
			return staff(owner, "members/%d", `{"role":"support","reason":"x"}`, h.users[1].id)
		},
		"staff_member_remove": func() act {
			must(h.Accounts.SetRole(ctx, "user1@example.com", account.Viewer))
			return staff(owner, "members/%d?reason=x", "", h.users[1].id)
		},
		"staff_webhook_add": func() act {
			return staff(owner, "webhooks", `{"name":"ops","url":"https://ops.example/","events":["order.paid"],`+
				`"is_enabled":false}`)
		},
		"staff_webhook_change": func() act {
			return staff(owner, "webhooks/%d", `{"name":"other","url":"https://ops.example/","events":["user.created"],`+
				`"is_enabled":false}`, hook())
		},
		"staff_webhook_rotate": func() act { return staff(owner, "webhooks/%d/rotate", "", hook()) },
		"staff_webhook_remove": func() act { return staff(owner, "webhooks/%d", "", hook()) },
		"staff_webhook_test":   func() act { return staff(admin, "webhooks/%d/test", "", hook()) },
		"staff_webhook_redeliver": func() act {
			id := hook()
			_, err := h.Webhooks.SendTest(ctx, id)
			must(err)
			sent, _, err := h.Webhooks.Deliveries(ctx, id, webhook.DeliveryFilter{Limit: 1})
			must(err)
			return staff(admin, "webhooks/%d/deliveries/%d/redeliver", "", id, sent[0].ID)
		},
		"staff_share_account_add": func() act {
			return staff(admin, "share-accounts", `{"name":"Netflix","is_enabled":true,`+
				`"password":"correct-horse-of-netflix","totp":"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"}`)
		},
		"staff_share_account_change": func() act {
			return staff(admin, "share-accounts/%d", `{"name":"Other","is_enabled":false}`, share().ID)
		},
		"staff_share_account_rotate": func() act {
			return staff(admin, "share-accounts/%d/rotate", `{"password":"correct-horse-of-netflix"}`, share().ID)
		},
		"staff_share_account_remove": func() act {
			return staff(admin, "share-accounts/%d", "", share().ID)
		},
		"staff_emby_set": func() act { return staff(admin, "emby/%d", `{"state":"disabled"}`, user.id) },
		"staff_recharge_refund": func() act {
			alone()
			return staff(bob, "recharges/%d/refund", `{"amount":"1.00","reason":"an outage"}`, paid().ID)
		},
		"staff_recharge_confirm": func() act {
			alone()
			return staff(bob, "recharges/%d/confirm", `{"outside":true,"reason":"paid in cash"}`,
				h.recharge(h.T, user.id, 500).ID)
		},
		"staff_order_make": func() act {
			alone()
			return staff(admin, "users/%d/orders", fmt.Sprintf(
				`{"plan_id":%d,"months":1,"price":"9.00","gateway":"sandbox","reason":"an outage"}`, h.planOf(price)), user.id)
		},
		"staff_order_cancel": func() act {
			no, err := h.Payments.Confirm(ctx, user.id, shop.Purchase{PriceID: h.sells(h.T, shop.KindPlan, 900_000)},
				sandbox.Name)
			must(err)
			return staff(support, "orders/%d/cancel", `{"reason":"asked"}`, no)
		},
		"staff_recharge_refund_confirm": func() act { return staff(bob, "recharge-refunds/%d/confirm", "", refund()) },
		"staff_recharge_refund_decline": func() act { return staff(bob, "recharge-refunds/%d/decline", "", refund()) },
		"staff_gateway_add": func() act {
			return staff(owner, "gateways",
				`{"kind":"epay","name":"new","credentials":{"api_url":"https://pay.example/","pid":"1","key":"sk_live_of_the_gateway"}}`)
		},
		"staff_gateway_change": func() act {
			return staff(owner, "gateways/%d",
				`{"title_en":"Other","credentials":{"instructions_en":"swordfish-transfer-account"}}`, gateway())
		},
		"staff_gateway_test": func() act {
			a := staff(bob, "gateways/%d/test", "", gateway())
			a.reads = true
			return a
		},
		"staff_gateways_order": func() act {
			gateway()
			accounts, err := h.Gateways.List(ctx)
			must(err)
			ids := []int64{}
			for i := range slices.Backward(accounts) {
				ids = append(ids, accounts[i].ID)
			}
			body, err := json.Marshal(map[string]any{"gateways": ids})
			must(err)
			return staff(owner, "gateways/order", string(body))
		},
		"staff_gateway_remove": func() act { return staff(owner, "gateways/%d", "", gateway()) },
		"staff_link_template_set": func() act {
			return staff(admin, "link-templates/site/0", `{"document":{"rules":"none"}}`)
		},
		"staff_link_template_remove": func() act {
			must(h.Links.SetTemplate(ctx, link.Template{
				Scope:    link.ForSite,
				Document: json.RawMessage(`{"rules":"none"}`),
			}))
			return staff(admin, "link-templates/site/0", "")
		},
		"staff_link_template_preview": func() act {
			a := staff(admin, "link-templates/preview", `{"client_type":"SingBox"}`)
			a.reads = true
			return a
		},
		"staff_plan_texts_set": func() act {
			plans, err := h.Shop.ListPlans(ctx)
			must(err)
			return staff(admin, "plans/%d/texts", `{"name_en":"Standard"}`, plans[0].ID)
		},
		"staff_plan_make": func() act {
			return staff(owner, "plans", `{"kind":"plan","name":"Large","prices":[{"months":1,"amount":"30.00"}]}`)
		},
		"staff_plan_change": func() act {
			plans, err := h.Shop.ListPlans(ctx)
			must(err)
			return staff(owner, "plans/%d", `{"devices":9}`, plans[0].ID)
		},
		"staff_plan_archive": func() act {
			plans, err := h.Shop.ListPlans(ctx)
			must(err)
			return staff(owner, "plans/%d/archive", "", plans[len(plans)-1].ID)
		},
		"staff_plan_restore": func() act {
			plans, err := h.Shop.ListPlans(ctx)
			must(err)
			must(h.Shop.RemovePlan(ctx, plans[len(plans)-1].ID))
			return staff(owner, "plans/%d/restore", "", plans[len(plans)-1].ID)
		},
		"staff_plans_order": func() act {
			plans, err := h.Shop.ListPlans(ctx)
			must(err)
			ids := []int64{}
			for _, p := range slices.Backward(plans) {
				ids = append(ids, p.ID)
			}
			body, err := json.Marshal(map[string]any{"plans": ids})
			must(err)
			return staff(owner, "plans/order", string(body))
		},
		"staff_site_picture_set": func() act {
			must(h.Pictures.Set(ctx, sitepicture.Logo, samplePNG(192)))
			return staff(admin, "site-pictures/logo", `{"data":"`+base64.StdEncoding.EncodeToString(samplePNG(256))+`"}`)
		},
		"staff_site_picture_remove": func() act {
			must(h.Pictures.Set(ctx, sitepicture.Icon, samplePNG(192)))
			return staff(admin, "site-pictures/icon", "")
		},
		"staff_mail_template_set": func() act {
			return staff(owner, "mail-templates/login/en", `{"subject":"Your code","body":"{{code}}"}`)
		},
		"staff_mail_template_reset": func() act {
			must(h.Mails.SetTemplate(ctx, mail.Template{
				Kind: "login", Lang: fault.ZH, Subject: "验证码", Body: "{{code}}",
			}))
			return staff(owner, "mail-templates/login/zh-CN", "")
		},
		"staff_mail_template_preview": func() act {
			a := staff(admin, "mail-templates/login/en/preview", `{"subject":"Your code","body":"{{code}}"}`)
			a.reads = true
			return a
		},
		"staff_mail_template_test": func() act {
			return staff(owner, "mail-templates/login/en/test", `{"subject":"Your code","body":"{{code}}"}`)
		},
		"staff_mail_retry": func() act {
			must(h.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
				return h.Mails.Send(ctx, tx, mail.Message{To: "someone@example.com", Content: mail.EmailTaken{}})
			}))
			must(h.Outbox.Work(ctx))
			mails, _, err := h.Mails.Find(ctx, mail.Filter{Recipient: "someone@example.com", Limit: 1})
			must(err)
			return staff(admin, "mails/%d/retry", "", mails[0].ID)
		},
		"staff_refund_decide": func() act {
			var request struct{ ID int64 }
			h.ask(user, 200, "POST", fmt.Sprintf("/api/v2/user/orders/%d/refund-request", order()),
				`{"reason":"unused"}`, &request)
			return staff(bob, "refund-requests/%d/decision", `{"grant":false,"answer":"it was used"}`, request.ID)
		},
		"staff_settlement_enter": func() act {
			r := paid()
			return staff(bob, "settlements", `{"gateway":"`+r.Gateway+`","gross":"10.00","fee":"0.06",`+
				`"reference":"PO-1","arrived_at":"2026-01-02T00:00:00Z"}`)
		},
		"staff_settlement_reverse": func() act {
			r := paid()
			made, err := h.Wallets.Settle(ctx, wallet.Settlement{
				Gateway: r.Gateway, Gross: 100, Reference: "PO-reversed", ArrivedAt: r.CreatedAt,
			})
			must(err)
			return staff(bob, "settlements/%d/reverse", `{"reason":"typed wrongly"}`, made.ID)
		},
		"staff_statement_preview": func() act {
			preview := staff(bob, "statements/preview", `{"text":"time,id,amount\n2026-01-02,SB1,1.00\n"}`)
			preview.reads = true
			return preview
		},
		"staff_statement_import": func() act {
			return staff(bob, "statements", `{"gateway":"sandbox","name":"January","text":"time,id,amount\n2026-01-02,SB1,1.00\n"}`)
		},
		"staff_statement_remove": func() act {
			made, err := h.Reconciliation.Import(ctx, reconciliation.Import{
				Gateway: sandbox.Name, Name: "wrong", Text: "time,id,amount\n2026-01-03,SB1,1.00\n",
			})
			must(err)
			return staff(bob, "statements/%d?reason=wrong+columns", "", made.ID)
		},
		"staff_payout_pay": func() act {
			id := h.payout(user)
			alone()
			return staff(bob, "commission-payouts/%d/pay", `{"note":"T1"}`, id)
		},
		"staff_payout_refuse": func() act {
			return staff(bob, "commission-payouts/%d/refuse", `{"answer":"the name is wrong"}`, h.payout(user))
		},
		"staff_order_refund": func() act {
			alone()
			return staff(bob, "orders/%d/refund", `{"reason":"an outage"}`, order())
		},
		"staff_node_add": func() act {
			return staff(admin, "nodes", `{"protocol":"trojan","name":"jp","address":"jp.example","port":443}`)
		},
		"staff_node_change":  func() act { return staff(admin, "nodes/%d", `{"port":8080}`, addNode().ID) },
		"staff_node_remove":  func() act { return staff(admin, "nodes/%d", "", addNode().ID) },
		"staff_node_secret":  func() act { return staff(admin, "nodes/%d/secret", `{}`, addNode().ID) },
		"staff_node_silence": func() act { return staff(admin, "nodes/%d/silence", `{"hours":2}`, addNode().ID) },
		"staff_nodes_change": func() act {
			return staff(admin, "nodes/change-several", fmt.Sprintf(`{"ids":[%d],"rate":"2"}`, addNode().ID))
		},
		"staff_audit_csv":         func() act { return staff(admin, "audit/csv", "") },
		"staff_link_fetches_csv":  func() act { return staff(admin, "link-fetches/csv", "") },
		"staff_audit_records_csv": func() act { return staff(admin, "audit-records/csv", "") },
		"staff_clients_order":     func() act { return staff(admin, "clients/order", `{"ids":["v2rayng"]}`) },
		"staff_audit_rules_try": func() act {
			a := staff(admin, "audit-rules/try", `{"destination":"www.example.com:443"}`)
			a.reads = true
			return a
		},
		"staff_ip_ban": func() act {
			return staff(admin, "ip-bans", fmt.Sprintf(`{"ip_cidr":"203.0.113.0/24","task_end_at":%q,"ban_context":"spam"}`,
				h.now.Add(time.Hour).Format(time.RFC3339)))
		},
		"staff_ip_unban": func() act { return staff(admin, "ip-bans/free", `{"ip_cidr":"203.0.113.0/24"}`) },
		"staff_link_groups_deal": func() act {
			_, err := h.Nodes.Change(ctx, addNode().ID, func(n *node.Node) {
				n.GroupHosts = node.GroupHosts{1: {Host: "one.example"}}
			})
			must(err)
			return staff(admin, "link-groups/deal", `{}`)
		},
		"staff_users_csv":     func() act { return staff(admin, "users/csv", "") },
		"staff_invoices_csv":  func() act { return staff(admin, "invoices/csv", "") },
		"staff_services_csv":  func() act { return staff(admin, "services/csv", "") },
		"staff_ledger_csv":    func() act { return staff(admin, "ledger/csv", "") },
		"staff_orders_csv":    func() act { return staff(admin, "orders/csv", "") },
		"staff_recharges_csv": func() act { return staff(admin, "recharges/csv", "") },
		"staff_user_add":      func() act { return staff(admin, "users", `{"email":"new-one@example.com"}`) },
		"staff_user_password_mail": func() act {
			return staff(support, "users/%d/password-mail", `{"reason":"asked"}`, user.id)
		},
		"staff_user_sessions_end": func() act {
			return staff(support, "users/%d/sessions/end", `{"reason":"asked"}`, h.users[1].id)
		},
		"staff_user_sign_in_as": func() act {
			return staff(admin, "users/%d/sign-in-as", `{"reason":"asked"}`, user.id)
		},
		"staff_api_key_make": func() act {
			return staff(owner, "api-keys", `{"name":"dashboards","scopes":["grafana"],"reason":"for Grafana"}`)
		},
		"staff_api_key_rotate": func() act {
			return staff(owner, "api-keys/%d/rotate", `{"reason":"it leaked"}`, key())
		},
		"staff_api_key_revoke": func() act { return staff(owner, "api-keys/%d", "", key()) },
		"staff_user_link_reset": func() act {
			return staff(support, "users/%d/link/reset", `{"reason":"it leaked"}`, user.id)
		},
		"staff_user_two_factor_off": func() act {
			must(h.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewRaw(`INSERT INTO totp (account_id, sealed, confirmed_at, created_at, last_step)
					VALUES (?, ?, ?, ?, 0)`, h.users[1].id, []byte{1}, h.now, h.now).Exec(ctx)
				return err
			}))
			return staff(admin, "users/%d/two-factor/off", `{"reason":"lost"}`, h.users[1].id)
		},
		"staff_user_email_replace": func() act {
			former := email
			email = "b" + email
			return staff(admin, "users/%d/email", fmt.Sprintf(`{"present_email":%q,"email":%q,"reason":"lost"}`, former,
				email), h.users[2].id)
		},
		"staff_user_close": func() act {
			gone := h.addUser(h.T, "gone", 0)
			return staff(admin, "users/%d/close", `{"email":"gone@example.com","forfeit":"0.00","reason":"asked"}`, gone.id)
		},
		"staff_user_merge": func() act {
			kept, gone := h.addUser(h.T, fmt.Sprint("kept", time.Now().UnixNano()), 0), h.addUser(h.T, "twin", 0)
			return staff(admin, "users/%d/merge", fmt.Sprintf(
				`{"into_id":%d,"email":"twin@example.com","reason":"one person"}`, kept.id), gone.id)
		},
		"staff_bulk_job_make": func() act {
			return staff(admin, "bulk-jobs", fmt.Sprintf(
				`{"kind":"label","details":{"label":"vip"},"reason":"x","ids":[%d]}`, user.id))
		},
		"staff_bulk_job_start":  func() act { return staff(admin, "bulk-jobs/%d/start", "", bulkJob()) },
		"staff_bulk_job_stop":   func() act { return staff(admin, "bulk-jobs/%d/stop", "", bulkJob("start")) },
		"staff_bulk_job_resume": func() act { return staff(admin, "bulk-jobs/%d/resume", "", bulkJob("start", "stop")) },
		"staff_bulk_job_retry": func() act {
			id := bulkJob("start")
			must(h.Bulks.Run(ctx))
			return staff(admin, "bulk-jobs/%d/retry", "", id)
		},
		"staff_user_note_add": func() act { return staff(support, "users/%d/notes", `{"text":"kind"}`, user.id) },
		"staff_user_note_remove": func() act {
			n, err := h.Console.AddNote(ctx, user.id, "kind", nil)
			must(err)
			return staff(support, "users/%d/notes/%d", "", user.id, n.ID)
		},
		"staff_service_give": func() act {
			alone()
			return staff(admin, "users/%d/service-gifts", fmt.Sprintf(
				`{"kind":"start","plan_id":%d,"days":3,"reason":"an outage"}`, h.planOf(price)), user.id)
		},
		"staff_traffic_give": func() act {
			alone()
			return staff(admin, "users/%d/traffic-grants",
				fmt.Sprintf(`{"bytes":%d,"name":"Gift","reason":"an outage"}`, gigabyte), user.id)
		},
		"staff_service_end": func() act {
			must(h.Shop.Give(ctx, shop.Gift{
				UserID: user.id, Kind: shop.GiftStart, PlanID: new(h.planOf(price)), Days: 3, Reason: "x",
			}))
			services, _, err := h.Services.List(ctx, user.id)
			must(err)
			return staff(admin, "users/%d/services/%d/end", `{"reason":"fraud"}`, user.id, services[0].ID)
		},
		"staff_user_ban": func() act {
			return staff(admin, fmt.Sprintf("users/%d/bans", h.users[1].id), `{"reason": "spam"}`)
		},
		"staff_user_unban": func() act { return staff(admin, fmt.Sprintf("users/%d/bans", h.users[1].id), "") },
		"staff_user_labels_set": func() act {
			return staff(admin, fmt.Sprintf("users/%d/labels", user.id), `{"labels": ["vip"], "was": []}`)
		},
		"staff_statistics_users_csv":     func() act { return staff(admin, "statistics/users/csv", "") },
		"staff_statistics_users_parquet": func() act { return staff(admin, "statistics/users/parquet", "") },
		"staff_node_certificate": func() act {
			made, _, err := h.Nodes.Add(ctx, node.Draft("sg", node.Trojan, "sg.example", 443))
			must(err)
			return staff(admin, "nodes/%d/certificate", "", made.ID)
		},
		"staff_held_batch_count": func() act {
			nodeID, id := heldBatch()
			return staff(admin, "nodes/%d/held-batches/%d/count", `{"rate":"1","note":"it was cut off"}`, nodeID, id)
		},
		"staff_held_batch_dismiss": func() act {
			nodeID, id := heldBatch()
			return staff(admin, "nodes/%d/held-batches/%d/dismiss", `{"note":"it was cut off"}`, nodeID, id)
		},
		"staff_shared_key_set": func() act {
			return staff(owner, "node-shared-key",
				`{"key":"aVeryLong1SharedKey9zQ"}`)
		},
		"old_ss_node_rebuild_vmess": func() act {
			old := node.Draft("old", node.Shadowsocks, "old.example", 8388)
			old.Settings.Method = "aes-256-gcm"
			_, _, err := h.Nodes.Add(ctx, old)
			must(err)
			return act{as: admin, path: "/api/v2/admin_api/old_ss_node_rebuild_vmess?apply=true"}
		},
		"replace_user_email": replace("/api/v2/admin_api/replace_user_email"),
		"staff_payment_case_credit": func() act {
			alone()
			return staff(bob, "payment-cases/%d/credit", `{"reason":"paid twice"}`, paymentCase())
		},
		"staff_payment_case_refund": func() act {
			alone()
			return staff(bob, "payment-cases/%d/refund", `{"reason":"paid twice"}`, paymentCase())
		},
		"staff_payment_case_dismiss": func() act {
			return staff(bob, "payment-cases/%d/dismiss", `{"reason":"a test"}`,
				paymentCase())
		},
		"staff_payment_case_confirm": func() act { return staff(bob, "payment-cases/%d/confirm", "", waitingCase()) },
		"staff_payment_case_decline": func() act { return staff(bob, "payment-cases/%d/decline", "", waitingCase()) },

		"POST /v1/admin/user_ban_task_insert": func() act {
			return act{
				as: admin,
				path: fmt.Sprintf("/v1/admin/user_ban_task_insert?user_id=%d&task_end_at=%s&ban_context=fraud",
					h.users[1].id, until),
			}
		},
		"POST /v1/admin/user_ban_task_unban": func() act {
			return act{as: admin, path: fmt.Sprintf("/v1/admin/user_ban_task_unban?user_id=%d", h.users[1].id)}
		},
		"POST /v1/admin/request_ip_ban_task_insert": func() act {
			return act{as: admin, path: "/v1/admin/request_ip_ban_task_insert?ip_cidr=" + network + "&task_end_at=" +
				until}
		},
		"POST /v1/admin/request_ip_ban_task_unban": func() act {
			return act{as: admin, path: "/v1/admin/request_ip_ban_task_unban?ip_cidr=" + network}
		},
		"GET /v1/payment/admin_notify":            confirm("/v1/payment/admin_notify"),
		"GET /v1/payment/admin_notify_by_cookies": confirm("/v1/payment/admin_notify_by_cookies"),
		"GET /v1/admin/replace_user_email":        replace("/v1/admin/replace_user_email"),
		"GET /v1/admin/gen_user_link_v1": func() act {
			return act{
				as:   owner,
				path: "/v1/admin/gen_user_link_v1?a1_host=entry.example",
			}
		},
		"POST /v1/total/traffic/node/{node_id}": func() act {
			return act{as: admin, path: "/v1/total/traffic/node/1?data_start_ats=2026-01-01T00:00:00Z", reads: true}
		},
		"POST /v1/total/traffic/user/{user_id}": func() act {
			return act{as: admin, path: "/v1/total/traffic/user/1?data_start_ats=2026-01-01T00:00:00Z", reads: true}
		},
		"GET /v1/casino_function": func() act {
			alone()
			must(h.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewRaw(`UPDATE account SET telegram_id = 4000 + id`).Exec(ctx)
				return err
			}))
			key := h.token(admin.id, account.ScopePartner, account.ScopeGrant)
			return act{
				as: testUser{id: admin.id, bearer: key},
				path: fmt.Sprintf("/v1/casino_function?sql_table=user&sql_table_telegram_id=%d"+
					"&type_mode=add&sql_table_add_transfer_enable=%d", 4000+user.id, gigabyte),
			}
		},
	}
}

// entries returns how many the audit log has, and the newest.
func (h *fixture) entries() (total int64, newest audit.Entry) {
	h.Helper()
	found, total, err := h.Audit.Find(h.Context(), audit.Filter{Limit: 1})
	if err != nil {
		h.Fatal(err)
	}
	if total > 0 {
		newest = found[0]
	}
	return total, newest
}

// Each operation of staff that changes something leaves an entry with who did it. One that this test does not know how
// to call must change nothing: it is called with what the site has first, and no row of the database may differ.
func TestAudit_EachStaffOperation_LeavesAnEntryOrChangesNothing(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		acts := auditedActs(h)
		routes := h.staffRoutes(h.T)
		slices.SortFunc(routes, func(a, b staffRoute) int { return strings.Compare(a.id, b.id) })
		seen := map[string]bool{}
		for _, r := range routes {
			prepare, ok := acts[r.id]
			switch {
			case ok:
				seen[r.id] = true
				h.checkAct(r, prepare())
			case r.job:
				h.checkAct(r, act{as: h.staff[account.Admin], path: r.path})
			case r.method != http.MethodGet:
				h.Errorf("%s %s (%s) has no call in this test", r.method, r.path, r.id)
			default:
				h.checkReading(r)
			}
		}
		for id := range acts {
			if !seen[id] {
				h.Errorf("there is no staff operation %s", id)
			}
		}
		log := h.rowsOf(h.Context(), "audit_entry")
		for _, secret := range knownSecrets {
			if strings.Contains(log, secret) {
				h.Errorf("the audit log has the secret %s", secret)
			}
		}
		if err := h.Audit.Seal(h.Context()); err != nil {
			h.Fatal(err)
		}
		h.sound(h.T)
	})
}

// checkAct calls the operation, which must succeed and, unless it only reads, leave an entry of its caller.
func (h *fixture) checkAct(r staffRoute, a act) {
	h.Helper()
	before, _ := h.entries()
	r.path = a.path
	var w *httptest.ResponseRecorder
	if a.media != "" {
		w = h.callAs(h.Context(), h.present(a.as), r.method, a.path, a.media, a.body)
	} else {
		w = h.callWithBody(a.as, r, a.body)
	}
	if w.Code != http.StatusOK {
		h.Errorf("%s answers %d %s", r.id, w.Code, w.Body)
		return
	}
	after, e := h.entries()
	if a.reads {
		if after != before {
			h.Errorf("%s only reads, and leaves %d entries", r.id, after-before)
		}
		return
	}
	kind, role := audit.Member, h.names[a.as.id]
	if r.token {
		kind, role = audit.Token, ""
	}
	switch {
	case after == before:
		h.Errorf("%s leaves no entry in the audit log", r.id)
	case e.Actor != kind || e.ActorID == nil || *e.ActorID != a.as.id || string(e.ActorRole) != role ||
		e.Address == "" || e.RequestID == "":
		h.Errorf("%s leaves an entry without its caller: %+v", r.id, e)
	case leavesNothing.MatchString(e.Action) && (e.Before == "" || e.Before == "{}"):
		h.Errorf("%s leaves an entry that does not say what was there before: %+v", r.id, e)
	case e.Action == "" || e.Object == "" || e.At.IsZero():
		h.Errorf("%s leaves an entry that does not say what was done: %+v", r.id, e)
	}
}

// checkReading calls an operation as an owner, and compares all rows.
func (h *fixture) checkReading(r staffRoute) {
	h.Helper()
	if r.token {
		return // TestReadOnlyToken_ChangesNothing
	}
	before := h.rows(h.T)
	r.path = pathParameter.ReplaceAllString(r.path, "1")
	w := h.callWithBody(h.staff[account.Owner], r, "")
	if w.Code >= 500 || w.Code == http.StatusForbidden {
		h.Errorf("%s answers %d %s", r.id, w.Code, w.Body)
	}
	if after := h.rows(h.T); !maps.Equal(before, after) {
		h.Errorf("%s changes %s and has no call in this test", r.id, changed(before, after))
	}
}

// What is worth money is recorded with its reason, and so is the word of the second member.
func TestAudit_MoneyThatTwoMembersGive_NamesBoth(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("0.00")
		ann, bob := h.staff[account.Admin], h.staff[account.Finance]
		var made struct{ ID int64 }
		h.ask(ann, 200, "POST", "/api/v2/staff/wallet-adjustments",
			fmt.Sprintf(`{"user_id":%d,"amount":"1.00","reason":"an outage"}`, h.users[0].id), &made)
		h.decide(bob, 200, true)
		found, _, err := h.Audit.Find(h.Context(), audit.Filter{
			Object: "adjustment", ObjectID: fmt.Sprint(made.ID),
			Limit: 10,
		})
		if err != nil || len(found) != 2 {
			h.Fatal(found, err)
		}
		second, first := found[0], found[1]
		if *first.ActorID != ann.id || first.Action != string(permission.AdjustmentMake) ||
			first.Reason != "an outage" || !strings.Contains(first.After, `"amount":"1.00"`) {
			h.Errorf("%+v", first)
		}
		if *second.ActorID != bob.id || second.Action != string(permission.ApprovalDecide) ||
			second.Before != `{"state":"waiting"}` || second.After != `{"state":"approved"}` {
			h.Errorf("%+v", second)
		}
	})
}

func TestAudit_EntryChangedByHand_IsFoundByTheDoctor(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.ask(h.staff[account.Admin], 200, "POST", "/api/v2/staff/audit-rules", `{"name":"mail","pattern":"example"}`,
			nil)
		if err := h.Audit.Seal(h.Context()); err != nil {
			h.Fatal(err)
		}
		h.sound(h.T)
		drop := `DROP TRIGGER audit_entry_no_update`
		if !h.DB.SQLite() {
			drop += ` ON audit_entry`
		}
		h.past(h.T, drop, fmt.Sprintf(`UPDATE audit_entry SET actor_id = %d WHERE action = 'node.rule.add'`,
			h.staff[account.Owner].id))
		broken, err := h.Check(h.Context())
		if err != nil || len(broken) != 3 {
			h.Fatalf("found %v, %v; want the trigger, the seal and the signature", broken, err)
		}
		chain, err := Check(h.Context(), h.DB) // as of a backup, without the key
		if err != nil || len(chain) != 2 {
			h.Fatalf("found %v, %v", chain, err)
		}
	})
}
