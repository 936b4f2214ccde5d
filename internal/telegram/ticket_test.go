package telegram_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/job"
	"airstrip/internal/telegram/telegramtest"
	"airstrip/internal/ticket"
)

func TestTickets_InTheBot_AreOpenedReadAnsweredAndClosed(t *testing.T) {
	each(t, func(w *world) {
		w.Say(lin, "/tickets")
		w.says("not linked")
		u := w.linked("lin@example.com", lin)
		w.Say(lin, "/tickets")
		c := w.says("no tickets")
		w.Press(lin, button(w, c, "New ticket"))
		asked := w.says("🎫 +", "first line is the title")
		w.Reply(lin, asked, "No connection\nSince *today*")
		w.says("🎫 #1 ", "No connection")
		k := w.ticket("1")
		if m := w.messages(k); k.UserID != u.ID || k.Title != "No connection" || len(m) != 1 ||
			m[0].Content != "Since *today*" {
			w.Fatalf("%+v, %+v", k, m)
		}
		_, err := w.tickets.Answer(w.Context(), u.ID, "1", ticket.Answer{Content: "Try **again**"})
		w.must(err)
		_, err = w.tickets.Answer(w.Context(), u.ID, "1", ticket.Answer{Content: "a secret note", Note: true})
		w.must(err)
		w.Say(lin, "/tickets")
		c = w.says("Your tickets")
		if title := c.Markup.Rows[0][0].Text; !strings.HasPrefix(title, "🔵 #1 No connection") {
			w.Errorf("an unread ticket is shown as %q", title)
		}
		w.Press(lin, c.Markup.Rows[0][0])
		c = w.says("🎫 #1 No connection", "You", "Support", "Try again")
		if strings.Contains(c.Text, "secret") {
			w.Errorf("a note is shown: %q", c.Text)
		}
		if w.ticket("1").Unread() {
			w.Error("what was shown counts as unread")
		}
		w.Press(lin, button(w, c, "Reply"))
		asked = w.says("Reply to this message")
		w.Reply(lin, asked, "It works")
		w.says("✅ Sent")
		w.Say(lin, "/reply 1 thank you")
		w.says("✅ Sent")
		w.Say(lin, "/close 1")
		c = w.says("closed")
		w.Say(lin, "/reply 1 and one more")
		w.says("The ticket is closed")
		w.Press(lin, button(w, c, "Open again"))
		w.says("being handled")
		if m := w.messages(w.ticket("1")); len(m) != 5 || m[4].Content != "thank you" {
			w.Errorf("%+v", m)
		}
		w.Say(lin, "/newticket "+strings.Repeat("x", 200))
		w.says("🎫 #2 ")
		if k := w.ticket("2"); len([]rune(k.Title)) != ticket.MaxTitle {
			w.Errorf("the title %q", k.Title)
		}
	})
}

func TestTickets_InTheBot_OfOthersDoNotExist(t *testing.T) {
	each(t, func(w *world) {
		w.linked("lin@example.com", lin)
		second := telegramtest.Person{ID: 44, Lang: "en"}
		w.linked("lu@example.com", second)
		w.Say(lin, "/newticket mine")
		mine := w.says("🎫 #1 ")
		for _, text := range []string{
			"/ticket 1", "/reply 1 hello", "/close 1", "/ticket 99", "/ticket ' OR 1=1", "/ticket",
		} {
			w.Say(second, text)
			w.says("no such ticket")
		}
		w.Reply(second, mine, "hello")
		w.says("no such ticket")
		w.Press(second, button(w, mine, "Close"))
		w.says("no such ticket")
		if k := w.ticket("1"); k.State != ticket.Pending || k.MessageCount != 1 {
			w.Errorf("%+v", k)
		}
	})
}

