package link

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/link/format"
	"airstrip/internal/text"
)

// App is a program that reads links. In ImportURL, {url} and {name} are the link and the site's name, encoded as by
// encodeURIComponent, {url_raw} is the link unencoded and {url_base64} in base64. If it is empty, users paste the link
// by hand.
type App struct {
	bun.BaseModel `bun:"table:link_app"`
	ID            string `bun:",pk"`
	Name          string
	Icon          string   // A letter, an emoji or an image as a data: URL; empty for the name's first letter.
	Platforms     []string `bun:"type:jsonb"` // A subset of Platforms.
	ImportURL     string
	DownloadURL   string
	Formats       []string `bun:"type:jsonb"` // Values of client_type that it reads, best first.
	Sort          int
	Enabled       bool
}

// Platforms are the systems that apps run on.
var Platforms = []string{"windows", "macos", "ios", "android", "linux", "harmonyos"}

// Faults of the catalogue.
var (
	ErrNoApp  = fault.NotFound("client_not_found", "没有这个客户端", "There is no such client")
	ErrAppIs  = fault.Invalid("id", "taken", "已有同名编号的客户端", "There is a client of this id already")
	maxIcon   = 16 << 10
	maxImport = 500
)

// Apps returns the recommended programs in the operator's order; with all also the disabled ones.
func (l *Links) Apps(ctx context.Context, all bool) ([]App, error) {
	var apps []App
	q := l.db.NewSelect().Model(&apps).OrderExpr("sort, id")
	if !all {
		q = q.Where("enabled")
	}
	return apps, q.Scan(ctx)
}

// AddApp adds a program to the catalogue.
func (l *Links) AddApp(ctx context.Context, a App) error {
	if err := a.check(); err != nil {
		return err
	}
	err := l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewInsert().Model(&a).Exec(ctx); err != nil {
			return db.Error(err)
		}
		return audit.Record(ctx, tx, "client.add", audit.Object{Kind: "client", ID: a.ID}, nil, a, "")
	})
	if errors.Is(err, db.ErrUnique) {
		return ErrAppIs.Because(err)
	}
	return err
}

// ChangeApp replaces the program with the ID of a.
func (l *Links) ChangeApp(ctx context.Context, a App) error {
	if err := a.check(); err != nil {
		return err
	}
	return l.replaceApp(ctx, "client.change", a.ID, &a, func(ctx context.Context, tx bun.Tx) (int64, error) {
		return db.Changed(tx.NewUpdate().Model(&a).WherePK().Exec(ctx))
	})
}

// OrderApps puts the programs of the catalogue into an order; those that are not named follow, as they were.
func (l *Links) OrderApps(ctx context.Context, ids []string) error {
	return l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var apps []App
		if err := db.Locked(tx.NewSelect().Model(&apps).OrderExpr("sort, id")).Scan(ctx); err != nil {
			return err
		}
		place := func(a App) int {
			if i := slices.Index(ids, a.ID); i >= 0 {
				return i
			}
			return len(ids)
		}
		slices.SortStableFunc(apps, func(a, b App) int { return place(a) - place(b) })
		for i := range apps {
			was, is := apps[i], apps[i]
			if is.Sort = (i + 1) * 10; is.Sort == was.Sort {
				continue
			}
			if _, err := tx.NewUpdate().Model(&is).Column("sort").WherePK().Exec(ctx); err != nil {
				return err
			}
			object := audit.Object{Kind: "client", ID: is.ID}
			if err := audit.Record(ctx, tx, "client.change", object, was, is, ""); err != nil {
				return err
			}
		}
		return nil
	})
}

// RemoveApp removes a program from the catalogue.
func (l *Links) RemoveApp(ctx context.Context, id string) error {
	return l.replaceApp(ctx, "client.remove", id, nil, func(ctx context.Context, tx bun.Tx) (int64, error) {
		return db.Changed(tx.NewDelete().Model((*App)(nil)).Where("id = ?", id).Exec(ctx))
	})
}

