package app

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/mail"
	"airstrip/internal/secret"
)

// inbox is an IMAP server with the mailbox of the site.
type inbox struct {
	*fixture
	user *imapmemserver.User
}

func (h *fixture) inbox() inbox {
	h.Helper()
	memory, user := imapmemserver.New(), imapmemserver.NewUser("support", "open sesame")
	if err := user.Create("INBOX", nil); err != nil {
		h.Fatal(err)
	}
	memory.AddUser(user)
	server := imapserver.New(&imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return memory.NewSession(), nil, nil
		},
		InsecureAuth: true,
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		h.Fatal(err)
	}
	go func() { _ = server.Serve(l) }()
	h.Cleanup(func() { _ = server.Close() })
	if err := h.Secrets.Set(h.Context(), secret.IMAPPassword, "open sesame"); err != nil {
		h.Fatal(err)
	}
	if err := h.Settings.Set(h.Context(), settings(fmt.Sprintf(`{"ticket_mail_address":"help@mail.example",
		"imap_host":"127.0.0.1","imap_port":%d,"imap_tls":"none","imap_username":"support"}`,
		l.Addr().(*net.TCPAddr).Port))); err != nil {
		h.Fatal(err)
	}
	return inbox{h, user}
}

// gets puts a mail into the mailbox.
func (b inbox) gets(headers, body string) {
	b.Helper()
	raw := strings.ReplaceAll(headers+"\n\n"+body, "\n", "\r\n")
	if _, err := b.user.Append("INBOX", literal{bytes.NewReader([]byte(raw))}, &imap.AppendOptions{Time: b.now}); err != nil {
		b.Fatal(err)
	}
}

type literal struct{ *bytes.Reader }

func (l literal) Size() int64 { return l.Reader.Size() }

