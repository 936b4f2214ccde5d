package v1

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"airstrip/internal/api"
	"airstrip/internal/approval"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/text"
)

// kind is what the text of a parameter must be.
type kind int

const (
	words   kind = iota // any text
	integer             // in decimal digits
	flag                // a switch: 1, true, on, yes or 0, false, off, no
	amount              // money with at most two decimal places
	instant             // a time as in RFC 3339, or without a zone in UTC
)

// param is one parameter of a route: what callers send in its path, its query, its form or its JSON object. Handlers
// can read declared parameters only, and each is checked before the handler runs.
type param struct {
	name     string
	kind     kind
	required bool
	many     bool     // a list; any other parameter is refused when it is given twice
	min, max int64    // bounds of an integer; both zero: any that fits into 64 bits
	choices  []string // the only texts that are accepted; empty: all
	on       []string // further words that turn a switch on
	prefix   string   // that may precede the value, such as plan_
	suffix   string   // that may follow it, such as month
	inner    []string // what the domain calls this parameter in its faults
}

// need makes a parameter that is required.
func need(name string, inner ...string) param { return param{name: name, required: true, inner: inner} }

// may makes a parameter that may be absent.
func may(name string, inner ...string) param { return param{name: name, inner: inner} }

func (p param) as(k kind) param { p.kind = k; return p }

func (p param) within(min, max int64) param {
	p.kind, p.min, p.max = integer, min, max
	return p
}

func (p param) oneOf(choices ...string) param { p.choices = choices; return p }

// params are the parameters of a route.
type params []param

// paged are the parameters of a list.
var paged = params{may("format").oneOf("json", "csv"), may("page").within(1, 1_000_000_000), may("size").within(1, 100)}

// verified are the names under which an answer to a captcha comes: ours, and those that the providers' widgets have.
var verified = params{
	may("verify_token"), may("cf-turnstile-response"), may("h-captcha-response"), may("g-recaptcha-response"),
}

func (ps params) and(more params) params { return slices.Concat(ps, more) }

func (ps params) find(name string) *param {
	for i := range ps {
		if ps[i].name == name {
			return &ps[i]
		}
	}
	return nil
}

// Input is what a request brings: its path, query and form or JSON object, as one set of names. It holds declared
// parameters only, all of which passed their checks.
type Input struct {
	declared params
	values   url.Values
}

func (in Input) param(name string) *param {
	p := in.declared.find(name)
	if p == nil {
		panic("v1: the parameter " + name + " is not declared") // a mistake in this package
	}
	return p
}

// Get returns the text of a parameter; empty where it is absent.
func (in Input) Get(name string) string {
	in.param(name)
	return in.values.Get(name)
}

// Has reports whether a parameter was sent, though it may be empty.
func (in Input) Has(name string) bool {
	in.param(name)
	return in.values.Has(name)
}

// All returns the values of a list.
func (in Input) All(name string) []string {
	in.param(name)
	return in.values[name]
}

// Int returns an integer; 0 where it is absent.
func (in Input) Int(name string) int64 {
	n, _ := text.Integer(in.Get(name))
	return n
}

// Yes returns a switch; off where it is absent.
func (in Input) Yes(name string) bool {
	on, _ := in.param(name).readFlag(in.Get(name))
	return on
}

// Amount returns a sum of money; 0 where it is absent.
func (in Input) Amount(name string) money.Amount {
	a, _ := money.Parse(in.Get(name))
	return a
}

// Time returns a time; zero where it is absent.
func (in Input) Time(name string) time.Time {
	at, _ := readTime(in.Get(name))
	return at
}

// Times returns the list of times called name.
func (in Input) Times(name string) []time.Time {
	times := []time.Time{}
	for _, value := range in.All(name) {
		at, _ := readTime(value)
		times = append(times, at)
	}
	return times
}

// Need answers the fault that says that operation lacks the parameter, where it is absent. It is for parameters that
// only some values of others need.
func (in Input) Need(operation, name string) error {
	if in.Get(name) == "" {
		return fault.Required(operation, name)
	}
	return nil
}

func (p *param) readFlag(word string) (on, ok bool) {
	switch {
	case slices.Contains([]string{"1", "true", "on", "yes"}, word), slices.Contains(p.on, word):
		return true, true
	case slices.Contains([]string{"", "0", "false", "off", "no"}, word):
		return false, true
	}
	return false, false
}

func readTime(value string) (at time.Time, ok bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime} {
		if t, err := time.Parse(layout, value); err == nil {
			return t.UTC(), text.InRange(t)
		}
	}
	return time.Time{}, false
}

