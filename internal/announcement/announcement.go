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
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

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
	current  *db.Snapshot[[]Announcement]
}

// New loads the announcements in d.
func New(ctx context.Context, d *db.DB, services *service.Services) (*Announcements, error) {
	a := &Announcements{db: d, services: services}
	a.current = db.NewSnapshot(d, revision, "announcements", a.read)
	return a, a.current.Load(ctx)
}

// Follow keeps the announcements current with what other processes change, until ctx ends.
func (a *Announcements) Follow(ctx context.Context) { a.current.Follow(ctx) }

func (a *Announcements) read(ctx context.Context) ([]Announcement, error) {
	list := []Announcement{}
	if err := a.db.NewSelect().Model(&list).Where("ends_at IS NULL OR ends_at > ?", a.db.Now()).Scan(ctx); err != nil {
		return nil, err
	}
	slices.SortFunc(list, compare)
	return list, nil
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
	for _, one := range a.current.Get() {
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
	_, err := tx.NewDelete().Model((*mark)(nil)).Where("user_id = ?", userID).Exec(ctx)
	return err
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
