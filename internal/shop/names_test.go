package shop_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/service"
	"airstrip/internal/shop"
)

func TestNames_OfWhatWasSold_AreKeptInEachLanguage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		plan := c.plan(t, func(p *shop.Plan) {
			p.Name, p.Info = "标准", "高清视频"
			p.Names, p.Infos = fault.ByLang{fault.EN: "Standard"}, fault.ByLang{fault.EN: "HD video"}
		})
		if en := plan.In(fault.EN); en.Name != "Standard" || en.Info != "HD video" {
			t.Errorf("in English it is %q, %q", en.Name, en.Info)
		}
		if zh := plan.In(fault.ZH); zh.Name != "标准" || zh.Info != "高清视频" {
			t.Errorf("in Chinese, which has no name of its own, it is %q, %q", zh.Name, zh.Info)
		}

		user := c.user(t, 2000)
		o := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1), Lang: fault.EN})
		if _, err := c.ChangePlan(t.Context(), plan.ID, func(p *shop.Plan) { // what was sold does not change by it
			p.Name, p.Names = "新标准", p.Names.With(fault.EN, ptr("New"))
		}); err != nil {
			t.Fatal(err)
		}
		invoice := func(id int64) string {
			t.Helper()
			var names []string
			err := d.NewRaw(`SELECT l.name FROM invoice_line l JOIN invoice i ON i.id = l.invoice_id
				WHERE i.reference_kind = 'order' AND i.reference_id = ?`, id).Scan(t.Context(), &names)
			if err != nil || len(names) == 0 {
				t.Fatal(names, err)
			}
			return names[0]
		}
		if got := invoice(o.ID); got != "Standard" {
			t.Errorf("the invoice of an English reader says %q", got)
		}
		service, err := c.services.Get(t.Context(), user, *o.Service)
		if err != nil {
			t.Fatal(err)
		}
		for lang, want := range map[fault.Lang]string{fault.EN: "Standard", fault.ZH: "标准"} {
			if got := o.Terms.NameIn(lang); got != want {
				t.Errorf("%s: the order is called %q, wanted %q", lang, got, want)
			}
			if got := service.NameIn(lang); got != want {
				t.Errorf("%s: the service is called %q, wanted %q", lang, got, want)
			}
		}

		// Who renews by themselves or automatically without saying a language reads the one that they last used.
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`INSERT INTO account (id, uuid, email, name, role, password, password_version, password_changed_at,
				invite_code, created_at, lang) VALUES (?, ?, 'a@example.com', 'A', '', '', ?, ?, 'A', ?, 'en')`,
				user, o.UUID, o.UUID, d.Now(), d.Now()).Exec(ctx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		renewed := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1), RenewServiceID: o.Service})
		if got := invoice(renewed.ID); got != "New" {
			t.Errorf("the invoice of a renewal says %q", got)
		}
		c.sound(t)
	})
}

func TestNames_ThatAreTooLong_AreRefusedByTheirField(t *testing.T) {
	c := open(t, dbtest.SQLite(t))
	for field, change := range map[string]func(*shop.Plan){
		"name_en": func(p *shop.Plan) { p.Names = fault.ByLang{fault.EN: strings.Repeat("a", 65)} },
		"info_zh": func(p *shop.Plan) { p.Infos = fault.ByLang{fault.ZH: strings.Repeat("字", 2001)} },
	} {
		p := shop.Plan{Name: "A", Kind: shop.KindPlan, Reset: "never", Prices: []shop.Price{{Months: 1, Amount: 100}}}
		change(&p)
		_, err := c.AddPlan(t.Context(), p)
		var f *fault.Error
		if !errors.As(err, &f) || f.Fields[0].Name != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestPlan_NameThatNobodySees_IsRefused(t *testing.T) {
	c := open(t, dbtest.SQLite(t))
	for _, name := range []string{"", " ", "\u3000", "\u00a0\t"} {
		_, err := c.AddPlan(t.Context(), shop.Plan{
			Name: name, Kind: shop.KindPackage, TrafficBytes: ptr[int64](1), Reset: service.Never,
			Prices: []shop.Price{{Amount: 1}},
		})
		var f *fault.Error
		if !errors.As(err, &f) || len(f.Fields) != 1 || f.Fields[0].Name != "name" {
			t.Errorf("a plan called %q: %v", name, err)
		}
	}
}
