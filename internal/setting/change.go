package setting

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// Object is what the audit log calls the settings, which are changed together.
var Object = audit.Object{Kind: "setting"}

// Change is a change of several settings at once.
type Change struct {
	Values map[string]json.RawMessage
	Reset  []string // these get their defaults again, whatever they are in later versions
	Reason string
	// Also is part of the transaction; nil: nothing else is changed with the settings.
	Also func(ctx context.Context, tx bun.Tx) error
}

// Names are the settings that c changes.
func (c Change) Names() (names []string) {
	for name := range c.Values {
		names = append(names, name)
	}
	return append(names, c.Reset...)
}

// Set changes the settings named in values, all or none. Unknown names and wrong values are faults that name them.
func (s *Settings) Set(ctx context.Context, values map[string]json.RawMessage) error {
	return s.Change(ctx, Change{Values: values})
}

// Change makes a change, all of it or nothing. Unknown names and wrong values are faults that name them.
func (s *Settings) Change(ctx context.Context, c Change) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		// The revision's row stays locked until the end, so that what is checked together and recorded as before holds.
		if _, err := db.Bump(ctx, tx, revision); err != nil {
			return err
		}
		if err := s.changeSite(ctx, tx, c); err != nil || c.Also == nil {
			return err
		}
		return c.Also(ctx, tx)
	})
	if err != nil {
		return err
	}
	return s.now.Load(ctx)
}

func (s *Settings) changeSite(ctx context.Context, tx bun.Tx, c Change) error {
	site, err := read(ctx, tx)
	if err != nil {
		return err
	}
	before, err := read(ctx, tx) // another one: the new values are read into the slices of site
	if err != nil {
		return err
	}
	touched := map[string]bool{}
	for name, value := range c.Values {
		touched[name] = true
		if err := s.setOne(ctx, tx, &site, name, value); err != nil {
			return err
		}
	}
	for _, name := range c.Reset {
		if touched[name] {
			return fault.Invalid(name, "doubled", "同一设置不能既修改又恢复默认值", "A setting is changed or reset, not both")
		}
		touched[name] = true
		if err := resetOne(ctx, tx, &site, name); err != nil {
			return err
		}
	}
	if err := site.check(&before, touched); err != nil {
		return err
	}
	if site.Currency != before.Currency {
		if err := s.refuseCurrencyInUse(ctx, tx); err != nil {
			return err
		}
	}
	if len(touched) == 0 && c.Also != nil {
		return nil
	}
	return audit.Record(ctx, tx, "setting.change", Object, audit.Clear{Value: before}, audit.Clear{Value: site},
		c.Reason) // what nobody may read again is no setting: see package secret
}

var (
	errName  = fault.Text{ZH: "没有这个设置", EN: "There is no such setting"}
	errValue = fault.Text{ZH: "值的格式不对", EN: "The value has the wrong form"}
)

func (s *Settings) setOne(ctx context.Context, tx bun.Tx, site *Site, name string, value json.RawMessage) error {
	kind, known := fields[name] // package json would take it in another case
	if !known {
		return fault.Invalid(name, "unknown", errName.ZH, errName.EN)
	}
	if string(bytes.TrimSpace(value)) == "null" { // which package json takes for no change
		if kind != reflect.Slice {
			return fault.Invalid(name, "format", errValue.ZH, errValue.EN)
		}
		value = json.RawMessage("[]")
	}
	one, err := json.Marshal(map[string]json.RawMessage{name: value})
	if err != nil {
		return fault.Invalid(name, "format", errValue.ZH, errValue.EN)
	}
	if err := json.NewDecoder(bytes.NewReader(one)).Decode(site); err != nil {
		return fault.Invalid(name, "format", errValue.ZH, errValue.EN).Because(err)
	}
	r := row{Name: name, Value: value, UpdatedAt: s.db.Now()}
	_, err = tx.NewInsert().Model(&r).On("CONFLICT (name) DO UPDATE").Set("value = EXCLUDED.value").
		Set("updated_at = EXCLUDED.updated_at").Exec(ctx)
	return err
}

// resetOne gives a setting its default, by removing its row.
func resetOne(ctx context.Context, tx bun.Tx, site *Site, name string) error {
	if _, known := fields[name]; !known {
		return fault.Invalid(name, "unknown", errName.ZH, errName.EN)
	}
	now, defaults := reflect.ValueOf(site).Elem(), reflect.ValueOf(Defaults())
	for i := range now.NumField() {
		if now.Type().Field(i).Tag.Get("json") == name {
			now.Field(i).Set(defaults.Field(i))
		}
	}
	_, err := tx.NewDelete().Model((*row)(nil)).Where("name = ?", name).Exec(ctx)
	return err
}

// Changed returns when each setting was changed that has another value than its default, by name.
func (s *Settings) Changed(ctx context.Context) (map[string]time.Time, error) {
	var rows []row
	if err := s.db.NewSelect().Model(&rows).Scan(ctx); err != nil {
		return nil, err
	}
	site, defaults := s.Get(), Defaults()
	changed := map[string]time.Time{}
	for _, r := range rows {
		if _, known := fields[r.Name]; known && string(site.Value(r.Name)) != string(defaults.Value(r.Name)) {
			changed[r.Name] = r.UpdatedAt.UTC()
		}
	}
	return changed, nil
}
