// Package sitepicture owns the pictures of the site's look: its logo and its icon. They are small, so they are stored
// in the database and held in memory, and each server follows a revision. The type of a picture follows from its bytes,
// never from what its sender says, and only what draws it is stored. SVG is refused, since it can hold scripts.
package sitepicture

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/attachment"
	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// The names of the pictures.
const (
	Logo = "logo" // beside the site's name
	Icon = "icon" // in tabs of browsers and among the apps of phones
)

// Names are those of all pictures.
var Names = []string{Logo, Icon}

const (
	revision = "site_picture"
	maxBytes = 256 << 10
	maxSide  = 1024 // pixels
	minIcon  = 192  // pixels, without which browsers do not install a site as an app
)

// Picture is a picture that replaces the built-in one.
type Picture struct {
	bun.BaseModel `bun:"table:site_picture"`
	Name          string `bun:",pk"`
	MediaType     string
	Data          []byte
	Width, Height int
	UpdatedAt     time.Time
	Digest        string `bun:"-"` // follows from Data; in the address of the picture
}

func digestOf(data []byte) string {
	const bytes = 9
	sum := sha256.Sum256(data)
	return base64.RawURLEncoding.EncodeToString(sum[:bytes])
}

// entry is what the audit log records of a picture; nil where there is none.
func (p *Picture) entry() any {
	if p == nil {
		return nil
	}
	return map[string]any{"media_type": p.MediaType, "digest": p.Digest, "width": p.Width, "height": p.Height}
}

// Pictures are all of them.
type Pictures struct {
	db      *db.DB
	current *db.Snapshot[map[string]*Picture]
}

// New loads the pictures in d.
func New(ctx context.Context, d *db.DB) (*Pictures, error) {
	p := &Pictures{db: d}
	p.current = db.NewSnapshot(d, revision, "pictures of the site", p.read)
	return p, p.current.Load(ctx)
}

// Follow keeps the pictures current with what other processes change, until ctx ends.
func (p *Pictures) Follow(ctx context.Context) { p.current.Follow(ctx) }

func (p *Pictures) read(ctx context.Context) (map[string]*Picture, error) {
	var list []Picture
	if err := p.db.NewSelect().Model(&list).Scan(ctx); err != nil {
		return nil, err
	}
	all := map[string]*Picture{}
	for i := range list {
		list[i].Digest = digestOf(list[i].Data)
		all[list[i].Name] = &list[i]
	}
	return all, nil
}

// Get returns a picture; nil: the built-in one is shown.
func (p *Pictures) Get(name string) *Picture { return p.current.Get()[name] }

// Set replaces a picture by the file in data. Problems name the field data.
func (p *Pictures) Set(ctx context.Context, name string, data []byte) error {
	made, err := read(name, data)
	if err != nil {
		return err
	}
	made.UpdatedAt = p.db.Now()
	return p.change(ctx, name, "site_picture.set", func(ctx context.Context, tx bun.Tx) (*Picture, error) {
		_, err := tx.NewInsert().Model(made).On("CONFLICT (name) DO UPDATE").Set("media_type = EXCLUDED.media_type").
			Set("data = EXCLUDED.data").Set("width = EXCLUDED.width").Set("height = EXCLUDED.height").
			Set("updated_at = EXCLUDED.updated_at").Exec(ctx)
		return made, err
	})
}

// Remove makes the built-in picture be shown again. Where it is shown already nothing changes.
func (p *Pictures) Remove(ctx context.Context, name string) error {
	return p.change(ctx, name, "site_picture.remove", func(ctx context.Context, tx bun.Tx) (*Picture, error) {
		_, err := tx.NewDelete().Model((*Picture)(nil)).Where("name = ?", name).Exec(ctx)
		return nil, err
	})
}

func (p *Pictures) change(ctx context.Context, name, action string,
	change func(context.Context, bun.Tx) (*Picture, error),
) error {
	err := p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		// The row of the revision stays locked until the commit, so nothing changes between what is read and recorded.
		if _, err := db.Bump(ctx, tx, revision); err != nil {
			return err
		}
		var found []Picture
		if err := tx.NewSelect().Model(&found).Where("name = ?", name).Scan(ctx); err != nil {
			return err
		}
		var was *Picture
		if len(found) > 0 {
			was = &found[0]
			was.Digest = digestOf(was.Data)
		}
		is, err := change(ctx, tx)
		if err != nil || was == nil && is == nil {
			return err
		}
		return audit.Record(ctx, tx, action, audit.Object{Kind: "site_picture", ID: name}, was.entry(), is.entry(), "")
	})
	if err != nil {
		return err
	}
	return p.current.Load(ctx)
}

// types are those of each picture. The manifest and phones want a PNG as an icon.
var types = map[string][]string{
	Logo: {"image/png", "image/jpeg", "image/webp"},
	Icon: {"image/png"},
}

// read returns the picture in a file, without anything that does not draw it.
func read(name string, data []byte) (*Picture, error) {
	if len(data) > maxBytes {
		return nil, fault.Invalid("data", "too_large", "图片不能超过 256 KB", "The picture must not be larger than 256 KB")
	}
	file, err := attachment.Read(name, data)
	if err != nil {
		return nil, fault.Invalid("data", "unreadable", "无法读取这张图片", "This picture cannot be read").Because(err)
	}
	if !slices.Contains(types[name], file.MediaType) {
		if name == Icon {
			return nil, fault.Invalid("data", "type", "图标须为 PNG 图片", "The icon must be a PNG")
		}
		return nil, fault.Invalid("data", "type", "标志须为 PNG、JPEG 或 WebP 图片", "The logo must be a PNG, JPEG or WebP")
	}
	var p fault.Problems
	p.When(name == Icon && (file.Width != file.Height || file.Width < minIcon), "data", "square",
		"图标须为正方形，边长至少 192 像素", "The icon must be a square of at least 192 pixels")
	p.When(file.Width > maxSide || file.Height > maxSide, "data", "pixels", "图片的边长不能超过 1024 像素",
		"No side of the picture may be longer than 1024 pixels")
	return &Picture{
		Name: name, MediaType: file.MediaType, Data: file.Data, Width: file.Width, Height: file.Height,
		Digest: digestOf(file.Data),
	}, p.Err()
}
