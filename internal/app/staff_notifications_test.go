package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/mail"
	"airstrip/internal/node"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/secret"
	"airstrip/internal/telegram/telegramtest"
	"airstrip/internal/traffic"
)

// ownerChat is the chat of the owner with the bot; those of the others follow it.
const ownerChat = 100

// duty is a server with a bot and three people: an owner and a finance clerk who linked Telegram, and an admin who did
// not.
type duty struct {
	*testServer
	*telegramtest.Server
	now  time.Time
	node node.Node
}

func eachDuty(t *testing.T, test func(t *testing.T, d *duty)) {
	eachEngine(t, func(t *testing.T, c Config) {
		d := &duty{Server: telegramtest.New(t), now: time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC)}
		c.TelegramAPI = d.URL
		d.testServer = newTestServer(t, c)
		d.DB.SetClock(func() time.Time { return d.now })
		if err := d.Secrets.Set(t.Context(), secret.TelegramToken, telegramtest.Token); err != nil {
			t.Fatal(err)
		}
		for i, role := range []account.Role{account.Owner, account.Admin, account.Finance} {
			made := d.addUser(t, string(role), 0)
			if err := d.Accounts.SetRole(t.Context(), string(role)+"@example.com", role); err != nil {
				t.Fatal(err)
			}
			if role == account.Admin {
				continue
			}
			err := d.DB.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				return d.Accounts.Credentials.LinkTelegram(ctx, tx, made.id, int64(ownerChat+i), uuid.Nil,
					account.Client{})
			})
			if err != nil {
				t.Fatal(err)
			}
			d.says(t, int64(ownerChat+i), "已绑定 Telegram")
		}
		n, _, err := d.Nodes.Add(t.Context(), node.Draft("hk", node.VMess, "hk.example", 80))
		if err != nil {
			t.Fatal(err)
		}
		d.node = n
		test(t, d)
	})
}

// says works off what the bot has to say and insists that it is one message to a chat.
func (d *duty) says(t *testing.T, chat int64, part string) {
	t.Helper()
	if err := d.Notices.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := d.Next(); c.Method != "sendMessage" || c.ChatID != chat || !strings.Contains(c.Text, part) {
		t.Fatalf("the bot says %+v, want %q in chat %d", c, part, chat)
	}
	d.silent(t)
}

func (d *duty) silent(t *testing.T) {
	t.Helper()
	if err := d.Notices.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !d.Silent() {
		t.Fatalf("the bot says %+v", d.Next())
	}
}

// later searches for silent nodes each minute of a time and at its end.
func (d *duty) later(t *testing.T, by time.Duration) {
	t.Helper()
	for end := d.now.Add(by); ; d.now = d.now.Add(min(time.Minute, end.Sub(d.now))) {
		if err := d.Queue.Trigger(t.Context(), "node.watch"); err != nil {
			t.Fatal(err)
		}
		if d.now.Equal(end) {
			return
		}
	}
}

func TestOutage_NotifiesStaffByTelegram(t *testing.T) {
	eachDuty(t, func(t *testing.T, d *duty) {
		if err := d.Nodes.Monitor.RecordContact(t.Context(), d.node.ID); err != nil {
			t.Fatal(err)
		}
		d.later(t, 0) // the server watches from here on
		d.later(t, 10*time.Minute)
		d.says(t, ownerChat, "hk")
		d.later(t, 10*time.Minute)
		d.silent(t)
		if err := d.Nodes.Monitor.RecordContact(t.Context(), d.node.ID); err != nil {
			t.Fatal(err)
		}
		d.Down(true)
		d.later(t, time.Second)
		if err := d.Notices.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.Down(false)
		d.now = d.now.Add(time.Minute) // what Telegram did not hear is said again
		d.says(t, ownerChat, "恢复")
		if err := d.Secrets.Set(t.Context(), secret.TelegramToken, ""); err != nil {
			t.Fatal(err)
		}
		d.later(t, 10*time.Minute)
		d.silent(t)
		want := []string{
			"node_back admin@example.com", "node_back owner@example.com", "node_offline admin@example.com",
			"node_offline admin@example.com", "node_offline owner@example.com", "node_offline owner@example.com",
		}
		if notified := d.nodeMails(t); !slices.Equal(notified, want) {
			t.Error(notified)
		}
	})
}

