// Package fault is the one kind of error that a person may see: what happened, in two languages, with a stable code
// for programs and the fields of the input that it speaks of. Every other error is the server's own trouble: it is
// logged and answered as an internal error without a word of its text.
package fault

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Text is what a person reads, in both languages of the product.
type Text struct{ ZH, EN string }

// In gives the text in the language of tag ("zh-CN" or "en").
func (t Text) In(lang Lang) string {
	if lang == EN {
		return t.EN
	}
	return t.ZH
}

// Lang is a language that the product speaks.
type Lang string

// The languages of the product; ZH is the default.
const (
	ZH Lang = "zh-CN"
	EN Lang = "en"
)

// Field is one wrong input: its name on the wire, a stable code and what is wrong with it.
type Field struct {
	Name string
	Code string
	Text Text
}

// Error is a failure that a person may see and act on.
type Error struct {
	Status     int    // HTTP status of the case
	Code       string // stable, snake_case
	Text       Text
	Fields     []Field
	RetryAfter time.Duration     // set with 429 and 503
	Details    map[string]string // what a program needs to go on
	cause      error
}

func (e *Error) Error() string {
	msg := e.Code + ": " + e.Text.EN
	for _, f := range e.Fields {
		msg += fmt.Sprintf(" [%s: %s]", f.Name, f.Text.EN)
	}
	if e.cause != nil {
		msg += ": " + e.cause.Error()
	}
	return msg
}

func (e *Error) Unwrap() error { return e.cause }

// Is makes errors.Is compare by code and by the fields that target names, so that a fault with a cause, other texts or
// more fields still is its sentinel, and two faults of input are told apart by their fields.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	if !ok || t.Code != e.Code {
		return false
	}
	for _, want := range t.Fields {
		if !slices.ContainsFunc(e.Fields, func(f Field) bool { return f.Name == want.Name && f.Code == want.Code }) {
			return false
		}
	}
	return true
}

// Because gives the same fault with the error that led to it, for the log only.
func (e *Error) Because(cause error) *Error {
	f := *e
	f.cause = cause
	return &f
}

// In gives the same fault bound to the fields of the input.
func (e *Error) In(fields ...Field) *Error {
	f := *e
	f.Fields = append(append([]Field(nil), e.Fields...), fields...)
	return &f
}

// After gives the same fault with the time after which a new try makes sense.
func (e *Error) After(d time.Duration) *Error {
	f := *e
	f.RetryAfter = d
	return &f
}

// With gives the same fault with what a program needs to go on.
func (e *Error) With(details map[string]string) *Error {
	f := *e
	f.Details = details
	return &f
}

func of(status int, code, zh, en string) *Error {
	return &Error{Status: status, Code: code, Text: Text{zh, en}}
}

// BadRequest is input that could not be read at all.
func BadRequest(code, zh, en string) *Error { return of(http.StatusBadRequest, code, zh, en) }

// Unauthorized is a missing or wrong sign-in.
func Unauthorized(code, zh, en string) *Error { return of(http.StatusUnauthorized, code, zh, en) }

// Forbidden is something that this caller may not do.
func Forbidden(code, zh, en string) *Error { return of(http.StatusForbidden, code, zh, en) }

// NotFound is a thing that does not exist, or that belongs to somebody else.
func NotFound(code, zh, en string) *Error { return of(http.StatusNotFound, code, zh, en) }

// Conflict is a request that was fine but met another state: stale, used, out of stock.
func Conflict(code, zh, en string) *Error { return of(http.StatusConflict, code, zh, en) }

// TooMany is a limit of calls reached; use After to say until when.
func TooMany(code, zh, en string) *Error { return of(http.StatusTooManyRequests, code, zh, en) }

// Unavailable is a passing trouble.
func Unavailable(code, zh, en string) *Error { return of(http.StatusServiceUnavailable, code, zh, en) }

// Unprocessable is input that was read but cannot be used, for a reason that is no single field's.
func Unprocessable(code, zh, en string) *Error {
	return of(http.StatusUnprocessableEntity, code, zh, en)
}

// ErrInvalid is the fault of input that has wrong fields.
var ErrInvalid = Unprocessable("invalid_input", "输入有误，请检查标出的项目", "Some of the input is wrong; see the marked fields")

// Invalid is ErrInvalid for one field.
func Invalid(field, code, zh, en string) *Error {
	return ErrInvalid.In(Field{Name: field, Code: code, Text: Text{zh, en}})
}

// Required is ErrInvalid for a parameter that an operation needs; both are named.
func Required(operation, field string) *Error {
	return Invalid(field, "required",
		fmt.Sprintf("%s 需要参数 %s", operation, field),
		fmt.Sprintf("Required parameter %s was missing when calling %s", field, operation))
}

// As finds the fault in err; ok is false where there is none.
func As(err error) (f *Error, ok bool) {
	ok = errors.As(err, &f)
	return f, ok
}

// Refused tells whether err is a fault of what was asked, which comes again with every repeat. Faults of the server,
// such as that of a database that is away, are none.
func Refused(err error) bool {
	f, ok := As(err)
	return ok && f.Status < http.StatusInternalServerError
}

// ErrInternal is what a person sees of an error that is none of theirs.
var ErrInternal = of(http.StatusInternalServerError, "internal_error", "服务器内部错误，请稍后再试",
	"Something went wrong on our side; please try again later")
