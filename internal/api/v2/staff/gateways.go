package staff

import (
	"context"
	"slices"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/permission"
)

type gatewayKind struct {
	Name       string              `json:"name"`
	Title      string              `json:"title" doc:"For people, in the language of Accept-Language"`
	Currencies []string            `json:"currencies" doc:"In which it can be paid"`
	Fields     []gatewayCredential `json:"fields" doc:"The credentials it needs"`
}

type gatewayCredential struct {
	Name     string   `json:"name"`
	Title    string   `json:"title" doc:"For people, in the language of Accept-Language"`
	Required bool     `json:"required"`
	Long     bool     `json:"long" doc:"Has several lines, such as a key in PEM"`
	Public   bool     `json:"public" doc:"Whoever pays reads it, so that staff may read it again"`
	Choices  []string `json:"choices" doc:"The values it may have; empty: any"`
}

type gatewayAccount struct {
	ID          int64             `json:"id"`
	Kind        string            `json:"kind"`
	Name        string            `json:"name"`
	NotifyPath  string            `json:"notify_path" doc:"Where the platform sends its notifies, under the site's address"`
	TitleZH     string            `json:"title_zh"`
	TitleEN     string            `json:"title_en"`
	Icon        string            `json:"icon"`
	FeePercent  string            `json:"fee_percent"`
	FeeFixed    money.Amount      `json:"fee_fixed"`
	Minimum     *money.Amount     `json:"minimum" nullable:"true"`
	Maximum     *money.Amount     `json:"maximum" nullable:"true"`
	Sort        int               `json:"sort"`
	Enabled     bool              `json:"enabled"`
	Currency    string            `json:"currency"`
	Rate        *string           `json:"rate" nullable:"true"`
	Credentials []string          `json:"credentials" doc:"Names of those that are set; none where the server cannot read them any more"`
	Public      map[string]string `json:"public" doc:"The values of those that are public, by name"`
	CreatedAt   time.Time         `json:"created_at"`
	UpdatedAt   time.Time         `json:"updated_at"`
	v2.Version
}

// GatewayChange is what a new account and a change have in common; exported because it is embedded.
type GatewayChange struct {
	TitleZH     *string           `json:"title_zh,omitempty" maxLength:"100"`
	TitleEN     *string           `json:"title_en,omitempty" maxLength:"100"`
	Icon        *string           `json:"icon,omitempty" enum:"alipay,bank,card,cash,crypto,epay,manual,sandbox,stripe,wallet,wechatpay," doc:"Empty: its kind's"`
	FeePercent  *string           `json:"fee_percent,omitempty" pattern:"^\\d{1,3}(\\.\\d{1,2})?$" doc:"Of the amount, added to what is paid"`
	FeeFixed    *v2.AmountInput   `json:"fee_fixed,omitempty" doc:"Added to what is paid, in the site's currency"`
	Minimum     *v2.AmountInput   `json:"minimum,omitempty" doc:"Of a recharge; 0: the site's"`
	Maximum     *v2.AmountInput   `json:"maximum,omitempty" doc:"Of a recharge; 0: the site's"`
	Sort        *int              `json:"sort,omitempty"`
	Enabled     *bool             `json:"enabled,omitempty"`
	Currency    *string           `json:"currency,omitempty" maxLength:"3"`
	Rate        *string           `json:"rate,omitempty" pattern:"^(\\d{1,7}(\\.\\d{1,8})?)?$" doc:"Of the currency for one of the site's; empty where it is the site's"`
	Credentials map[string]string `json:"credentials,omitempty" doc:"Those that change; an empty one is removed"`
}

type gatewayTest struct {
	Works   bool   `json:"works"`
	Problem string `json:"problem" doc:"What the platform or the network said; empty: it works"`
}

type gatewayOrderBody struct {
	Gateways []int64 `json:"gateways" maxItems:"1000" doc:"Ids of all accounts, first one first"`
}

type newGatewayBody struct {
	Kind string `json:"kind" maxLength:"32"`
	Name string `json:"name" maxLength:"32" doc:"Stands in the notify address and in the ledger, and never changes"`
	GatewayChange
}

