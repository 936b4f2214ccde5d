package mail

import (
	"context"
	htmltemplate "html/template"
	"slices"

	"github.com/uptrace/bun"

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

func (Announcement) kind() string { return "announcement" }

// writtenAtOnce is how many mails one statement inserts.
const writtenAtOnce = 100

// Batch is mails that are written and not yet in the queue.
type Batch struct {
	mails *Mails
	rows  []row
}

// Prepare writes announcements before the transaction that queues them, which so is short.
func (m *Mails) Prepare(messages []Message) (*Batch, error) {
	b := &Batch{m, make([]row, len(messages))}
	for i, msg := range messages {
		var err error
		if b.rows[i], err = m.write(msg); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Send puts the mails into the queue as part of tx.
func (b *Batch) Send(ctx context.Context, tx bun.Tx) error {
	ids := make([]int64, 0, len(b.rows))
	for part := range slices.Chunk(b.rows, writtenAtOnce) {
		for i := range part {
			part[i].ID = 0 // of a try that is repeated
		}
		if _, err := tx.NewInsert().Model(&part).Exec(ctx); err != nil {
			return err
		}
		for i := range part {
			ids = append(ids, part[i].ID)
		}
	}
	return job.AddAll(ctx, tx, b.mails.db.Now(), bulkKind, ids)
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
