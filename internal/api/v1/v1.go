// Package v1 is the older form-and-query API under /v1: {ret, msg, data}, one file per resource. It calls the same
// domain functions as v2 and differs in the shape of requests and answers only.
package v1

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/approval"
	"airstrip/internal/audit"
	"airstrip/internal/permission"
)

// Authenticate turns a bearer token into who the caller is, or answers a fault.
type Authenticate func(ctx context.Context, bearer string) (account.Identity, error)

// Router is where resources register their routes.
type Router struct {
	mux          *http.ServeMux
	authenticate Authenticate
	routes       map[string]params
	staffRoutes  map[string]rule
	log          *audit.Log // set by Audited
}

// New returns a Router on mux.
func New(mux *http.ServeMux, authenticate Authenticate) *Router {
	return &Router{mux: mux, authenticate: authenticate, routes: map[string]params{}, staffRoutes: map[string]rule{}}
}

// handle registers the handler of a route with its parameters.
func (r *Router) handle(pattern string, ps params, handler http.HandlerFunc) {
	r.routes[pattern] = ps
	r.mux.HandleFunc(pattern, handler)
}

// Answer is a successful answer: data, the text for msg, and what else is at the top level; or a file of rows; or a
// text of its own.
type Answer struct {
	Msg  string
	Data any
	More map[string]any
	CSV  [][]string

	Document *Document // answered as it is, in the place of all else
}

// Document is a text of a media type.
type Document struct{ Type, Text string }

// handler answers a request whose input passed the checks of its route.
type handler func(req *http.Request, in Input) (Answer, error)

// member answers a request of somebody who is signed in.
type member func(req *http.Request, who account.Identity, in Input) (Answer, error)

// open registers a route that needs no sign-in.
func (r *Router) open(pattern string, ps params, fn handler) {
	r.handle(pattern, ps, func(w http.ResponseWriter, req *http.Request) { serve(w, req, pattern, ps, fn) })
}

// user registers a route for signed-in users.
func (r *Router) user(pattern string, ps params, fn member) {
	r.guarded(pattern, ps, func(account.Identity) error { return nil }, fn)
}

// rule says what a route of staff needs, and the kinds of acts by which it gives something that is worth money. A route
// without kinds gives nothing, whatever it does.
type rule struct {
	permission permission.Permission
	gives      []approval.Kind
}

// needs returns the rule of a route for which a member needs the permission, which is also the one of the acts.
func needs(p permission.Permission, gives ...approval.Kind) rule {
	for _, kind := range gives {
		if kind.Permission() != p {
			panic("v1: a route that needs " + string(p) + " gives " + string(kind))
		}
	}
	return rule{p, gives}
}

// staff registers a route for members of staff whose role has the rule's permission.
func (r *Router) staff(pattern string, needs rule, ps params, fn member) {
	r.staffRule(pattern, needs)
	r.guarded(pattern, ps, needs.admits, r.under(needs, fn))
}

// staffRule notes the rule of a route of staff, or of a token that a member of staff must have given.
func (r *Router) staffRule(pattern string, needs rule) {
	permission.Must(needs.permission, pattern)
	r.staffRoutes[pattern] = needs
}

func (u rule) admits(who account.Identity) error { return who.Admit(u.permission, len(u.gives) > 0) }

// under lets a handler give what the rule names, and nothing else, and has the audit log record who calls.
func (r *Router) under(u rule, fn member) member {
	return func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		ctx := approval.Watch(req.Context(), u.gives...)
		return fn(req.WithContext(r.acting(ctx, who.Actor(clientOf(req), api.CallerOf(ctx).RequestID))), who, in)
	}
}

// Audited has what staff does by the routes that follow written to the audit log.
func (r *Router) Audited(log *audit.Log) { r.log = log }

func (r *Router) acting(ctx context.Context, who audit.Actor) context.Context {
	if r.log == nil {
		return ctx
	}
	return r.log.As(ctx, who)
}

// tokenActor names an API token's owner, as whom its program acts.
func tokenActor(who account.Identity, req *http.Request) audit.Actor {
	actor := who.Actor(clientOf(req), api.CallerOf(req.Context()).RequestID)
	actor.Kind, actor.Role = audit.Token, ""
	return actor
}

