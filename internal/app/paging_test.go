package app_test

import (
	"encoding/json"
	"slices"
	"testing"

	"airstrip/internal/app"
)

// The defaults of the parameters that page through lists, which older clients leave out.
func TestPaging_HasTheSameDefaultsEverywhere(t *testing.T) {
	raw, err := app.Contract()
	if err != nil {
		t.Fatal(err)
	}
	type parameter struct {
		Name   string `json:"name"`
		In     string `json:"in"`
		Schema struct {
			Default          any
			Minimum, Maximum *float64
		} `json:"schema"`
	}
	var contract struct {
		Paths map[string]map[string]struct {
			Parameters []parameter `json:"parameters"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(raw, &contract); err != nil {
		t.Fatal(err)
	}
	type rule struct {
		defaults, maxima []float64
		minimum          float64
	}
	rules := map[string]rule{
		"page":   {defaults: []float64{1}, minimum: 1},
		"size":   {defaults: []float64{10, 15, 20}, minimum: 1, maxima: []float64{100}},
		"limit":  {defaults: []float64{50, 3_000, 10_000}, minimum: 1, maxima: []float64{100, 500, 10_000}},
		"offset": {defaults: []float64{0}},
	}
	seen := map[string]bool{}
	for path, methods := range contract.Paths {
		for method, operation := range methods {
			for _, p := range operation.Parameters {
				r, ok := rules[p.Name]
				if !ok || p.In != "query" {
					continue
				}
				seen[p.Name] = true
				s := p.Schema
				n, isNumber := s.Default.(float64)
				if !isNumber || !slices.Contains(r.defaults, n) || s.Minimum == nil || *s.Minimum != r.minimum ||
					(r.maxima != nil && (s.Maximum == nil || !slices.Contains(r.maxima, *s.Maximum))) {
					t.Errorf("%s of %s %s: %+v", p.Name, method, path, s)
				}
			}
		}
	}
	if len(seen) != len(rules) {
		t.Errorf("only %v are used", seen)
	}
}
