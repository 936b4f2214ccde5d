package mail

import (
	"context"
	"embed"
	"fmt"
	htmltemplate "html/template"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// Template is what the mails of a kind say in one language.
type Template struct {
	bun.BaseModel `bun:"table:mail_template"`
	Kind          string     `bun:",pk"`
	Lang          fault.Lang `bun:",pk"`
	Subject       string     // one line, with variables
	Body          string     // Markdown, with variables; blocks such as {{code}} stand on lines of their own
	UpdatedBy     *int64     // the member of staff; nil: the operator
	UpdatedAt     time.Time  // zero: it is the built-in one
}

// IsBuiltin reports whether nobody changed the template.
func (t *Template) IsBuiltin() bool { return t.UpdatedAt.IsZero() }

// Object is what the audit log calls the template of a kind in a language.
func Object(kind string, lang fault.Lang) audit.Object {
	return audit.Object{Kind: "mail_template", ID: kind + ":" + string(lang)}
}

// entry is what the audit log has of a template.
func (t *Template) entry() map[string]any {
	return map[string]any{"subject": t.Subject, "body": t.Body}
}

const templateRevision = "mail_template"

// ErrNoTemplate is the fault of a kind of mail that there is not.
var ErrNoTemplate = fault.NotFound("mail_template_not_found", "没有这种邮件", "There is no such kind of mail")

// Files of templates begin with a line for the subject, as mails do. The rest is the body, inside of the frame.
//
//go:embed templates
var files embed.FS

const subjectPrefix = "Subject: "

var frameTemplate = htmltemplate.Must(htmltemplate.New("frame.html").ParseFS(files, "templates/frame.html"))

type templateKey struct {
	kind string
	lang fault.Lang
}

// builtins reads the built-in templates once.
var builtins = sync.OnceValues(func() (map[templateKey]Template, error) {
	all := map[templateKey]Template{}
	for _, k := range Kinds {
		for _, lang := range langs {
			name := "templates/" + string(lang) + "/" + k.Kind + ".md"
			source, err := files.ReadFile(name)
			if err != nil {
				return nil, err
			}
			subject, body, found := strings.Cut(string(source), "\n")
			if !found || !strings.HasPrefix(subject, subjectPrefix) {
				return nil, fmt.Errorf("mail: %s does not begin with a subject", name)
			}
			all[templateKey{k.Kind, lang}] = Template{
				Kind: k.Kind, Lang: lang, Subject: strings.TrimPrefix(subject, subjectPrefix),
				Body: strings.TrimSpace(body),
			}
		}
	}
	return all, nil
})

// Builtin gives the template of a kind that is used where staff wrote none: ErrNoTemplate.
func Builtin(kind string, lang fault.Lang) (Template, error) {
	all, err := builtins()
	if err != nil {
		return Template{}, err
	}
	t, known := all[templateKey{kind, lang}]
	if !known {
		return t, ErrNoTemplate
	}
	return t, nil
}

// templateOf gives the template that is in use.
func (m *Mails) templateOf(kind string, lang fault.Lang) (Template, error) {
	if t, ok := m.changed.Get()[templateKey{kind, lang}]; ok {
		return t, nil
	}
	t, err := Builtin(kind, lang)
	if err != nil {
		err = fmt.Errorf("mail: no template for %q in %s", kind, lang)
	}
	return t, err
}

// LoadTemplates reads the templates that staff changed. Without it all are the built-in ones.
func (m *Mails) LoadTemplates(ctx context.Context) error { return m.changed.Load(ctx) }

func (m *Mails) readTemplates(ctx context.Context) (map[templateKey]Template, error) {
	list, err := m.Templates(ctx)
	if err != nil {
		return nil, err
	}
	changed := map[templateKey]Template{}
	for _, t := range list {
		// What an earlier version took and this one does not know would leave a mail without its code.
		if err := m.check(&t); err != nil {
			slog.WarnContext(ctx, "the built-in template of a mail is used, since the changed one does not fit any more",
				"kind", t.Kind, "lang", t.Lang, "error", err)
			continue
		}
		changed[templateKey{t.Kind, t.Lang}] = t
	}
	return changed, nil
}

// Follow keeps the templates current with what other processes change, until ctx ends.
func (m *Mails) Follow(ctx context.Context) { m.changed.Follow(ctx) }

// Templates gives the templates that are stored, as staff wrote them, those that do not fit any more too.
func (m *Mails) Templates(ctx context.Context) (list []Template, err error) {
	return list, m.db.NewSelect().Model(&list).Scan(ctx)
}

// Template gives what is stored for a kind and language, or the built-in template: ErrNoTemplate.
func (m *Mails) Template(ctx context.Context, kind string, lang fault.Lang) (Template, error) {
	t, err := Builtin(kind, lang)
	if err != nil {
		return t, err
	}
	return stored(ctx, m.db, t)
}

// stored gives the stored template in place of a built-in one.
func stored(ctx context.Context, idb bun.IDB, builtin Template) (Template, error) {
	var found []Template
	err := idb.NewSelect().Model(&found).Where("kind = ? AND lang = ?", builtin.Kind, builtin.Lang).Scan(ctx)
	if err != nil || len(found) == 0 {
		return builtin, err
	}
	return found[0], nil
}

// SetTemplate changes a template. What is wrong is named subject or body. One that is as the built-in one follows it
// again.
func (m *Mails) SetTemplate(ctx context.Context, t Template) error {
	builtin, err := Builtin(t.Kind, t.Lang)
	if err != nil {
		return err
	}
	if err := m.check(&t); err != nil {
		return err
	}
	t.UpdatedAt = m.db.Now()
	change := func(ctx context.Context, tx bun.Tx) (Template, error) {
		if t.Subject == builtin.Subject && t.Body == builtin.Body {
			return builtin, forget(ctx, tx, builtin)
		}
		_, err := tx.NewInsert().Model(&t).On("CONFLICT (kind, lang) DO UPDATE").Set("subject = EXCLUDED.subject").
			Set("body = EXCLUDED.body").Set("updated_by = EXCLUDED.updated_by").Set("updated_at = EXCLUDED.updated_at").
			Exec(ctx)
		return t, err
	}
	return m.changeTemplate(ctx, builtin, "mail.template.change", change)
}

// ResetTemplate has a kind use its built-in template again.
func (m *Mails) ResetTemplate(ctx context.Context, kind string, lang fault.Lang) error {
	builtin, err := Builtin(kind, lang)
	if err != nil {
		return err
	}
	reset := func(ctx context.Context, tx bun.Tx) (Template, error) { return builtin, forget(ctx, tx, builtin) }
	return m.changeTemplate(ctx, builtin, "mail.template.reset", reset)
}

func forget(ctx context.Context, tx bun.Tx, t Template) error {
	_, err := tx.NewDelete().Model((*Template)(nil)).Where("kind = ? AND lang = ?", t.Kind, t.Lang).Exec(ctx)
	return err
}

func (m *Mails) changeTemplate(ctx context.Context, builtin Template, action string,
	change func(context.Context, bun.Tx) (Template, error),
) error {
	err := m.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		// The revision's row stays locked until the end, so that what is recorded as before holds.
		if _, err := db.Bump(ctx, tx, templateRevision); err != nil {
			return err
		}
		was, err := stored(ctx, tx, builtin)
		if err != nil {
			return err
		}
		is, err := change(ctx, tx)
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, action, Object(builtin.Kind, builtin.Lang), was.entry(), is.entry(), "")
	})
	if err != nil {
		return err
	}
	return m.LoadTemplates(ctx)
}
