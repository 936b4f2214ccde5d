package app

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/url"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/announcement"
	"airstrip/internal/bulk"
	"airstrip/internal/cdkey"
	"airstrip/internal/console"
	"airstrip/internal/guide"
	"airstrip/internal/link"
	"airstrip/internal/node"
	"airstrip/internal/payment"
	"airstrip/internal/payment/manual"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/permission"
	"airstrip/internal/role"
	"airstrip/internal/shareaccount"
	"airstrip/internal/shop"
	"airstrip/internal/ticket"
	"airstrip/internal/traffic"
	"airstrip/internal/wallet"
	"airstrip/internal/webhook"
)

// actSite is a site on which the acts of auditedActs succeed. Its methods bring it to where one of them does.
type actSite struct {
	*fixture
	admin, bob, owner, support, user testUser // bob is the second member
	price                            int64    // of a plan
	slug, bank, late                 int      // how many guides, gateways, and other things it has so far
	email                            string   // of the third user at the moment
	network, until                   string   // of bans of addresses
}

func newActSite(f *fixture) *actSite {
	h := &actSite{
		fixture: f, admin: f.staff[account.Admin], bob: f.staff[account.Finance], owner: f.staff[account.Owner],
		support: f.staff[account.Support], user: f.users[0], email: "user2@example.com", network: "198.51.100.0/24",
		until: url.QueryEscape(f.now.AddDate(0, 0, 1).Format(time.RFC3339)),
	}
	h.price = h.sells(h.T, shop.KindPlan, 2000)
	h.sells(h.T, shop.KindPackage, 300)
	h.gateway("bank")
	h.must(h.Settings.Set(h.Context(), settings(`{"emby_url":"https://media.example"}`)))
	return h
}

func (h *actSite) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *actSite) paid() *wallet.Recharge {
	r := h.recharge(h.T, h.user.id, 3000)
	h.must(h.sandbox.Close(h.Context(), r.TradeNo, true))
	if w := h.notify(h.Context(), sandbox.Name, h.signed(notice(r))); w.Code != 200 {
		h.Fatal(w.Body)
	}
	return r
}

func (h *actSite) addOrder() (no int64) {
	h.give(h.T, h.user.id, 2000)
	var made struct{ Order struct{ No int64 } }
	h.ask(h.user, 200, "POST", buy(h.price), "{}", &made)
	return made.Order.No
}

func (h *actSite) paymentCase() int64 {
	r := h.paid()
	again := notice(r)
	again.Set("transaction_id", "SB-again-"+r.TradeNo)
	h.notify(h.Context(), sandbox.Name, h.signed(again))
	cases, _, err := h.Payments.Cases(h.Context(), payment.CaseFilter{State: payment.CaseOpen, Limit: 1})
	if err != nil || len(cases) == 0 {
		h.Fatal(cases, err)
	}
	return cases[0].ID
}

// refundRequest is what the user asks to be given back.
func (h *actSite) refundRequest() int64 {
	var request struct{ ID int64 }
	h.ask(h.user, 200, "POST", fmt.Sprintf("/api/v2/user/orders/%d/refund-request", h.addOrder()),
		`{"reason":"unused"}`, &request)
	return request.ID
}

// toAdmin assigns to the admin what nobody has.
func (h *actSite) toAdmin() string {
	return fmt.Sprintf(`{"assigned_to":%d,"was_assigned_to":0}`, h.admin.id)
}

func (h *actSite) alone() { h.limited("100000.00") }

func (h *actSite) waiting() { h.limited("0.00") }

func (h *actSite) addAdjustment() int64 {
	h.waiting()
	made, err := h.Wallets.Adjust(h.Context(), h.user.id, 100, "test", &h.admin.id)
	h.must(err)
	return made.ID
}

func (h *actSite) addBatch(by *int64) int64 {
	made, _, err := h.CDKeys.Make(h.Context(), cdkey.Batch{
		Gift: cdkey.Gift{Kind: cdkey.Amount, Amount: 100}, Size: 1,
		MaxUses: 1,
	}, by)
	h.must(err)
	return made.ID
}

func (h *actSite) addRule() int64 {
	made, err := h.Nodes.Rules.Add(h.Context(), "test", "", `(^|\.)example\.com:`)
	h.must(err)
	return made.ID
}

func (h *actSite) addNode() node.Node {
	made, _, err := h.Nodes.Add(h.Context(), node.Draft("hk", node.VMess, "hk.example", 80))
	h.must(err)
	return made
}

// addOldNode adds a node of Shadowsocks before its edition of 2022.
func (h *actSite) addOldNode() {
	old := node.Draft("old", node.Shadowsocks, "old.example", 8388)
	old.Settings.Method = "aes-256-gcm"
	_, _, err := h.Nodes.Add(h.Context(), old)
	h.must(err)
}

func (h *actSite) addAnnouncement() int64 {
	made, err := h.Announcements.Add(h.Context(), announcement.Announcement{
		Type: announcement.Index, Audience: announcement.ForAll, Title: "Hello",
	})
	h.must(err)
	return made.ID
}

func (h *actSite) addGuide() int64 {
	h.slug++
	made, err := h.Guides.Add(h.Context(), guide.Guide{
		Slug: fmt.Sprint("unused-", h.slug), Title: "Hello", Body: "Hello", Category: "Hello",
	})
	h.must(err)
	return made.ID
}

func (h *actSite) addGateway() int64 {
	h.bank++
	made, err := h.Gateways.Add(h.Context(), payment.Account{
		Kind: manual.Kind.Name, Name: fmt.Sprint("unused", h.bank),
		Enabled: true,
	},
		map[string]string{"instructions_zh": "转账", "instructions_en": "transfer"})
	h.must(err)
	return made.ID
}