// input reads and checks what a request brings. Every wrong parameter is named with the operation.
func (ps params) input(req *http.Request, operation string) (Input, error) {
	sent, err := read(req)
	if err != nil {
		return Input{}, err
	}
	in := Input{ps, url.Values{}}
	var wrong fault.Problems
	for _, p := range ps {
		values := sent[p.name]
		if value := req.PathValue(p.name); value != "" {
			values = []string{value}
		}
		for _, value := range values {
			in.values.Add(p.name, strings.TrimSuffix(strings.TrimPrefix(value, p.prefix), p.suffix))
		}
		code, zh, en := p.problem(in.values[p.name])
		switch code {
		case "":
		case "required":
			wrong = append(wrong, fault.Required(operation, p.name).Fields...)
		default:
			wrong.When(true, p.name, code, fmt.Sprintf("%s：参数 %s %s", operation, p.name, zh),
				fmt.Sprintf("Parameter %s %s when calling %s", p.name, en, operation))
		}
	}
	return in, wrong.Err()
}

// problem says what is wrong with the values of the parameter.
func (p *param) problem(values []string) (code, zh, en string) {
	given := slices.ContainsFunc(values, func(v string) bool { return v != "" })
	switch {
	case !given && p.required:
		return "required", "", ""
	case !p.many && len(values) > 1:
		return "repeated", "出现了不止一次", "was given more than once"
	}
	for _, value := range values {
		if value == "" && !p.many {
			continue
		}
		if code, zh, en = p.problemOf(value); code != "" {
			return code, zh, en
		}
	}
	return "", "", ""
}

func (p *param) problemOf(value string) (code, zh, en string) {
	switch p.kind {
	case integer:
		n, ok := text.Integer(value)
		if !ok {
			return "type", "必须是整数", "must be a whole number"
		}
		if (p.min != 0 || p.max != 0) && (n < p.min || n > p.max) {
			return "range", fmt.Sprintf("须为 %d 到 %d 的整数", p.min, p.max),
				fmt.Sprintf("must be a whole number from %d to %d", p.min, p.max)
		}
	case flag:
		if _, ok := p.readFlag(value); !ok {
			return "type", "必须是 true 或 false", "must be true or false"
		}
	case amount:
		if _, err := money.Parse(value); err != nil {
			return "format", "须为金额，最多两位小数", "must be an amount with at most two decimal places"
		}
	case instant:
		if _, ok := readTime(value); !ok {
			return "format", "须为 RFC 3339 时间，如 2026-05-31T18:00:00Z",
				"must be a time as in RFC 3339, such as 2026-05-31T18:00:00Z,"
		}
	}
	if len(p.choices) > 0 && !slices.Contains(p.choices, value) {
		return "choice", "只能是 " + strings.Join(p.choices, "、"), "must be one of " + strings.Join(p.choices, ", ")
	}
	return "", "", ""
}

// called returns the fault err with its fields under the names that callers of the route send.
func (ps params) called(err error) error {
	f, ok := fault.As(err)
	if !ok || len(f.Fields) == 0 {
		return err
	}
	renamed := *f
	renamed.Fields = slices.Clone(f.Fields)
	for i, field := range f.Fields {
		for _, p := range ps {
			if slices.Contains(p.inner, field.Name) {
				renamed.Fields[i].Name = p.name
				break
			}
		}
	}
	return &renamed
}

// parseError is the fault of a body that holds something else than texts, numbers and switches under a name.
func parseError(name string) error {
	return fault.Invalid(name, "type", "须为文本、数字、开关或其列表", "This must be text, a number, a switch or a list of these")
}

// merge adds the values of a body to those of the query. A name that is in both must have one value.
func merge(sent, body url.Values) error {
	for name, values := range body {
		if present, ok := sent[name]; ok && !slices.Equal(present, values) {
			return fault.Invalid(name, "repeated", name+" 在地址与正文中的值不同",
				name+" differs between the address and the body")
		}
		sent[name] = values
	}
	return api.CheckValues(sent)
}

// Route is one route with the parameters that it takes.
type Route struct {
	Pattern    string
	Parameters []Parameter
	Permission permission.Permission // of staff; empty on other routes
	Gives      []approval.Kind
}

// Parameter is one parameter of a route.
type Parameter struct {
	Name     string
	Kind     string // words, integer, flag, amount or instant
	Many     bool
	Required bool
}

// Routes returns all routes that were registered.
func (r *Router) Routes() []Route {
	names := map[kind]string{words: "words", integer: "integer", flag: "flag", amount: "amount", instant: "instant"}
	routes := []Route{}
	for pattern, ps := range r.routes {
		route := Route{
			Pattern: pattern, Permission: r.staffRoutes[pattern].permission,
			Gives: r.staffRoutes[pattern].gives,
		}
		for _, p := range ps {
			route.Parameters = append(route.Parameters, Parameter{p.name, names[p.kind], p.many, p.required})
		}
		routes = append(routes, route)
	}
	return routes
}
