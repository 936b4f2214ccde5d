package payment

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/seal"
	"airstrip/internal/setting"
)

// Method is one way to pay: an account, opened.
type Method struct {
	Account
	Gateway Gateway
}

// Gateways are the accounts with payment platforms that staff has set up. What one process changes, all follow.
type Gateways struct {
	db       *db.DB
	key      seal.Key
	settings *setting.Settings
	kinds    []Kind
	built    []Method
	open     *db.Snapshot[[]Method]
}

const revision = "gateway"

// OpenGateways returns the accounts in d of the kinds, and those that are built in. Credentials are sealed with key.
func OpenGateways(ctx context.Context, d *db.DB, key seal.Key, settings *setting.Settings, kinds []Kind,
	built ...Method,
) (*Gateways, error) {
	g := &Gateways{db: d, key: key, settings: settings, kinds: kinds, built: built}
	g.open = db.NewSnapshot(d, revision, "payment gateways", g.openAll)
	return g, g.open.Load(ctx)
}

// Kinds are the platforms that accounts can be opened with.
func (g *Gateways) Kinds() []Kind { return g.kinds }

// Follow keeps the accounts current with what other processes change, until ctx ends.
func (g *Gateways) Follow(ctx context.Context) { g.open.Follow(ctx) }

// openAll opens every account. One whose credentials did not change stays open as it is, with what it has learned.
func (g *Gateways) openAll(ctx context.Context) ([]Method, error) {
	accounts, err := g.List(ctx)
	if err != nil {
		return nil, err
	}
	methods := slices.Clone(g.built)
	for _, a := range accounts {
		m := Method{Account: a}
		if before, ok := g.find(a.Name); ok && bytes.Equal(before.Sealed, a.Sealed) {
			m.Gateway = before.Gateway
		} else if m.Gateway, err = g.openAccount(&a); err != nil {
			slog.ErrorContext(ctx, "a payment gateway cannot be opened; it is as if switched off", "gateway", a.Name,
				"error", err)
			continue
		}
		methods = append(methods, m)
	}
	return methods, nil
}

func (g *Gateways) find(name string) (Method, bool) {
	methods := g.open.Get()
	i := slices.IndexFunc(methods, func(m Method) bool { return m.Name == name })
	if i < 0 {
		return Method{}, false
	}
	return methods[i], true
}

func (g *Gateways) openAccount(a *Account) (Gateway, error) {
	k, err := g.kind(a.Kind)
	if err != nil {
		return nil, err
	}
	credentials, err := g.unseal(a)
	if err != nil {
		return nil, err
	}
	return k.Open(Setup{credentials, g.db.Now})
}

func (g *Gateways) kind(name string) (*Kind, error) {
	i := slices.IndexFunc(g.kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return nil, fault.Invalid("kind", "unknown", "没有这种支付平台", "There is no such payment platform")
	}
	return &g.kinds[i], nil
}

func (g *Gateways) unseal(a *Account) (credentials map[string]string, err error) {
	text, err := g.key.Open(purpose(a.Name), a.Sealed)
	if err == nil {
		err = json.Unmarshal(text, &credentials)
	}
	return credentials, err
}

func purpose(name string) string { return "payment gateway " + name }

// List returns all accounts, switched off or not, in the order in which users see them.
func (g *Gateways) List(ctx context.Context) (accounts []Account, err error) {
	err = g.db.NewSelect().Model(&accounts).Order("sort", "id").Scan(ctx)
	return accounts, err
}

// Known returns the names of the credentials that the account has, and the values of those that are public; none where
// they were sealed with another key, which makes it as if switched off. The others are never shown again.
func (g *Gateways) Known(a *Account) (names []string, public map[string]string) {
	credentials, _ := g.unseal(a)
	public = map[string]string{}
	if k, err := g.kind(a.Kind); err == nil {
		for _, f := range k.Fields {
			if value, isSet := credentials[f.Name]; isSet && f.Public {
				public[f.Name] = value
			}
		}
	}
	return append([]string{}, slices.Sorted(maps.Keys(credentials))...), public
}
