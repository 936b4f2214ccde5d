// Package announcement owns what the operator tells users on the pages: announcements, pop-ups and notes on
// maintenance, in Markdown and both languages, for all or for some users, from one time to another. Those that have not
// ended are held in memory and follow a revision, so that a page costs one query, for the reader's marks. Each user
// reads each of them once, whatever device it was on. What is for all may be read by guests too.
package announcement

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/service"
)

// Type is where the pages show an announcement. The values are those of ann_type.
type Type string

// The types: in the list, in a dialog too that each user sees once, in a strip on every page too while it is in force.
const (
	Index       Type = "index_ann"
	PopUp       Type = "pop_up_ann"
	Maintenance Type = "maintenance"
)

// Audience is whom an announcement is for.
type Audience string

// The audiences: all, guests too; users with a running service of one of the plans; users whose class is one of the
// classes; users whose services open one of the node groups.
const (
	ForAll   Audience = "all"
	ForPlan  Audience = "plan"
	ForClass Audience = "class"
	ForGroup Audience = "group"
)

// Announcement is one text for users.
type Announcement struct {
	bun.BaseModel `bun:"table:announcement"`
	ID            int64 `bun:",pk,autoincrement"`
	Type          Type
	Title         string       // for readers in whose language Titles has none; empty: the body has no heading
	Titles        fault.ByLang `bun:"type:jsonb"`
	Body          string       // Markdown; empty: the title says it all
	Bodies        fault.ByLang `bun:"type:jsonb"`
	StartsAt      time.Time    // zero in a new one: now
	EndsAt        *time.Time   // nil: until it is removed
	Pinned        bool         // stands before the others
	Audience      Audience
	AudienceIDs   []int64 `bun:"audience_ids,type:jsonb"` // empty with ForAll
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// mark is that a user has seen an announcement.
type mark struct {
	bun.BaseModel  `bun:"table:announcement_read"`
	UserID         int64 `bun:",pk"`
	AnnouncementID int64 `bun:",pk"`
	ReadAt         time.Time
}

// ErrNone is the fault of an announcement that does not exist.
var ErrNone = fault.NotFound("announcement_not_found", "没有这条公告", "There is no such announcement")

const (
	revision    = "announcement"
	maxTitle    = 100    // characters
	maxBody     = 20_000 // characters
	maxAudience = 100    // plans, classes or groups
)

// Announcements are all announcements.
type Announcements struct {
	db       *db.DB
	services *service.Services
	loading  sync.Mutex // what is read last is what stays
	current  atomic.Pointer[[]Announcement]
}

// New loads the announcements in d.
func New(ctx context.Context, d *db.DB, services *service.Services) (*Announcements, error) {
	a := &Announcements{db: d, services: services}
	return a, a.load(ctx)
}

// Follow keeps the announcements current with what other processes change, until ctx ends.
func (a *Announcements) Follow(ctx context.Context) {
	a.db.Reload(ctx, revision, "announcements", a.load)
}

func (a *Announcements) load(ctx context.Context) error {
	a.loading.Lock()
	defer a.loading.Unlock()
	list := []Announcement{}
	if err := a.db.NewSelect().Model(&list).Where("ends_at IS NULL OR ends_at > ?", a.db.Now()).Scan(ctx); err != nil {
		return err
	}
	slices.SortFunc(list, compare)
	a.current.Store(&list)
	return nil
}

// compare orders announcements as people read them: pinned ones first, then the newest.
func compare(x, y Announcement) int {
	if x.Pinned != y.Pinned {
		if x.Pinned {
			return -1
		}
		return 1
	}
	return cmp.Or(y.StartsAt.Compare(x.StartsAt), cmp.Compare(y.ID, x.ID))
}

// InForce gives the announcements for all that are in force now, also to guests. Empty types: of every type.
func (a *Announcements) InForce(types ...Type) []Announcement {
	return a.inForce(types, func(one *Announcement) bool { return one.Audience == ForAll })
}

func (a *Announcements) inForce(types []Type, isFor func(*Announcement) bool) (found []Announcement) {
	now := a.db.Now()
	for _, one := range *a.current.Load() {
		if one.inForce(now) &&
			(len(types) == 0 || slices.Contains(types, one.Type)) && isFor(&one) {
			found = append(found, one)
		}
	}
	return found
}

// Seen is an announcement with whether its reader has seen it.
type Seen struct {
	Announcement
	Read bool
}

// For gives what is in force for a user now. Empty types: of every type.
func (a *Announcements) For(ctx context.Context, userID int64, types ...Type) ([]Seen, error) {
	visible, err := a.visible(ctx, userID, types)
	if err != nil || len(visible) == 0 {
		return nil, err
	}
	ids := make([]int64, len(visible))
	for i := range visible {
		ids[i] = visible[i].ID
	}
	var read []int64
	if err := a.db.NewSelect().Model((*mark)(nil)).Column("announcement_id").Where("user_id = ?", userID).
		Where("announcement_id IN (?)", bun.List(ids)).Scan(ctx, &read); err != nil {
		return nil, err
	}
	list := make([]Seen, len(visible))
	for i, one := range visible {
		list[i] = Seen{one, slices.Contains(read, one.ID)}
	}
	return list, nil
}

func (a *Announcements) visible(ctx context.Context, userID int64, types []Type) ([]Announcement, error) {
	var holds *service.Holding // read once, and only where it decides
	var failure error
	found := a.inForce(types, func(one *Announcement) bool {
		if one.Audience == ForAll {
			return true
		}
		if holds == nil && failure == nil {
			var h service.Holding
			h, failure = a.services.Holding(ctx, userID)
			holds = &h
		}
		return failure == nil && one.isFor(holds)
	})
	return found, failure
}

func (one *Announcement) isFor(h *service.Holding) bool {
	has := func(id int64) bool {
		switch one.Audience {
		case ForPlan:
			return slices.Contains(h.PlanIDs, id)
		case ForClass:
			return h.Class == int(id)
		case ForGroup:
			return slices.Contains(h.Groups, int(id))
		}
		return true
	}
	return slices.ContainsFunc(one.AudienceIDs, has)
}

// MarkRead notes that a user has seen announcements; those that are not for the user now are left out. Empty ids: all.
func (a *Announcements) MarkRead(ctx context.Context, userID int64, ids ...int64) error {
	list, err := a.For(ctx, userID)
	if err != nil {
		return err
	}
	var marks []mark
	for _, one := range list {
		if !one.Read && (len(ids) == 0 || slices.Contains(ids, one.ID)) {
			marks = append(marks, mark{UserID: userID, AnnouncementID: one.ID, ReadAt: a.db.Now()})
		}
	}
	if len(marks) == 0 {
		return nil
	}
	return a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		// One that was removed meanwhile has no marks.
		var there []int64
		if err := tx.NewSelect().Model((*Announcement)(nil)).Column("id").Where("id IN (?)", bun.List(idsOf(marks))).
			Scan(ctx, &there); err != nil {
			return err
		}
		left := slices.DeleteFunc(slices.Clone(marks), func(m mark) bool {
			return !slices.Contains(there, m.AnnouncementID)
		})
		if len(left) == 0 {
			return nil
		}
		_, err := tx.NewInsert().Model(&left).On("CONFLICT DO NOTHING").Exec(ctx)
		return err
	})
}

