package console

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/listing"
	"airstrip/internal/text"
)

type labelRow struct {
	bun.BaseModel `bun:"table:staff_label"`
	Object        string `bun:",pk"`
	ObjectID      int64  `bun:",pk"`
	Label         string `bun:",pk"`
	MadeBy        *int64
	CreatedAt     time.Time
}

// MaxLabels is how many labels one thing has at most.
const MaxLabels = 20

const maxLabelLength = 40

func labelFilter(object, id string) listing.Filter {
	return listing.Filter{
		Key: "label", Kind: listing.Choice, Column: id, None: true, Doc: "Labels that staff put on it",
		Within: "SELECT object_id FROM staff_label WHERE object = '" + object + "' AND label IN (?)",
	}
}

// Labels returns the labels of things of one kind, by their ids.
func (c *Console) Labels(ctx context.Context, object string, ids []int64) (map[int64][]string, error) {
	var rows []labelRow
	err := c.db.NewSelect().Model(&rows).Where("object = ? AND object_id IN (?)", object, bun.List(ids)).
		OrderExpr("label").Scan(ctx)
	labels := make(map[int64][]string, len(ids))
	for _, r := range rows {
		labels[r.ObjectID] = append(labels[r.ObjectID], r.Label)
	}
	return labels, err
}

// SetLabels gives a user exactly these labels instead of those that madeBy has seen, and records it; ErrLabelsChanged
// where the user has others by now. They are sorted and without what is said twice.
func (c *Console) SetLabels(ctx context.Context, id int64, madeBy *int64, seen, labels []string) ([]string, error) {
	const object = "user"
	labels, err := checkLabels(labels)
	if err != nil {
		return nil, err
	}
	seen = slices.Compact(slices.Sorted(slices.Values(seen)))
	err = c.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		// Of two changes at once, one waits here and then sees what the other made.
		var locked []int64
		if err := db.Locked(tx.NewSelect().Table("user_facts").Column("user_id")).Where("user_id = ?", id).
			Scan(ctx, &locked); err != nil {
			return err
		}
		var was []string
		if err := tx.NewSelect().Model((*labelRow)(nil)).Column("label").Where("object = ? AND object_id = ?", object, id).
			Scan(ctx, &was); err != nil {
			return err
		}
		slices.Sort(was)
		if !slices.Equal(was, seen) {
			return ErrLabelsChanged
		}
		if slices.Equal(was, labels) {
			return nil
		}
		if _, err := tx.NewDelete().Model((*labelRow)(nil)).Where("object = ? AND object_id = ?", object, id).
			Exec(ctx); err != nil {
			return err
		}
		now := c.db.Now()
		for _, label := range labels {
			row := labelRow{Object: object, ObjectID: id, Label: label, MadeBy: madeBy, CreatedAt: now}
			if _, err := tx.NewInsert().Model(&row).Exec(ctx); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, object+".label", audit.Object{Kind: object, ID: strconv.FormatInt(id, 10)},
			map[string]any{"labels": strings.Join(was, ", ")}, map[string]any{"labels": strings.Join(labels, ", ")}, "")
	})
	return labels, err
}

// CheckLabel returns the fault of a text that is no label, at the field label.
func CheckLabel(label string) error {
	if _, err := checkLabels([]string{label}); err != nil {
		return fault.Invalid("label", "format", "标签须为 1 到 40 个字符，不含逗号和感叹号，也不能是 none",
			"A label has 1 to 40 characters, neither commas nor exclamation marks, and is not “none”")
	}
	return nil
}

// AddLabel puts one label on a thing as part of tx, or with on false takes it off; a thing that is so already stays.
func (c *Console) AddLabel(ctx context.Context, tx bun.Tx, object string, id int64, madeBy *int64, label string,
	on bool,
) error {
	if !on {
		_, err := tx.NewDelete().Model((*labelRow)(nil)).Where("object = ? AND object_id = ? AND label = ?", object, id,
			label).Exec(ctx)
		return err
	}
	has, err := tx.NewSelect().Model((*labelRow)(nil)).Where("object = ? AND object_id = ?", object, id).Count(ctx)
	if err != nil {
		return err
	}
	if has >= MaxLabels {
		return ErrLabels
	}
	row := labelRow{Object: object, ObjectID: id, Label: label, MadeBy: madeBy, CreatedAt: c.db.Now()}
	_, err = tx.NewInsert().Model(&row).On("CONFLICT DO NOTHING").Exec(ctx)
	return err
}

// ErrLabelsChanged is the fault of a change of labels that its caller has not seen.
var ErrLabelsChanged = fault.Conflict("labels_changed", "标签已被其他人修改，请核对后重试",
	"Somebody else has changed the labels meanwhile; please look at them and try again")

// ErrLabels is the fault of one label too many.
var ErrLabels = fault.Conflict("too_many_labels", "最多 20 个标签", "At most 20 labels")

func checkLabels(labels []string) ([]string, error) {
	out := make([]string, 0, len(labels))
	var wrong fault.Problems
	for _, label := range labels {
		label = strings.TrimSpace(label)
		wrong.When(label == "" || utf8.RuneCountInString(label) > maxLabelLength || !text.IsVisible(label) ||
			strings.ContainsAny(label, ",!") || label == "none", "labels", "format",
			"标签须为 1 到 40 个字符，不含逗号和感叹号，也不能是 none",
			"A label has 1 to 40 characters, neither commas nor exclamation marks, and is not “none”")
		out = append(out, label)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	wrong.When(len(out) > MaxLabels, "labels", "too_long", "最多 20 个标签", "At most 20 labels")
	return out, wrong.Err()
}
