package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/account"
)

// badValues are texts that no parameter of a kind may be read from.
var badValues = map[string][]string{
	"integer": {
		"+5", "-+5", " 5", "5 ", "5\t", "05", "0x5", "5.0", "5e0", "1_000", "x", "٥", "9223372036854775808",
		"-9223372036854775809",
		"99999999999999999999999",
	},
	"flag": {"x", "T", "TRUE ", "+1", " 1", "2", "-1", "01", "１"},
	"amount": {
		"+1", " 1", "1 ", "1.", ".5", "0.001", "1e9", "NaN", "Infinity", "1,000", "0x10", "１２", "92233720368547758.08",
		"1000000000000000000000000000000",
	},
	"instant": {
		"x", "2026-13-45T99:99:99Z", "+2026-01-01T00:00:00Z", " 2026-01-01T00:00:00Z", "1767225600",
		"10000-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59",
	},
}

// goodValues are texts that a parameter of a kind may have.
var goodValues = map[string]string{
	"integer": "5", "flag": "1", "amount": "5.00", "instant": "2099-01-01T00:00:00Z",
	"words": "some words",
}

// goodWords are what some parameters that are words must be, before the others are looked at.
var goodWords = map[string]string{"actor": "member", "ip_cidr": "192.0.2.0/24", "bucket": "day"}

// lastNumber is the largest integer: an unchecked addition to it overflows to a negative number.
const lastNumber = "9223372036854775807"

// oddWords are texts that some parameters take and others refuse; none makes the server fail.
var oddWords = []string{
	"", "x", "0", "-1", "5", "a@example.com", "10.0.0.0/8", strings.Repeat("长", 20_000), "' OR 1=1 --",
	"2026-01-01T00:00:00Z", lastNumber,
	"00000000-0000-0000-0000-000000000000",
}

// parameterRoute is one route of an API with its parameters.
type parameterRoute struct {
	method, pattern, operation string
	parameters                 []parameterOf
	form                       bool // takes its parameters from forms and JSON objects too
}

type parameterOf struct {
	name, kind string
	path, many bool
}

// parameterRoutes returns all routes of v1 and v2 that take parameters.
func parameterRoutes(t *testing.T, a *App) (routes []parameterRoute) {
	t.Helper()
	for _, r := range a.legacy(http.NewServeMux()).Routes() {
		method, pattern, _ := strings.Cut(r.Pattern, " ")
		route := parameterRoute{method: method, pattern: pattern, operation: r.Pattern, form: true}
		for _, p := range r.Parameters {
			route.parameters = append(route.parameters, parameterOf{p.Name, p.Kind, strings.Contains(pattern,
				"{"+p.Name+"}"), p.Many})
		}
		routes = append(routes, route)
	}
	kinds := map[string]string{huma.TypeInteger: "integer", huma.TypeBoolean: "flag"}
	for pattern, item := range a.api(http.NewServeMux()).Paths {
		for method, o := range operationsOf(item) {
			route := parameterRoute{method: method, pattern: pattern, operation: o.OperationID}
			for _, p := range o.Parameters {
				kind := kinds[p.Schema.Type]
				if p.Schema.Format == "date-time" {
					kind = "instant"
				} else if kind == "" {
					kind = "words"
				}
				if p.In == "query" || p.In == "path" {
					route.parameters = append(route.parameters, parameterOf{p.Name, kind, p.In == "path", false})
				}
			}
			routes = append(routes, route)
		}
	}
	slices.SortFunc(routes, func(a, b parameterRoute) int {
		return strings.Compare(a.method+a.pattern,
			b.method+b.pattern)
	})
	return routes
}

