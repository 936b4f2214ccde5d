package announcement

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// check tidies an announcement that is written and names what is wrong with it.
func (one *Announcement) check() error {
	one.Title, one.Body = strings.TrimSpace(one.Title), strings.TrimSpace(one.Body)
	one.Titles, one.Bodies = tidy(one.Titles), tidy(one.Bodies)
	one.AudienceIDs = slices.Compact(slices.Sorted(slices.Values(one.AudienceIDs)))
	if one.AudienceIDs == nil {
		one.AudienceIDs = []int64{}
	}
	var p fault.Problems
	p.When(one.Title == "" && one.Body == "", "title", "required", "请填写标题", "Please write a title")
	p.When(!slices.Contains([]Type{Index, PopUp, Maintenance}, one.Type), "type", "choice",
		"类型只能是 index_ann、pop_up_ann、maintenance", "The type is index_ann, pop_up_ann or maintenance")
	tooLong := func(text, field string, most int) {
		p.When(utf8.RuneCountInString(text) > most, field, "too_long", "太长，标题最多 100 字，正文最多 20000 字",
			"This is too long: a title has at most 100 characters, a body 20,000")
	}
	tooLong(one.Title, "title", maxTitle)
	tooLong(one.Body, "body", maxBody)
	for _, lang := range []fault.Lang{fault.ZH, fault.EN} {
		tooLong(one.Titles[lang], fault.FieldOf("title", lang), maxTitle)
		tooLong(one.Bodies[lang], fault.FieldOf("body", lang), maxBody)
	}
	p.When(one.EndsAt != nil && !one.EndsAt.After(one.StartsAt), "ends_at", "range", "结束时间必须晚于开始时间",
		"The end must be after the start")
	switch one.Audience {
	case ForAll:
		p.When(len(one.AudienceIDs) > 0, "audience_ids", "unknown", "面向所有人的公告没有编号",
			"An announcement for all names no plans, classes or groups")
	case ForPlan, ForClass, ForGroup:
		p.When(len(one.AudienceIDs) == 0 || len(one.AudienceIDs) > maxAudience, "audience_ids", "required",
			"请选择 1 到 100 个套餐、等级或节点组", "Please choose 1 to 100 plans, classes or node groups")
	default:
		p.When(true, "audience", "choice", "范围只能是 all、plan、class、group", "The audience is all, plan, class or group")
	}
	return p.Err()
}

func tidy(texts fault.ByLang) fault.ByLang {
	out := fault.ByLang{}
	for lang, text := range texts {
		out = out.With(lang, &text)
	}
	return out
}

// Add makes an announcement. Wrong input is named type, title, title_zh, title_en, body, body_zh, body_en, ends_at,
// audience, audience_ids.
func (a *Announcements) Add(ctx context.Context, one Announcement) (Announcement, error) {
	now := a.db.Now()
	one.ID, one.CreatedAt, one.UpdatedAt = 0, now, now
	if one.StartsAt.IsZero() {
		one.StartsAt = now
	}
	one.roundTimes()
	if err := one.check(); err != nil {
		return one, err
	}
	err := a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error { return a.insert(ctx, tx, &one) })
	if err != nil {
		return one, err
	}
	return one, a.current.Load(ctx)
}

func (a *Announcements) insert(ctx context.Context, tx bun.Tx, one *Announcement) error {
	one.ID = 0 // of a try that is repeated
	if _, err := tx.NewInsert().Model(one).Exec(ctx); err != nil {
		return err
	}
	if _, err := db.Bump(ctx, tx, revision); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "announcement.add", audit.ID("announcement", one.ID), nil, one.entry(), "")
}

// entry is what the audit log has of an announcement.
func (one *Announcement) entry() map[string]any {
	return map[string]any{
		"type": one.Type, "title": one.Title, "titles": one.Titles, "body": one.Body, "bodies": one.Bodies,
		"starts_at": one.StartsAt, "ends_at": one.EndsAt, "pinned": one.Pinned, "audience": one.Audience,
		"audience_ids": one.AudienceIDs,
	}
}

func (one *Announcement) roundTimes() {
	one.StartsAt = one.StartsAt.UTC().Truncate(time.Millisecond)
	if one.EndsAt != nil {
		one.EndsAt = new(one.EndsAt.UTC().Truncate(time.Millisecond))
	}
}

// Change changes an announcement by change. With again its readers have not seen it any more. Wrong input is named as
// by Add.
func (a *Announcements) Change(ctx context.Context, id int64, again bool, change func(*Announcement)) (
	one Announcement, err error,
) {
	err = a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		was, err := db.LockRow[Announcement](ctx, tx, id, ErrNone)
		if err != nil {
			return err
		}
		one = was
		one.Titles, one.Bodies = was.Titles.OrEmpty(), was.Bodies.OrEmpty()
		change(&one)
		one.roundTimes()
		if err := one.check(); err != nil {
			return err
		}
		return a.update(ctx, tx, &was, &one, again)
	})
	if err != nil {
		return one, err
	}
	return one, a.current.Load(ctx)
}

