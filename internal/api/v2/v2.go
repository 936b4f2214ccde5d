// Package v2 is the JSON API of the web app, under /api/v2: one file per resource, every operation registered through
// handle, so that sign-in comes before everything and every answer has the one envelope.
package v2

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/approval"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/permission"
)

// Authenticate turns a bearer token into who the caller is, or answers a fault.
type Authenticate func(ctx context.Context, bearer string) (account.Identity, error)

// Resource adds the operations of one resource.
type Resource func(*Router)

// Router is where resources register their operations.
type Router struct {
	huma         huma.API
	authenticate Authenticate
	token        func(ctx context.Context, secret string, scope account.Scope) (account.Identity, error) // set by Developer
	log          *audit.Log                                                                              // set by Audited
	needed       map[permission.Permission]bool                                                          // by an operation
}

// huma's settings belong to the whole process: they are made once, before a server of the process reads them.
func init() {
	huma.DefaultArrayNullable, huma.ValidateStrictCasing = false, true
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		return api.NewFailure(ctx.Context(), inputFault(ctx.Operation().OperationID, status, msg, errs))
	}
	huma.NewError = func(int, string, ...error) huma.StatusError { return &api.Failure{} } // only its type is used, for the contract
}

// New serves the resources on mux and gives the contract.
func New(mux *http.ServeMux, version string, authenticate Authenticate, resources ...Resource) *huma.OpenAPI {
	config := huma.DefaultConfig("Airstrip", version)
	config.CreateHooks, config.OpenAPIPath, config.DocsPath, config.SchemasPath = nil, "", "", ""
	config.Formats = map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat}
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"bearer": {Type: "http", Scheme: "bearer", BearerFormat: "JWT"}}
	config.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[money.Amount](), reflect.TypeFor[amountSchema]())
	config.Info.License = &huma.License{Name: "AGPL-3.0-or-later"}
	config.OnAddOperation = append(config.OnAddOperation, addSummaryZH)
	r := &Router{
		huma: humago.New(mux, config), authenticate: authenticate, needed: map[permission.Permission]bool{},
	}
	for _, resource := range resources {
		resource(r)
	}
	contract := r.huma.OpenAPI()
	mux.Handle("GET /api/v2/openapi.json", serveContract(contract))
	return contract
}

// access is who may call an operation.
type access int

const (
	open  access = iota // anybody
	user                // a signed-in user; what they see is bound to their id
	staff               // a member of staff whose role has the operation's permission; see staffOp
)

// op describes one operation.
type op struct {
	method, path string
	id           string // operationId, the name of the function in generated clients
	tag          string // user, staff or public
	access       access
	permission   permission.Permission
	gives        []approval.Kind
	summary      string
	message      fault.Text // of the envelope on success; empty: a plain "done"
	keyed        bool       // takes an Idempotency-Key
	changes      bool       // changes something although it is a GET, as the original's does
}

// Envelope is the one shape of an answer with a single result.
type Envelope[T any] struct {
	IsSuccess bool   `json:"is_success" doc:"Always true" example:"true"`
	Message   string `json:"message"`
	Result    T      `json:"result"`
}

// ListEnvelope is the shape of those lists that the original calls result_list.
type ListEnvelope[T any] struct {
	IsSuccess  bool   `json:"is_success" doc:"Always true" example:"true"`
	Message    string `json:"message"`
	ResultList []T    `json:"result_list"`
}

type output[B any] struct{ Body B }

// Empty is the result of an operation that has nothing to say but that it was done.
type Empty struct{}

// handle registers an operation whose answer is one result. who is the zero Identity on open operations.
func handle[I, T any](r *Router, o op, fn func(ctx context.Context, who account.Identity, in *I) (T, error)) {
	register(r, o, fn, func(message string, result T) Envelope[T] { return Envelope[T]{true, message, result} })
}

// handleList registers an operation whose answer is a result_list.
func handleList[I, T any](r *Router, o op, fn func(ctx context.Context, who account.Identity, in *I) ([]T, error)) {
	register(r, o, fn, func(message string, result []T) ListEnvelope[T] {
		return ListEnvelope[T]{true, message, append([]T{}, result...)}
	})
}