func TestTickets_InTheBot_ARepeatedUpdateSendsOnce(t *testing.T) {
	each(t, func(w *world) {
		w.linked("lin@example.com", lin)
		w.Say(lin, "/newticket mine")
		w.says("🎫 #1 ")
		w.stop()
		w.must(w.settings.Set(w.Context(), map[string]json.RawMessage{"telegram_updates": []byte(`"webhook"`)}))
		w.bot, w.stop = w.start()
		var key string
		for end := time.Now().Add(2 * time.Minute); key == "" && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
			_, key = w.Webhook()
		}
		update, err := json.Marshal(w.Say(lin, "/reply 1 once"))
		w.must(err)
		w.must(w.bot.Webhook(w.Context(), key, update))
		w.says("✅ Sent")
		w.must(w.bot.Webhook(w.Context(), key, update))
		// as if the process had died before it noted that the update was handled
		w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`DELETE FROM telegram_update`).Exec(ctx)
			return err
		}))
		w.must(w.bot.Webhook(w.Context(), key, update))
		w.says("✅ Sent")
		if m := w.messages(w.ticket("1")); len(m) != 2 || !w.Silent() {
			w.Errorf("%+v, silent %v", m, w.Silent())
		}
	})
}

func TestNotice_OfAnAnswer_CanBeAnswered(t *testing.T) {
	each(t, func(w *world) {
		u := w.linked("lin@example.com", lin)
		w.Say(lin, "/newticket mine")
		w.says("🎫 #1 ")
		q := job.New(w.db)
		w.bot.RegisterNotices(q)
		w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
			return w.bot.NotifyOfTicket(ctx, tx, lin.ID, 1, "Support answered", u.Lang)
		}))
		w.TooMany(0, 1) // Telegram wants a second
		w.must(q.Work(w.Context()))
		c := w.says("🎫 #1\nSupport answered")
		w.Reply(lin, c, "thanks")
		w.says("✅ Sent")
		w.Press(lin, button(w, c, "Reply"))
		w.says("Reply to this message")
	})
}

// button gives the button of a message with this text.
func button(w *world, c telegramtest.Call, text string) telegramtest.Button {
	w.Helper()
	for _, row := range c.Markup.Rows {
		for _, b := range row {
			if b.Text == text {
				return b
			}
		}
	}
	w.Fatalf("no button %q in %+v", text, c.Markup.Rows)
	return telegramtest.Button{}
}

func (w *world) ticket(id string) *ticket.Ticket {
	w.Helper()
	k, err := w.tickets.Find(w.Context(), id)
	w.must(err)
	return k
}

func (w *world) messages(k *ticket.Ticket) []ticket.Message {
	w.Helper()
	m, _, err := w.tickets.Messages(w.Context(), k, ticket.Page{Limit: 100}, true)
	w.must(err)
	return m
}

// withStaffGroup sets the group of staff, with what changed before shown nowhere, and gives a user and a member of
// staff who is staffPerson in Telegram.
func (w *world) withStaffGroup() (user, member account.User) {
	w.Helper()
	user = w.signUp("user@example.com").User
	member = w.linked("lin@example.com", staffPerson)
	w.must(w.accounts.SetRole(w.Context(), member.Email, account.Support))
	w.must(w.settings.Set(w.Context(), map[string]json.RawMessage{
		"telegram_staff_group": json.RawMessage(strconv.Itoa(telegramtest.StaffGroupID)),
	}))
	w.copy()
	return user, member
}

var staffPerson = telegramtest.Person{ID: 77, Lang: "en"}

func (w *world) copy() {
	w.Helper()
	w.must(w.bot.CopyTickets(w.Context()))
}

func (w *world) open(userID int64, title, content string) *ticket.Ticket {
	w.Helper()
	k, err := w.tickets.Open(w.Context(), userID, ticket.Draft{Title: title, Content: content})
	w.must(err)
	return k
}

func (w *world) write(userID int64, k *ticket.Ticket, content string) {
	w.Helper()
	_, err := w.tickets.Send(w.Context(), userID, k.UUID.String(), content)
	w.must(err)
}

// does waits for the bot's next call and checks which it is.
func (w *world) does(method string) telegramtest.Call {
	w.Helper()
	c := w.Next()
	if c.Method != method {
		w.Fatalf("the bot calls %s %q, want %s", c.Method, c.Text, method)
	}
	return c
}

