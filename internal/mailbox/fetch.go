package mailbox

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"strconv"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-message"
	"github.com/emersion/go-message/textproto"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

const (
	fetchWithin    = 4 * time.Minute
	connectWithin  = 20 * time.Second
	maxMails       = 200            // mails of one run
	largest        = 40 << 20       // bytes of a mail; five files of 5 MB, as mails encode them, are less
	rememberedMail = 48 * time.Hour // less than idempotency.Kept: so old a mail may be when all are numbered anew
)

// cursor is how far the mailbox was read.
type cursor struct {
	bun.BaseModel `bun:"table:mailbox_cursor"`
	Mailbox       string `bun:",pk"`
	UIDValidity   int64
	LastUID       int64
}

// Fetch reads the mails that came since the last time. A mail that cannot be added now, since the database or the place
// of files does not answer, is tried again at the next time, and those behind it wait.
func (b *Mailbox) Fetch(ctx context.Context) error {
	site := b.settings.Get()
	if site.IMAPHost == "" || site.TicketMailAddress == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	client, err := b.connect(ctx, site)
	if err != nil {
		return err
	}
	defer client.Close()
	defer context.AfterFunc(ctx, func() { client.Close() })()
	selected, err := client.Select(site.IMAPFolder, &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		return err
	}
	at, err := b.begin(ctx, site, selected)
	if err != nil {
		return err
	}
	mails, err := b.since(client, at)
	if err != nil {
		return err
	}
	for _, uid := range mails {
		if err := b.handle(ctx, client, uid); err != nil {
			return err
		}
		at.LastUID = int64(uid)
		if err := b.save(ctx, at); err != nil {
			return err
		}
	}
	return client.Logout().Wait()
}

func (b *Mailbox) connect(ctx context.Context, site setting.Site) (*imapclient.Client, error) {
	password, err := b.secrets.Get(ctx, secret.IMAPPassword)
	if err != nil {
		return nil, err
	}
	dial := imapclient.DialTLS
	switch site.IMAPTLS {
	case "starttls":
		dial = imapclient.DialStartTLS
	case "none":
		dial = imapclient.DialInsecure
	}
	client, err := dial(net.JoinHostPort(site.IMAPHost, strconv.Itoa(site.IMAPPort)), &imapclient.Options{
		Dialer: &net.Dialer{Timeout: connectWithin},
	})
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { client.Close() })
	defer stop()
	if err := client.Login(site.IMAPUsername, password).Wait(); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return client, nil
}

// begin gives where to go on: after the last mail that was read, or where the mailbox is another one, or numbers its
// mails anew, before its first.
func (b *Mailbox) begin(ctx context.Context, site setting.Site, selected *imap.SelectData) (cursor, error) {
	at := cursor{Mailbox: site.IMAPUsername + "@" + site.IMAPHost + "/" + site.IMAPFolder}
	err := b.db.NewSelect().Model(&at).WherePK().Scan(ctx)
	if err != nil && !errors.Is(err, db.ErrNoRows) {
		return at, err
	}
	if at.UIDValidity != int64(selected.UIDValidity) {
		at.UIDValidity, at.LastUID = int64(selected.UIDValidity), 0
	}
	return at, nil
}

func (b *Mailbox) save(ctx context.Context, at cursor) error {
	return b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewInsert().Model(&at).On("CONFLICT (mailbox) DO UPDATE").
			Set("uid_validity = EXCLUDED.uid_validity").Set("last_uid = EXCLUDED.last_uid").Exec(ctx)
		return err
	})
}

// since gives the mails that came after the cursor, oldest first. Where all are new, those of the last days.
func (b *Mailbox) since(client *imapclient.Client, at cursor) ([]imap.UID, error) {
	var after imap.UIDSet
	after.AddRange(imap.UID(at.LastUID+1), 0)
	criteria := &imap.SearchCriteria{UID: []imap.UIDSet{after}}
	if at.LastUID == 0 {
		criteria.Since = b.db.Now().Add(-rememberedMail)
	}
	found, err := client.UIDSearch(criteria, nil).Wait()
	if err != nil {
		return nil, err
	}
	var mails []imap.UID
	for _, uid := range found.AllUIDs() { // a range without an end always names the last mail, too
		if int64(uid) > at.LastUID {
			mails = append(mails, uid)
		}
	}
	return mails[:min(len(mails), maxMails)], nil
}

// handle reads the header of a mail, and the whole of it where it may be added to a ticket.
func (b *Mailbox) handle(ctx context.Context, client *imapclient.Client, uid imap.UID) error {
	head := &imap.FetchItemBodySection{Specifier: imap.PartSpecifierHeader, Peek: true}
	found, err := client.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{
		UID: true, RFC822Size: true, BodySection: []*imap.FetchItemBodySection{head},
	}).Collect()
	if err != nil || len(found) == 0 {
		return err
	}
	fields, err := textproto.ReadHeader(bufio.NewReader(bytes.NewReader(found[0].FindBodySection(head))))
	if err != nil {
		slog.WarnContext(ctx, "the header of a mail could not be read", "uid", uid, "error", err)
		return nil
	}
	h := &message.Header{Header: fields}
	k, u, err := b.addressee(ctx, h)
	if err != nil || k == nil {
		return err
	}
	if isAutomatic(h) || found[0].RFC822Size > largest {
		slog.InfoContext(ctx, "a mail to a ticket was dropped", "ticket", k.ID, "bytes", found[0].RFC822Size)
		return nil
	}
	whole := &imap.FetchItemBodySection{Peek: true}
	found, err = client.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{
		UID: true, BodySection: []*imap.FetchItemBodySection{whole},
	}).Collect()
	if err != nil || len(found) == 0 {
		return err
	}
	return b.add(ctx, k, u, found[0].FindBodySection(whole))
}
