package ticket

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/attachment"
	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/detached"
	"airstrip/internal/fault"
	"airstrip/internal/job"
)

// The limits of attachments.
const (
	MaxFiles = 5 // of one message

	maxUnsent      = 4 * MaxFiles // uploads that one person has not sent yet
	uploadsPerHour = 120          // of one person, in one process
	unsentFor      = 24 * time.Hour

	// removedAfter is longer than an upload may still be writing the file.
	removedAfter  = 5 * attachment.StoreWithin
	removedAtOnce = 200
	removeNow     = 5 * time.Second // that a call waits for a bucket; the job tries again
)

// Attachment is a file of a message, or an upload that was not sent yet.
type Attachment struct {
	bun.BaseModel `bun:"table:ticket_attachment"`
	ID            int64 `bun:",pk,autoincrement"`
	UUID          uuid.UUID
	UserID        int64 // who uploaded it
	MessageID     *int64
	Name          string
	MediaType     string
	Size          int64
	Width, Height int // 0 where it is no image
	File          uuid.UUID
	Place         attachment.Place
	Stored        bool
	CreatedAt     time.Time
}

// removedFile is a file that is to be removed: no row names it any more. The row is written with what removed the
// other one, so that no file is forgotten whenever the process ends.
type removedFile struct {
	bun.BaseModel `bun:"table:ticket_removed_file"`
	File          uuid.UUID `bun:",pk"`
	Place         attachment.Place
	RemovedAt     time.Time
	UserID        int64 // in whose quota it counts until it is gone
	Size          int64
}

// Faults of attachments.
var (
	ErrNoAttachment = fault.NotFound("attachment_not_found", "没有这个附件", "There is no such attachment")
	ErrSent         = fault.Conflict("attachment_sent", "附件已随消息发送，不能删除",
		"This file was sent with a message and stays there")
	ErrQuota = fault.Conflict("attachment_quota", "附件的存储空间已用完，请直接用文字描述，或联系客服",
		"There is no room for more of your files; please describe it in words")
	ErrTooManyUnsent = fault.Conflict("too_many_uploads", "尚未发送的文件过多，请先发送或移除",
		"Too many files wait to be sent; please send or remove some of them")
	errTaken = fault.Conflict("attachment_id_taken", "这个附件编号已被使用", "This id of an attachment is in use")
)

// Upload keeps a file that the user is about to send, under an id of the caller's choice: an upload that is repeated
// after a lost answer gives what the first one kept. attachment.ErrSize and its like, ErrQuota, ErrTooManyUnsent.
func (t *Tickets) Upload(ctx context.Context, userID int64, id uuid.UUID, name string, data []byte) (*Attachment,
	error,
) {
	read, err := attachment.Read(name, data)
	if err != nil {
		return nil, err
	}
	if err := t.uploads.Allow(strconv.FormatInt(userID, 10)); err != nil {
		return nil, err
	}
	a := &Attachment{
		UUID: id, UserID: userID, Name: read.Name, MediaType: read.MediaType, Size: int64(len(read.Data)),
		Width: read.Width, Height: read.Height, Place: t.files.Place(),
	}
	if err := t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error { return t.announce(ctx, tx, a) }); err != nil ||
		a.Stored {
		return a, err
	}
	if err := t.files.Put(ctx, a.Place, a.File, read.Data); err != nil {
		return nil, err
	}
	ctx, cancel := detached.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	err = t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now := new(Attachment)
		err := db.Locked(tx.NewSelect().Model(now).Where("id = ?", a.ID)).Scan(ctx)
		switch {
		case errors.Is(err, db.ErrNoRows): // removed meanwhile, and its file with it
			return ErrNoAttachment
		case err != nil:
			return err
		case now.Stored: // a repeat was faster; this file is among those to be removed
			*a = *now
			return nil
		}
		a.Stored = true
		if err := t.swapFile(ctx, tx, now, a); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "ticket.attachment.upload", audit.ID("ticket_attachment", a.ID), nil,
			a.described(), "")
	})
	return a, err
}