func (b inbox) fetch() {
	b.Helper()
	if err := b.Mailbox.Fetch(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// replyTo gives where the newest notice of an answer to a user asks for answers.
func (b inbox) replyTo(email string) string {
	b.Helper()
	mails, _, err := b.Mails.Find(b.Context(), mail.Filter{Recipient: email, Limit: 50})
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range mails {
		if m.Kind == "ticket_answered" {
			_, letter, err := b.Mails.Show(b.Context(), m.ID)
			if err != nil {
				b.Fatal(err)
			}
			if !strings.Contains(letter.Text, mail.ReplyMark) || letter.Thread == "" {
				b.Errorf("a notice of an answer is %+v", letter)
			}
			return letter.ReplyTo
		}
	}
	b.Fatal("there is no notice of an answer")
	return ""
}

func TestMailbox_AnswerOfTheUser_IsAddedOnce(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		box, user := h.inbox(), h.users[0]
		k := h.openTicket(user, "By mail", "first")
		h.answerTicket(h.staff[account.Support], k.No, `{"content":"Which device?"}`)
		address := box.replyTo("user0@example.com")
		if local, domain, _ := strings.Cut(address, "@"); len(local) > 64 || domain != "mail.example" {
			h.Errorf("the reply address is %s", address)
		}
		header := "From: User <User0@example.com>\nTo: " + strings.ToUpper(address) + "\nSubject: Re: By mail\nMessage-ID: <1@x>"
		box.gets(header+"\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b",
			"--b\nContent-Type: text/plain; charset=gbk\nContent-Transfer-Encoding: base64\n\nztK1xMrWu/o=\n"+
				"--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=client.log\n\na log\n"+
				"--b\nContent-Type: application/zip\nContent-Disposition: attachment; filename=a.png\n"+
				"Content-Transfer-Encoding: base64\n\nUEsDBBQAAAA=\n--b--\n")
		box.gets(header+"2", "It is an iPhone\n\nOn Mon, 5 Jan 2026 at 10:00, Support <help@mail.example>\nwrote:\n> Which device?\n")
		box.gets(header+"3", "> "+mail.ReplyMark+"\n> Which device?\n")
		box.gets(header+"4\nContent-Type: text/html",
			"<style>p{}</style><p>The <b>newest</b> one</p><blockquote>Which device?</blockquote><script>x</script>")
		box.fetch()
		box.fetch()
		// As after a crash between the message and the note of how far the mailbox was read, or with a new mailbox.
		if err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE mailbox_cursor SET uid_validity = 0, last_uid = 0`).Exec(ctx)
			return err
		}); err != nil {
			h.Fatal(err)
		}
		box.fetch()
		var c struct {
			Messages []struct {
				Content     string
				ByStaff     bool `json:"by_staff"`
				Attachments []fileSeen
			}
		}
		h.ask(user, 200, "GET", fmt.Sprintf("%s/%d/messages", ticketPath, k.No), "", &c)
		var got []string
		for _, m := range c.Messages[2:] {
			got = append(got, m.Content)
		}
		if want := []string{"我的手机", "It is an iPhone", "The newest one"}; strings.Join(got, "|") != strings.Join(want, "|") {
			h.Fatalf("the answers are %q, want %q", got, want)
		}
		if files := c.Messages[2].Attachments; len(files) != 1 || files[0].Name != "client.log" {
			h.Errorf("the files are %+v", files)
		}
	})
}

func TestMailbox_WhatIsForgedOrAutomatic_AddsNothing(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		box, user := h.inbox(), h.users[0]
		k, other := h.openTicket(user, "Mine", "first"), h.openTicket(h.users[1], "Other", "first")
		h.answerTicket(h.staff[account.Support], k.No, `{"content":"answer"}`)
		address := box.replyTo("user0@example.com")
		local, _, _ := strings.Cut(address, "@")
		signature := local[strings.LastIndex(local, "-")+1:]
		const from = "From: user0@example.com"
		to := "\nTo: " + address
		for i, header := range []string{
			"From: user1@example.com" + to,
			"From: user0@example.com, user1@example.com" + to,
			from + "\nTo: help@mail.example",
			from + fmt.Sprintf("\nTo: help+t%d@mail.example", k.No),
			from + fmt.Sprintf("\nTo: help+t%d-%s@mail.example", k.No, strings.Repeat("a", len(signature))),
			from + fmt.Sprintf("\nTo: help+t%d-%s@mail.example", other.No, signature),
			"From: user1@example.com" + fmt.Sprintf("\nTo: help+t%d-%s@mail.example", other.No, signature),
			from + fmt.Sprintf("\nTo: help+t%d-%s@other.example", k.No, signature),
			from + fmt.Sprintf("\nTo: help+t999-%s@mail.example", signature),
			from + "\nTo: \"" + address + "\" <x@example.com>",
			from + to + "\nAuto-Submitted: auto-replied",
			from + to + "\nPrecedence: bulk",
			from + to + "\nX-Autoreply: yes",
			from + to + "\nList-Id: <x>",
			from + to + "\nReturn-Path: <>",
			from + to + "\nContent-Type: multipart/report; boundary=b",
			"\x00\xff",
		} {
			box.gets(header+fmt.Sprintf("\nMessage-ID: <%d@x>", i), "--b\n\nforged\n--b--\n")
		}
		box.fetch()
		for _, one := range []struct {
			of testUser
			no int64
			n  int
		}{{user, k.No, 2}, {h.users[1], other.No, 1}} {
			if c := h.conversation(one.of, one.no); len(c.Messages) != one.n {
				h.Errorf("ticket %d has %+v", one.no, c.Messages)
			}
		}
		// A closed ticket takes nothing; the user hears so, twice an hour at most.
		h.ask(user, 200, "PUT", fmt.Sprintf("%s/%d/edit-status", ticketPath, k.No), `{"status":"closed"}`, nil)
		for i := range 5 {
			box.gets(from+to+fmt.Sprintf("\nMessage-ID: <closed%d@x>", i), fmt.Sprint("still broken ", i))
		}
		box.fetch()
		if n := h.mailsTo("user0@example.com", "ticket_mail_refused"); n != 2 {
			h.Errorf("%d mails tell that nothing was added, want 2", n)
		}
		if c := h.conversation(user, k.No); len(c.Messages) != 2 {
			h.Errorf("a closed ticket has %+v", c.Messages)
		}
	})
}
