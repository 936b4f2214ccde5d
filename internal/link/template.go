package link

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/link/format"
	"airstrip/internal/node"
	"airstrip/internal/service"
)

// Scope says to whom a template applies. Later scopes are merged over earlier ones.
type Scope string

// The scopes.
const (
	ForSite  Scope = "site"
	ForGroup Scope = "group" // Users with this group in one of their services.
	ForUser  Scope = "user"
)

var scopes = []Scope{ForSite, ForGroup, ForUser}

// Template is a document that is merged over the built-in template and over those of earlier scopes.
type Template struct {
	bun.BaseModel `bun:"table:link_template"`
	Scope         Scope           `bun:",pk"`
	ScopeID       int64           `bun:",pk"` // The group or user; 0 for the site.
	Document      json.RawMessage `bun:"type:jsonb"`
	UpdatedBy     int64
	UpdatedAt     time.Time
}

// Faults of templates.
var (
	ErrNoTemplate = fault.NotFound("link_template_not_found", "没有这个模板", "There is no such template")
	errScope      = fault.Invalid("scope", "choice", "scope 只能是 site、group 或 user；site 的编号为 0",
		"The scope is site, group or user; the id of the site is 0")
)

const maxTemplate = 64 << 10

// Templates returns all templates, the site's first.
func (l *Links) Templates(ctx context.Context) ([]Template, error) {
	var all []Template
	err := l.db.NewSelect().Model(&all).Scan(ctx)
	slices.SortFunc(all, func(a, b Template) int {
		return cmp.Or(slices.Index(scopes, a.Scope)-slices.Index(scopes, b.Scope), cmp.Compare(a.ScopeID, b.ScopeID))
	})
	return all, err
}

// Template returns the template of a scope: ErrNoTemplate.
func (l *Links) Template(ctx context.Context, scope Scope, id int64) (Template, error) {
	t := Template{Scope: scope, ScopeID: id}
	err := l.db.NewSelect().Model(&t).WherePK().Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		err = ErrNoTemplate
	}
	return t, err
}

// SetTemplate replaces the template of its scope, after files of every format were rendered with it. Links use it from
// the commit on.
func (l *Links) SetTemplate(ctx context.Context, t Template) error {
	if err := l.checkTemplate(ctx, t); err != nil {
		return err
	}
	t.UpdatedAt = l.db.Now()
	return l.changeTemplates(ctx, func(ctx context.Context, tx bun.Tx) error {
		was, err := templateIn(ctx, tx, t.Scope, t.ScopeID)
		if err != nil {
			return err
		}
		_, err = tx.NewInsert().Model(&t).On("CONFLICT (scope, scope_id) DO UPDATE").
			Set("document = EXCLUDED.document, updated_by = EXCLUDED.updated_by, updated_at = EXCLUDED.updated_at").
			Exec(ctx)
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, "link.template.set", TemplateObject(t.Scope, t.ScopeID),
			map[string]any{"document": was}, map[string]any{"document": t.Document}, "")
	})
}

// RemoveTemplate removes a scope's template.
func (l *Links) RemoveTemplate(ctx context.Context, scope Scope, id int64) error {
	return l.changeTemplates(ctx, func(ctx context.Context, tx bun.Tx) error {
		was, err := templateIn(ctx, tx, scope, id)
		if err != nil {
			return err
		}
		n, err := db.Changed(tx.NewDelete().Model((*Template)(nil)).Where("scope = ? AND scope_id = ?", scope,
			id).Exec(ctx))
		if err == nil && n == 0 {
			err = ErrNoTemplate
		}
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, "link.template.remove", TemplateObject(scope, id),
			map[string]any{"document": was}, nil, "")
	})
}

// templateIn returns a scope's document, nil without one.
func templateIn(ctx context.Context, tx bun.Tx, scope Scope, id int64) (json.RawMessage, error) {
	var found []Template
	err := tx.NewSelect().Model(&found).Where("scope = ? AND scope_id = ?", scope, id).Scan(ctx)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0].Document, nil
}

// TemplateObject is what the audit log calls a template.
func TemplateObject(scope Scope, id int64) audit.Object {
	return audit.Object{Kind: "link_template", ID: string(scope) + "/" + strconv.FormatInt(id, 10)}
}

func (l *Links) changeTemplates(ctx context.Context, change func(context.Context, bun.Tx) error) error {
	return l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		// The revision invalidates cached files. Its row stays locked until the end, so that no two changes record the
		// same document as the previous one.
		if _, err := db.Bump(ctx, tx, node.Revision); err != nil {
			return err
		}
		return change(ctx, tx)
	})
}