func TestAlarm_InConflict_NotifiesStaffOnceADay(t *testing.T) {
	eachDuty(t, func(t *testing.T, d *duty) {
		sequence := 0
		report := func(body string) error {
			_, err := d.Traffic.Record(t.Context(), traffic.Report{
				Node: d.node, ID: fmt.Sprint("boot:", sequence),
				Hash: sha256.Sum256([]byte(body)), From: d.now.Add(-time.Minute), To: d.now,
			})
			return err
		}
		conflicts := func(want int) {
			t.Helper()
			for sequence = range 3 {
				if err := report("a"); err != nil {
					t.Fatal(err)
				}
				if err := report("b"); !errors.Is(err, traffic.ErrConflict) {
					t.Fatal(err)
				}
			}
			if notified := d.nodeMails(t); len(notified) != 2*want || notified[0] != "node_conflict admin@example.com" ||
				notified[len(notified)-1] != "node_conflict owner@example.com" {
				t.Fatal(notified)
			}
		}
		if err := report("a"); err != nil || len(d.nodeMails(t)) != 0 {
			t.Fatal(err)
		}
		conflicts(1)
		d.says(t, ownerChat, "hk")
		d.now = d.now.Add(23 * time.Hour)
		conflicts(1)
		d.silent(t)
		d.now = d.now.Add(time.Hour)
		conflicts(2)
		d.says(t, ownerChat, "编号")
		d.now = d.now.Add(-7 * 24 * time.Hour) // the clock is set back
		conflicts(3)
		d.now = d.now.Add(time.Hour)
		conflicts(3)
	})
}

func TestPaymentCase_NotifiesFinanceStaff(t *testing.T) {
	eachDuty(t, func(t *testing.T, d *duty) {
		user := d.addUser(t, "payer", 0).id
		r := d.recharge(t, user, 1234)
		form := notice(r)
		form.Set("trade_no", "NOSUCH")
		for range 3 {
			d.testServer.notify(t.Context(), sandbox.Name, d.signed(form))
		}
		for _, role := range []account.Role{account.Owner, account.Admin, account.Finance} {
			mails, _, err := d.Mails.Find(t.Context(), mail.Filter{Recipient: string(role) + "@example.com", Limit: 10})
			mails = slices.DeleteFunc(mails, func(m mail.Mail) bool { return m.Kind != "payment_case" })
			if err != nil || len(mails) != 1 {
				t.Errorf("%s has %d mails about the payment (%v), want 1", role, len(mails), err)
			}
		}
		if err := d.Notices.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		var chats []int64
		for range 2 {
			c := d.Next()
			if !strings.Contains(c.Text, "12.34 CNY") {
				t.Errorf("the bot says %+v", c)
			}
			chats = append(chats, c.ChatID)
		}
		if slices.Sort(chats); !slices.Equal(chats, []int64{100, 102}) {
			t.Errorf("the bot writes to %v, want the owner and the finance clerk", chats)
		}
		d.silent(t)
	})
}

func TestAnomalies_NotifyStaffInOneMessage(t *testing.T) {
	eachDuty(t, func(t *testing.T, d *duty) {
		user := d.addUser(t, "busy", 0).id
		found := []traffic.Anomaly{
			{Of: traffic.OfUser, ID: user, Day: d.now, Bytes: 600 << 30, Usual: 5 << 30},
			{Of: traffic.OfNode, ID: d.node.ID, Day: d.now, Bytes: 9000 << 30, Usual: 90 << 30},
			{Of: traffic.OfInterface, ID: d.node.ID, Day: d.now, Bytes: 30 << 30, Usual: 10 << 30},
		}
		for id := range int64(20) { // of users who are gone
			found = append(found, traffic.Anomaly{Of: traffic.OfUser, ID: 1000 + id, Day: d.now, Bytes: 100 << 30})
		}
		if err := d.DB.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			return d.notifyAnomalies(ctx, tx, found)
		}); err != nil {
			t.Fatal(err)
		}
		if err := d.Notices.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		said := d.Next()
		for _, part := range []string{
			fmt.Sprintf("2026-01-31，用户 %d busy@example.com：目前 600.00 GB，平时每天 5.00 GB", user),
			fmt.Sprintf("节点 %d hk：目前 9000.00 GB，平时每天 90.00 GB", d.node.ID), "用户 1016", "另有 3 个",
			fmt.Sprintf("节点 %d hk：目前 30.00 GB，但其网卡只传输了 10.00 GB", d.node.ID),
		} {
			if !strings.Contains(said.Text, part) {
				t.Errorf("the bot says %q, without %q", said.Text, part)
			}
		}
		if said.ChatID != ownerChat || strings.Contains(said.Text, "用户 1017") {
			t.Errorf("the bot says %q in chat %d", said.Text, said.ChatID)
		}
		d.silent(t)
		for role, want := range map[account.Role]int{account.Owner: 1, account.Admin: 1, account.Finance: 0} {
			mails, _, err := d.Mails.Find(t.Context(), mail.Filter{Recipient: string(role) + "@example.com", Limit: 10})
			mails = slices.DeleteFunc(mails, func(m mail.Mail) bool { return m.Kind != "traffic_anomalies" })
			if err != nil || len(mails) != want {
				t.Errorf("%s has %d mails about the traffic (%v), want %d", role, len(mails), err, want)
			}
		}
	})
}