// inTopic waits for a message in a topic.
func (w *world) inTopic(threadID int64, parts ...string) telegramtest.Call {
	w.Helper()
	c := w.says(parts...)
	if c.ChatID != telegramtest.StaffGroupID || c.ThreadID != threadID {
		w.Fatalf("%q is in %d of %d, want topic %d", c.Text, c.ThreadID, c.ChatID, threadID)
	}
	return c
}

func (w *world) silent() {
	w.Helper()
	if !w.Silent() {
		w.Fatalf("the bot says %+v", w.Next())
	}
}

func TestStaffGroup_EachTicketHasATopicWithItsMessagesOnce(t *testing.T) {
	each(t, func(w *world) {
		old := w.open(w.signUp("old@example.com").User.ID, "before the group", "x")
		user, member := w.withStaffGroup()
		w.silent() // what was there before fills no group
		a := w.open(user.ID, "First", "one")
		b := w.open(user.ID, "Second", "only in the second")
		w.write(user.ID, a, "two **bold**")
		_, err := w.tickets.Answer(w.Context(), member.ID, a.UUID.String(), ticket.Answer{Content: "from the site"})
		w.must(err)
		_, err = w.tickets.Answer(w.Context(), member.ID, a.UUID.String(), ticket.Answer{Content: "a note", Note: true})
		w.must(err)
		w.copy()
		second := w.does("createForumTopic") // a changed after it
		if second.Name != fmt.Sprintf("#%d Second", b.ID) {
			w.Errorf("a topic %q", second.Name)
		}
		w.inTopic(second.ThreadID, "Second", "user@example.com")
		w.inTopic(second.ThreadID, "only in the second")
		first := w.does("createForumTopic")
		w.inTopic(first.ThreadID, "First")
		w.inTopic(first.ThreadID, "👤 Lin\none")
		w.inTopic(first.ThreadID, "two bold")
		w.inTopic(first.ThreadID, "💬 Lin\nfrom the site")
		w.copy()
		w.silent()

		// another process goes on where this one stopped, once the lease is over
		w.stop()
		w.bot, w.stop = w.start()
		w.write(user.ID, a, "three")
		w.copy()
		w.silent()
		w.later.Add(int64(time.Minute))
		w.copy()
		w.inTopic(first.ThreadID, "three")

		w.write(old.UserID, old, "and now")
		w.copy()
		c := w.does("createForumTopic")
		w.inTopic(c.ThreadID, "before the group")
		w.inTopic(c.ThreadID, "x")
		w.inTopic(c.ThreadID, "and now")
		w.silent()
	})
}

func TestStaffGroup_TooManyCalls_AreWaitedForAndNothingIsTwice(t *testing.T) {
	each(t, func(w *world) {
		user, _ := w.withStaffGroup()
		k := w.open(user.ID, "First", "one")
		w.write(user.ID, k, strings.Repeat("long line\n", 900)) // three messages of Telegram's
		// Each is refused once: the topic, its head, the four messages
		for calls := range 6 {
			w.TooMany(min(calls, 1), 1)
			if err := w.bot.CopyTickets(w.Context()); err == nil || !strings.Contains(err.Error(), "429") {
				w.Fatalf("after %d calls: %v", calls, err)
			}
		}
		w.copy()
		topic := w.does("createForumTopic")
		w.inTopic(topic.ThreadID, "First")
		w.inTopic(topic.ThreadID, "one")
		total := 0
		for range 3 {
			total += strings.Count(w.inTopic(topic.ThreadID).Text, "long line")
		}
		if total != 900 {
			w.Errorf("%d lines of 900", total)
		}
		w.copy()
		w.silent()
	})
}

