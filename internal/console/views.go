package console

import (
	"context"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
	"airstrip/internal/text"
)

// View is a list of the console as a member of staff saved it: for themselves, or for all who may read the list.
type View struct {
	bun.BaseModel `bun:"table:console_view"`
	ID            int64 `bun:",pk,autoincrement"`
	OwnerID       int64
	Resource      string // the list, by the console's name of it
	Name          string
	IsShared      bool
	Position      int64 // among those of its owner
	Look
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Look is what a list is narrowed and sorted by, and how it is drawn.
type Look struct {
	Search  string // as in the address, without "?"
	Columns string // keys in their order, with commas; empty: those that the console shows unasked
	Widths  Widths // of columns that have others than the console gives them
	IsDense bool
}

// Layout is how a list looks to a member where no view says otherwise.
type Layout struct {
	bun.BaseModel `bun:"table:console_layout"`
	OwnerID       int64  `bun:",pk"`
	Resource      string `bun:",pk"`
	Columns       string
	Widths        Widths
	IsDense       bool
	UpdatedAt     time.Time
}

// Viewer is the member of staff who asks for views, or changes them.
type Viewer struct {
	UserID int64
	// ManagesShared says whether they may change what others shared.
	ManagesShared bool
	// MayRead says whether they may read a list; views of any other do not exist for them.
	MayRead func(resource string) bool
}

func (v Viewer) sees(one View) bool {
	return (one.OwnerID == v.UserID || one.IsShared) && v.MayRead(one.Resource)
}

// MayChange reports whether v may change a view that they see.
func (v Viewer) MayChange(one View) bool {
	return one.OwnerID == v.UserID || one.IsShared && v.ManagesShared
}

const (
	maxViews       = 50 // of one member and list
	maxViewName    = 60 // characters
	maxViewText    = 2000
	maxSearchParts = 40
	maxColumns     = 60
	viewKind       = "console_view"
)

// Faults of views.
var (
	ErrNoView = fault.NotFound("view_not_found", "没有这个视图", "There is no such view")
	ErrViews  = fault.Conflict("too_many_views", "每个列表最多保存 50 个视图", "At most 50 views of one list")
)

var (
	searchKey = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
	columnKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,39}$`)
	// lookKeys are parts of an address that say how a list is shown; a view says that in fields of its own.
	lookKeys = []string{"view", "columns", "widths", "rows", "cursor", "limit"}
)

// check returns the fault of what is no name or no look, by the fields name, search, columns and widths.
func (w View) check() error {
	var wrong fault.Problems
	wrong.When(text.Folded(w.Name) == "" || utf8.RuneCountInString(w.Name) > maxViewName || !text.IsVisible(w.Name), "name", "length",
		"名称须为 1 到 60 个字符", "A name has 1 to 60 characters")
	parts, err := url.ParseQuery(w.Search)
	isSearch := err == nil && len(w.Search) <= maxViewText && len(parts) <= maxSearchParts && text.IsStorable(w.Search)
	for key, values := range parts {
		isSearch = isSearch && searchKey.MatchString(key) && !slices.Contains(lookKeys, key) && len(values) == 1 &&
			text.IsVisible(values[0])
	}
	wrong.When(!isSearch, "search", "format", "筛选条件须为地址中的参数，最多 2000 个字符",
		"Filters are the parameters of an address, of at most 2,000 characters")
	checkColumns(&wrong, w.Columns)
	w.Widths.check(&wrong, w.Columns)
	return wrong.Err()
}

func checkColumns(wrong *fault.Problems, columns string) {
	if columns == "" {
		return
	}
	keys := strings.Split(columns, ",")
	isGood := len(keys) <= maxColumns && len(columns) <= maxViewText
	for i, key := range keys {
		isGood = isGood && columnKey.MatchString(key) && !slices.Contains(keys[:i], key)
	}
	wrong.When(!isGood, "columns", "format", "列须为最多 60 个不重复的名称", "Columns are at most 60 names, each once")
}

// described is what the audit log says of a view. What was typed to search by may be a secret of a user, so it is left
// out.
func (w View) described() map[string]any {
	parts, _ := url.ParseQuery(w.Search) // check has read it
	parts.Del("q")
	return map[string]any{
		"resource": w.Resource, "name": w.Name, "is_shared": w.IsShared, "search": parts.Encode(), "columns": w.Columns,
		"widths": w.Widths, "is_dense": w.IsDense,
	}
}

// Views returns the views of a list that v sees: their own in their order, then what others shared.
func (c *Console) Views(ctx context.Context, v Viewer, resource string) (views []View, err error) {
	err = c.db.NewSelect().Model(&views).Where("resource = ? AND (owner_id = ? OR is_shared)", resource, v.UserID).
		OrderExpr("owner_id <> ?, owner_id, position, id", v.UserID).Scan(ctx)
	return views, err
}

// View returns a view that v sees: ErrNoView.
func (c *Console) View(ctx context.Context, v Viewer, id int64) (View, error) {
	return seenView(ctx, c.db, v, id)
}

func seenView(ctx context.Context, idb bun.IDB, v Viewer, id int64) (one View, err error) {
	err = idb.NewSelect().Model(&one).Where("id = ?", id).Scan(ctx)
	if errors.Is(err, db.ErrNoRows) || err == nil && !v.sees(one) {
		err = ErrNoView
	}
	return one, err
}

// AddView saves a list for v, as the last of their views. Wrong input names name, search, columns,
// widths.
func (c *Console) AddView(ctx context.Context, v Viewer, one View) (View, error) {
	one.Name = strings.TrimSpace(one.Name)
	if err := one.check(); err != nil {
		return one, err
	}
	err := c.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		present, err := lockedViews(ctx, tx, v.UserID, one.Resource)
		if err != nil {
			return err
		}
		if len(present) >= maxViews {
			return ErrViews
		}
		made := one
		made.OwnerID, made.Position = v.UserID, 0
		if len(present) > 0 {
			made.Position = present[len(present)-1].Position + 1
		}
		made.CreatedAt = c.db.Now()
		made.UpdatedAt = made.CreatedAt
		if _, err := tx.NewInsert().Model(&made).Exec(ctx); err != nil {
			return err
		}
		one = made
		return audit.Record(ctx, tx, "console.view", audit.ID(viewKind, one.ID), nil, one.described(), "")
	})
	return one, err
}

// lockedViews returns a member's own views of a list. Of two who count them at once, one waits for the other.
func lockedViews(ctx context.Context, tx bun.Tx, ownerID int64, resource string) (views []View, err error) {
	err = db.Locked(tx.NewSelect().Model(&views)).Where("owner_id = ? AND resource = ?", ownerID, resource).
		OrderExpr("position, id").Scan(ctx)
	return views, err
}

// ChangeView gives a view another name and look, and shares it or no longer: ErrNoView, permission.ErrRefused. Wrong
// input names name, search, columns, widths.
func (c *Console) ChangeView(ctx context.Context, v Viewer, id int64, change View) (one View, err error) {
	change.Name = strings.TrimSpace(change.Name)
	if err := change.check(); err != nil {
		return change, err
	}
	err = c.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		was, err := changeableView(ctx, tx, v, id)
		if err != nil {
			return err
		}
		one = was
		one.Name, one.IsShared, one.Look, one.UpdatedAt = change.Name, change.IsShared, change.Look, c.db.Now()
		if _, err := tx.NewUpdate().Model(&one).WherePK().Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "console.view", audit.ID(viewKind, id), was.described(), one.described(), "")
	})
	return one, err
}

func changeableView(ctx context.Context, tx bun.Tx, v Viewer, id int64) (View, error) {
	was, err := seenView(ctx, tx, v, id)
	if err == nil && !v.MayChange(was) {
		err = permission.ErrRefused
	}
	return was, err
}

// RemoveView removes a view: ErrNoView, permission.ErrRefused.
func (c *Console) RemoveView(ctx context.Context, v Viewer, id int64) error {
	return c.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		was, err := changeableView(ctx, tx, v, id)
		if err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model(&was).WherePK().Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "console.view", audit.ID(viewKind, id), was.described(), nil, "")
	})
}

// OrderViews puts v's own views of a list into the order of ids, which are exactly all of them; otherwise the fault
// names the field views.
func (c *Console) OrderViews(ctx context.Context, v Viewer, resource string, ids []int64) error {
	return c.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		present, err := lockedViews(ctx, tx, v.UserID, resource)
		if err != nil {
			return err
		}
		was := make([]int64, len(present))
		for i := range present {
			was[i] = present[i].ID
		}
		if !slices.Equal(slices.Sorted(slices.Values(was)), slices.Sorted(slices.Values(ids))) {
			return fault.Invalid("views", "incomplete", "须列出你在此列表的全部视图，每个一次",
				"Name all of your views of this list, each once")
		}
		if slices.Equal(was, ids) {
			return nil
		}
		for i, id := range ids {
			if _, err := tx.NewUpdate().Model((*View)(nil)).Set("position = ?", i).Where("id = ?", id).Exec(ctx); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, "console.view.order", layoutObject(v.UserID, resource),
			map[string]any{"views": was}, map[string]any{"views": ids}, "")
	})
}

func layoutObject(ownerID int64, resource string) audit.Object {
	return audit.Object{Kind: "console_layout", ID: strconv.FormatInt(ownerID, 10) + "/" + resource}
}

// Layout returns how a list looks to a member where no view says otherwise; the zero Layout where they chose nothing.
func (c *Console) Layout(ctx context.Context, ownerID int64, resource string) (Layout, error) {
	return layout(ctx, c.db, ownerID, resource)
}

func layout(ctx context.Context, idb bun.IDB, ownerID int64, resource string) (Layout, error) {
	var found []Layout
	err := idb.NewSelect().Model(&found).Where("owner_id = ? AND resource = ?", ownerID, resource).Scan(ctx)
	if len(found) == 0 {
		return Layout{OwnerID: ownerID, Resource: resource}, err
	}
	return found[0], err
}

// SetLayout sets how the list l.Resource looks to v where no view says otherwise. Wrong input names columns, widths.
func (c *Console) SetLayout(ctx context.Context, v Viewer, l Layout) error {
	var wrong fault.Problems
	checkColumns(&wrong, l.Columns)
	l.Widths.check(&wrong, l.Columns)
	if err := wrong.Err(); err != nil {
		return err
	}
	return c.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		was, err := layout(ctx, tx, v.UserID, l.Resource)
		if err != nil {
			return err
		}
		is := was
		is.Columns, is.Widths, is.IsDense = l.Columns, l.Widths, l.IsDense
		if is == was {
			return nil
		}
		is.UpdatedAt = c.db.Now()
		if _, err := tx.NewInsert().Model(&is).On("CONFLICT (owner_id, resource) DO UPDATE").
			Set("columns = EXCLUDED.columns").Set("widths = EXCLUDED.widths").Set("is_dense = EXCLUDED.is_dense").
			Set("updated_at = EXCLUDED.updated_at").Exec(ctx); err != nil {
			return err
		}
		said := func(l Layout) map[string]any {
			return map[string]any{"columns": l.Columns, "widths": l.Widths, "is_dense": l.IsDense}
		}
		return audit.Record(ctx, tx, "console.layout", layoutObject(v.UserID, l.Resource), said(was), said(is), "")
	})
}

// closeViews forgets a member's own views and layouts. What they shared stays, since colleagues work with it.
func closeViews(ctx context.Context, tx bun.Tx, userID int64) error {
	if _, err := tx.NewDelete().Model((*View)(nil)).Where("owner_id = ? AND NOT is_shared", userID).
		Exec(ctx); err != nil {
		return err
	}
	_, err := tx.NewDelete().Model((*Layout)(nil)).Where("owner_id = ?", userID).Exec(ctx)
	return err
}
