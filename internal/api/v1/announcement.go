package v1

import (
	"io"
	"net/http"
	"net/url"

	"airstrip/internal/account"
	"airstrip/internal/announcement"
	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/markdown"
	"airstrip/internal/permission"
)

var annType = params{may("ann_type").oneOf(
	string(announcement.Index), string(announcement.PopUp), string(announcement.Maintenance))}

// typeOf gives the type that a request is about.
func typeOf(in Input) announcement.Type {
	if kind := in.Get("ann_type"); kind != "" {
		return announcement.Type(kind)
	}
	return announcement.Index
}

// Announcement adds the older routes of announcements, by which there is one text of each type: the newest for all that
// is in force.
func (r *Router) Announcement(a *announcement.Announcements) {
	r.open("GET /v1/notice", nil, func(req *http.Request, _ Input) (Answer, error) {
		one, err := a.Text(announcement.Index)
		if err != nil {
			return Answer{}, nil // nothing is announced
		}
		return Answer{Data: olderFields(&one, api.CallerOf(req.Context()).Lang)}, nil
	})
	r.staff("GET /v1/admin/announcement", needs(permission.AnnouncementRead), annType,
		func(_ *http.Request, _ account.Identity, in Input) (Answer, error) {
			one, err := a.Text(typeOf(in))
			fields := olderFields(&one, "")
			return Answer{Data: fields, More: fields}, err
		})
	r.staff("POST /v1/admin/announcement", needs(permission.AnnouncementWrite), annType,
		func(req *http.Request, _ account.Identity, in Input) (Answer, error) {
			body, err := io.ReadAll(req.Body)
			if err != nil {
				return Answer{}, api.Unreadable(err)
			}
			if err := api.CheckValues(url.Values{"body": {string(body)}}); err != nil {
				return Answer{}, err
			}
			one, err := a.SetText(req.Context(), typeOf(in), string(body))
			return done(req, olderFields(&one, "")), err
		})
	r.staff("GET /v1/admin/announcement_html", needs(permission.AnnouncementRead), annType,
		func(_ *http.Request, _ account.Identity, in Input) (Answer, error) {
			one, err := a.Text(typeOf(in))
			return Answer{Document: &Document{
				"text/html", markdown.HTML(announcement.Source(one.Title, one.Body)),
			}}, err
		})
	r.staff("GET /v1/admin/announcement_markdown", needs(permission.AnnouncementRead), annType,
		func(_ *http.Request, _ account.Identity, in Input) (Answer, error) {
			one, err := a.Text(typeOf(in))
			return Answer{Document: &Document{"text/plain", announcement.Source(one.Title, one.Body)}}, err
		})
}

// olderFields is an announcement in the shape of the original. Empty lang: in the text for readers of no language of
// its own, which is what staff writes.
func olderFields(one *announcement.Announcement, lang fault.Lang) map[string]any {
	source := announcement.Source(one.In(lang))
	return map[string]any{
		"created_at": one.StartsAt, "updated_at": one.UpdatedAt, "html_text": markdown.HTML(source),
		"markdown_text": source,
	}
}
