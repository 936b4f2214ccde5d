// Package guide owns the help pages that staff writes: in Markdown and both languages, by category, for a client of the
// catalogue and for systems. They are held in memory and follow a revision. Variables in them are filled in for the
// reader when a page is read, so that nobody's link is ever held with a page. New sites begin with guides of ours.
package guide

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/link"
	"airstrip/internal/markdown"
	"airstrip/internal/setting"
)

// Guide is one page.
type Guide struct {
	bun.BaseModel `bun:"table:guide"`
	ID            int64        `bun:",pk,autoincrement"`
	Slug          string       // its address
	Title         string       // for readers in whose language Titles has none
	Titles        fault.ByLang `bun:"type:jsonb"`
	Body          string       // Markdown, with variables
	Bodies        fault.ByLang `bun:"type:jsonb"`
	Category      string
	Categories    fault.ByLang `bun:"type:jsonb"`
	ClientID      *string      // of the catalogue; nil: it is about none
	Systems       []string     `bun:"type:jsonb"` // of link.Platforms; empty: all
	Position      int          // smaller ones come first
	Published     bool
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Faults of guides.
var (
	ErrNone  = fault.NotFound("guide_not_found", "没有这篇教程", "There is no such guide")
	errTaken = fault.Invalid("slug", "taken", "已有使用这个地址的教程", "There is a guide with this address already")
)

const (
	revision    = "guide"
	maxTitle    = 100    // characters
	maxCategory = 40     // characters
	maxBody     = 20_000 // characters
	maxSlug     = 60
	maxPosition = 1_000_000
)

// Guides are all guides.
type Guides struct {
	db       *db.DB
	settings *setting.Settings
	links    *link.Links
	site     string // the site's address
	current  *db.Snapshot[[]Guide]
}

// New loads the guides in d of the site at an address.
func New(ctx context.Context, d *db.DB, settings *setting.Settings, links *link.Links, site string) (*Guides, error) {
	g := &Guides{db: d, settings: settings, links: links, site: strings.TrimRight(site, "/")}
	g.current = db.NewSnapshot(d, revision, "guides", g.read)
	return g, g.current.Load(ctx)
}

// Follow keeps the guides current with what other processes change, until ctx ends.
func (g *Guides) Follow(ctx context.Context) { g.current.Follow(ctx) }

func (g *Guides) read(ctx context.Context) ([]Guide, error) {
	list := []Guide{}
	return list, g.db.NewSelect().Model(&list).OrderExpr("position, id").Scan(ctx)
}

// In gives the texts in a language, with variables as they are.
func (one *Guide) In(lang fault.Lang) (title, body, category string) {
	return one.Titles.In(lang, one.Title), one.Bodies.In(lang, one.Body), one.Categories.In(lang, one.Category)
}

// Wish narrows a list; what is empty does not.
type Wish struct {
	Words    string // all of them are in the title, the category or the body
	ClientID string
	System   string
}

// Page is a guide in the language of its reader.
type Page struct {
	Guide
	TitleNow, BodyNow, CategoryNow string
}

// Published gives the guides that users may read, with the site's name and address filled in. The variable for the
// reader's link stays as it is.
func (g *Guides) Published(lang fault.Lang, wish Wish) (list []Page) {
	words := strings.Fields(strings.ToLower(wish.Words))
	for _, one := range g.current.Get() {
		if !one.Published || wish.ClientID != "" && (one.ClientID == nil || *one.ClientID != wish.ClientID) ||
			wish.System != "" && len(one.Systems) > 0 && !slices.Contains(one.Systems, wish.System) {
			continue
		}
		title, body, category := one.In(lang)
		page := Page{one, g.plain(title), body, category}
		text := strings.ToLower(page.TitleNow + "\n" + category + "\n" + body)
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
			list = append(list, page)
		}
	}
	return list
}

