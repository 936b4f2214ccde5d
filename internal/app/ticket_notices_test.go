package app

import (
	"fmt"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/secret"
)

// ticketNotices counts what was queued of an answer for a user, by each channel.
type ticketNotices struct{ mail, telegram, push int }

// A channel that was off or missing when an answer came is told of the next one, and each is told once until the user
// reads.
func TestTicketNotices_GoOnceByEachChannel_WheneverItIsThere(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		service := h.pushes()
		user := h.addUser(h.T, "reader", 0)
		support := h.staff[account.Support]
		choose := func(wanted bool) {
			h.ask(user, 200, "PUT", "/api/v2/user/notices",
				fmt.Sprintf(`{"choices":[{"event":"ticket","channel":"mail","is_wanted":%v}]}`, wanted), nil)
		}
		k := h.openTicket(user, "First", "Help")
		answered := func(why string, want ticketNotices) {
			h.Helper()
			h.answerTicket(support, k.No, `{"content":"Answer"}`)
			h.sendPushes()
			telegrams, err := h.DB.NewSelect().Table("job").Where("kind = 'telegram.tell'").Count(h.Context())
			if err != nil {
				h.Fatal(err)
			}
			got := ticketNotices{h.mailsTo("reader@example.com", "ticket_answered"), int(telegrams), len(service.Messages())}
			if got != want {
				h.Errorf("%s: %+v, want %+v", why, got, want)
			}
		}
		choose(false)
		answered("the notice is switched off", ticketNotices{})
		choose(true)
		answered("it is switched on", ticketNotices{mail: 1})
		answered("nothing was read", ticketNotices{mail: 1})
		h.exec(`UPDATE account SET telegram_id = 700 WHERE id = ?`, user.id)
		answered("there is no bot", ticketNotices{mail: 1})
		if err := h.Secrets.Set(h.Context(), secret.TelegramToken, "1:token"); err != nil {
			h.Fatal(err)
		}
		answered("there is a bot", ticketNotices{mail: 1, telegram: 1})
		h.device(service, "reader")
		answered("there is a browser", ticketNotices{mail: 1, telegram: 1, push: 1})
		answered("still nothing was read", ticketNotices{mail: 1, telegram: 1, push: 1})
		c := h.conversation(user, k.No)
		h.ask(user, 200, "POST", fmt.Sprintf("%s/%d/read", ticketPath, k.No),
			fmt.Sprintf(`{"up_to":%d}`, c.Messages[len(c.Messages)-1].No), nil)
		answered("all was read", ticketNotices{mail: 2, telegram: 2, push: 2})
	})
}

// Staff is told of the first message that waits, also where nobody was there to be told of one before, and of the first
// one after a ticket was resolved without an answer.
func TestTicketNotices_ToStaff_GoToWhoIsThere(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user := h.users[0]
		told := func(why string, want int) {
			h.Helper()
			if n := h.mailsTo("support@example.com", "ticket_waiting"); n != want {
				h.Errorf("%s: %d mails, want %d", why, n, want)
			}
		}
		h.exec(`UPDATE account SET role = 'finance' WHERE role IN ('owner', 'admin', 'support')`)
		k := h.openTicket(user, "First", "Help")
		told("nobody may answer", 0)
		h.exec(`UPDATE account SET role = 'support' WHERE email = 'support@example.com'`)
		write := func() {
			h.ask(user, 200, "POST", fmt.Sprintf("%s/%d/messages", ticketPath, k.No), `{"content":"More"}`, nil)
		}
		write()
		told("somebody may", 1)
		write()
		told("nothing was answered", 1)
		h.ask(h.staff[account.Support], 200, "PATCH", fmt.Sprintf("/api/v2/staff/tickets/%d", k.No), `{"status":"resolved"}`, nil)
		write()
		told("it was resolved without an answer", 2)
	})
}