func (r *Router) guarded(pattern string, ps params, admits func(account.Identity) error, fn member) {
	r.handle(pattern, ps, func(w http.ResponseWriter, req *http.Request) {
		bearer, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
		if !ok {
			fail(w, req, api.ErrSignIn)
			return
		}
		who, err := r.authenticate(req.Context(), bearer)
		if err == nil {
			err = admits(who)
		}
		if err != nil {
			fail(w, req, err)
			return
		}
		serve(w, req, pattern, ps, fn.of(who))
	})
}

// of binds a member's handler to the caller, as whom it acts and under whom an Idempotency-Key counts.
func (fn member) of(who account.Identity) handler {
	return func(req *http.Request, in Input) (Answer, error) {
		req, err := keyed(req, who.UserID, in)
		if err != nil {
			return Answer{}, err
		}
		return fn(req.WithContext(account.Acting(req.Context(), who.UserID)), who, in)
	}
}

// keyed binds the Idempotency-Key of a request, if it has one, and what was asked to its context. What moves money or
// traffic then happens once for each key, as in /api/v2.
func keyed(req *http.Request, userID int64, in Input) (*http.Request, error) {
	ctx, err := api.WithIdempotencyKey(req, userID, in.values.Encode())
	return req.WithContext(ctx), err
}

// serve answers a call of operation, which is the pattern of its route.
func serve(w http.ResponseWriter, req *http.Request, operation string, ps params, fn handler) {
	in, err := ps.input(req, operation)
	if err != nil {
		fail(w, req, err)
		return
	}
	answer, err := fn(req, in)
	if err != nil {
		fail(w, req, ps.called(err))
		return
	}
	if answer.CSV != nil {
		writeCSV(w, answer.CSV)
		return
	}
	if answer.Document != nil {
		w.Header().Set("Content-Type", answer.Document.Type+"; charset=utf-8")
		w.Header().Set("Content-Security-Policy", api.DocumentPolicy)
		io.WriteString(w, answer.Document.Text)
		return
	}
	body := map[string]any{"ret": 1, "msg": answer.Msg, "data": answer.Data}
	for name, value := range answer.More {
		body[name] = value
	}
	api.WriteJSON(w, http.StatusOK, body)
}

// read returns what query, form and, from clients that send it, a flat JSON object hold. net/http reads no form of
// DELETE, the original's DELETE /v1/user/bought has one.
func read(req *http.Request) (url.Values, error) {
	sent := req.URL.Query()
	body, err := readBody(req)
	if err != nil {
		return nil, err
	}
	return sent, merge(sent, body)
}

func readBody(req *http.Request) (url.Values, error) {
	media, _, _ := mime.ParseMediaType(req.Header.Get("Content-Type"))
	switch media {
	case "application/json":
		return readObject(req.Body)
	case "multipart/form-data":
		if err := req.ParseMultipartForm(1 << 20); err != nil {
			return nil, api.Unreadable(err)
		}
		return req.MultipartForm.Value, nil
	case "application/x-www-form-urlencoded":
		method := req.Method
		req.Method = http.MethodPost
		err := req.ParseForm()
		req.Method = method
		if err != nil {
			return nil, api.Unreadable(err)
		}
		return req.PostForm, nil
	}
	return nil, nil
}

// readObject reads a JSON object of texts, numbers, switches and lists of these. A null is as good as absent.
func readObject(from io.Reader) (url.Values, error) {
	body, err := io.ReadAll(from)
	if err != nil {
		return nil, api.Unreadable(err)
	}
	if err := api.CheckJSON(body); err != nil {
		return nil, err
	}
	var object map[string]any
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if err := dec.Decode(&object); err != nil {
		return nil, api.Unreadable(err)
	}
	values := url.Values{}
	for name, value := range object {
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		for _, one := range list {
			switch v := one.(type) {
			case nil:
			case string:
				values.Add(name, v)
			case json.Number:
				values.Add(name, v.String())
			case bool:
				values.Add(name, strconv.FormatBool(v)) // in words, so that no switch passes for the number 1
			default:
				return nil, parseError(name)
			}
		}
	}
	return values, nil
}

func fail(w http.ResponseWriter, req *http.Request, err error) {
	f := api.NewFailure(req.Context(), err)
	msg := f.Message
	for _, field := range f.Errors {
		msg = field.Message // one sentence is all that this shape has room for
		break
	}
	answer := map[string]any{
		"ret": 0, "msg": msg, "data": nil, "code": f.Code, "errors": f.Errors,
		"request_id": f.RequestID,
	}
	answer["operation"] = req.Pattern
	if f.Details != nil {
		answer["details"] = f.Details
	}
	f.WriteAs(w, answer)
}