// Read gives a published guide with all variables filled in for a user.
func (g *Guides) Read(ctx context.Context, slug string, lang fault.Lang, userID int64) (Page, error) {
	list := g.current.Get()
	i := slices.IndexFunc(list, func(one Guide) bool { return one.Slug == slug && one.Published })
	if i < 0 {
		return Page{}, ErrNone
	}
	title, body, category := list[i].In(lang)
	texts, addresses := g.values()
	if userID == 0 {
		texts["link"] = g.site + "/…"
	} else if markdown.Uses(body, "link") {
		token, err := g.links.Token(ctx, userID)
		if err != nil {
			return Page{}, err
		}
		texts["link"] = token.URLs[0]
	}
	return Page{list[i], g.plain(title), markdown.Fill(body, texts, addresses), category}, nil
}

// SlugFor gives the address of the first published guide about a client, or nothing.
func (g *Guides) SlugFor(clientID string) string {
	for _, one := range g.current.Get() {
		if one.Published && one.ClientID != nil && *one.ClientID == clientID {
			return one.Slug
		}
	}
	return ""
}

// values are the variables that are the same for all readers.
func (g *Guides) values() (texts, addresses map[string]string) {
	return map[string]string{"site_name": g.settings.Get().SiteName}, map[string]string{"site_url": g.site}
}

// plain fills in a text that is no Markdown. Titles never have the reader's link.
func (g *Guides) plain(text string) string {
	return strings.NewReplacer("{{site_name}}", g.settings.Get().SiteName, "{{site_url}}", g.site).Replace(text)
}

var slugs = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// check tidies a guide that is written and names what is wrong with it.
func (one *Guide) check() error {
	one.Title, one.Body = strings.TrimSpace(one.Title), strings.TrimSpace(one.Body)
	one.Category = strings.TrimSpace(one.Category)
	one.Titles, one.Bodies, one.Categories = tidy(one.Titles), tidy(one.Bodies), tidy(one.Categories)
	one.Systems = slices.DeleteFunc(slices.Clone(link.Platforms), func(p string) bool {
		return !slices.Contains(one.Systems, p)
	})
	var p fault.Problems
	p.When(len(one.Slug) > maxSlug || !slugs.MatchString(one.Slug), "slug", "format",
		"地址为 1 至 60 个小写字母、数字和连字符", "The address has 1 to 60 lower-case letters, digits and hyphens")
	for field, text := range map[string]string{"title": one.Title, "body": one.Body, "category": one.Category} {
		p.When(text == "", field, "required", "请填写标题、正文和分类", "Please write a title, a text and a category")
	}
	tooLong := func(text, field string, most int) {
		p.When(utf8.RuneCountInString(text) > most, field, "too_long", "太长：标题最多 100 字，分类 40 字，正文 20000 字",
			"This is too long: a title has at most 100 characters, a category 40, a body 20,000")
	}
	tooLong(one.Title, "title", maxTitle)
	tooLong(one.Body, "body", maxBody)
	tooLong(one.Category, "category", maxCategory)
	leaks := func(body, field string) {
		p.When(markdown.InAddress(body, "link"), field, "link_in_address", "订阅链接不能写在网址中，否则会随点击发给该网站",
			"The reader's link cannot be a part of an address: whoever clicks would give it to that site")
	}
	leaks(one.Body, "body")
	for _, lang := range []fault.Lang{fault.ZH, fault.EN} {
		tooLong(one.Titles[lang], fault.FieldOf("title", lang), maxTitle)
		tooLong(one.Bodies[lang], fault.FieldOf("body", lang), maxBody)
		tooLong(one.Categories[lang], fault.FieldOf("category", lang), maxCategory)
		leaks(one.Bodies[lang], fault.FieldOf("body", lang))
	}
	p.When(one.Position < 0 || one.Position > maxPosition, "position", "range", "顺序为 0 至 1000000",
		"The position is 0 to 1,000,000")
	return p.Err()
}