func newGatewayAccount(g *payment.Gateways, a *payment.Account) gatewayAccount {
	names, public := g.Known(a)
	out := gatewayAccount{
		ID: a.ID, Kind: a.Kind, Name: a.Name, NotifyPath: "/v1/payment/notify/" + a.Name, TitleZH: a.TitleZH,
		TitleEN: a.TitleEN, Icon: a.Icon,
		FeePercent: a.FeePercent.String(), FeeFixed: a.FeeFixed, Minimum: unlessZero(a.Minimum),
		Maximum: unlessZero(a.Maximum), Sort: a.Sort, Enabled: a.Enabled, Currency: a.Currency,
		Credentials: names, Public: public, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt,
	}
	if a.Rate != 0 {
		out.Rate = new(a.Rate.String())
	}
	return out
}

// read returns what the change does to an account, or the fault of a number that is none.
func (c GatewayChange) read() (func(*payment.Account), error) {
	var percent *payment.Percent
	if c.FeePercent != nil {
		p, err := payment.ParsePercent(*c.FeePercent)
		if err != nil {
			return nil, fault.Invalid("fee_percent", "format", "格式不正确", "This has the wrong form")
		}
		percent = &p
	}
	var rate payment.Rate
	if c.Rate != nil && *c.Rate != "" {
		r, err := payment.ParseRate(*c.Rate)
		if err != nil {
			return nil, fault.Invalid("rate", "format", "格式不正确", "This has the wrong form")
		}
		rate = r
	}
	return func(a *payment.Account) {
		assign(&a.TitleZH, c.TitleZH)
		assign(&a.TitleEN, c.TitleEN)
		assign(&a.Icon, c.Icon)
		assign(&a.FeePercent, percent)
		assign(&a.Sort, c.Sort)
		assign(&a.Enabled, c.Enabled)
		assign(&a.Currency, c.Currency)
		if c.FeeFixed != nil {
			a.FeeFixed = c.FeeFixed.Amount
		}
		if c.Minimum != nil {
			a.Minimum = c.Minimum.Amount
		}
		if c.Maximum != nil {
			a.Maximum = c.Maximum.Amount
		}
		if c.Rate != nil {
			a.Rate = rate
		}
	}, nil
}