func idsOf(marks []mark) []int64 {
	ids := make([]int64, len(marks))
	for i := range marks {
		ids[i] = marks[i].AnnouncementID
	}
	return ids
}

// Close forgets what a user has read and that they unsubscribed, as part of the transaction that closes the account.
func (a *Announcements) Close(ctx context.Context, tx bun.Tx, userID int64) error {
	if _, err := tx.NewDelete().Model((*mark)(nil)).Where("user_id = ?", userID).Exec(ctx); err != nil {
		return err
	}
	return forget(ctx, tx, userID)
}

// In gives the title and the body in the language of the reader.
func (one *Announcement) In(lang fault.Lang) (title, body string) {
	return one.Titles.In(lang, one.Title), one.Bodies.In(lang, one.Body)
}

// Source gives title and body as one Markdown text, in which the title is the heading.
func Source(title, body string) string {
	switch {
	case title == "":
		return body
	case body == "":
		return "# " + title
	}
	return "# " + title + "\n\n" + body
}

// split is the opposite of Source.
func split(source string) (title, body string) {
	source = strings.ReplaceAll(source, "\r\n", "\n")
	first, rest, _ := strings.Cut(source, "\n")
	heading, ok := strings.CutPrefix(first, "# ")
	heading = strings.TrimSpace(heading)
	if !ok || heading == "" || utf8.RuneCountInString(heading) > maxTitle {
		return "", strings.TrimSpace(source)
	}
	return heading, strings.TrimSpace(rest)
}

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
	return one, a.load(ctx)
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
		was, err := lock(ctx, tx, id)
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
	return one, a.load(ctx)
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

func lock(ctx context.Context, tx bun.Tx, id int64) (Announcement, error) {
	found := []Announcement{}
	err := db.Locked(tx.NewSelect().Model(&found).Where("id = ?", id)).Scan(ctx)
	if err == nil && len(found) == 0 {
		err = ErrNone
	}
	if err != nil {
		return Announcement{}, err
	}
	return found[0], nil
}

// Remove removes an announcement and what is known of its readers.
func (a *Announcements) Remove(ctx context.Context, id int64) error {
	err := a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		was, err := lock(ctx, tx, id)
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
	return a.load(ctx)
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