func (a *Announcements) update(ctx context.Context, tx bun.Tx, was, one *Announcement, again bool) error {
	one.UpdatedAt = a.db.Now()
	if _, err := tx.NewUpdate().Model(one).WherePK().Exec(ctx); err != nil {
		return err
	}
	if again {
		if _, err := tx.NewDelete().Model((*mark)(nil)).Where("announcement_id = ?", one.ID).Exec(ctx); err != nil {
			return err
		}
	}
	if _, err := db.Bump(ctx, tx, revision); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "announcement.change", audit.ID("announcement", one.ID), was.entry(), one.entry(), "")
}

// Remove removes an announcement and what is known of its readers.
func (a *Announcements) Remove(ctx context.Context, id int64) error {
	err := a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		was, err := db.LockRow[Announcement](ctx, tx, id, ErrNone)
		if err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model(&was).WherePK().Exec(ctx); err != nil {
			return err
		}
		if _, err := db.Bump(ctx, tx, revision); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "announcement.remove", audit.ID("announcement", id), was.entry(), nil, "")
	})
	if err != nil {
		return err
	}
	return a.current.Load(ctx)
}

// SetText writes the one text of a type that the older API knows: it takes the place of the newest announcement of the
// type that is for all and in force, or begins one. Its readers have not seen the new text. The same text changes
// nothing.
func (a *Announcements) SetText(ctx context.Context, kind Type, source string) (one Announcement, err error) {
	title, body := split(source)
	if title == "" && body == "" {
		return one, fault.Invalid("body", "required", "请填写公告内容", "Please write the text of the announcement")
	}
	current, err := a.Text(kind)
	switch {
	case err != nil:
		return a.Add(ctx, Announcement{Type: kind, Title: title, Body: body, Audience: ForAll})
	case current.Title == title && current.Body == body && len(current.Titles)+len(current.Bodies) == 0:
		return current, nil
	}
	return a.Change(ctx, current.ID, true, func(one *Announcement) {
		one.Title, one.Body, one.Titles, one.Bodies = title, body, nil, nil
	})
}

// Text gives the newest announcement of a type that is for all and in force, or ErrNone.
func (a *Announcements) Text(kind Type) (newest Announcement, err error) {
	list := a.InForce(kind)
	if len(list) == 0 {
		return newest, ErrNone
	}
	return slices.MaxFunc(list, func(x, y Announcement) int {
		return cmp.Or(x.StartsAt.Compare(y.StartsAt), cmp.Compare(x.ID, y.ID))
	}), nil
}

// Listed is an announcement as staff sees it.
type Listed struct {
	Announcement
	Readers int64 // how many users have seen it
}

// List gives a part of all announcements, those that ended and those to come too, the newest first, and how many there
// are.
func (a *Announcements) List(ctx context.Context, limit, offset int64) ([]Listed, int64, error) {
	rows := []Announcement{}
	total, err := a.db.NewSelect().Model(&rows).OrderExpr("starts_at DESC, id DESC").Limit(limit).
		Offset(offset).ScanAndCount(ctx)
	if err != nil || len(rows) == 0 {
		return nil, total, err
	}
	list, err := a.withReaders(ctx, rows)
	return list, total, err
}

// Get gives one announcement as staff sees it.
func (a *Announcements) Get(ctx context.Context, id int64) (Listed, error) {
	rows := []Announcement{}
	if err := a.db.NewSelect().Model(&rows).Where("id = ?", id).Scan(ctx); err != nil {
		return Listed{}, err
	}
	if len(rows) == 0 {
		return Listed{}, ErrNone
	}
	list, err := a.withReaders(ctx, rows)
	if err != nil {
		return Listed{}, err
	}
	return list[0], nil
}

func (a *Announcements) withReaders(ctx context.Context, rows []Announcement) ([]Listed, error) {
	ids := make([]int64, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	var counts []struct {
		AnnouncementID int64
		Readers        int64
	}
	if err := a.db.NewSelect().Model((*mark)(nil)).Column("announcement_id").ColumnExpr("COUNT(*) AS readers").
		Where("announcement_id IN (?)", bun.List(ids)).Group("announcement_id").Scan(ctx, &counts); err != nil {
		return nil, err
	}
	list := make([]Listed, len(rows))
	for i, one := range rows {
		list[i].Announcement = one
		for _, c := range counts {
			if c.AnnouncementID == one.ID {
				list[i].Readers = c.Readers
			}
		}
	}
	return list, nil
}