func TestStaffGroup_WhatAMemberWritesIsTheAnswer(t *testing.T) {
	each(t, func(w *world) {
		user, member := w.withStaffGroup()
		k, other := w.open(user.ID, "First", "one"), w.open(user.ID, "Other", "two")
		w.copy()
		topic := w.does("createForumTopic")
		w.inTopic(topic.ThreadID)
		w.inTopic(topic.ThreadID)
		w.does("createForumTopic")
		w.says()
		w.says()

		w.SayInTopic(staffPerson, topic.ThreadID, "Please try again")
		w.does("setMessageReaction")
		m := w.messages(w.ticket(k.UUID.String()))
		if len(m) != 2 || m[1].Content != "Please try again" || m[1].AuthorID != member.ID || !m[1].ByStaff ||
			m[1].IsNote {
			w.Fatalf("%+v", m)
		}
		w.copy()
		w.silent() // it is there already
		w.SayInTopic(staffPerson, topic.ThreadID, "/note knows\nnothing")
		w.does("setMessageReaction")
		m = w.messages(w.ticket(k.UUID.String()))
		if len(m) != 3 || m[2].Content != "knows\nnothing" || !m[2].IsNote {
			w.Fatalf("%+v", m)
		}
		w.SayInTopic(staffPerson, topic.ThreadID, "/assign")
		w.inTopic(topic.ThreadID, "Assigned to Lin")
		w.SayInTopic(staffPerson, topic.ThreadID, "/assign user@example.com")
		w.inTopic(topic.ThreadID, "may not answer tickets")
		w.SayInTopic(staffPerson, topic.ThreadID, "/clsoe")
		w.inTopic(topic.ThreadID, "no such command")
		w.SayInTopic(staffPerson, topic.ThreadID, "/close@another_bot")
		w.SayInTopic(staffPerson, topic.ThreadID, "")
		w.inTopic(topic.ThreadID, "only text")
		w.SayInTopic(staffPerson, topic.ThreadID, "/close@"+telegramtest.BotName)
		w.does("setMessageReaction")
		if k := w.ticket(k.UUID.String()); k.State != ticket.Closed || *k.AssignedTo != member.ID ||
			k.MessageCount != 2 {
			w.Errorf("%+v", k)
		}
		w.copy()
		w.does("closeForumTopic")
		w.SayInTopic(staffPerson, topic.ThreadID, "too late")
		w.inTopic(topic.ThreadID, "The ticket is closed")
		_, err := w.tickets.SetOpen(w.Context(), user.ID, k.UUID.String(), true)
		w.must(err)
		w.write(user.ID, k, "not yet")
		w.copy()
		w.does("reopenForumTopic")
		w.inTopic(topic.ThreadID, "not yet")
		if k := w.ticket(other.UUID.String()); k.MessageCount != 1 {
			w.Errorf("the other ticket has %+v", k)
		}
		var actions []string
		w.must(w.db.NewSelect().Table("audit_entry").Column("action").Where("actor_id = ?", member.ID).
			OrderExpr("id").Scan(w.Context(), &actions))
		if fmt.Sprint(actions) != "[ticket.answer ticket.note ticket.manage ticket.manage]" {
			w.Errorf("the audit log has %v", actions)
		}
	})
}