// swapFile makes a, whose file is kept now, the row of an upload. Where another call for the same upload had named the
// file that the row was to have, that one is to be removed instead.
func (t *Tickets) swapFile(ctx context.Context, tx bun.Tx, was, a *Attachment) error {
	if was.File != a.File {
		if _, err := tx.NewDelete().Model((*removedFile)(nil)).Where("file = ?", a.File).Exec(ctx); err != nil {
			return err
		}
		if err := t.noteRemoved(ctx, tx, *was); err != nil {
			return err
		}
	}
	_, err := tx.NewUpdate().Model(a).Column("stored", "file", "place", "name", "media_type", "size", "width", "height").
		WherePK().Exec(ctx)
	return err
}

// noteRemoved has the files of attachments removed.
func (t *Tickets) noteRemoved(ctx context.Context, tx bun.Tx, gone ...Attachment) error {
	files := make([]removedFile, len(gone))
	for i, a := range gone {
		files[i] = removedFile{File: a.File, Place: a.Place, RemovedAt: t.db.Now(), UserID: a.UserID, Size: a.Size}
	}
	_, err := tx.NewInsert().Model(&files).Exec(ctx)
	return err
}

// announce writes the row of an upload before its file is kept, or reads the row of one that is kept already. While
// another call for the same upload keeps its file, this one keeps another, which is to be removed unless it is there
// first.
func (t *Tickets) announce(ctx context.Context, tx bun.Tx, a *Attachment) error {
	if err := t.lockWriter(ctx, tx, a.UserID); err != nil {
		return err
	}
	before := new(Attachment)
	err := tx.NewSelect().Model(before).Where("uuid = ?", a.UUID).Scan(ctx)
	switch {
	case err == nil && before.UserID != a.UserID:
		return errTaken
	case err == nil && before.Stored:
		*a = *before
		return nil
	case err != nil && !errors.Is(err, db.ErrNoRows):
		return err
	}
	isRepeat := err == nil
	var used struct{ Unsent, Bytes int64 }
	if err := tx.NewSelect().Model((*Attachment)(nil)).Where("user_id = ?", a.UserID).
		ColumnExpr("COALESCE(SUM(CASE WHEN message_id IS NULL THEN 1 ELSE 0 END), 0) AS unsent").
		ColumnExpr("COALESCE(SUM(size), 0) AS bytes").Scan(ctx, &used); err != nil {
		return err
	}
	var leaving int64
	if err := tx.NewSelect().Model((*removedFile)(nil)).Where("user_id = ?", a.UserID).
		ColumnExpr("COALESCE(SUM(size), 0)").Scan(ctx, &leaving); err != nil {
		return err
	}
	used.Bytes += leaving
	if isRepeat { // it is the same upload, whose row counts already
		used.Bytes -= before.Size
	}
	switch {
	case used.Bytes+a.Size > int64(t.settings.Get().AttachmentQuotaMB)<<20:
		return ErrQuota
	case used.Unsent >= maxUnsent && !isRepeat:
		return ErrTooManyUnsent
	}
	a.ID, a.File, a.CreatedAt = 0, uuid.New(), t.db.Now()
	if isRepeat {
		a.ID, a.CreatedAt = before.ID, before.CreatedAt
		return t.noteRemoved(ctx, tx, *a)
	}
	_, err = tx.NewInsert().Model(a).Exec(ctx)
	return err
}

// described is what the audit log keeps of a file.
func (a *Attachment) described() map[string]any {
	return map[string]any{"name": a.Name, "media_type": a.MediaType, "size": a.Size, "message_id": a.MessageID}
}

func checkFiles(wrong *fault.Problems, files []string) {
	wrong.When(len(files) > MaxFiles, "attachments", "too_many", "每条消息最多 5 个文件", "A message has at most 5 files")
	for i, id := range files {
		_, err := uuid.Parse(id)
		wrong.When(err != nil || slices.Contains(files[:i], id), "attachments", "invalid", "附件编号无效",
			"This is no id of an attachment, or it is there twice")
	}
}