func tidy(texts fault.ByLang) fault.ByLang {
	out := fault.ByLang{}
	for lang, text := range texts {
		out = out.With(lang, &text)
	}
	return out
}

// written names the fault of a row that the schema refuses.
func written(err error) error {
	switch err = db.Error(err); {
	case errors.Is(err, db.ErrUnique):
		return errTaken.Because(err)
	case errors.Is(err, db.ErrForeignKey):
		return fault.Invalid("client_id", "unknown", "没有这个客户端", "There is no such client").Because(err)
	}
	return err
}

// Add makes a guide. Wrong input is named slug, title, title_zh, title_en, body, body_zh, body_en, category,
// category_zh, category_en, client_id, position.
func (g *Guides) Add(ctx context.Context, one Guide) (Guide, error) {
	now := g.db.Now()
	one.CreatedAt, one.UpdatedAt = now, now
	if err := one.check(); err != nil {
		return one, err
	}
	err := g.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		one.ID = 0 // of a try that is repeated
		if _, err := tx.NewInsert().Model(&one).Exec(ctx); err != nil {
			return db.Error(err)
		}
		if _, err := db.Bump(ctx, tx, revision); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "guide.add", audit.ID("guide", one.ID), nil, one.entry(), "")
	})
	if err != nil {
		return one, written(err)
	}
	return one, g.current.Load(ctx)
}

// entry is what the audit log has of a guide.
func (one *Guide) entry() map[string]any {
	return map[string]any{
		"slug": one.Slug, "title": one.Title, "titles": one.Titles, "body": one.Body, "bodies": one.Bodies,
		"category": one.Category, "categories": one.Categories, "client_id": one.ClientID, "systems": one.Systems,
		"position": one.Position, "published": one.Published,
	}
}

// Change changes a guide by change. Wrong input is named as by Add.
func (g *Guides) Change(ctx context.Context, id int64, change func(*Guide)) (one Guide, err error) {
	err = g.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		was, err := db.LockRow[Guide](ctx, tx, id, ErrNone)
		if err != nil {
			return err
		}
		one = was
		one.Titles, one.Bodies, one.Categories = was.Titles.OrEmpty(), was.Bodies.OrEmpty(), was.Categories.OrEmpty()
		change(&one)
		if err := one.check(); err != nil {
			return err
		}
		one.UpdatedAt = g.db.Now()
		if _, err := tx.NewUpdate().Model(&one).WherePK().Exec(ctx); err != nil {
			return db.Error(err)
		}
		if _, err := db.Bump(ctx, tx, revision); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "guide.change", audit.ID("guide", id), was.entry(), one.entry(), "")
	})
	if err != nil {
		return one, written(err)
	}
	return one, g.current.Load(ctx)
}

// Remove removes a guide.
func (g *Guides) Remove(ctx context.Context, id int64) error {
	err := g.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		was, err := db.LockRow[Guide](ctx, tx, id, ErrNone)
		if err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model(&was).WherePK().Exec(ctx); err != nil {
			return err
		}
		if _, err := db.Bump(ctx, tx, revision); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "guide.remove", audit.ID("guide", id), was.entry(), nil, "")
	})
	if err != nil {
		return err
	}
	return g.current.Load(ctx)
}

// List gives all guides, those that are not published too.
func (g *Guides) List(ctx context.Context) (list []Guide, err error) {
	return list, g.db.NewSelect().Model(&list).OrderExpr("position, id").Scan(ctx)
}

// Get gives one guide as staff sees it.
func (g *Guides) Get(ctx context.Context, id int64) (Guide, error) {
	list, err := g.List(ctx)
	i := slices.IndexFunc(list, func(one Guide) bool { return one.ID == id })
	if err == nil && i < 0 {
		err = ErrNone
	}
	if err != nil {
		return Guide{}, err
	}
	return list[i], nil
}
