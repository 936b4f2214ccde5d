package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"os"
	"strconv"
	"time"

	"airstrip/internal/dberr"
	"airstrip/internal/fault"
	"airstrip/internal/money"
)

// Faults that any API answers.
var (
	ErrNoRoute = fault.NotFound("route_not_found", "没有这个接口", "There is no such route")
	ErrMethod  = &fault.Error{
		Status: http.StatusMethodNotAllowed, Code: "method_not_allowed",
		Text: fault.Text{ZH: "该接口不支持此方法", EN: "This route does not take that method"},
	}
	ErrTooLarge = &fault.Error{
		Status: http.StatusRequestEntityTooLarge, Code: "body_too_large",
		Text: fault.Text{ZH: "请求内容过大", EN: "The request body is too large"},
	}
	ErrSlowBody = &fault.Error{
		Status: http.StatusRequestTimeout, Code: "body_too_slow",
		Text: fault.Text{
			ZH: "请求内容传输过慢，请检查网络后重试",
			EN: "The request body arrived too slowly; please check the connection and try again",
		},
	}
	ErrUnreadable = fault.BadRequest("unreadable", "无法读取请求内容", "The request could not be read")
	ErrMediaType  = &fault.Error{
		Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
		Text: fault.Text{ZH: "不支持这种内容类型", EN: "This content type is not supported"},
	}
	ErrOtherNode = fault.Forbidden("other_node", "该密钥属于另一个节点", "This key belongs to another node")
	ErrWhichNode = fault.Invalid("node_id", "required", "使用共用密钥时必须提供 node_id",
		"With the one key of all nodes the node_id is needed")
	ErrOtherNodeType = fault.NotFound("other_node_type", "该节点不是这种类型", "This node is not of that type")
	ErrSignIn        = fault.Unauthorized("sign_in_required", "请先登录", "Please sign in")
	ErrAmount        = fault.Unprocessable("amount_too_large", "金额过大，请减小后重试",
		"The amount is too large; please try a smaller one")
	ErrUnavailable = fault.Unavailable("unavailable", "服务暂时不可用，请稍后再试",
		"The service is not available right now; please try again later").After(5 * time.Second)
)

// FaultOf converts any error to the fault that the caller sees. An error that is no fault is logged and becomes
// fault.ErrInternal.
func FaultOf(ctx context.Context, err error) *fault.Error {
	if f, ok := fault.As(err); ok {
		if cause := errors.Unwrap(f); cause != nil && f.Status >= 500 {
			slog.ErrorContext(ctx, "a request failed", "code", f.Code, "error", cause)
		}
		return dberr.AfterCommit(ctx, f)
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return ErrTooLarge
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		slog.DebugContext(ctx, "a caller went away before its answer", "error", err)
		return ErrUnavailable
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		slog.WarnContext(ctx, "a request ended before its answer", "error", err)
		return ErrUnavailable
	}
	if errors.Is(err, money.ErrOverflow) {
		slog.WarnContext(ctx, "an amount was too large", "error", err)
		return ErrAmount
	}
	if f := dberr.Fault(err); f != nil {
		slog.ErrorContext(ctx, "the database could not do its work", "code", f.Code, "error", err)
		return dberr.AfterCommit(ctx, f)
	}
	slog.ErrorContext(ctx, "a request failed", "error", err)
	return fault.ErrInternal
}

// Unreadable is the fault of a body that could not be read: ErrTooLarge, ErrSlowBody or ErrUnreadable.
func Unreadable(err error) error {
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return ErrTooLarge
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return ErrSlowBody
	}
	return ErrUnreadable.Because(err)
}

// Failure is the body of every failed call under /api/v2.
type Failure struct {
	status    int
	retry     string
	IsSuccess bool              `json:"is_success" doc:"Always false" example:"false"`
	Message   string            `json:"message" doc:"What happened, in the language of Accept-Language"`
	Code      string            `json:"code" doc:"Stable word for programs" example:"invalid_input"`
	Errors    []FieldFailure    `json:"errors" doc:"The wrong fields of the input"`
	Details   map[string]string `json:"details,omitempty" doc:"What a program needs to go on, with captcha_required: captcha_key_type, provider, site_key; with two_fa_required and two_fa_wrong after a captcha: verify_token, which stands for it in the next call"`
	Conflict  *VersionConflict  `json:"conflict,omitempty" doc:"With version_conflict"`
	RequestID string            `json:"request_id" doc:"Names this request in the server's log"`
}

// VersionConflict is what is there now instead of what the caller of a change had read.
type VersionConflict struct {
	Version   string         `json:"version" doc:"Of what is there now; sent as If-Match it allows to overwrite that"`
	ChangedAt *time.Time     `json:"changed_at" nullable:"true"`
	ChangedBy *VersionAuthor `json:"changed_by,omitempty" doc:"Absent: nobody has changed it since it came with the site"`
	Present   any            `json:"present" doc:"As the operation answers it"`
}

// VersionAuthor is who changed an object last.
type VersionAuthor struct {
	Actor  string `json:"actor" enum:"member,token,operator" doc:"operator: at the command line"`
	UserID *int64 `json:"user_id" nullable:"true" doc:"The account; of a token its owner's"`
	Email  string `json:"email" doc:"Of the account; empty: there is none any more"`
	Name   string `json:"name" doc:"The operator's user on the server's machine"`
}

// StaleError is the error of a change that was made from an older version.
type StaleError struct {
	Fault    *fault.Error
	Conflict VersionConflict
}

func (e *StaleError) Error() string { return e.Fault.Error() }

func (e *StaleError) Unwrap() error { return e.Fault }

// FieldFailure is one wrong field of the input.
type FieldFailure struct {
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// NewFailure renders what the caller sees of err.
func NewFailure(ctx context.Context, err error) *Failure {
	f, caller := FaultOf(ctx, err), CallerOf(ctx)
	out := &Failure{
		status: f.Status, Message: f.Text.In(caller.Lang), Code: f.Code, Errors: []FieldFailure{},
		Details: f.Details, RequestID: caller.RequestID,
	}
	if stale := new(StaleError); errors.As(err, &stale) {
		out.Conflict = &stale.Conflict
	}
	for _, field := range f.Fields {
		out.Errors = append(out.Errors, FieldFailure{field.Name, field.Code, field.Text.In(caller.Lang)})
	}
	if f.RetryAfter > 0 {
		out.retry = RetryAfter(f)
	}
	return out
}

// RetryAfter returns the header Retry-After of a fault that has such a time, in seconds, rounded up.
func RetryAfter(f *fault.Error) string { return strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))) }

func (f *Failure) Error() string { return f.Code }

// GetStatus returns the HTTP status; huma asks for it.
func (f *Failure) GetStatus() int { return f.status }

// GetHeaders returns Retry-After where it is known; huma asks for it.
func (f *Failure) GetHeaders() http.Header {
	h := http.Header{}
	if f.retry != "" {
		h.Set("Retry-After", f.retry)
	}
	return h
}

// Write answers the failure as JSON.
func (f *Failure) Write(w http.ResponseWriter) { f.WriteAs(w, f) }

// WriteAs answers body, the failure in the shape of another API, with the failure's status and headers.
func (f *Failure) WriteAs(w http.ResponseWriter, body any) {
	for name, values := range f.GetHeaders() {
		w.Header()[name] = values
	}
	WriteJSON(w, f.status, body)
}

// WriteJSON answers v with status.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // the shapes of answers are ours
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(body)
}
