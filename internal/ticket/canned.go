package ticket

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/text"
)

// CannedAnswer is a text that staff answers with again and again, in one language or both. Variables in it, such as
// {{name}}, are filled in for the ticket that it answers.
type CannedAnswer struct {
	bun.BaseModel `bun:"table:ticket_canned_answer"`
	ID            int64 `bun:",pk,autoincrement"`
	Name          string
	ContentZH     string `bun:"content_zh"`
	ContentEN     string `bun:"content_en"`
	UpdatedAt     time.Time
}

// Variables are the names that canned answers may have in double braces.
var Variables = []string{"name", "email", "site_name", "ticket_no", "title"}

// Faults of canned answers.
var (
	ErrNoCannedAnswer    = fault.NotFound("canned_answer_not_found", "没有这个常用回复", "There is no such canned answer")
	ErrCannedAnswerTaken = fault.Conflict("canned_answer_exists", "已有同名的常用回复",
		"There is a canned answer of this name already")
)

var variable = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)

// CannedAnswers gives all canned answers by name.
func (t *Tickets) CannedAnswers(ctx context.Context) (all []CannedAnswer, err error) {
	err = t.db.NewSelect().Model(&all).OrderExpr("name").Scan(ctx)
	return all, err
}

// SetCannedAnswer adds a canned answer, or changes the one with the id of c: ErrNoCannedAnswer, ErrCannedAnswerTaken.
// Wrong input names name, content_zh, content_en.
func (t *Tickets) SetCannedAnswer(ctx context.Context, c CannedAnswer) (CannedAnswer, error) {
	c.Name, c.ContentZH, c.ContentEN = strings.TrimSpace(c.Name), strings.TrimSpace(c.ContentZH),
		strings.TrimSpace(c.ContentEN)
	if err := c.check(); err != nil {
		return c, err
	}
	c.UpdatedAt = t.db.Now()
	var made CannedAnswer
	err := t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		made = c
		var before any
		if c.ID == 0 {
			if _, err := tx.NewInsert().Model(&made).Exec(ctx); err != nil {
				return err
			}
		} else {
			was, err := cannedAnswer(ctx, tx, c.ID)
			if err != nil {
				return err
			}
			before = was.described()
			if _, err := tx.NewUpdate().Model(&made).WherePK().Exec(ctx); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, "ticket.canned_answer.write", audit.ID("canned_answer", made.ID), before,
			made.described(), "")
	})
	if errors.Is(err, db.ErrUnique) {
		err = ErrCannedAnswerTaken
	}
	return made, err
}

// RemoveCannedAnswer deletes a canned answer: ErrNoCannedAnswer.
func (t *Tickets) RemoveCannedAnswer(ctx context.Context, id int64) error {
	return t.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		was, err := cannedAnswer(ctx, tx, id)
		if err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model(&was).WherePK().Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "ticket.canned_answer.write", audit.ID("canned_answer", id), was.described(), nil,
			"")
	})
}

func cannedAnswer(ctx context.Context, idb bun.IDB, id int64) (c CannedAnswer, err error) {
	err = idb.NewSelect().Model(&c).Where("id = ?", id).Scan(ctx)
	return c, db.OrMissing(err, ErrNoCannedAnswer)
}

func (c CannedAnswer) described() map[string]any {
	return map[string]any{"name": c.Name, "content_zh": c.ContentZH, "content_en": c.ContentEN}
}

// Fill gives a canned answer for a ticket, in the language of its user where the answer has that one.
func (t *Tickets) Fill(ctx context.Context, id int64, ticketID string) (string, error) {
	c, err := cannedAnswer(ctx, t.db, id)
	if err != nil {
		return "", err
	}
	k, err := t.Find(ctx, ticketID)
	if err != nil {
		return "", err
	}
	u, err := t.accounts.User(ctx, k.UserID)
	if err != nil {
		return "", err
	}
	content := cmp.Or(c.ContentZH, c.ContentEN)
	if u.Lang == fault.EN {
		content = cmp.Or(c.ContentEN, c.ContentZH)
	}
	values := map[string]string{
		"name": u.Name, "email": u.Email, "site_name": t.settings.Get().SiteName,
		"ticket_no": strconv.FormatInt(k.ID, 10), "title": k.Title,
	}
	return variable.ReplaceAllStringFunc(content, func(found string) string {
		return values[variable.FindStringSubmatch(found)[1]]
	}), nil
}

func (c CannedAnswer) check() error {
	var wrong fault.Problems
	wrong.When(text.Folded(c.Name) == "", "name", "required", "请填写名称", "Please enter a name")
	wrong.When(utf8.RuneCountInString(c.Name) > MaxTitle, "name", "too_long", "名称最多 120 字",
		"A name has at most 120 characters")
	wrong.When(c.ContentZH == "" && c.ContentEN == "", "content_zh", "required", "请至少填写一种语言的内容",
		"Please write the text in one language at least")
	for field, content := range map[string]string{"content_zh": c.ContentZH, "content_en": c.ContentEN} {
		wrong.When(utf8.RuneCountInString(content) > MaxContent, field, "too_long", "内容最多 10,000 字",
			"A text has at most 10,000 characters")
		for _, found := range variable.FindAllStringSubmatch(content, -1) {
			known := strings.Contains(" "+strings.Join(Variables, " ")+" ", " "+found[1]+" ")
			wrong.When(!known, field, "variable", "没有变量 {{"+found[1]+"}}；可用："+strings.Join(Variables, "、"),
				"There is no variable {{"+found[1]+"}}; there are "+strings.Join(Variables, ", "))
		}
	}
	return wrong.Err()
}