// replaceApp replaces the program with this ID by after, or removes it.
func (l *Links) replaceApp(
	ctx context.Context, action, id string, after *App, change func(context.Context, bun.Tx) (int64, error),
) error {
	return l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		was := []App{}
		if err := db.Locked(tx.NewSelect().Model(&was).Where("id = ?", id)).Scan(ctx); err != nil {
			return err
		}
		n, err := change(ctx, tx)
		if err == nil && (n == 0 || len(was) == 0) {
			err = ErrNoApp
		}
		if err != nil {
			return err
		}
		object := audit.Object{Kind: "client", ID: id}
		if after == nil {
			return audit.Record(ctx, tx, action, object, was[0], nil, "")
		}
		return audit.Record(ctx, tx, action, object, was[0], after, "")
	})
}

// importable matches an address that opens an app: with a scheme of its own, and none by which a page would execute
// something, or disclose the link to another site or person.
var (
	appID      = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)
	importable = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:[/!-~]+$`)
	forbidden  = []string{
		"javascript:", "data:", "vbscript:", "blob:", "file:", "filesystem:", "about:", "view-source:", "http:",
		"https:", "ws:", "wss:", "ftp:", "intent:", "android-app:", "microsoft-edge:", "googlechrome:", "mailto:",
		"tel:", "sms:", "smsto:", "mms:", "mmsto:", "tg:", "whatsapp:", "line:", "weixin:", "mqq:", "market:",
	}
	imageInside = regexp.MustCompile(`^data:image/(png|jpeg|webp|svg\+xml);base64,[A-Za-z0-9+/]+=*$`)
)

func (a *App) check() error {
	download, ok := text.WebAddress(a.DownloadURL)
	switch {
	case !appID.MatchString(a.ID):
		return fault.Invalid("id", "format", "编号只能含小写字母、数字和连字符", "The id has lower-case letters, digits and hyphens")
	case text.Folded(a.Name) == "" || utf8.RuneCountInString(a.Name) > 40:
		return fault.Invalid("name", "length", "名称需为 1 至 40 个字符", "The name must have 1 to 40 characters")
	case utf8.RuneCountInString(a.Icon) > 8 && (len(a.Icon) > maxIcon || !imageInside.MatchString(a.Icon)):
		return fault.Invalid("icon", "format", "图标为一个字、表情，或不超过 12 KB 的图片（data: 地址）",
			"The icon is a letter, an emoji, or an image of at most 12 KB as a data: address")
	case len(a.Platforms) == 0 || !all(a.Platforms, func(p string) bool { return slices.Contains(Platforms, p) }):
		return fault.Invalid("platforms", "choice", "请至少选择一个系统", "Please choose one system at least")
	case a.ImportURL != "" && (len(a.ImportURL) > maxImport || !importable.MatchString(a.ImportURL) ||
		!strings.Contains(a.ImportURL, "{url") ||
		slices.ContainsFunc(forbidden, func(scheme string) bool { return strings.HasPrefix(a.ImportURL, scheme) })):
		return fault.Invalid("import_url", "format", "导入地址须以客户端自己的协议开头，并含 {url}、{url_raw} 或 {url_base64}",
			"The import address begins with the client's own scheme and has {url}, {url_raw} or {url_base64} in it")
	case !ok || download.Scheme != "https" || len(a.DownloadURL) > maxImport:
		return fault.Invalid("download_url", "url", "请填写以 https:// 开头的下载地址",
			"Please give a download address that begins with https://")
	case len(a.Formats) == 0 || !all(a.Formats, func(f string) bool { _, known := format.ByType(f); return known }):
		return fault.Invalid("formats", "choice", "请至少选择一种已知的格式", "Please choose one known format at least")
	}
	return nil
}

func all(values []string, fits func(string) bool) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return !fits(v) })
}

// Import returns the address that opens a link in the app, or empty if the link is pasted by hand.
func (a *App) Import(link, siteName string) string {
	component := func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
	return strings.NewReplacer(
		"{url}", component(link), "{url_raw}", link, "{url_base64}", base64.StdEncoding.EncodeToString([]byte(link)),
		"{name}", component(siteName),
	).Replace(a.ImportURL)
}
