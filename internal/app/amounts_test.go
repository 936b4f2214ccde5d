package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/account"
	"airstrip/internal/shop"
)

// noAmounts are JSON values that no amount of money is read from; amounts are read, and most of them refused.
var (
	noAmounts = []string{
		`"1000000000000000"`, `1000000000000000`, `"1000000000000000000000000000000"`,
		`1000000000000000000000000000000`, `"-1000000000000000"`,
		`"92233720368547758.07"`, `"-92233720368547758.08"`, `"1e9"`, `1e9`, `1E2`, `1e30`, `"NaN"`, `"Infinity"`,
		`"0.001"`, `0.001`, `"12.345"`,
		`12.345`, `"+1"`, `" 1"`, `""`, `"x"`, `true`, `[]`, `{}`,
	}
	amounts = []string{
		`0`, `"0"`, `-1`, `"-0.01"`, `"10000000000000"`, `10000000000000`, `"-10000000000000"`,
		`"999999999999.99"`, `"0.01"`,
	}
)

// amountFields returns the fields of a body that take money.
func amountFields(contract *huma.OpenAPI, s *huma.Schema) (names []string) {
	for name, field := range s.Properties {
		if field.Ref != "" {
			field = contract.Components.Schemas.SchemaFromRef(field.Ref)
		}
		if strings.Contains(field.Description, "two places") || len(field.OneOf) == 2 &&
			strings.Contains(field.OneOf[0].Pattern, `\d+`) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// filler returns a value that a field which is not tried may have.
func filler(contract *huma.OpenAPI, name string, s *huma.Schema) string {
	if s.Ref != "" {
		s = contract.Components.Schemas.SchemaFromRef(s.Ref)
	}
	switch {
	case len(s.Enum) > 0:
		text, _ := json.Marshal(s.Enum[0])
		return string(text)
	case s.Type == huma.TypeBoolean:
		return "true"
	case s.Type == huma.TypeInteger, s.Type == huma.TypeNumber, len(s.OneOf) > 0:
		return "1"
	case s.Type == huma.TypeArray:
		return "[]"
	case s.Type == huma.TypeObject:
		return "{}"
	case s.Format == "date-time":
		return `"2099-01-01T00:00:00Z"`
	case name == "gateway":
		return `"sandbox"`
	}
	return `"words"`
}

// No amount of money makes an operation fail, and one that is none is refused with the name of its field.
func TestAmounts_ExtremesInEveryOperation_AreRefusedByName(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, fronts []*testServer) {
		f := fronts[0]
		owner := f.addUser(t, "owner", 0)
		if err := f.Accounts.SetRole(t.Context(), "owner@example.com", account.Owner); err != nil {
			t.Fatal(err)
		}
		rich := f.addUser(t, "rich", 100_000_00)
		f.sells(t, shop.KindPlan, 1000)
		contract := f.api(http.NewServeMux())
		tried := map[string]bool{}
		try := func(route, field, value string, w *httptest.ResponseRecorder, refused bool) {
			t.Helper()
			tried[route+" "+field] = true
			if w.Code >= 500 {
				t.Errorf("%s with %s=%s answers %d %.300s", route, field, value, w.Code, w.Body)
			}
			if refused && (w.Code != http.StatusUnprocessableEntity ||
				!strings.Contains(w.Body.String(), `"field":"`+field+`"`)) {
				t.Errorf("%s with %s=%s answers %d %.300s, want 422 for the field", route, field, value, w.Code, w.Body)
			}
		}
		for path, item := range contract.Paths {
			for method, o := range map[string]*huma.Operation{"POST": item.Post, "PUT": item.Put, "PATCH": item.Patch} {
				if o == nil || o.RequestBody == nil || o.RequestBody.Content["application/json"] == nil {
					continue
				}
				s := o.RequestBody.Content["application/json"].Schema
				if s.Ref != "" {
					s = contract.Components.Schemas.SchemaFromRef(s.Ref)
				}
				for _, field := range amountFields(contract, s) {
					for i, value := range append(slices.Clone(noAmounts), amounts...) {
						var body []string
						for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
							if name == field {
								body = append(body, fmt.Sprintf("%q:%s", name, value))
							} else if slices.Contains(s.Required, name) {
								body = append(body, fmt.Sprintf("%q:%s", name,
									filler(contract, name, s.Properties[name])))
							}
						}
						who := rich
						if slices.Contains(o.Tags, "staff") {
							who = owner
						}
						where := pathValue.ReplaceAllString(path, "1")
						try(method+" "+path, field, value, f.call(t.Context(), who, method, where,
							"{"+strings.Join(body, ",")+"}"), i < len(noAmounts))
					}
				}
			}
		}
		if len(tried) < 15 {
			t.Errorf("only %d amounts were found: %v", len(tried), slices.Sorted(maps.Keys(tried)))
		}
		for i, value := range append(slices.Clone(noAmounts), amounts...) {
			text := strings.Trim(value, `"`)
			for route, field := range map[string]string{
				"/api/v2/user/wallet/gateways?amount=": "amount", "/api/v2/user/wallet/gateways?missing=": "missing",
			} {
				refused := i < len(noAmounts) && text != "" || strings.HasPrefix(text, "-")
				try("GET "+route, field, value, f.call(t.Context(), rich, "GET", route+strings.NewReplacer("+", "%2B",
					" ", "%20").Replace(text), ""), refused)
			}
			w := f.call(t.Context(), rich, "POST", "/v1/user/payment/purchase",
				fmt.Sprintf(`{"price":%s,"type":"sandbox"}`, value))
			try("POST /v1/user/payment/purchase", "price", value, w, i < len(noAmounts))
		}
		broken, err := f.Check(t.Context())
		if err != nil || len(broken) > 0 {
			t.Errorf("after all that doctor finds %v, %v", broken, err)
		}
	})
}
