package payment

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/wallet"
)

// ErrNoAccount is the fault of an account that does not exist.
var ErrNoAccount = fault.NotFound("gateway_not_found", "没有这个支付方式", "There is no such payment gateway")

// Add opens an account. Its kind and name stay. The titles are the kind's and the currency is the site's where they are
// not given.
func (g *Gateways) Add(ctx context.Context, a Account, credentials map[string]string) (*Account, error) {
	return g.save(ctx, func(ctx context.Context, tx bun.Tx) (*Account, error) {
		if err := g.free(ctx, tx, a.Name); err != nil {
			return nil, err
		}
		a.ID, a.CreatedAt = 0, g.db.Now()
		if credentials == nil { // here none are there that could stay as they are
			credentials = map[string]string{}
		}
		if err := g.complete(&a, credentials); err != nil {
			return nil, err
		}
		if _, err := tx.NewInsert().Model(&a).Exec(ctx); err != nil {
			return nil, db.Error(err)
		}
		return &a, audit.Record(ctx, tx, "gateway.add", audit.ID("gateway", a.ID), nil, a.recorded(credentials), "")
	})
}

// Change changes an account. Of the credentials those that are named change; an empty one is removed.
func (g *Gateways) Change(ctx context.Context, id int64, change func(*Account),
	credentials map[string]string,
) (*Account, error) {
	return g.save(ctx, func(ctx context.Context, tx bun.Tx) (*Account, error) {
		a, err := g.account(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		fixed := *a
		all, err := g.unseal(a)
		if err != nil {
			slog.WarnContext(ctx, "the credentials of a payment gateway cannot be read; all of them must be entered again",
				"gateway", a.Name, "error", err)
			all = map[string]string{}
		}
		for name, v := range credentials {
			all[name] = v
		}
		change(a)
		a.ID, a.Kind, a.Name, a.CreatedAt = fixed.ID, fixed.Kind, fixed.Name, fixed.CreatedAt
		if len(credentials) == 0 && err == nil {
			a.Sealed = fixed.Sealed
			all = nil
		}
		if err := g.complete(a, all); err != nil {
			return nil, err
		}
		if _, err = tx.NewUpdate().Model(a).WherePK().Exec(ctx); err != nil {
			return nil, db.Error(err)
		}
		return a, audit.Record(ctx, tx, "gateway.change", audit.ID("gateway", id), fixed.recorded(nil),
			a.recorded(credentials), "")
	})
}

// recordedGateway is an account as the audit log keeps it: of the credentials only which ones were given.
type recordedGateway struct {
	Account
	CredentialsGiven []string
}

func (a *Account) recorded(credentials map[string]string) recordedGateway {
	r := recordedGateway{*a, slices.Sorted(maps.Keys(credentials))}
	r.Sealed = nil
	return r
}

// ErrInUse is the fault of removing an account that recharges speak of.
var ErrInUse = fault.Conflict("gateway_in_use", "已有充值使用此支付方式，不能删除；请将其停用",
	"Recharges were made with this gateway, so it cannot be removed; switch it off instead")

// Remove removes an account that was never used.
func (g *Gateways) Remove(ctx context.Context, id int64) error {
	_, err := g.save(ctx, func(ctx context.Context, tx bun.Tx) (*Account, error) {
		a, err := g.account(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		switch inUse, err := wallet.GatewayUsed(ctx, tx, a.Name); {
		case err != nil:
			return nil, err
		case inUse:
			return nil, ErrInUse
		}
		if _, err = tx.NewDelete().Model(a).WherePK().Exec(ctx); err != nil {
			return nil, err
		}
		return a, audit.Record(ctx, tx, "gateway.remove", audit.ID("gateway", id), a.recorded(nil), nil, "")
	})
	return err
}

// ErrGatewayOrder is the fault of an order that does not name each account once.
var ErrGatewayOrder = fault.Conflict("gateway_order_stale", "支付网关已有变化，请刷新后重新排序",
	"The gateways changed meanwhile; read them again and put them in order once more")

// Order puts the accounts in this order. It must name each of them once: ErrGatewayOrder.
func (g *Gateways) Order(ctx context.Context, ids []int64) error {
	err := g.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := db.Bump(ctx, tx, revision); err != nil {
			return err
		}
		var before []int64
		if err := tx.NewSelect().Model((*Account)(nil)).Column("id").Order("sort", "id").Scan(ctx, &before); err != nil {
			return err
		}
		if !slices.Equal(slices.Sorted(slices.Values(before)), slices.Sorted(slices.Values(ids))) {
			return ErrGatewayOrder
		}
		for i, id := range ids {
			if _, err := tx.NewUpdate().Model((*Account)(nil)).Set("sort = ?", i+1).Where("id = ? AND sort <> ?", id, i+1).
				Exec(ctx); err != nil {
				return err
			}
		}
		type order struct{ Gateways []int64 }
		return audit.Record(ctx, tx, "gateway.order", audit.Object{Kind: "gateway_order", ID: "site"}, order{before},
			order{ids}, "")
	})
	if err != nil {
		return err
	}
	return g.open.Load(ctx)
}

