package v2

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/text"
)

// inputFault turns what huma says of an unusable request into a fault: the field by its name, a code and a sentence of
// ours. The rejected value is never repeated; it may be a password.
func inputFault(operation string, status int, msg string, errs []error) error {
	switch {
	case status == http.StatusRequestEntityTooLarge:
		return api.ErrTooLarge
	case status == http.StatusRequestTimeout:
		return api.ErrSlowBody
	case status == http.StatusUnsupportedMediaType:
		return api.ErrMediaType
	case status != http.StatusUnprocessableEntity && status != http.StatusBadRequest:
		return fmt.Errorf("huma: %d %s %v", status, msg, errs)
	case len(errs) == 0 && strings.Contains(msg, "body is required"):
		return fault.Required(operation, "body")
	}
	var fields []fault.Field
	for _, err := range errs {
		detailed, ok := err.(huma.ErrorDetailer)
		if !ok {
			continue
		}
		if d := detailed.ErrorDetail(); d.Location != "" {
			// An amount of a wrong form is refused by its schema and by its own Resolve.
			if f := inputField(operation, d); !slices.Contains(fields, f) {
				fields = append(fields, f)
			}
		}
	}
	if status == http.StatusBadRequest || len(fields) == 0 {
		return api.ErrUnreadable
	}
	return fault.ErrInvalid.In(fields...)
}

// checkParameters refuses numbers and switches of the path and the query that have more than one spelling, such as +5
// or T, and parameters that are given twice, of which huma takes the first.
func checkParameters(o *huma.Operation, req *http.Request) error {
	query := req.URL.Query()
	var wrong fault.Problems
	for _, p := range o.Parameters {
		var values []string
		switch p.In {
		case "query":
			values = query[p.Name]
		case "path":
			values = []string{req.PathValue(p.Name)}
		}
		wrong.When(len(values) > 1, p.Name, "repeated", "出现了不止一次", "This is given more than once")
		for _, value := range values {
			if value == "" {
				continue
			}
			_, isInteger := text.Integer(value)
			wrong.When(p.Schema.Type == huma.TypeInteger && !isInteger, p.Name, "type", "必须是整数",
				"This must be a whole number")
			at, err := time.Parse(time.RFC3339, value)
			wrong.When(p.Schema.Format == "date-time" && err == nil && !text.InRange(at), p.Name, "range", timeRange.ZH,
				timeRange.EN)
			wrong.When(p.Schema.Type == huma.TypeBoolean && !slices.Contains([]string{"true", "false", "1", "0"},
				value),
				p.Name, "type", "必须是 true 或 false", "This must be true or false")
		}
	}
	return wrong.Err()
}

var timeRange = fault.Text{
	ZH: "必须在 1900 年至 9999 年之间",
	EN: "This must be between the years 1900 and 9999",
}

// ParseTime reads a time that a body has as text.
func ParseTime(name, value string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return at, fault.Invalid(name, "format", "须为 RFC 3339 时间，如 2026-05-31T18:00:00Z",
			"This must be a time such as 2026-05-31T18:00:00Z")
	}
	if !text.InRange(at) {
		return at, fault.Invalid(name, "range", timeRange.ZH, timeRange.EN)
	}
	return at, nil
}

// CheckBody refuses an input with a time that the databases do not keep and order as it is, in whichever field of its
// body, or with a text, of the query too, that must not be empty and has nothing to be seen. The query's times are
// refused by checkParameters.
func CheckBody(in any) error {
	var wrong fault.Problems
	visitBody(reflect.ValueOf(in), "", false, bodyVisitor{
		time: func(name string, at time.Time, isGiven bool) {
			wrong.When((isGiven || !at.IsZero()) && !text.InRange(at), name, "range", timeRange.ZH, timeRange.EN)
		},
		needed: func(name, value string) {
			wrong.When(value != "" && text.Folded(value) == "", name, "required", "不能只有空格或不可见的字符",
				"This needs a character that can be seen")
		},
	})
	return wrong.Err()
}

// bodyVisitor is called for what an input holds.
type bodyVisitor struct {
	time   func(name string, at time.Time, isGiven bool) // isGiven: also where it is the zero time
	needed func(name, value string)                      // a text whose length is at least 1
}

// visitBody calls to for v and what is in it. isNeeded says that v is a text that must not be empty.
func visitBody(v reflect.Value, name string, isNeeded bool, to bodyVisitor) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		if at, ok := v.Interface().(*time.Time); ok {
			to.time(name, *at, true)
			return
		}
		visitBody(v.Elem(), name, isNeeded, to)
	case reflect.String:
		if isNeeded {
			to.needed(name, v.String())
		}
	case reflect.Slice, reflect.Array:
		if kind := v.Type().Elem().Kind(); kind < reflect.Array || kind == reflect.String { // bytes, numbers, texts
			return
		}
		for i := range v.Len() {
			visitBody(v.Index(i), joined(name, strconv.Itoa(i)), false, to)
		}
	case reflect.Map:
		for key, value := range v.Seq2() {
			visitBody(value, joined(name, fmt.Sprint(key)), false, to)
		}
	case reflect.Struct:
		if at, ok := v.Interface().(time.Time); ok {
			to.time(name, at, false)
			return
		}
		for field, value := range v.Fields() {
			if !field.IsExported() {
				continue
			}
			step, _, _ := strings.Cut(cmp.Or(field.Tag.Get("json"), field.Tag.Get("query")), ",")
			// Spaces may be all of a password.
			isNeeded := field.Tag.Get("minLength") != "" && step != "" && !strings.Contains(step, "password")
			visitBody(value, joined(name, step), isNeeded, to)
		}
	}
}

