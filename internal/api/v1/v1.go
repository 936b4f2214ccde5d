// Package v1 is the older form-and-query API under /v1: {ret, msg, data}, one file per resource. It calls the same
// domain functions as v2 and only dresses their answers differently.
package v1

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/fault"
)

// Authenticate turns a bearer token into who the caller is, or answers a fault.
type Authenticate func(ctx context.Context, bearer string) (account.Identity, error)

// Router is where resources register their routes.
type Router struct {
	mux          *http.ServeMux
	authenticate Authenticate
}

// New gives a Router on mux.
func New(mux *http.ServeMux, authenticate Authenticate) *Router { return &Router{mux, authenticate} }

// Answer is a successful answer: data, the text for msg, and what else stands at the top level; or a file of rows.
type Answer struct {
	Msg  string
	Data any
	More map[string]any
	CSV  [][]string
}

// Input is the query and the form or JSON object of a request, as one set of names; the body wins.
type Input struct{ url.Values }

// Need gives the value called name, or the fault that says that operation lacks it.
func (in Input) Need(operation, name string) (string, error) {
	if v := in.Get(name); v != "" {
		return v, nil
	}
	return "", fault.Required(operation, name)
}

// open registers a route that needs no sign-in.
func (r *Router) open(pattern string, fn func(req *http.Request, in Input) (Answer, error)) {
	r.mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) { serve(w, req, fn) })
}

// user registers a route for signed-in users.
func (r *Router) user(pattern string, fn func(req *http.Request, who account.Identity, in Input) (Answer, error)) {
	r.guarded(pattern, func(account.Identity) bool { return true }, fn)
}

// staff registers a route for members of staff with one of the roles.
func (r *Router) staff(pattern string, roles []account.Role, fn func(req *http.Request, who account.Identity, in Input) (Answer, error)) {
	r.guarded(pattern, func(who account.Identity) bool {
		for _, role := range roles {
			if who.Role == role {
				return true
			}
		}
		return false
	}, fn)
}

func (r *Router) guarded(pattern string, admits func(account.Identity) bool, fn func(*http.Request, account.Identity, Input) (Answer, error)) {
	r.mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
		bearer, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
		if !ok {
			fail(w, req, api.ErrSignIn)
			return
		}
		who, err := r.authenticate(req.Context(), bearer)
		if err == nil && !admits(who) {
			err = cmp.Or[error](who.Refusal(), api.ErrNotForYou)
		}
		if err != nil {
			fail(w, req, err)
			return
		}
		serve(w, req, func(req *http.Request, in Input) (Answer, error) { return fn(req, who, in) })
	})
}

func serve(w http.ResponseWriter, req *http.Request, fn func(*http.Request, Input) (Answer, error)) {
	in, err := read(req)
	if err != nil {
		fail(w, req, err)
		return
	}
	answer, err := fn(req, in)
	if err != nil {
		fail(w, req, err)
		return
	}
	if answer.CSV != nil {
		writeCSV(w, answer.CSV)
		return
	}
	body := map[string]any{"ret": 1, "msg": answer.Msg, "data": answer.Data}
	for name, value := range answer.More {
		body[name] = value
	}
	api.WriteJSON(w, http.StatusOK, body)
}

// read takes query, form and, from clients that send it, a flat JSON object. net/http reads no form of DELETE, the
// original's DELETE /v1/user/bought has one.
func read(req *http.Request) (Input, error) {
	in := Input{req.URL.Query()}
	if err := in.parse(req); err != nil {
		return in, err
	}
	return in, api.CheckValues(in.Values)
}

// parse adds what the body holds.
func (in Input) parse(req *http.Request) error {
	media, _, _ := mime.ParseMediaType(req.Header.Get("Content-Type"))
	switch media {
	case "application/json":
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return api.Unreadable(err)
		}
		if err := api.CheckJSON(body); err != nil {
			return err
		}
		var object map[string]any
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.UseNumber()
		if err := dec.Decode(&object); err != nil {
			return api.Unreadable(err)
		}
		for name, value := range object {
			switch v := value.(type) {
			case string:
				in.Set(name, v)
			case json.Number:
				in.Set(name, v.String())
			case bool:
				in.Set(name, map[bool]string{true: "1", false: "0"}[v])
			case []any:
				in.Del(name)
				for _, one := range v {
					in.Add(name, fmt.Sprint(one))
				}
			}
		}
	case "multipart/form-data":
		if err := req.ParseMultipartForm(1 << 20); err != nil {
			return api.Unreadable(err)
		}
		for name, values := range req.MultipartForm.Value {
			in.Values[name] = values
		}
	case "application/x-www-form-urlencoded":
		method := req.Method
		req.Method = http.MethodPost
		err := req.ParseForm()
		req.Method = method
		if err != nil {
			return api.Unreadable(err)
		}
		for name, values := range req.PostForm {
			in.Values[name] = values
		}
	}
	return nil
}

func fail(w http.ResponseWriter, req *http.Request, err error) {
	f := api.NewFailure(req.Context(), err)
	msg := f.Message
	for _, field := range f.Errors {
		msg = field.Message // one sentence is all that this shape has room for
		break
	}
	answer := map[string]any{"ret": 0, "msg": msg, "data": nil, "code": f.Code, "errors": f.Errors, "request_id": f.RequestID}
	if f.Details != nil {
		answer["details"] = f.Details
	}
	f.WriteAs(w, answer)
}