func register[I, T, B any](r *Router, o op, fn func(context.Context, account.Identity, *I) (T, error), envelope func(string, T) B) {
	mustExportEmbedded(o.id, reflect.TypeFor[I](), reflect.TypeFor[B]())
	huma.Register(r.huma, r.operation(o), func(ctx context.Context, in *I) (*output[B], error) {
		result, err := call(ctx, r, o, fn, in)
		if err != nil {
			return nil, err
		}
		return &output[B]{envelope(o.text().In(api.CallerOf(ctx).Lang), result)}, nil
	})
}

// mustExportEmbedded panics where a type of an operation embeds a struct whose name is not exported: encoding/json knows its
// fields, but huma leaves them out of the contract and reads no parameters into them.
func mustExportEmbedded(operation string, types ...reflect.Type) {
	seen := map[reflect.Type]bool{}
	var visit func(t reflect.Type)
	visit = func(t reflect.Type) {
		switch {
		case seen[t]:
			return
		case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice, t.Kind() == reflect.Map:
			visit(t.Elem())
			return
		case t.Kind() != reflect.Struct:
			return
		}
		seen[t] = true
		for f := range t.Fields() {
			if f.Anonymous && !f.IsExported() {
				panic("v2: " + operation + ": " + t.String() + " embeds " + f.Type.String() + ", whose name is not exported")
			}
			if f.IsExported() {
				visit(f.Type)
			}
		}
	}
	for _, t := range types {
		visit(t)
	}
}

// call runs the function of an operation as its caller.
func call[I, T any](ctx context.Context, r *Router, o op, fn func(context.Context, account.Identity, *I) (T, error), in *I) (T, error) {
	who, _ := ctx.Value(identityKey{}).(account.Identity)
	if o.access == staff {
		ctx = r.acting(approval.Watch(ctx, o.gives...), who)
	}
	result, err := fn(ctx, who, in)
	if err != nil {
		err = api.NewFailure(ctx, err)
	}
	return result, err
}

// operation describes o in the contract.
func (r *Router) operation(o op) huma.Operation {
	h := huma.Operation{
		Method: o.method, Path: "/api/v2" + o.path, OperationID: o.id, Summary: o.summary, Tags: []string{o.tag},
		Middlewares: huma.Middlewares{r.guard(o)}, Extensions: map[string]any{},
	}
	if o.access != open {
		h.Security = []map[string][]string{{"bearer": {}}}
	}
	if o.forPrograms() {
		h.Extensions["x-api-token-scope"] = o.scope()
	}
	if o.access == staff {
		h.Extensions["x-permission"] = permission.Must(o.permission, o.id)
		r.needed[o.permission] = true
		if len(o.gives) > 0 {
			h.Extensions["x-staff-gives"] = o.gives
		}
	}
	if o.keyed {
		h.Parameters = append(h.Parameters, &huma.Param{
			Name: "Idempotency-Key", In: "header", Schema: &huma.Schema{Type: "string", MaxLength: ptr(128)},
			Description: "The same key with the same body gets the first answer again for 72 h and moves nothing twice; with another body 422.",
		})
	}
	return h
}

func (o op) text() fault.Text {
	switch {
	case o.message != fault.Text{}:
		return o.message
	case o.method == http.MethodGet:
		return fault.Text{ZH: "获取成功", EN: "OK"}
	}
	return fault.Text{ZH: "操作成功", EN: "Done"}
}

func ptr[T any](v T) *T { return &v }

type identityKey struct{}