// checkTemplate renders files with t and the site's template below it.
func (l *Links) checkTemplate(ctx context.Context, t Template) error {
	if !slices.Contains(scopes, t.Scope) || t.ScopeID < 0 || (t.Scope == ForSite) != (t.ScopeID == 0) {
		return errScope
	}
	if len(t.Document) > maxTemplate {
		return fault.Invalid("document", "too_long", "模板不能超过 64 KB", "A template has at most 64 KB")
	}
	if t.Scope == ForUser {
		if _, err := l.services.Access(ctx, t.ScopeID); err != nil {
			return err
		}
	}
	var documents []json.RawMessage
	if t.Scope != ForSite {
		var err error
		if documents, err = l.siteDocuments(ctx); err != nil {
			return err
		}
	}
	_, err := published(append(documents, t.Document))
	return err
}

// siteDocuments returns the document of the site's template, if there is one.
func (l *Links) siteDocuments(ctx context.Context) ([]json.RawMessage, error) {
	var rows []Template
	err := l.db.NewSelect().Model(&rows).Where("scope = ? AND scope_id = 0", ForSite).Scan(ctx)
	var documents []json.RawMessage
	for _, t := range rows {
		documents = append(documents, t.Document)
	}
	return documents, err
}

// published returns the merged template after checking it against the schemas that clients publish.
func published(documents []json.RawMessage) (*format.Template, error) {
	t, err := newTemplate(documents)
	if err != nil {
		return nil, err
	}
	return t, asFault(t.CheckPublished())
}

// newTemplate returns the merged template after rendering files with it, or names what is wrong.
func newTemplate(documents []json.RawMessage) (*format.Template, error) {
	t, err := format.NewTemplate(documents...)
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "json: ")
		return nil, fault.Invalid("document", "format", "模板无法读取："+text, "The template cannot be read: "+text)
	}
	return t, asFault(t.Check())
}

func asFault(p *format.Problem) error {
	if p == nil {
		return nil
	}
	return fault.Invalid("document."+p.Key, p.Code, p.ZH, p.EN)
}

// Preview returns the file of a client with document merged over the site's template, with sample nodes of each kind.
// An empty document shows the site's own.
func (l *Links) Preview(ctx context.Context, clientType string, document json.RawMessage) (format.File, error) {
	client, ok := format.Resolve(clientType, "", "")
	if !ok || client.Page {
		return format.File{}, ErrClientType
	}
	documents, err := l.siteDocuments(ctx)
	if err != nil {
		return format.File{}, err
	}
	if len(document) > 0 {
		documents = append(documents, document)
	}
	t, err := published(documents)
	if err != nil {
		return format.File{}, err
	}
	site := l.settings.Get()
	return format.Render(format.Sample(), format.Options{
		Client: client, Flags: true, Title: site.SiteName,
		Hours: site.LinkUpdateHours, Template: t,
	}), nil
}

// template returns the template for a user with these rights. Templates that are valid separately but not together do
// not keep users from their nodes.
func (l *Links) template(ctx context.Context, now *listed, userID int64, access *service.Access) (*format.Template,
	error,
) {
	var documents []json.RawMessage
	var names strings.Builder
	for _, t := range now.templates {
		if t.Scope == ForSite || slices.Contains(access.Groups, int(t.ScopeID)) {
			documents = append(documents, t.Document)
			fmt.Fprintf(&names, "%s %d,", t.Scope, t.ScopeID)
		}
	}
	var own []Template
	if err := l.db.NewSelect().Model(&own).Where("scope = ? AND scope_id = ?", ForUser, userID).Scan(ctx); err != nil {
		return nil, err
	}
	if len(own) > 0 {
		return merged(ctx, append(documents, own[0].Document)), nil
	}
	if documents == nil {
		return format.Plain, nil
	}
	now.mu.Lock()
	defer now.mu.Unlock()
	t, ok := now.merged[names.String()]
	if !ok {
		t = merged(ctx, documents)
		if len(now.merged) < maxMerged {
			now.merged[names.String()] = t
		}
	}
	return t, nil
}

func merged(ctx context.Context, documents []json.RawMessage) *format.Template {
	t, err := newTemplate(documents)
	if err != nil {
		slog.ErrorContext(ctx, "templates of links do not go together; the built-in one stands in for them", "error",
			err)
		return format.Plain
	}
	return t
}

// maxMerged bounds the cache of merged templates.
const maxMerged = 200
