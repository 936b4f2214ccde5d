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

	"github.com/google/uuid"
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
	return t, db.OrMissing(err, ErrNoTemplate)
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

// PreviewOf says what a preview shows.
type PreviewOf struct {
	ClientType string
	Document   json.RawMessage // That is tried; empty: nothing, what is there counts.
	Scope      Scope           // That the document is for, in place of what it has; empty: laid over the site's.
	ScopeID    int64
	UserID     int64 // Whose nodes and templates; 0: one node of each kind, and the site's template.
}

// Preview returns the file that a client would get, after checking it against the schemas that clients publish. Secrets
// of users are made up.
func (l *Links) Preview(ctx context.Context, of PreviewOf, lang fault.Lang) (format.File, error) {
	client, ok := format.Resolve(of.ClientType, "", "")
	if !ok || client.Page {
		return format.File{}, ErrClientType
	}
	proxies, groups := format.Sample(), []int{}
	if of.UserID != 0 {
		access, err := l.services.Access(ctx, of.UserID)
		if err != nil {
			return format.File{}, err
		}
		if proxies, err = l.sampleProxies(ctx, &access, lang); err != nil {
			return format.File{}, err
		}
		groups = access.Groups
	}
	all, err := l.Templates(ctx)
	if err != nil {
		return format.File{}, err
	}
	t, err := published(of.documents(all, groups))
	if err != nil {
		return format.File{}, err
	}
	site := l.settings.Get()
	client.Status = false
	return format.Render(proxies, format.Options{
		Client: client, Flags: true, Title: site.SiteName,
		Hours: site.LinkUpdateHours, Template: t, Lang: lang,
	}), nil
}

// documents returns the documents of the preview in the order in which they are laid over each other.
func (of PreviewOf) documents(all []Template, groups []int) (out []json.RawMessage) {
	draft := Template{Scope: of.Scope, ScopeID: of.ScopeID, Document: of.Document}
	if len(of.Document) > 0 && of.Scope != "" {
		all = slices.DeleteFunc(slices.Clone(all), func(t Template) bool {
			return t.Scope == of.Scope && t.ScopeID == of.ScopeID
		})
		all = append(all, draft)
		slices.SortStableFunc(all, func(a, b Template) int {
			return cmp.Or(
				slices.Index(scopes, a.Scope)-slices.Index(scopes, b.Scope), cmp.Compare(a.ScopeID, b.ScopeID))
		})
	}
	for _, t := range all {
		tried := of.Scope != "" && t.Scope == of.Scope && t.ScopeID == of.ScopeID
		if t.Scope == ForSite || tried || t.Scope == ForGroup && slices.Contains(groups, int(t.ScopeID)) ||
			t.Scope == ForUser && of.UserID != 0 && t.ScopeID == of.UserID {
			out = append(out, t.Document)
		}
	}
	if len(of.Document) > 0 && of.Scope == "" {
		out = append(out, of.Document)
	}
	return out
}

// sampleProxies returns the nodes that a user may use, as one with made-up secrets.
func (l *Links) sampleProxies(ctx context.Context, access *service.Access, lang fault.Lang) ([]format.Proxy, error) {
	all, err := l.nodes.List(ctx)
	if err != nil {
		return nil, err
	}
	shown := &listed{}
	for _, n := range all {
		if n.Visible && n.Serves() {
			n.Settings = n.Settings.WithSampleKeys()
			shown.nodes = append(shown.nodes, n)
		}
	}
	sample := *access
	sample.UUID, sample.Password = uuid.MustParse(format.SampleSecret), format.SampleSecret
	proxies, _ := shown.proxies(ctx, tokenOwner{UserID: access.UserID, Lang: lang}, &sample, "")
	return proxies, nil
}

// Affected returns how many users with a running service a template of a scope is for.
func (l *Links) Affected(ctx context.Context, scope Scope, id int64) (int, error) {
	if scope == ForUser {
		return 1, nil
	}
	users, err := l.services.Allowed(ctx, 0, int(id))
	return len(users), err
}

// NodeEntries returns the file of a client with one node alone, as a user with made-up secrets would get it: its own
// entry and one for each of its relays, without groups and rules.
func (l *Links) NodeEntries(n node.Node, clientType string, lang fault.Lang) (format.File, error) {
	client, ok := format.Resolve(clientType, "", "")
	if !ok || client.Page {
		return format.File{}, ErrClientType
	}
	var proxies []format.Proxy
	n.Settings = n.Settings.WithSampleKeys()
	for _, entry := range n.Localized(lang).Entries(0) {
		p, err := format.NewProxy(entry, node.UserSecret(n, uuid.MustParse(format.SampleSecret), format.SampleSecret))
		if err != nil {
			return format.File{}, fault.Unprocessable("node_without_entry", "没有客户端能使用该节点："+err.Error(),
				"No client could use this node: "+err.Error()).Because(err)
		}
		proxies = append(proxies, p)
	}
	client.Status = false
	return format.Render(proxies, format.Options{
		Client: client, NodesOnly: true, Flags: true, Lang: lang, Title: l.settings.Get().SiteName,
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
	if now.ofUsers[userID] {
		own, err := l.Template(ctx, ForUser, userID)
		if err == nil {
			return merged(ctx, append(documents, own.Document)), nil
		}
		if !errors.Is(err, ErrNoTemplate) { // one that was removed meanwhile is of a later revision
			return nil, err
		}
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