// guard tests sign-in, permission and Idempotency-Key before anything of the input is looked at.
func (r *Router) guard(o op) func(huma.Context, func(huma.Context)) {
	return func(hc huma.Context, next func(huma.Context)) {
		hc.SetHeader("Cache-Control", "no-store") // tokens, balances: nobody's but the caller's
		req, w := humago.Unwrap(hc)
		if o.access == open {
			if err := cmp.Or(checkText(req), checkParameters(hc.Operation(), req)); err != nil {
				api.NewFailure(req.Context(), err).Write(w)
				return
			}
			next(hc)
			return
		}
		bearer, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
		if !ok {
			api.NewFailure(req.Context(), api.ErrSignIn).Write(w)
			return
		}
		who, err := r.identify(req.Context(), o, bearer)
		if err == nil && o.access == staff && !who.Role.Has(o.permission) {
			err = cmp.Or[error](who.Refusal(), api.ErrNotForYou)
		}
		if err == nil {
			err = cmp.Or(checkText(req), checkParameters(hc.Operation(), req))
		}
		if err != nil {
			api.NewFailure(req.Context(), err).Write(w)
			return
		}
		hc = huma.WithValue(hc, identityKey{}, who)
		if o.keyed {
			ctx, err := keyed(hc.Context(), req, who.UserID)
			if err != nil {
				api.NewFailure(req.Context(), err).Write(w)
				return
			}
			hc = huma.WithContext(hc, ctx)
		}
		next(hc)
	}
}

// identify tells who bears a token of a session or, where programs may call, an API token.
func (r *Router) identify(ctx context.Context, o op, bearer string) (account.Identity, error) {
	if !account.IsAPIToken(bearer) || r.token == nil {
		return r.authenticate(ctx, bearer)
	}
	who, err := r.token(ctx, bearer, o.scope())
	if err == nil && !o.forPrograms() {
		err = account.ErrTokenScope
	}
	return who, err
}

// forPrograms tells whether an API token may call: not where it is about the account or about tokens, nor for staff.
func (o op) forPrograms() bool {
	return o.access == user && strings.HasPrefix(o.path, "/user") && !strings.HasPrefix(o.path, "/user/account/") && !strings.HasPrefix(o.path, "/user/developer/")
}

// scope is what an API token needs for the operation: to write wherever it changes something, also by GET. Which ones may
// be called to read only, a test names and calls (internal/app/token_scope_test.go).
func (o op) scope() account.Scope {
	if o.method == http.MethodGet && !o.changes {
		return account.ScopeRead
	}
	return account.ScopeWrite
}

// keyed gives the context of a request with its Idempotency-Key bound to it.
func keyed(ctx context.Context, req *http.Request, userID int64) (context.Context, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, api.Unreadable(err)
	}
	req.Body = io.NopCloser(strings.NewReader(string(body)))
	return api.Keyed(req.WithContext(ctx), userID, string(body))
}

// amountSchema describes money.Amount in the contract.
type amountSchema struct{}

// Schema is asked for by huma.
func (amountSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: `^-?\d+\.\d{2}$`, Description: "Decimal amount in the site's currency", Examples: []any{"12.30"}}
}

// AmountInput is an amount in a request: a decimal string or a number.
type AmountInput struct {
	money.Amount
	wrong error
}

// UnmarshalJSON reads the amount and leaves what is wrong with it to Resolve, which knows the field's name.
func (a *AmountInput) UnmarshalJSON(b []byte) error {
	a.wrong = a.Amount.UnmarshalJSON(b)
	if a.wrong == nil && (a.Amount > money.Max || a.Amount < -money.Max) {
		a.wrong = money.ErrOverflow
	}
	return nil
}

// Resolve is asked for by huma.
func (a *AmountInput) Resolve(_ huma.Context, path *huma.PathBuffer) []error {
	switch {
	case a.wrong == nil:
		return nil
	case errors.Is(a.wrong, money.ErrOverflow):
		return []error{&huma.ErrorDetail{Location: path.String(), Message: "expected number <= " + money.Max.String()}}
	}
	return []error{&huma.ErrorDetail{Location: path.String(), Message: "expected string to match pattern"}}
}

// Schema is asked for by huma.
func (AmountInput) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeString, Pattern: `^-?\d+(\.\d{1,2})?$`}, {Type: huma.TypeNumber}}, Description: "Decimal amount with at most two places", Examples: []any{"12.30"}}
}
