package mailbox

import (
	"encoding/base32"
	"fmt"
	"strconv"
	"strings"

	"airstrip/internal/ticket"
)

// lower is base32 in lower case: some servers on the way change the case of addresses.
var lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// signatureBytes leave nothing to try: each attempt is a mail.
const signatureBytes = 10

// ReplyAddress gives the address whose mails are added to a ticket, as that of the user's address; empty where the
// settings name no mailbox. Who knows it got a notice of the ticket at that address. With another address of the user,
// and for another ticket, it is another one.
func (b *Mailbox) ReplyAddress(k *ticket.Ticket, email string) string {
	site := b.settings.Get()
	name, domain, ok := strings.Cut(site.TicketMailAddress, "@")
	if !ok || site.IMAPHost == "" {
		return ""
	}
	return fmt.Sprintf("%s+t%d-%s@%s", name, k.ID, b.signature(k, email), domain)
}

func (b *Mailbox) signature(k *ticket.Ticket, email string) string {
	of := fmt.Sprintf("%s %d %s", k.UUID, k.UserID, strings.ToLower(email))
	return lower.EncodeToString(b.key.Digest("ticket reply address", []byte(of))[:signatureBytes])
}

// ticketNamed gives the number of the ticket that a reply address names, and its signature, which is yet to be tested.
func (b *Mailbox) ticketNamed(address string) (no int64, signature string, ok bool) {
	base := strings.ToLower(b.settings.Get().TicketMailAddress)
	name, domain, _ := strings.Cut(base, "@")
	local, at, _ := strings.Cut(strings.ToLower(address), "@")
	rest, ok := strings.CutPrefix(local, name+"+t")
	number, signature, whole := strings.Cut(rest, "-")
	no, err := strconv.ParseInt(number, 10, 64)
	return no, signature, ok && whole && at == domain && err == nil && no > 0
}