// claim sends uploads of a message's author with it.
func (t *Tickets) claim(ctx context.Context, tx bun.Tx, m *Message, files []string) error {
	if len(files) == 0 {
		return nil
	}
	n, err := db.Changed(tx.NewUpdate().Model((*Attachment)(nil)).Set("message_id = ?", m.ID).
		Where("uuid IN (?) AND user_id = ? AND message_id IS NULL AND stored", bun.List(files), m.AuthorID).Exec(ctx))
	if err == nil && n != int64(len(files)) {
		err = fault.Invalid("attachments", "unknown", "附件不存在或已发送，请重新上传",
			"A file is not there or was sent already; please upload it again")
	}
	if err != nil {
		return err
	}
	messages := []Message{*m}
	err = attach(ctx, tx, messages)
	m.Attachments = messages[0].Attachments
	return err
}

// attach gives messages their files.
func (t *Tickets) attach(ctx context.Context, messages []Message) error {
	return attach(ctx, t.db, messages)
}

func attach(ctx context.Context, idb bun.IDB, messages []Message) error {
	if len(messages) == 0 {
		return nil
	}
	at := map[int64]int{}
	ids := make([]int64, len(messages))
	for i, m := range messages {
		ids[i], at[m.ID] = m.ID, i
	}
	var files []Attachment
	err := idb.NewSelect().Model(&files).Where("message_id IN (?)", bun.List(ids)).OrderExpr("message_id, id").Scan(ctx)
	for _, a := range files {
		m := &messages[at[*a.MessageID]]
		m.Attachments = append(m.Attachments, a)
	}
	return err
}

// Text is a message where files cannot be shown: its text, and what its files are called.
func (m *Message) Text() string {
	lines := []string{}
	if m.Content != "" {
		lines = append(lines, m.Content)
	}
	for _, a := range m.Attachments {
		lines = append(lines, "["+a.Name+"]")
	}
	return strings.Join(lines, "\n")
}

// File gives an attachment that the user may see: of a message in a ticket of theirs, or an upload of their own that
// was not sent yet. Close what is read when done. ErrNoAttachment.
func (t *Tickets) File(ctx context.Context, userID int64, id uuid.UUID) (*Attachment, io.ReadCloser, error) {
	shown := t.db.NewSelect().Model((*Message)(nil)).Column("message.id").
		Join("JOIN ticket ON ticket.id = message.ticket_id").Where("ticket.user_id = ? AND NOT is_note", userID)
	return t.file(ctx, id, func(q *bun.SelectQuery) {
		q.Where("message_id IN (?) OR message_id IS NULL AND user_id = ?", shown, userID)
	})
}

// AnyFile gives an attachment of any message, or an upload of the member of staff that was not sent yet. Close what is
// read when done. ErrNoAttachment.
func (t *Tickets) AnyFile(ctx context.Context, member int64, id uuid.UUID) (*Attachment, io.ReadCloser, error) {
	return t.file(ctx, id, func(q *bun.SelectQuery) { q.Where("message_id IS NOT NULL OR user_id = ?", member) })
}

func (t *Tickets) file(ctx context.Context, id uuid.UUID, narrow func(*bun.SelectQuery)) (*Attachment, io.ReadCloser,
	error,
) {
	a := new(Attachment)
	q := t.db.NewSelect().Model(a).Where("uuid = ? AND stored", id).
		WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
			narrow(q)
			return q
		})
	if err := q.Scan(ctx); err != nil {
		return nil, nil, db.OrMissing(err, ErrNoAttachment)
	}
	file, err := t.files.Open(ctx, a.Place, a.File)
	if errors.Is(err, attachment.ErrGone) {
		slog.ErrorContext(ctx, "the file of an attachment is not there", "attachment", a.ID, "error", err)
		err = ErrNoAttachment
	}
	return a, file, err
}

// RemoveUpload removes an upload of the user that was not sent yet: ErrNoAttachment, ErrSent.
func (t *Tickets) RemoveUpload(ctx context.Context, userID int64, id uuid.UUID) error {
	return t.remove(ctx, id, func(a *Attachment) error {
		switch {
		case a.UserID != userID:
			return ErrNoAttachment
		case a.MessageID != nil:
			return ErrSent
		}
		return nil
	})
}

// RemoveFile removes an attachment of any message, or an upload of the member of staff: ErrNoAttachment. The message
// stays.
func (t *Tickets) RemoveFile(ctx context.Context, member int64, id uuid.UUID) error {
	return t.remove(ctx, id, func(a *Attachment) error {
		if a.MessageID == nil && a.UserID != member {
			return ErrNoAttachment
		}
		return nil
	})
}

