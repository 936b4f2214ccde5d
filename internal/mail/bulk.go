package mail

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	htmltemplate "html/template"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/fault"
	"airstrip/internal/job"
)

// Announcement is what the operator announces, to one of its readers. Announcements have a queue of their own, so that
// no code waits behind thousands of them.
type Announcement struct {
	Title       string // empty: the text has none
	Text        string
	HTML        htmltemplate.HTML // safe HTML of the same
	URL         string            // of the page where it is shown
	Unsubscribe string            // see Letter
}

func (c Announcement) fill(v *values) {
	v.say("title", "公告", "Announcement")
	text, html := c.Text, string(c.HTML)
	if c.Title != "" {
		v.text("title", c.Title)
		text = c.Title + "\n\n" + text
		html = `<p style="margin:0 0 16px;font-size:20px;font-weight:600">` + escape(c.Title) + "</p>\n" + html
	}
	v.block("announcement", text, html)
	const quiet = "color:#4b5563"
	onSite := fault.Text{ZH: "在网站查看", EN: "Read it on the site"}.In(v.lang)
	noMore := fault.Text{ZH: "不再通过邮件和 Telegram 接收公告", EN: "No more announcements by mail or Telegram"}.In(v.lang)
	v.block("links", onSite+": "+c.URL+"\n"+noMore+": "+c.Unsubscribe,
		`<p style="margin:24px 0 0;font-size:13px;`+quiet+`"><a href="`+escape(c.URL)+`" style="`+quiet+`">`+onSite+
			`</a> · <a href="`+escape(c.Unsubscribe)+`" style="`+quiet+`">`+noMore+`</a></p>`)
	v.need("announcement", "links")
}

func (Announcement) kind() string { return "announcement" }

// writtenAtOnce is how many mails one statement inserts.
const writtenAtOnce = 500

// sharedText is what mails of one announcement in one language have in common, so that it is stored once and not with
// each of them.
type sharedText struct {
	bun.BaseModel `bun:"table:mail_text"`
	ID            int64 `bun:",pk,autoincrement"`
	Sealed        []byte
	CreatedAt     time.Time
}

// textPurpose is of the key that seals what mails share.
const textPurpose = "mail text"

// Batch is announcements that are not yet in the queue.
type Batch struct {
	mails  *Mails
	texts  []sharedText
	rows   []row
	textOf []int // the text of each row
}

// Prepare makes the mails of an announcement before the transaction that queues them, which so is short. Each is
// written when it is sent.
func (m *Mails) Prepare(messages []Message) (*Batch, error) {
	b := &Batch{mails: m, rows: make([]row, len(messages)), textOf: make([]int, len(messages))}
	known := map[Announcement]int{}
	for i, msg := range messages {
		msg.Lang = cmp.Or(msg.Lang, m.settings.Get().Language)
		content, ok := msg.Content.(Announcement)
		if !ok {
			return nil, fmt.Errorf("mail: %q is not sent in bulk", msg.Content.kind())
		}
		b.rows[i] = m.newRow(msg, []byte(content.Unsubscribe))
		content.Unsubscribe = ""
		text, isKnown := known[content]
		if !isKnown {
			plain, err := json.Marshal(content)
			if err != nil {
				return nil, err
			}
			text = len(b.texts)
			known[content] = text
			b.texts = append(b.texts, sharedText{Sealed: m.key.Seal(textPurpose, plain), CreatedAt: m.db.Now()})
		}
		b.textOf[i] = text
	}
	return b, nil
}

// Send puts the mails into the queue as part of tx.
func (b *Batch) Send(ctx context.Context, tx bun.Tx) error {
	if len(b.rows) == 0 {
		return nil
	}
	for i := range b.texts {
		b.texts[i].ID = 0 // of a try that is repeated
	}
	if _, err := tx.NewInsert().Model(&b.texts).Exec(ctx); err != nil {
		return err
	}
	for i := range b.rows {
		b.rows[i].ID, b.rows[i].TextID = 0, &b.texts[b.textOf[i]].ID
	}
	ids := make([]int64, 0, len(b.rows))
	for part := range slices.Chunk(b.rows, writtenAtOnce) {
		if _, err := tx.NewInsert().Model(&part).Exec(ctx); err != nil {
			return err
		}
		for i := range part {
			ids = append(ids, part[i].ID)
		}
	}
	return job.AddAll(ctx, tx, b.mails.db.Now(), bulkKind, ids)
}

// openShared writes an announcement that r shares with others; own is what r has of its own.
func (m *Mails) openShared(ctx context.Context, r row, own []byte) (letter Letter, err error) {
	var text sharedText
	if err := m.db.NewSelect().Model(&text).Where("id = ?", *r.TextID).Scan(ctx); err != nil {
		return letter, err
	}
	plain, err := m.key.Open(textPurpose, text.Sealed)
	if err != nil {
		return letter, err
	}
	var content Announcement
	if err := json.Unmarshal(plain, &content); err != nil {
		return letter, err
	}
	content.Unsubscribe = string(own)
	return m.Write(Message{To: r.Recipient, Lang: r.Lang, Content: content})
}

// BulkDue counts the announcements that could be sent by now and were not, up to most.
func (m *Mails) BulkDue(ctx context.Context, most int64) (int64, error) {
	return job.Due(ctx, m.db, bulkKind, most)
}

// RegisterBulk makes q send the announcements. It should be a queue of its own.
func (m *Mails) RegisterBulk(q *job.Queue) { job.Handle(q, bulkKind, m.deliver) }

// jobKind is the kind of the job that sends the mail.
func (m Mail) jobKind() string {
	if m.Kind == (Announcement{}).kind() {
		return bulkKind
	}
	return kind
}