func TestStaffGroup_WhoMayNotAnswerIsRefusedAtEachMessage(t *testing.T) {
	each(t, func(w *world) {
		user, member := w.withStaffGroup()
		customer := telegramtest.Person{ID: 88, Lang: "en"}
		w.linked("lu@example.com", customer)
		k := w.open(user.ID, "First", "one")
		w.copy()
		topic := w.does("createForumTopic")
		w.says()
		w.says()
		w.SayInTopic(customer, topic.ThreadID, "I am staff")
		w.inTopic(topic.ThreadID, "Not sent")
		w.SayInTopic(telegramtest.Person{ID: 99, Lang: "en"}, topic.ThreadID, "/close")
		w.inTopic(topic.ThreadID, "Not sent")
		w.must(w.accounts.SetRole(w.Context(), member.Email, account.Viewer))
		w.SayInTopic(staffPerson, topic.ThreadID, "as a viewer")
		w.inTopic(topic.ThreadID, "Not sent")
		w.must(w.accounts.SetRole(w.Context(), member.Email, account.Support))
		w.must(w.settings.Set(w.Context(), map[string]json.RawMessage{"staff_two_factor": []byte("true")}))
		w.SayInTopic(staffPerson, topic.ThreadID, "without a second factor")
		w.inTopic(topic.ThreadID, "second factor")
		w.must(w.settings.Set(w.Context(), map[string]json.RawMessage{"staff_two_factor": []byte("false")}))
		_, err := w.accounts.Bans.Ban(w.Context(), account.BanTask{AccountID: member.ID, Reason: "x"}, account.Identity{})
		w.must(err)
		w.SayInTopic(staffPerson, topic.ThreadID, "while banned")
		w.inTopic(topic.ThreadID, "banned")
		w.SayInTopic(staffPerson, topic.ThreadID+100, "in a topic of the members' own")
		w.SayInGroup(staffPerson, "in another group")
		w.Say(lin, "/help")
		if c := w.Next(); c.ChatID != lin.ID {
			w.Errorf("the bot says %+v", c)
		}
		if k := w.ticket(k.UUID.String()); k.MessageCount != 1 || k.State != ticket.Pending {
			w.Errorf("%+v", k)
		}
	})
}

func TestStaffGroup_ADeletedTopicIsMadeAgain(t *testing.T) {
	each(t, func(w *world) {
		user, _ := w.withStaffGroup()
		k := w.open(user.ID, "First", "one")
		w.copy()
		former := w.does("createForumTopic")
		w.says()
		w.says()
		w.SayInTopic(staffPerson, former.ThreadID, "an answer")
		w.does("setMessageReaction")
		w.copy()
		w.DeleteTopic(former.ThreadID)
		w.write(user.ID, k, "two")
		w.copy()
		topic := w.does("createForumTopic")
		w.inTopic(topic.ThreadID, "First")
		w.inTopic(topic.ThreadID, "one")
		w.inTopic(topic.ThreadID, "an answer")
		w.inTopic(topic.ThreadID, "two")
		w.copy()
		w.silent()
		w.SayInTopic(staffPerson, former.ThreadID, "into nothing")
		w.SayInTopic(staffPerson, topic.ThreadID, "another answer")
		w.does("setMessageReaction")
		m := w.messages(w.ticket(k.UUID.String()))
		if len(m) != 4 || m[3].Content != "another answer" {
			w.Errorf("%+v", m)
		}
	})
}

func TestStaffGroup_TheTopicsOfAClosedAccountAreDeleted(t *testing.T) {
	each(t, func(w *world) {
		user, _ := w.withStaffGroup()
		w.open(user.ID, "First", "one")
		w.copy()
		topic := w.does("createForumTopic")
		w.says()
		w.says()
		q := job.New(w.db)
		w.bot.RegisterNotices(q)
		w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
			if err := w.bot.Close(ctx, tx, user.ID); err != nil {
				return err
			}
			return w.tickets.Close(ctx, tx, user.ID)
		}))
		w.must(q.Work(w.Context()))
		if c := w.does("deleteForumTopic"); c.ThreadID != topic.ThreadID {
			w.Errorf("%+v", c)
		}
		w.copy()
		w.silent()
	})
}

func TestStaffGroup_OfTwoProcessesOneWrites(t *testing.T) {
	each(t, func(w *world) {
		user, _ := w.withStaffGroup()
		second, _ := w.start()
		k := w.open(user.ID, "First", "m0")
		done := make(chan error, 2)
		copying := func(b interface{ CopyTickets(context.Context) error }) {
			for range 20 {
				if err := b.CopyTickets(w.Context()); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}
		go copying(w.bot)
		go copying(second)
		for i := 1; i < 10; i++ {
			w.write(user.ID, k, fmt.Sprintf("m%d", i))
		}
		w.must(<-done)
		w.must(<-done)
		w.copy()
		topic := w.does("createForumTopic")
		w.inTopic(topic.ThreadID, "First")
		for i := range 10 {
			w.inTopic(topic.ThreadID, fmt.Sprintf("\nm%d", i))
		}
		w.silent()
	})
}