func (h *actSite) addRefund() int64 {
	h.waiting()
	made, err := h.Payments.GiveBack(h.Context(), payment.RefundWish{
		RechargeID: h.paid().ID, Amount: 100, Reason: "test",
		StaffID: &h.admin.id,
	})
	h.must(err)
	return made.ID
}

func (h *actSite) waitingCase() int64 {
	id := h.paymentCase()
	h.waiting()
	_, err := h.Payments.CreditCase(h.Context(), payment.CaseCredit{CaseID: id, Reason: "test", StaffID: &h.admin.id})
	h.must(err)
	return id
}

func (h *actSite) heldBatch() (nodeID, id int64) {
	h.late++
	n := h.addNode()
	r, err := h.Traffic.Record(h.Context(), traffic.Report{
		Node: n, ID: fmt.Sprint("boot:", h.late), Hash: sha256.Sum256([]byte{byte(h.late)}), From: h.now.AddDate(0, 0,
			-9), To: h.now.AddDate(0, 0, -8),
		Rows: []traffic.Row{{UserID: h.user.id, Up: 100, Down: 200}},
	})
	h.must(err)
	kept, _, err := h.Traffic.HeldBatches(h.Context(), traffic.HeldQuery{NodeID: n.ID, Limit: 1})
	if h.must(err); len(kept) != 1 {
		h.Fatalf("no batch is kept: %+v", r)
	}
	return n.ID, kept[0].ID
}

func (h *actSite) addWebhook() int64 {
	made, _, err := h.Webhooks.Add(h.Context(), webhook.Draft{
		Name: "ops", URL: "https://127.0.0.1:9/", Types: []webhook.Type{webhook.OrderPaid},
	})
	h.must(err)
	return made.ID
}

func (h *actSite) addKey() int64 {
	_, made, err := h.Accounts.APITokens.MakeKey(h.Context(), account.Identity{UserID: h.owner.id},
		account.APITokenDraft{Name: "dashboards", Scopes: []account.Scope{account.ScopeGrafana}}, "",
		account.Client{})
	h.must(err)
	return made.ID
}

func (h *actSite) addRole(name string) role.Own {
	made, err := h.Roles.Make(h.Context(), permission.Owner.Set(), name, []string{"ticket.read"}, "")
	h.must(err)
	return made
}

func (h *actSite) addShare() shareaccount.Account {
	made, err := h.Shares.Add(h.Context(), shareaccount.Draft{Name: "Netflix", Enabled: true},
		shareaccount.NewSecret{Password: "correct-horse-of-netflix"})
	h.must(err)
	return made
}

const ownClient = `"name":"Other","icon":"x","platforms":["ios"],"import_url":"own://add?url={url}",` +
	`"download_url":"https://own.example/get","formats":["ClashMeta"],"sort":1,"is_enabled":true`

func (h *actSite) addClient(id string) string {
	h.must(h.Links.AddApp(h.Context(), link.App{
		ID: id, Name: "Own", Icon: "x", Platforms: []string{"ios"}, ImportURL: "own://add?url={url}",
		DownloadURL: "https://own.example/get", Formats: []string{"ClashMeta"},
	}))
	return id
}

func (h *actSite) staffCall(as testUser, path, body string, args ...any) act {
	return act{as: as, path: fmt.Sprintf("/api/v2/staff/"+path, args...), body: body}
}

func (h *actSite) confirm(path string) func() act {
	return func() act {
		h.alone()
		r, err := h.Payments.Recharge(h.Context(), h.user.id, "bank", 1000)
		h.must(err)
		return act{as: h.bob, path: path + "?out_trade_no=" + r.TradeNo}
	}
}

func (h *actSite) replace(path string) func() act {
	return func() act {
		former := h.email
		h.email = "a" + h.email
		return act{as: h.admin, path: fmt.Sprintf("%s?user_id=%d&user_old_email=%s&user_new_email=%s", path,
			h.users[2].id, former, h.email)}
	}
}

func (h *actSite) addTicket() int64 {
	made, err := h.Tickets.Open(h.Context(), h.user.id, ticket.Draft{Title: "test", Content: "test"})
	h.must(err)
	return made.ID
}

func (h *actSite) addCannedAnswer(name string) int64 {
	made, err := h.Tickets.SetCannedAnswer(h.Context(), ticket.CannedAnswer{Name: name, ContentZH: "test"})
	h.must(err)
	return made.ID
}

func (h *actSite) addView(resource, name string) int64 {
	made, err := h.Console.AddView(h.Context(), console.Viewer{
		UserID: h.support.id, MayRead: func(string) bool { return true },
	}, console.View{Resource: resource, Name: name})
	h.must(err)
	return made.ID
}

// A job that fails for its one user, who has no service.
func (h *actSite) bulkJob(steps ...string) int64 {
	h.alone()
	who := account.Identity{UserID: h.admin.id, Role: account.Admin}
	j, err := h.Bulks.Freeze(h.Context(), who, bulk.Job{
		Kind: bulk.Reset, Reason: "x",
	}, bulk.Selection{IDs: []int64{h.addUser(h.T, fmt.Sprint("bulk", h.late), 0).id}})
	h.late++
	h.must(err)
	for _, step := range steps {
		do := map[string]func(context.Context, account.Identity, int64) (*bulk.Job, error){
			"start": h.Bulks.Start, "stop": h.Bulks.Stop,
		}[step]
		_, err := do(h.Context(), who, j.ID)
		h.must(err)
	}
	return j.ID
}
