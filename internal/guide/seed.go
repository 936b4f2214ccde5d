package guide

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"log/slog"
	"slices"
	"text/template"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/link"
)

// seedFiles are the guides of ours: whole pages, and one page with the steps that differ from client to client.
//
//go:embed seed
var seedFiles embed.FS

// given is that the site has been given a guide of ours.
type given struct {
	bun.BaseModel `bun:"table:guide_seed"`
	Slug          string `bun:",pk"`
	GivenAt       time.Time
}

// steps are what differs between clients, in one language.
type steps struct {
	Install, Paste, Connect, Test, Update, Problem string
}

// Begin gives the site those guides of ours that it has never been given. Each is the operator's from then on: what was
// changed stays changed, what was removed stays removed.
func (g *Guides) Begin(ctx context.Context) {
	if err := g.begin(ctx); err != nil && ctx.Err() == nil {
		slog.ErrorContext(ctx, "the guides that a site begins with were not written", "error", err)
	}
}

func (g *Guides) begin(ctx context.Context) error {
	apps, err := g.links.Apps(ctx, true)
	if err != nil {
		return err
	}
	seeds, err := seedsFor(apps)
	if err != nil {
		return err
	}
	// Most starts find that there is nothing to do, and write nothing.
	if seeds, err = missing(ctx, g.db, seeds); err != nil || len(seeds) == 0 {
		return err
	}
	err = g.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now := g.db.Now()
		for _, one := range seeds {
			mark := given{Slug: one.Slug, GivenAt: now}
			n, err := db.Changed(tx.NewInsert().Model(&mark).On("CONFLICT DO NOTHING").Exec(ctx))
			if err != nil {
				return err
			}
			if n == 0 {
				continue // another process has
			}
			one.CreatedAt, one.UpdatedAt = now, now
			// A guide of the operator's at this address stays.
			if _, err := tx.NewInsert().Model(&one).On("CONFLICT (slug) DO NOTHING").Returning("NULL").Exec(ctx); err != nil {
				return err
			}
		}
		_, err := db.Bump(ctx, tx, revision)
		return err
	})
	if err != nil {
		return err
	}
	return g.current.Load(ctx)
}

func missing(ctx context.Context, d *db.DB, seeds []Guide) ([]Guide, error) {
	var had []string
	if err := d.NewSelect().Model((*given)(nil)).Column("slug").Scan(ctx, &had); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(seeds, func(one Guide) bool { return slices.Contains(had, one.Slug) }), nil
}

// seedsFor gives the guides of ours, with one for each client of the catalogue that we know.
func seedsFor(apps []link.App) ([]Guide, error) {
	started := fault.Text{ZH: "新手入门", EN: "Getting started"}
	clients := fault.Text{ZH: "客户端", EN: "Clients"}
	trouble := fault.Text{ZH: "常见问题", EN: "Problems"}
	first, err := whole("first-connection", started, fault.Text{ZH: "三步连上", EN: "Connect in three steps"}, 100)
	if err != nil {
		return nil, err
	}
	last, err := whole("troubleshooting", trouble, fault.Text{
		ZH: "连不上、速度慢怎么办", EN: "It does not connect, or it is slow",
	}, 900)
	if err != nil {
		return nil, err
	}
	seeds := []Guide{first, last}
	text, err := seedFiles.ReadFile("seed/steps.json")
	if err != nil {
		return nil, err
	}
	known := map[string]map[string]steps{}
	if err := json.Unmarshal(text, &known); err != nil {
		return nil, err
	}
	pages, err := template.New("client").Delims("[[", "]]").ParseFS(seedFiles, "seed/client.*.md")
	if err != nil {
		return nil, err
	}
	for i, app := range apps {
		byLang, ok := known[app.ID]
		if !ok {
			continue
		}
		var bodies [2]bytes.Buffer
		for j, lang := range []string{"zh", "en"} {
			if err := pages.ExecuteTemplate(&bodies[j], "client."+lang+".md", map[string]any{
				"App": app, "Steps": byLang[lang],
			}); err != nil {
				return nil, err
			}
		}
		one := inBoth(app.ID, clients, fault.Text{ZH: app.Name + " 使用教程", EN: "How to use " + app.Name},
			fault.Text{ZH: bodies[0].String(), EN: bodies[1].String()})
		one.ClientID, one.Systems, one.Position = new(app.ID), app.Platforms, 200+10*i
		seeds = append(seeds, one)
	}
	for i := range seeds {
		if err := seeds[i].check(); err != nil {
			return nil, err
		}
	}
	return seeds, nil
}

func whole(slug string, category, title fault.Text, position int) (Guide, error) {
	zh, err := seedFiles.ReadFile("seed/" + slug + ".zh.md")
	if err != nil {
		return Guide{}, err
	}
	en, err := seedFiles.ReadFile("seed/" + slug + ".en.md")
	one := inBoth(slug, category, title, fault.Text{ZH: string(zh), EN: string(en)})
	one.Position = position
	return one, err
}

func inBoth(slug string, category, title, body fault.Text) Guide {
	return Guide{
		Slug: slug, Published: true,
		Title: title.ZH, Titles: fault.ByLang{fault.EN: title.EN},
		Body: body.ZH, Bodies: fault.ByLang{fault.EN: body.EN},
		Category: category.ZH, Categories: fault.ByLang{fault.EN: category.EN},
	}
}