func (t *Tickets) remove(ctx context.Context, id uuid.UUID, admit func(*Attachment) error) error {
	a := new(Attachment)
	err := t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		a = new(Attachment)
		err := db.Locked(tx.NewSelect().Model(a).Where("uuid = ?", id)).Scan(ctx)
		if errors.Is(err, db.ErrNoRows) {
			err = ErrNoAttachment
		}
		if err == nil {
			err = admit(a)
		}
		if err != nil {
			return err
		}
		if err := t.removeFiles(ctx, tx, func(q *bun.SelectQuery) { q.Where("id = ?", a.ID) }); err != nil {
			return err
		}
		if a.MessageID != nil {
			if err := t.showAgain(ctx, tx, *a.MessageID); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, "ticket.attachment.remove", audit.ID("ticket_attachment", a.ID), a.described(),
			nil, "")
	})
	if err == nil && a.Stored { // nobody writes it any more
		ctx, cancel := context.WithTimeout(ctx, removeNow)
		defer cancel()
		if err := t.removeFile(ctx, removedFile{File: a.File, Place: a.Place}); err != nil {
			slog.WarnContext(ctx, "could not remove a file, it is tried again later", "attachment", a.ID, "error", err)
		}
	}
	return err
}

// removeFile removes a file that no row names, and then what says that it is to go.
func (t *Tickets) removeFile(ctx context.Context, f removedFile) error {
	if err := t.files.Remove(ctx, f.Place, f.File); err != nil {
		return err
	}
	return t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewDelete().Model(&f).WherePK().Exec(ctx)
		return err
	})
}

// showAgain lets open pages read the ticket of a message once more.
func (t *Tickets) showAgain(ctx context.Context, tx bun.Tx, messageID int64) error {
	k := new(Ticket)
	of := tx.NewSelect().Model((*Message)(nil)).Column("ticket_id").Where("id = ?", messageID)
	if err := db.Locked(tx.NewSelect().Model(k).Where("id = (?)", of)).Scan(ctx); err != nil {
		return err
	}
	return t.save(ctx, tx, k, true)
}

// removeFiles removes the attachments that fit, and has their files removed after the transaction.
func (t *Tickets) removeFiles(ctx context.Context, tx bun.Tx, narrow func(*bun.SelectQuery)) error {
	var gone []Attachment
	q := tx.NewSelect().Model(&gone)
	narrow(q)
	if err := db.Locked(q).Scan(ctx); err != nil || len(gone) == 0 {
		return err
	}
	ids := make([]int64, len(gone))
	for i, a := range gone {
		ids[i] = a.ID
	}
	if _, err := tx.NewDelete().Model((*Attachment)(nil)).Where("id IN (?)", bun.List(ids)).Exec(ctx); err != nil {
		return err
	}
	return t.noteRemoved(ctx, tx, gone...)
}

// Register makes q remove the files that nobody needs.
func (t *Tickets) Register(q *job.Queue) { q.Every("ticket.forget", t.forget) }

// forget removes uploads that were never sent, and the files of all that was removed. A file that cannot be removed
// now is tried again at the next time.
func (t *Tickets) forget(ctx context.Context) error {
	if err := t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		return t.removeFiles(ctx, tx, func(q *bun.SelectQuery) {
			q.Where("message_id IS NULL AND created_at < ?", t.db.Now().Add(-unsentFor)).Limit(removedAtOnce)
		})
	}); err != nil {
		return err
	}
	var files []removedFile
	if err := t.db.NewSelect().Model(&files).Where("removed_at <= ?", t.db.Now().Add(-removedAfter)).
		OrderExpr("removed_at, file").Limit(removedAtOnce).Scan(ctx); err != nil {
		return err
	}
	var failed error
	for _, f := range files {
		if err := t.removeFile(ctx, f); err != nil {
			failed = errors.Join(failed, err, t.removeLater(ctx, f))
		}
	}
	return failed
}

// removeLater puts a file behind the others, so that a place that does not answer holds up no other one.
func (t *Tickets) removeLater(ctx context.Context, f removedFile) error {
	f.RemovedAt = t.db.Now()
	return t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewUpdate().Model(&f).Column("removed_at").WherePK().Exec(ctx)
		return err
	})
}
