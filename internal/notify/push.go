package notify

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/mail"
	"airstrip/internal/webpush"
)

// brief is what a mail says, as browsers show it: the subject and how the text begins, and no addresses. Others may see
// it on a locked screen, so the words of an answer to a ticket are left to its page.
func (n *Notices) brief(msg mail.Message, page string) (notice webpush.Notice, err error) {
	letter, err := n.mails.Write(msg)
	if err != nil {
		return notice, err
	}
	text := strings.TrimSpace(strings.TrimPrefix(letter.Text, mail.ReplyMark))
	first, _, _ := strings.Cut(text, "\n\n")
	lines := slices.DeleteFunc(strings.Split(first, "\n"), func(line string) bool { return strings.Contains(line, "://") })
	notice = webpush.Notice{Title: letter.Subject, Body: strings.Join(lines, " "), Path: page}
	notice.Topic = notice.Title + "\n" + notice.Body
	switch c := msg.Content.(type) {
	case mail.TicketAnswered:
		notice.Path = ticketPage(c.No)
		notice.Topic = notice.Path
	case mail.TicketMailRefused:
		notice.Path = ticketPage(c.No)
	}
	return notice, nil
}

func ticketPage(no int64) string { return "/user/tickets/view/" + strconv.FormatInt(no, 10) }

// Devices returns the browsers of a user that are notified.
func (n *Notices) Devices(ctx context.Context, userID int64) ([]webpush.Device, error) {
	if n.push == nil {
		return nil, nil
	}
	return n.push.Devices(ctx, userID)
}

// EndSessions has the browsers of sessions that end notified no more, as part of tx.
func (n *Notices) EndSessions(ctx context.Context, tx bun.Tx, sessionIDs []uuid.UUID) error {
	if n.push == nil {
		return nil
	}
	return n.push.EndSessions(ctx, tx, sessionIDs)
}

// EndPush has no browser of a user notified any more, as part of tx.
func (n *Notices) EndPush(ctx context.Context, tx bun.Tx, userID int64) error {
	if n.push == nil {
		return nil
	}
	return n.push.Close(ctx, tx, userID)
}