// joined names a field within another. What has no name in JSON, the body itself or an embedded struct, is no step.
func joined(name, step string) string {
	if name == "" || step == "" {
		return name + step
	}
	return name + "." + step
}

// checkText refuses what no operation takes, before huma reads it: text that is none, names that occur twice.
func checkText(req *http.Request) error {
	if err := api.CheckValues(req.URL.Query()); err != nil {
		return err
	}
	if media := req.Header.Get("Content-Type"); media != "" && !strings.Contains(media, "json") {
		return nil
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return api.Unreadable(err)
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	return api.CheckJSON(body)
}

var requiredProperty = regexp.MustCompile(`^expected required property (\S+) to be present`)

// sentences say in our words what huma's validation messages mean, by how they begin; * is what they end with,
// a bound or the choices.
var sentences = []struct{ begins, code, zh, en string }{
	{"expected required property", "required", "必填", "This is required"},
	{"required", "required", "必填", "This is required"},
	{"unexpected property", "unknown", "没有这个字段", "There is no such field"},
	{"expected length >=", "too_short", "太短，至少 * 个字符", "This is too short; at least * characters"},
	{"expected length <=", "too_long", "太长，最多 * 个字符", "This is too long; at most * characters"},
	{"expected array length >=", "too_short", "至少 * 项", "At least * items"},
	{"expected array length <=", "too_long", "最多 * 项", "At most * items"},
	{"expected string to be RFC 5322 email", "email", "请输入有效的邮箱地址", "Please enter a valid e-mail address"},
	{"expected string to be RFC 4122 uuid", "uuid", "不是有效的 UUID", "This is not a valid UUID"},
	{
		"expected string to be RFC 3339 date-time", "format", "请填写时间，如 2026-01-02T15:04:05Z",
		"This must be a time such as 2026-01-02T15:04:05Z",
	},
	{"expected string to match pattern", "format", "格式不正确", "This has the wrong form"},
	{"expected value to match exactly one", "format", "格式不正确", "This has the wrong form"},
	{"expected value to be one of", "choice", "可选值：*", "This is one of: *"},
	{"expected number >=", "range", "不能小于 *", "This must be at least *"},
	{"expected number <=", "range", "不能大于 *", "This must be at most *"},
	{"expected number >", "range", "必须大于 *", "This must be more than *"},
	{"expected number <", "range", "必须小于 *", "This must be less than *"},
	{"expected number", "type", "必须是数字", "This must be a number"},
	{"expected integer", "type", "必须是整数", "This must be a whole number"},
	{"invalid integer", "type", "必须是整数", "This must be a whole number"},
	{"expected boolean", "type", "必须是 true 或 false", "This must be true or false"},
	{"invalid boolean", "type", "必须是 true 或 false", "This must be true or false"},
	{"expected string", "type", "必须是文本", "This must be text"},
}

// outOfRange is what the decoder says of a number beyond the range of the field's type, which the schema lets pass.
var outOfRange = regexp.MustCompile(`^json: cannot unmarshal number .* into Go struct field [^.]*\.(\S+) of type u?int`)

// embedded is a step of outOfRange's path that no input has: the name of a struct of ours within another.
var embedded = regexp.MustCompile(`\b[A-Za-z]*[A-Z][A-Za-z]*\.`)

// index is a step into a list, which the rules of the domain write as they write any other.
var index = regexp.MustCompile(`\[(\d+)\]`)

func inputField(operation string, d *huma.ErrorDetail) fault.Field {
	_, name, _ := strings.Cut(d.Location, ".") // "body.email", "query.page", "path.id"
	name = index.ReplaceAllString(name, ".$1")
	if m := outOfRange.FindStringSubmatch(d.Message); m != nil {
		return fault.Field{Name: embedded.ReplaceAllString(m[1], ""), Code: "range", Text: fault.Text{
			ZH: "必须是范围内的整数",
			EN: "This must be a whole number in range",
		}}
	}
	f := fault.Field{Name: name, Code: "invalid", Text: fault.Text{ZH: "无效", EN: "This is not valid"}}
	for _, s := range sentences {
		if strings.HasPrefix(d.Message, s.begins) {
			end := strings.Trim(d.Message[len(s.begins):], ` "`)
			f.Code, f.Text = s.code, fault.Text{ZH: strings.ReplaceAll(s.zh, "*", end), EN: strings.ReplaceAll(s.en,
				"*", end)}
			break
		}
	}
	if m := requiredProperty.FindStringSubmatch(d.Message); m != nil {
		f.Name = strings.Trim(name+"."+m[1], ".")
	}
	if f.Name == "" {
		f.Name = d.Location
	}
	if f.Code == "required" {
		return fault.Required(operation, f.Name).Fields[0]
	}
	return f
}