func assign[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

func unlessZero(a money.Amount) *money.Amount {
	if a == 0 {
		return nil
	}
	return &a
}

// Gateways adds what staff does with the site's accounts at payment platforms. Who may change them may turn the site's
// income elsewhere, so only owners do.
func Gateways(g *payment.Gateways, p *payment.Payments) v2.Resource {
	return func(r *v2.Router) {
		v2.HandleList(r, v2.StaffOp("GET /staff/gateways/kinds", permission.GatewayRead).
			Named("staff_gateway_kinds", "The payment platforms there are, with the credentials they need"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (out []gatewayKind, err error) {
				lang := api.CallerOf(ctx).Lang
				for _, k := range g.Kinds() {
					kind := gatewayKind{
						Name: k.Name, Title: k.Title.In(lang), Currencies: k.Currencies,
						Fields: []gatewayCredential{},
					}
					if len(k.Currencies) == 0 {
						kind.Currencies = money.Currencies
					}
					for _, f := range k.Fields {
						kind.Fields = append(kind.Fields, gatewayCredential{
							f.Name, f.Title.In(lang), f.Required, f.Long, f.Public, append([]string{}, f.Choices...),
						})
					}
					out = append(out, kind)
				}
				return out, nil
			})
		v2.HandleList(r, v2.StaffOp("GET /staff/gateways", permission.GatewayRead).
			Named("staff_gateways_list", "The site's accounts with payment platforms"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (out []gatewayAccount, err error) {
				versions, err := r.Versions(ctx, "gateway")
				if err != nil {
					return nil, err
				}
				accounts, err := g.List(ctx)
				for i := range accounts {
					shown := newGatewayAccount(g, &accounts[i])
					shown.Version = versions.Of(accounts[i].ID)
					out = append(out, shown)
				}
				return out, err
			})
		v2.HandleMake(r, v2.StaffOp("POST /staff/gateways", permission.GatewayWrite).
			Named("staff_gateway_add", "Add an account with a payment platform"), "gateway",
			func(ctx context.Context, _ account.Identity, in *v2.Body[newGatewayBody]) (gatewayAccount, error) {
				apply, err := in.Body.read()
				if err != nil {
					return gatewayAccount{}, err
				}
				a := payment.Account{Kind: in.Body.Kind, Name: in.Body.Name, Enabled: true}
				apply(&a)
				made, err := g.Add(ctx, a, in.Body.Credentials)
				if err != nil {
					return gatewayAccount{}, err
				}
				return newGatewayAccount(g, made), nil
			})

		type which struct {
			ID int64 `path:"gateway_id" minimum:"1"`
		}
		read := func(ctx context.Context, id int64) (gatewayAccount, error) {
			accounts, err := g.List(ctx)
			if err != nil {
				return gatewayAccount{}, err
			}
			i := slices.IndexFunc(accounts, func(a payment.Account) bool { return a.ID == id })
			if i < 0 {
				return gatewayAccount{}, payment.ErrNoAccount
			}
			return newGatewayAccount(g, &accounts[i]), nil
		}
		v2.Handle(r, v2.StaffOp("GET /staff/gateways/{gateway_id}", permission.GatewayRead).
			Named("staff_gateway_get", "An account with a payment platform"),
			func(ctx context.Context, _ account.Identity, in *which) (gatewayAccount, error) {
				version, err := r.Version(ctx, audit.ID("gateway", in.ID))
				if err != nil {
					return gatewayAccount{}, err
				}
				out, err := read(ctx, in.ID)
				out.Version = version
				return out, err
			})
		v2.Handle(r, v2.StaffOp("POST /staff/gateways/{gateway_id}/test", permission.GatewayRead).
			Named("staff_gateway_test", "Ask the platform about a payment that there is not, to see that it knows the account"),
			func(ctx context.Context, _ account.Identity, in *which) (gatewayTest, error) {
				problem, err := p.TestGateway(ctx, in.ID)
				return gatewayTest{problem == "", problem}, err
			})
		v2.Handle(r, v2.StaffOp("PUT /staff/gateways/order", permission.GatewayWrite).
			Named("staff_gateways_order", "Put the accounts in another order").
			WithoutVersion("it is refused where the accounts are not those that its caller saw"),
			func(ctx context.Context, _ account.Identity, in *v2.Body[gatewayOrderBody]) (v2.Empty, error) {
				return v2.Empty{}, g.Order(ctx, in.Body.Gateways)
			})
		type changeWish struct {
			ID   int64 `path:"gateway_id" minimum:"1"`
			Body GatewayChange
		}
		v2.HandleChange(r, v2.StaffOp("PATCH /staff/gateways/{gateway_id}", permission.GatewayWrite).
			Named("staff_gateway_change", "Change an account; recharges that have begun keep what they were promised"),
			func(in *changeWish) audit.Object { return audit.ID("gateway", in.ID) },
			func(ctx context.Context, in *changeWish) (gatewayAccount, error) { return read(ctx, in.ID) },
			func(ctx context.Context, _ account.Identity, in *changeWish) (gatewayAccount, error) {
				apply, err := in.Body.read()
				if err != nil {
					return gatewayAccount{}, err
				}
				made, err := g.Change(ctx, in.ID, apply, in.Body.Credentials)
				if err != nil {
					return gatewayAccount{}, err
				}
				return newGatewayAccount(g, made), nil
			})
		v2.Handle(r, v2.StaffOp("DELETE /staff/gateways/{gateway_id}", permission.GatewayWrite).
			Named("staff_gateway_remove", "Remove an account that was never used"),
			func(ctx context.Context, _ account.Identity, in *which) (v2.Empty, error) {
				return v2.Empty{}, g.Remove(ctx, in.ID)
			})
	}
}