// A parameter that cannot be read in exactly one way is refused, whichever route it belongs to, and the answer names it
// as callers send it.
func TestParameters_NotReadableInOneWay_AreRefusedAndNamed(t *testing.T) {
	t.Parallel()
	f := newTestServer(t, config(t))
	owner := f.addUser(t, "owner", 0)
	if err := f.Accounts.SetRole(t.Context(), "owner@example.com", account.Owner); err != nil {
		t.Fatal(err)
	}
	key, _, err := f.Accounts.APITokens.Create(t.Context(), owner.id, account.APITokenDraft{
		Name: "test", Scopes: []account.Scope{
			account.ScopePartner, account.ScopeGrant, account.ScopeJobs,
			account.ScopeRead,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	calls, tried := 0, 0
	// spoilt calls the route with good values for all parameters but one.
	spoilt := func(route parameterRoute, name string, values []string, in string) *httptest.ResponseRecorder {
		path, rest := route.pattern, url.Values{}
		for _, p := range route.parameters {
			value := cmp.Or(goodWords[p.name], goodValues[p.kind])
			switch {
			case p.path && p.name == name:
				path = strings.Replace(path, "{"+p.name+"}", url.PathEscape(values[0]), 1)
			case p.path:
				path = strings.Replace(path, "{"+p.name+"}", url.PathEscape(value), 1)
			case p.name == name:
				rest[p.name] = values
			default:
				rest.Set(p.name, value)
			}
		}
		if rest.Has("api_key") {
			rest.Set("api_key", key.String())
		}
		if rest.Has("api_token_uuid") {
			rest.Set("api_token_uuid", key.String())
		}
		path = regexp.MustCompile(`\{[^}]+\}`).ReplaceAllString(path, "1")
		body := ""
		if in == "query" || strings.Contains(route.pattern, "cron") || rest.Has("api_key") ||
			rest.Has("api_token_uuid") {
			path += "?" + rest.Encode()
		} else {
			body = rest.Encode()
		}
		calls++
		req := httptest.NewRequestWithContext(t.Context(), route.method, path, strings.NewReader(body))
		req.RemoteAddr = fmt.Sprintf("10.%d.%d.1:1", calls>>8&255, calls&255)
		req.Header.Set("Accept-Language", "en")
		if body != "" {
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		req.Header.Set("Authorization", "Bearer "+owner.bearer)
		w := httptest.NewRecorder()
		f.root.ServeHTTP(w, req)
		return w
	}
	for _, route := range parameterRoutes(t, f.App) {
		for _, p := range route.parameters {
			if p.name == "api_key" || p.name == "api_token_uuid" || p.name == "key" || p.name == "muKey" ||
				strings.Contains(route.pattern, "by_cookies") {
				continue // they say who calls, and are read before the rest
			}
			for _, in := range []string{"query", "form"} {
				if in == "form" && (!route.form || p.path) {
					continue
				}
				tries := [][]string{}
				for _, bad := range badValues[p.kind] {
					tries = append(tries, []string{bad})
				}
				if !p.path && !p.many {
					tries = append(tries, []string{goodValues[p.kind], goodValues[p.kind]}, []string{"1", "2"})
				}
				for _, values := range tries {
					tried++
					w := spoilt(route, p.name, values, in)
					var answer struct {
						Code      string
						Operation string
						Errors    []struct{ Field, Message string }
					}
					if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
						t.Fatalf("%s %s with %s=%q: %d %s", route.method, route.pattern, p.name, values, w.Code, w.Body)
					}
					named := slices.ContainsFunc(answer.Errors,
						func(e struct{ Field, Message string }) bool { return e.Field == p.name })
					if w.Code != http.StatusUnprocessableEntity || !named {
						t.Errorf("%s %s with %s=%q in its %s answers %d %.300s", route.method, route.pattern, p.name,
							values, in, w.Code, w.Body)
					}
					if route.form && answer.Operation != route.operation {
						t.Errorf("%s %s with %s=%q does not name the operation: %.300s", route.method, route.pattern,
							p.name, values, w.Body)
					}
				}
			}
		}
	}
	// What the domain finds wrong is named as callers send it, too.
	for _, route := range parameterRoutes(t, f.App) {
		for _, p := range route.parameters {
			for _, odd := range oddWords {
				if p.path || len(odd) > 1000 && p.kind != "words" || !route.form && odd != lastNumber {
					continue
				}
				in := "query"
				if route.form {
					in = "form"
				}
				w := spoilt(route, p.name, []string{odd}, in)
				var answer struct{ Errors []struct{ Field string } }
				err := json.Unmarshal(w.Body.Bytes(), &answer)
				failed := w.Code >= 500 && !strings.Contains(w.Body.String(), "telegram_unavailable")
				if failed || err != nil && w.Code != http.StatusOK && w.Code != http.StatusSeeOther {
					t.Errorf("%s with %s=%.100q answers %d %.300s", route.operation, p.name, odd, w.Code, w.Body)
				}
				for _, wrong := range answer.Errors {
					name, _, _ := strings.Cut(wrong.Field, ".") // of a list its place follows
					isPlainText := name == "body" && strings.HasSuffix(route.pattern, "/announcement")
					if !isPlainText && !slices.ContainsFunc(route.parameters,
						func(p parameterOf) bool { return p.name == name }) {
						t.Errorf("%s with %s=%.100q names %q, which no caller sends: %.300s", route.operation, p.name,
							odd, wrong.Field, w.Body)
					}
				}
				// signed out by a route
				if f.call(t.Context(), owner, "GET", "/api/v2/user", "").Code != http.StatusOK {
					owner = f.again(t, "owner")
				}
			}
		}
	}
	if tried < 1000 {
		t.Errorf("only %d parameters were tried", tried)
	}
}
