// Package mailbox reads answers of users to notices of their tickets from an IMAP mailbox, and adds each to its ticket
// once. Anybody can write any sender into a mail. What proves one is the address that it was sent to: it is signed for
// one ticket and one address of its user, and only the notice that went there names it. The sender must be that
// address all the same, so that a notice that was passed on, or quoted with all its recipients, opens nothing. What
// programs write is dropped, so that no two of them ever talk with each other.
package mailbox

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/emersion/go-message"
	gomail "github.com/emersion/go-message/mail"
	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/job"
	"airstrip/internal/limit"
	"airstrip/internal/mail"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/setting"
	"airstrip/internal/text"
	"airstrip/internal/ticket"
)

// Mailbox is the operator's mailbox for answers.
type Mailbox struct {
	db       *db.DB
	key      seal.Key
	settings *setting.Settings
	secrets  *secret.Secrets
	accounts *account.Accounts
	tickets  *ticket.Tickets
	refusals *limit.Limiter
}

// New gives the mailbox of the settings.
func New(d *db.DB, key seal.Key, settings *setting.Settings, secrets *secret.Secrets, accounts *account.Accounts,
	tickets *ticket.Tickets,
) *Mailbox {
	return &Mailbox{d, key, settings, secrets, accounts, tickets, limit.Per(time.Hour, 2)}
}

// Register makes q read the mailbox.
func (b *Mailbox) Register(q *job.Queue) { q.Every("mailbox.fetch", b.Fetch) }

// addressee gives the ticket and the user whom a mail's recipients name, where the signature is right and the user sent
// it; nil where nobody may add to a ticket with it.
func (b *Mailbox) addressee(ctx context.Context, h *message.Header) (*ticket.Ticket, *account.User, error) {
	fields := gomail.Header{Header: *h}
	from, err := fields.AddressList("From")
	if err != nil || len(from) != 1 {
		return nil, nil, nil
	}
	for _, name := range recipients {
		for values := h.FieldsByKey(name); values.Next(); {
			addresses, err := gomail.ParseAddressList(values.Value())
			if err != nil {
				continue
			}
			for _, a := range addresses {
				no, signature, ok := b.ticketNamed(a.Address)
				if !ok {
					continue
				}
				k, err := b.tickets.Find(ctx, strconv.FormatInt(no, 10))
				if errors.Is(err, ticket.ErrNoTicket) {
					continue
				}
				if err != nil {
					return nil, nil, err
				}
				users, err := b.tickets.Members(ctx, []int64{k.UserID})
				if err != nil {
					return nil, nil, err
				}
				u := users[k.UserID]
				if u.Email != "" && hmac.Equal([]byte(signature), []byte(b.signature(k, u.Email))) &&
					strings.EqualFold(from[0].Address, u.Email) {
					return k, &u, nil
				}
			}
		}
	}
	return nil, nil, nil
}

// add adds a mail to the ticket. The same mail is added once, however often it is read: a request with its digest as
// the key is done once.
func (b *Mailbox) add(ctx context.Context, k *ticket.Ticket, u *account.User, raw []byte) error {
	read, err := readLetter(raw)
	if err != nil {
		slog.WarnContext(ctx, "a mail to a ticket could not be read", "ticket", k.ID, "error", err)
		return nil
	}
	digest := sha256.Sum256(raw)
	acting := account.Acting(ctx, u.ID)
	ids, err := b.upload(acting, u.ID, digest, read.files)
	if errors.Is(err, account.ErrClosed) {
		return nil // closed after the mail was matched to its ticket, which is gone now
	}
	if err != nil {
		return err
	}
	content := strings.Map(func(r rune) rune {
		if !text.IsStorable(string(r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(read.text, ""))
	if runes := []rune(content); len(runes) > ticket.MaxContent {
		content = string(runes[:ticket.MaxContent-1]) + "…"
	}
	if content == "" && len(ids) == 0 {
		return nil
	}
	into := k.ID
	if k.MergedInto != nil {
		into = *k.MergedInto
	}
	once := idempotency.With(acting, idempotency.Request{
		UserID: u.ID, Key: "mail " + hex.EncodeToString(digest[:]), Hash: digest[:],
	})
	_, err = b.tickets.Send(once, u.ID, strconv.FormatInt(into, 10), content, ids...)
	if errors.Is(err, account.ErrClosed) {
		return nil
	}
	if f, ok := fault.As(err); ok && f.Status < 500 {
		return b.refuse(ctx, k.ID, u.ID, f)
	}
	return err
}

// upload keeps the files of a mail under ids that follow from it, so that a mail that is read again keeps none twice. A
// file that no ticket takes is left out.
func (b *Mailbox) upload(ctx context.Context, userID int64, digest [32]byte, files []file) (ids []string, err error) {
	for i, f := range files {
		id := uuid.NewSHA1(uuid.UUID(digest[:16]), []byte(fmt.Sprint(i)))
		a, err := b.tickets.Upload(ctx, userID, id, f.name, f.data)
		if refused, ok := fault.As(err); ok && refused.Status < 500 {
			slog.InfoContext(ctx, "a file of a mail to a ticket was left out", "code", refused.Code)
			continue
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, a.UUID.String())
	}
	return ids, nil
}

// refuse tells a user that a mail was not added, a few times an hour at most.
func (b *Mailbox) refuse(ctx context.Context, no, userID int64, why *fault.Error) error {
	slog.InfoContext(ctx, "a mail was not added to its ticket", "ticket", no, "code", why.Code)
	if b.refusals.Allow(strconv.FormatInt(userID, 10)) != nil {
		return nil
	}
	return b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		return b.accounts.Notify(ctx, tx, userID, mail.TicketMailRefused{No: no, Reason: why.Text})
	})
}
