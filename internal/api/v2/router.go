// Package v2 is the JSON API of the web app, under /api/v2. This package registers operations: it checks sign-in,
// permission, text and parameters before an operation runs, gives each answer the one envelope, and writes the
// contract. The operations are in the packages public (anybody), user (who is signed in) and staff, one file for each
// resource; what more than one of them shares is here. No operation can be registered without saying who may call it.
package v2

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/approval"
	"airstrip/internal/attachment"
	"airstrip/internal/audit"
	"airstrip/internal/dberr"
	"airstrip/internal/detached"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/permission"
)

// Authenticate turns a bearer token into who the caller is, or answers a fault.
type Authenticate func(ctx context.Context, bearer string) (account.Identity, error)

// AuthenticateToken turns an API token into the user whom it acts for, or answers a fault where its scope is too small.
type AuthenticateToken func(ctx context.Context, secret string, scope account.Scope) (account.Identity, error)

// OpenStream returns a context that ends once the caller may no longer act as who they are, and its stop.
type OpenStream func(ctx context.Context, who account.Identity) (alive context.Context, stop func())

// EmailsOf returns the e-mail addresses of accounts by their ids.
type EmailsOf func(ctx context.Context, ids []int64) (map[int64]string, error)

// Resource adds the operations of one resource.
type Resource func(*Router)

// Router is where resources register their operations.
type Router struct {
	huma         huma.API
	authenticate Authenticate
	token        AuthenticateToken // see UseAPITokens
	log          *audit.Log        // see UseAuditLog
	emails       EmailsOf          // see UseAuditLog
	open         OpenStream        // see UseStreams
	visitor      Authenticate      // see UseVisits
	keys         *idempotency.Keys // see UseKeys
	needed       map[permission.Permission]bool
	ids          map[string]bool // of the operations
}

// huma's settings belong to the whole process: they are made once, before a server of the process reads them.
func init() {
	huma.DefaultArrayNullable, huma.ValidateStrictCasing = false, true
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		return api.NewFailure(ctx.Context(), inputFault(ctx.Operation().OperationID, status, msg, errs))
	}
	// Only its type is used, for the contract.
	huma.NewError = func(int, string, ...error) huma.StatusError { return &api.Failure{} }
}

// New serves the resources on mux and gives the contract.
func New(mux *http.ServeMux, version string, authenticate Authenticate, resources ...Resource) *huma.OpenAPI {
	config := huma.DefaultConfig("Airstrip", version)
	config.CreateHooks, config.OpenAPIPath, config.DocsPath, config.SchemasPath = nil, "", "", ""
	config.Formats = map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat}
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"bearer": {Type: "http", Scheme: "bearer", BearerFormat: "JWT"},
	}
	config.Components.Schemas = schemas
	config.Info.License = &huma.License{Name: "AGPL-3.0-or-later"}
	config.OnAddOperation = append(config.OnAddOperation, addSummaryZH)
	r := &Router{
		huma: humago.New(mux, config), authenticate: authenticate, needed: map[permission.Permission]bool{},
		ids: map[string]bool{},
	}
	for _, resource := range resources {
		resource(r)
	}
	contract := r.huma.OpenAPI()
	mux.Handle("GET /api/v2/openapi.json", serveContract(contract))
	return contract
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

// output is what huma writes of every answer that is an envelope. One type for all has huma's generic code compiled for
// each input only, and not for each operation: it is most of what compiling an operation takes.
type output struct{ Body any }

// Body is an input that has nothing but a body.
type Body[B any] struct{ Body B }

// Empty is the result of an operation that has nothing to say but that it was done.
type Empty struct{}

// Handle registers an operation whose answer is one result. who is the zero Identity on open operations.
func Handle[I, T any](r *Router, o Op, fn func(ctx context.Context, who account.Identity, in *I) (T, error)) {
	HandleEnvelope(r, o, fn, NewEnvelope[T])
}

// HandleList registers an operation whose answer is a result_list.
func HandleList[I, T any](r *Router, o Op, fn func(ctx context.Context, who account.Identity, in *I) ([]T, error)) {
	HandleEnvelope(r, o, fn, func(message string, result []T) ListEnvelope[T] {
		return ListEnvelope[T]{true, message, append([]T{}, result...)}
	})
}

// HandleOutput registers an operation whose function gives the headers of the answer too.
func HandleOutput[I, O any](r *Router, o Op, fn func(ctx context.Context, who account.Identity, in *I) (*O, error)) {
	mustExportEmbedded(o.id, reflect.TypeFor[I](), reflect.TypeFor[O]())
	huma.Register(r.huma, r.operation(o), func(ctx context.Context, in *I) (*O, error) {
		return call(ctx, r, o, fn, in)
	})
}

// NewEnvelope returns the answer of a success.
func NewEnvelope[T any](message string, result T) Envelope[T] {
	return Envelope[T]{true, message, result}
}

