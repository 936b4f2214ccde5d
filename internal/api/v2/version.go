package v2

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
)

// Version is the field of an object that staff changes; exported because it is embedded.
type Version struct {
	Version string `json:"version" doc:"Of what is shown here; send it as If-Match when you change it"`
}

// SetVersion sets the version.
func (v *Version) SetVersion(to audit.Version) { v.Version = versionText(to) }

func versionText(v audit.Version) string { return strconv.FormatInt(int64(v), 10) }

// Versioned is what a pointer to an object has whose type embeds Version, or holds one that does.
type Versioned[T any] interface {
	*T
	SetVersion(to audit.Version)
}

// Versions are the versions of the objects of one kind.
type Versions map[string]audit.Version

// Of returns the version of the object with a number.
func (v Versions) Of(id int64) Version { return v.OfName(strconv.FormatInt(id, 10)) }

// OfName returns the version of the object with a name.
func (v Versions) OfName(id string) Version { return Version{versionText(v[id])} }

// Versions returns the versions of the objects of a kind. It must be called before these are read.
func (r *Router) Versions(ctx context.Context, kind string) (Versions, error) {
	if r.log == nil {
		return nil, nil
	}
	return r.log.Versions(ctx, kind)
}

// Version returns the version of an object. It must be called before that is read.
func (r *Router) Version(ctx context.Context, object audit.Object) (Version, error) {
	if r.log == nil {
		return Version{}, nil
	}
	v, err := r.log.Version(ctx, object)
	return Version{versionText(v)}, err
}

// Faults of the header If-Match.
var (
	errNoVersion = &fault.Error{
		Status: http.StatusPreconditionRequired, Code: "version_required",
		Text: fault.Text{
			ZH: "请求缺少 If-Match：请先读取这项内容，再提交其 version",
			EN: "The header If-Match is missing: read this first, and send its version",
		},
	}
	errVersionFormat = fault.Invalid("If-Match", "format", "If-Match 应为带引号的 version，或 *",
		"If-Match is a version in quotes, or *")
)

type ifMatchKey struct{}

// ifMatch is what a caller has seen of the object that they change.
type ifMatch struct {
	seen audit.Version
	any  bool
}

// readIfMatch reads the header of a change.
func readIfMatch(req *http.Request) (m ifMatch, err error) {
	text := strings.TrimSpace(req.Header.Get("If-Match"))
	switch text {
	case "":
		return m, errNoVersion
	case "*":
		return ifMatch{any: true}, nil
	}
	if unquoted, err := strconv.Unquote(text); err == nil {
		text = unquoted
	}
	seen, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seen < 0 {
		return m, errVersionFormat
	}
	return ifMatch{seen: audit.Version(seen)}, nil
}

// ifMatchParameter describes the header in the contract.
func ifMatchParameter() *huma.Param {
	return &huma.Param{
		Name: "If-Match", In: "header", Required: true, Schema: &huma.Schema{Type: huma.TypeString},
		Description: "The version that was read, in quotes. Where it is not the present one any more: 409 " +
			"version_conflict, with what is there now in conflict. * changes it whatever it is now.",
		Example: `"42"`,
	}
}

// HandleChange registers an operation of staff that changes an object which can be read: only from the version that its
// caller read. object says which entries of the audit log are about it; current reads it as it is now.
func HandleChange[I, T any, P Versioned[T]](
	r *Router, o Op, object func(in *I) audit.Object, current func(ctx context.Context, in *I) (T, error),
	fn func(ctx context.Context, who account.Identity, in *I) (T, error),
) {
	o.versioned = true
	Handle(r, o, func(ctx context.Context, who account.Identity, in *I) (T, error) {
		if r.log == nil {
			return fn(ctx, who, in)
		}
		m, _ := ctx.Value(ifMatchKey{}).(ifMatch)
		var result T
		made, err := r.edit(ctx, &audit.Edit{Object: object(in), Seen: m.seen, Any: m.any},
			func(ctx context.Context) (err error) {
				result, err = fn(ctx, who, in)
				return err
			})
		if errors.Is(err, audit.ErrVersion) {
			return result, r.stale(ctx, object(in), func(v audit.Version) (any, error) {
				present, err := current(ctx, in)
				P(&present).SetVersion(v)
				return &present, err
			})
		}
		if err == nil {
			P(&result).SetVersion(made)
		}
		return result, err
	})
}

// Edit calls fn, which changes an object, and returns the version that is there then. Where the caller named the
// version that they read, and it is not the present one any more, it is audit.ErrVersion. It is for operations that
// change several objects, each for itself.
func (r *Router) Edit(ctx context.Context, object audit.Object, read string, fn func(ctx context.Context) error) (
	Version, error,
) {
	e := &audit.Edit{Object: object, Any: read == ""}
	if !e.Any {
		seen, err := strconv.ParseInt(read, 10, 64)
		if err != nil {
			return Version{}, audit.ErrVersion
		}
		e.Seen = audit.Version(seen)
	}
	made, err := r.edit(ctx, e, fn)
	return Version{versionText(made)}, err
}

// edit makes one change, and returns the version that is there then.
func (r *Router) edit(ctx context.Context, e *audit.Edit, fn func(ctx context.Context) error) (audit.Version, error) {
	if r.log == nil {
		return 0, fn(ctx)
	}
	now, err := r.log.Version(ctx, e.Object)
	if err == nil && !e.Any && now != e.Seen {
		err = audit.ErrVersion
	}
	if err == nil {
		err = fn(audit.Editing(ctx, e))
	}
	return max(now, e.Made), err
}

// HandleMake registers an operation of staff that makes an object of a kind, and gives its first version.
func HandleMake[I, T any, P Versioned[T]](
	r *Router, o Op, kind string, fn func(ctx context.Context, who account.Identity, in *I) (T, error),
) {
	Handle(r, o, func(ctx context.Context, who account.Identity, in *I) (T, error) {
		e := &audit.Edit{Object: audit.Object{Kind: kind}, Any: true}
		result, err := fn(audit.Editing(ctx, e), who, in)
		if err == nil {
			P(&result).SetVersion(e.Made)
		}
		return result, err
	})
}

// stale returns the fault of a change that was made from an older version, with what is there now, who made it so and
// when. The version is read before the object, as Versions says.
func (r *Router) stale(ctx context.Context, object audit.Object, current func(audit.Version) (any, error)) error {
	var c api.VersionConflict
	var now audit.Version
	made, err := r.log.Newest(ctx, object)
	if err != nil {
		return err
	}
	if made != nil {
		at := made.At.UTC()
		now, c.ChangedAt = made.Version(), &at
		c.ChangedBy = &api.VersionAuthor{Actor: string(made.Actor), UserID: made.ActorID, Name: made.ActorName}
		if made.ActorID != nil && r.emails != nil {
			emails, err := r.emails(ctx, []int64{*made.ActorID})
			if err != nil {
				return err
			}
			c.ChangedBy.Email = emails[*made.ActorID]
		}
	}
	c.Version = versionText(now)
	if c.Present, err = current(now); err != nil {
		return err
	}
	return &api.StaleError{Fault: audit.ErrVersion, Conflict: c}
}