// save runs fn, which reads an account and writes it. The revision is bumped first: its row stays locked until the end,
// so that no two changes overwrite each other.
func (g *Gateways) save(ctx context.Context, fn func(ctx context.Context, tx bun.Tx) (*Account, error)) (saved *Account,
	err error,
) {
	err = g.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err = db.Bump(ctx, tx, revision); err != nil {
			return err
		}
		saved, err = fn(ctx, tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return saved, g.open.Load(ctx)
}

func (g *Gateways) account(ctx context.Context, tx bun.Tx, id int64) (*Account, error) {
	var found []Account
	if err := tx.NewSelect().Model(&found).Where("id = ?", id).Scan(ctx); err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, ErrNoAccount
	}
	return &found[0], nil
}

// complete checks the account, opens it for a try and seals its credentials; nil credentials stay as they are.
func (g *Gateways) complete(a *Account, credentials map[string]string) error {
	k, err := g.kind(a.Kind)
	if err != nil {
		return err
	}
	a.TitleZH, a.TitleEN = cmp.Or(strings.TrimSpace(a.TitleZH), k.Title.ZH), cmp.Or(strings.TrimSpace(a.TitleEN),
		k.Title.EN)
	a.Currency = cmp.Or(a.Currency, g.settings.Get().Currency)
	if err := a.check(k, g.settings.Get()); err != nil {
		return err
	}
	a.UpdatedAt = g.db.Now()
	if credentials == nil {
		return nil
	}
	set, err := k.settle(credentials)
	if err != nil {
		return err
	}
	if _, err := k.Open(Setup{set, g.db.Now}); err != nil {
		return err
	}
	text, err := json.Marshal(set)
	a.Sealed = g.key.Seal(purpose(a.Name), text)
	return err
}

const maxCredential = 16 << 10

// settle returns the credentials that are set, or the faults of unknown, missing and impossible ones.
func (k *Kind) settle(credentials map[string]string) (map[string]string, error) {
	var wrong []fault.Field
	say := func(name, code, zh, en string) {
		wrong = append(wrong, fault.Field{Name: "credentials." + name, Code: code, Text: fault.Text{ZH: zh, EN: en}})
	}
	set := map[string]string{}
	for name, v := range credentials {
		switch i := slices.IndexFunc(k.Fields, func(f Field) bool { return f.Name == name }); {
		case i < 0:
			say(name, "unknown", "没有这一项", "There is no such field")
		case len(v) > maxCredential:
			say(name, "too_long", "太长", "This is too long")
		case strings.TrimSpace(v) != "":
			set[name] = strings.TrimSpace(v)
			if choices := k.Fields[i].Choices; choices != nil && !slices.Contains(choices, set[name]) {
				say(name, "choice", "只能是 "+strings.Join(choices, "、"), "This is one of: "+strings.Join(choices, ", "))
			}
		}
	}
	for _, f := range k.Fields {
		if f.Required && set[f.Name] == "" {
			say(f.Name, "required", "必填", "This is required")
		}
	}
	if wrong != nil {
		slices.SortFunc(wrong, func(a, b fault.Field) int { return strings.Compare(a.Name, b.Name) })
		return nil, fault.ErrInvalid.In(wrong...)
	}
	return set, nil
}

// free refuses a name that is in use: by an account, by a gateway that is built in, or by earlier recharges.
func (g *Gateways) free(ctx context.Context, tx bun.Tx, name string) error {
	taken := slices.ContainsFunc(g.built, func(m Method) bool { return m.Name == name })
	if !taken {
		var err error
		if taken, err = tx.NewSelect().Model((*Account)(nil)).Where("name = ?", name).Exists(ctx); err != nil {
			return err
		}
	}
	if !taken {
		var err error
		if taken, err = wallet.GatewayUsed(ctx, tx, name); err != nil {
			return err
		}
	}
	if taken {
		return fault.Invalid("name", "taken", "这个名称已被使用", "This name is taken")
	}
	return nil
}