// HandleEnvelope registers an operation whose answer is what envelope makes of the message and the result.
func HandleEnvelope[I, T, B any](
	r *Router, o Op, fn func(context.Context, account.Identity, *I) (T, error),
	envelope func(message string, result T) B,
) {
	mustExportEmbedded(o.id, reflect.TypeFor[I](), reflect.TypeFor[B]())
	register(r, r.operation(o), reflect.TypeFor[B](), func(ctx context.Context, in *I) (any, error) {
		result, err := call(ctx, r, o, fn, in)
		return envelope(o.Message(ctx), result), err
	})
}

// register has huma serve an operation whose answer is a body of the type that is given.
func register[I any](r *Router, h huma.Operation, body reflect.Type, fn func(ctx context.Context, in *I) (any, error)) {
	h.Responses = map[string]*huma.Response{"200": {Content: map[string]*huma.MediaType{
		"application/json": {Schema: schemas.Schema(body, true, h.OperationID+"Response")},
	}}}
	huma.Register(r.huma, h, func(ctx context.Context, in *I) (*output, error) {
		answer, err := fn(ctx, in)
		if err != nil {
			return nil, err
		}
		return &output{answer}, nil
	})
}

// mustExportEmbedded panics where a type of an operation embeds a struct whose name is not exported: encoding/json
// knows its fields, but huma leaves them out of the contract and reads no parameters into them.
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
				panic("v2: " + operation + ": " + t.String() + " embeds " + f.Type.String() + ", which is not exported")
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

// IdentityOf returns who calls the operation that ctx belongs to, for functions that are not given it.
func IdentityOf(ctx context.Context) account.Identity {
	who, _ := ctx.Value(identityKey{}).(account.Identity)
	return who
}

// call runs the function of an operation as its caller.
func call[I, T any](
	ctx context.Context, r *Router, o Op, fn func(context.Context, account.Identity, *I) (T, error), in *I,
) (T, error) {
	who := IdentityOf(ctx)
	switch {
	case o.access == staff:
		ctx = r.acting(approval.Watch(ctx, o.gives...), who)
	case o.audited && who.Staff():
		ctx = r.acting(ctx, who)
	}
	var result T
	err := CheckBody(in)
	if err == nil && o.stepUpWhere != nil && o.stepUpWhere(in) {
		err = who.AdmitProved()
	}
	if err == nil {
		result, err = fn(ctx, who, in)
	}
	if err != nil {
		if receipt, isKeyed := ctx.Value(receiptKey{}).(*idempotency.Receipt); isKeyed {
			err = receipt.Settle(ctx, err, isRefusal(ctx, err))
		}
		err = api.NewFailure(ctx, err)
	}
	return result, err
}

// isRefusal tells whether err says for certain that an operation did nothing. A fault of the database, the end of the
// time and an error that is no fault may come after something was done.
func isRefusal(ctx context.Context, err error) bool {
	f, isFault := fault.As(err)
	return isFault && !errors.Is(dberr.AfterCommit(ctx, f), dberr.ErrOutcomeUnknown)
}

// operation describes o in the contract. It panics on one that does not say who may call it, or how it is called.
func (r *Router) operation(o Op) huma.Operation {
	if o.access == 0 || o.id == "" || o.summary == "" {
		panic("v2: " + o.method + " " + o.path + " is registered without access, name or summary")
	}
	if r.ids[o.id] {
		panic("v2: there are two operations " + o.id)
	}
	r.ids[o.id] = true
	if o.access == staff && (o.method == http.MethodPut || o.method == http.MethodPatch) &&
		o.versioned == o.versionless {
		panic("v2: " + o.method + " " + o.path + " must be registered by HandleChange, or WithoutVersion")
	}
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
	if o.visits {
		h.Extensions["x-open-to-visits"] = true
	}
	switch {
	case o.stepUpWhere != nil:
		h.Extensions["x-step-up"] = "sometimes"
	case o.stepUp:
		h.Extensions["x-step-up"] = true
	}
	if o.access == staff {
		h.Extensions["x-permission"] = permission.Must(o.permission, o.id)
		r.needed[o.permission] = true
		if len(o.gives) > 0 {
			h.Extensions["x-staff-gives"] = o.gives
		}
	}
	if o.holdsFile {
		h.MaxBodyBytes = attachment.MaxBytes
	}
	h.Parameters = append(h.Parameters, o.parameters...)
	if o.takesKey() {
		h.Parameters = append(h.Parameters, keyParameter(o))
	}
	if o.versioned {
		h.Parameters = append(h.Parameters, ifMatchParameter())
	}
	return h
}

// acting returns the context in which a member of staff acts.
func (r *Router) acting(ctx context.Context, who account.Identity) context.Context {
	if r.log == nil {
		return ctx
	}
	return r.log.As(ctx, who.Actor(ClientOf(ctx), api.CallerOf(ctx).RequestID))
}

// UseAuditLog has the calls of staff recorded in log. emails names those who changed something.
func (r *Router) UseAuditLog(log *audit.Log, emails EmailsOf) { r.log, r.emails = log, emails }

// UseAPITokens has the API tokens of programs checked by authenticate.
func (r *Router) UseAPITokens(authenticate AuthenticateToken) { r.token = authenticate }

// UseVisits has the callers of operations that are open to visits told by authenticate.
func (r *Router) UseVisits(authenticate Authenticate) { r.visitor = authenticate }

// UseStreams has the streams of callers end as open says. It comes before the first resource that has one.
func (r *Router) UseStreams(open OpenStream) { r.open = open }

// UseKeys has operations that are not WithKey done once for an Idempotency-Key.
func (r *Router) UseKeys(keys *idempotency.Keys) { r.keys = keys }

// Needs reports whether an operation that was registered needs p.
func (r *Router) Needs(p permission.Permission) bool { return r.needed[p] }

type identityKey struct{}

// guard tests sign-in, permission and Idempotency-Key before anything of the input is looked at.
func (r *Router) guard(o Op) func(huma.Context, func(huma.Context)) {
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
		switch {
		case err != nil:
		case o.access == staff:
			err = who.Admit(o.permission, o.stepUp)
		case o.stepUp && o.stepUpWhere == nil:
			err = who.AdmitProved()
		}
		if err == nil {
			err = cmp.Or(checkText(req), checkParameters(hc.Operation(), req))
		}
		if err != nil {
			api.NewFailure(req.Context(), err).Write(w)
			return
		}
		hc = huma.WithContext(hc, account.Acting(context.WithValue(hc.Context(), identityKey{}, who), who.UserID))
		if o.versioned {
			m, err := readIfMatch(req)
			if err != nil {
				api.NewFailure(req.Context(), err).Write(w)
				return
			}
			hc = huma.WithValue(hc, ifMatchKey{}, m)
		}
		ctx, end, err := r.withKey(hc.Context(), o, w, req, who.UserID)
		if err != nil {
			api.NewFailure(req.Context(), err).Write(w)
			return
		}
		defer end()
		next(huma.WithContext(hc, ctx))
	}
}

// identify tells who bears a token of a session or, where programs may call, an API token.
func (r *Router) identify(ctx context.Context, o Op, bearer string) (account.Identity, error) {
	switch {
	case account.IsAPIToken(bearer) && r.token != nil:
	case o.visits && r.visitor != nil:
		return r.visitor(ctx, bearer)
	default:
		return r.authenticate(ctx, bearer)
	}
	who, err := r.token(ctx, bearer, o.scope())
	if err == nil && !o.forPrograms() {
		err = account.ErrTokenScope
	}
	return who, err
}

// keyParameter describes the Idempotency-Key of o.
func keyParameter(o Op) *huma.Param {
	repeat := "a repeat within 72 h of one that changed something is 409 already_received"
	if o.keyed {
		repeat = "the same key with the same body is answered for 72 h with what the first request made, and moves " +
			"nothing twice; such an answer has the header " + replayed + ": true"
	}
	return &huma.Param{
		Name: "Idempotency-Key", In: "header", Schema: &huma.Schema{Type: "string", MinLength: new(1), MaxLength: new(128)},
		Description: "The request is carried out once: " + repeat + "; with another body or query it is 422.",
	}
}

type receiptKey struct{}

// replayed is the header of an answer to an earlier request with the same Idempotency-Key.
const replayed = "Idempotent-Replayed"

// keyedGrace is how long a request with a key goes on after its caller has gone. Its repeat is refused, so it must not
// end in the middle.
const keyedGrace = time.Minute

// withKey returns the context of a request with its Idempotency-Key bound to it, and what ends that. An operation that
// is not WithKey is done once for a key, too, and a repeat is refused.
func (r *Router) withKey(
	ctx context.Context, o Op, w http.ResponseWriter, req *http.Request, userID int64,
) (_ context.Context, end context.CancelFunc, err error) {
	end = func() {}
	takesNone := !o.takesKey() || !o.keyed && r.keys == nil
	if takesNone || len(req.Header.Values("Idempotency-Key")) == 0 {
		return ctx, end, nil
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, nil, api.Unreadable(err)
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	input := string(body)
	if req.URL.RawQuery != "" {
		input = "?" + req.URL.RawQuery + "\n" + input
	}
	request, isKeyed, err := api.KeyedRequest(req, userID, input)
	switch {
	case err != nil || !isKeyed:
		return ctx, end, err
	case o.keyed:
		request.Repeated = func() { w.Header().Set(replayed, "true") }
		return idempotency.With(ctx, request), end, nil
	}
	ctx, end = detached.WithGrace(ctx, keyedGrace)
	ctx, receipt := r.keys.Once(ctx, request)
	return context.WithValue(ctx, receiptKey{}, receipt), end, nil
}

// ClientOf returns the other end of a call as package account knows it.
func ClientOf(ctx context.Context) account.Client {
	c := api.CallerOf(ctx)
	return account.Client{IP: c.IP, UserAgent: c.UserAgent, Lang: c.AskedLang}
}
