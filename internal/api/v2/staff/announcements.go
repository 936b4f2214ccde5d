package staff

import (
	"context"
	"net/url"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/announcement"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/markdown"
	"airstrip/internal/permission"
)

// AnnouncementBody is an announcement as staff writes it; exported because it is embedded.
type AnnouncementBody struct {
	Type        *string    `json:"ann_type,omitempty" enum:"index_ann,pop_up_ann,maintenance" doc:"pop_up_ann also opens once as a dialog for each user; maintenance also stands in a strip on every page"`
	Title       *string    `json:"title,omitempty" maxLength:"100" doc:"For readers in whose language there is none"`
	TitleZH     *string    `json:"title_zh,omitempty" maxLength:"100" doc:"Empty: title"`
	TitleEN     *string    `json:"title_en,omitempty" maxLength:"100" doc:"Empty: title"`
	Body        *string    `json:"body,omitempty" maxLength:"20000" doc:"Markdown, without the title"`
	BodyZH      *string    `json:"body_zh,omitempty" maxLength:"20000" doc:"Empty: body"`
	BodyEN      *string    `json:"body_en,omitempty" maxLength:"20000" doc:"Empty: body"`
	StartsAt    *time.Time `json:"starts_at,omitempty" doc:"Absent in a new one: now"`
	EndsAt      *time.Time `json:"ends_at,omitempty"`
	Pinned      *bool      `json:"is_pinned,omitempty" doc:"Stands before others"`
	Audience    *string    `json:"audience,omitempty" enum:"all,plan,class,group" doc:"all: guests too; plan, class and group: users who have one of audience_ids"`
	AudienceIDs []int64    `json:"audience_ids,omitempty" maxItems:"100"`
}

func (b *AnnouncementBody) apply(one *announcement.Announcement) {
	setTo(&one.Type, b.Type)
	setTo(&one.Title, b.Title)
	setTo(&one.Body, b.Body)
	one.Titles = one.Titles.With(fault.ZH, b.TitleZH).With(fault.EN, b.TitleEN)
	one.Bodies = one.Bodies.With(fault.ZH, b.BodyZH).With(fault.EN, b.BodyEN)
	if b.StartsAt != nil {
		one.StartsAt = *b.StartsAt
	}
	if b.EndsAt != nil {
		one.EndsAt = b.EndsAt
	}
	if b.Pinned != nil {
		one.Pinned = *b.Pinned
	}
	setTo(&one.Audience, b.Audience)
	if b.AudienceIDs != nil || b.Audience != nil {
		one.AudienceIDs = b.AudienceIDs
	}
}

func setTo[T ~string](to *T, value *string) {
	if value != nil {
		*to = T(*value)
	}
}

type staffAnnouncement struct {
	ID          int64      `json:"id"`
	Type        string     `json:"ann_type" enum:"index_ann,pop_up_ann,maintenance"`
	Title       string     `json:"title"`
	TitleZH     string     `json:"title_zh"`
	TitleEN     string     `json:"title_en"`
	Body        string     `json:"body"`
	BodyZH      string     `json:"body_zh"`
	BodyEN      string     `json:"body_en"`
	StartsAt    time.Time  `json:"starts_at"`
	EndsAt      *time.Time `json:"ends_at" nullable:"true"`
	Pinned      bool       `json:"is_pinned"`
	Audience    string     `json:"audience" enum:"all,plan,class,group"`
	AudienceIDs []int64    `json:"audience_ids"`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
	Readers     int64      `json:"readers" doc:"Users who have seen it"`
	v2.Version
}

func newStaffAnnouncement(one *announcement.Listed, version v2.Version) staffAnnouncement {
	return staffAnnouncement{
		one.ID, string(one.Type), one.Title, one.Titles[fault.ZH], one.Titles[fault.EN], one.Body,
		one.Bodies[fault.ZH], one.Bodies[fault.EN], one.StartsAt, one.EndsAt, one.Pinned, string(one.Audience),
		append([]int64{}, one.AudienceIDs...), one.CreatedAt, one.UpdatedAt, one.Readers, version,
	}
}

type announcementPath struct {
	ID int64 `path:"announcement_id" minimum:"1"`
}

type announcementPage struct {
	Announcements []staffAnnouncement `json:"announcements" doc:"The newest first"`
	TotalCount    int64               `json:"total_count"`
}

type announcementChange struct {
	ID    int64 `path:"announcement_id" minimum:"1"`
	Again bool  `query:"again" doc:"Whether those who have seen it are to see it again"`
	Body  struct {
		AnnouncementBody
		NoEnd bool `json:"no_end,omitempty" doc:"Takes ends_at away"`
	}
}

// Announcements adds what staff announces to users.
func Announcements(a *announcement.Announcements) v2.Resource {
	return func(r *v2.Router) {
		type part struct {
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/announcements", permission.AnnouncementRead).
			Named("staff_announcements", "All announcements, those that ended and those to come too"),
			func(ctx context.Context, _ account.Identity, in *part) (announcementPage, error) {
				versions, err := r.Versions(ctx, "announcement")
				if err != nil {
					return announcementPage{}, err
				}
				list, total, err := a.List(ctx, in.Limit, in.Offset)
				out := announcementPage{[]staffAnnouncement{}, total}
				for i := range list {
					shown := newStaffAnnouncement(&list[i], versions.Of(list[i].ID))
					out.Announcements = append(out.Announcements, shown)
				}
				return out, err
			})
		v2.Handle(r, v2.StaffOp("GET /staff/announcements/{announcement_id}", permission.AnnouncementRead).
			Named("staff_announcement_get", "One announcement"),
			func(ctx context.Context, _ account.Identity, in *announcementPath) (staffAnnouncement, error) {
				version, err := r.Version(ctx, audit.ID("announcement", in.ID))
				if err != nil {
					return staffAnnouncement{}, err
				}
				one, err := a.Get(ctx, in.ID)
				return newStaffAnnouncement(&one, version), err
			})
		v2.HandleMake(r, v2.StaffOp("POST /staff/announcements", permission.AnnouncementWrite).
			Named("staff_announcement_add", "Announce something"), "announcement",
			func(ctx context.Context, _ account.Identity, in *v2.Body[AnnouncementBody]) (staffAnnouncement, error) {
				one := announcement.Announcement{Type: announcement.Index, Audience: announcement.ForAll}
				in.Body.apply(&one)
				made, err := a.Add(ctx, one)
				listed := announcement.Listed{Announcement: made}
				return newStaffAnnouncement(&listed, v2.Version{}), err
			})
		show := func(ctx context.Context, in *announcementChange) (staffAnnouncement, error) {
			one, err := a.Get(ctx, in.ID)
			return newStaffAnnouncement(&one, v2.Version{}), err
		}
		v2.HandleChange(r, v2.StaffOp("PATCH /staff/announcements/{announcement_id}", permission.AnnouncementWrite).
			Named("staff_announcement_change", "Change an announcement; what is absent stays as it is"),
			func(in *announcementChange) audit.Object { return audit.ID("announcement", in.ID) }, show,
			func(ctx context.Context, _ account.Identity, in *announcementChange) (staffAnnouncement, error) {
				if in.Body.NoEnd && in.Body.EndsAt != nil {
					return staffAnnouncement{}, fault.Invalid("no_end", "conflict", "不能同时填写结束时间和取消结束时间",
						"An announcement either has an end or none")
				}
				_, err := a.Change(ctx, in.ID, in.Again, func(one *announcement.Announcement) {
					in.Body.apply(one)
					if in.Body.NoEnd {
						one.EndsAt = nil
					}
				})
				if err != nil {
					return staffAnnouncement{}, err
				}
				return show(ctx, in)
			})
		v2.Handle(r, v2.StaffOp("DELETE /staff/announcements/{announcement_id}", permission.AnnouncementWrite).
			Named("staff_announcement_remove", "Remove an announcement"),
			func(ctx context.Context, _ account.Identity, in *announcementPath) (v2.Empty, error) {
				return v2.Empty{}, a.Remove(ctx, in.ID)
			})
		olderAnnouncements(r, a)
	}
}

// AnnouncementType is the type that an older call is about; exported because it is embedded.
type AnnouncementType struct {
	Type string `query:"ann_type" enum:"index_ann,pop_up_ann,maintenance" default:"index_ann"`
}

type olderAnnouncement struct {
	ID        int64     `json:"announcement_id"`
	Function  string    `json:"function_name" doc:"The type"`
	Markdown  string    `json:"markdown_text"`
	HTML      string    `json:"html_text"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

type updated struct {
	Success bool `json:"success"`
}

type announcementText struct {
	AnnouncementType
	RawBody []byte `contentType:"text/plain"`
}

// olderAnnouncements adds the older way, by which there is one text of each type: the newest for all that is in force.
func olderAnnouncements(r *v2.Router, a *announcement.Announcements) {
	v2.Handle(r, v2.StaffOp("GET /admin_api/announcement", permission.AnnouncementRead).
		Named("admin_announcement", "The newest announcement of a type that is for all and in force"),
		func(_ context.Context, _ account.Identity, in *AnnouncementType) (olderAnnouncement, error) {
			one, err := a.Text(announcement.Type(in.Type))
			source := announcement.Source(one.Title, one.Body)
			return olderAnnouncement{
				one.ID, string(one.Type), source, markdown.HTML(source), one.StartsAt, one.UpdatedAt,
			}, err
		})
	v2.Handle(r, v2.StaffOp("POST /admin_api/announcement", permission.AnnouncementWrite).
		Named("admin_announcement_set",
			"Put a Markdown text in the place of the newest announcement of a type for all, or begin one"),
		func(ctx context.Context, _ account.Identity, in *announcementText) (updated, error) {
			if err := api.CheckValues(url.Values{"body": {string(in.RawBody)}}); err != nil {
				return updated{}, err
			}
			_, err := a.SetText(ctx, announcement.Type(in.Type), string(in.RawBody))
			return updated{err == nil}, err
		})
	v2.HandleDocument(r, v2.StaffOp("GET /admin_api/announcement_html", permission.AnnouncementRead).
		Named("admin_announcement_html", "The same as safe HTML"), "text/html",
		func(_ context.Context, _ account.Identity, in *AnnouncementType) (string, error) {
			one, err := a.Text(announcement.Type(in.Type))
			return markdown.HTML(announcement.Source(one.Title, one.Body)), err
		})
	v2.HandleDocument(r, v2.StaffOp("GET /admin_api/announcement_markdown", permission.AnnouncementRead).
		Named("admin_announcement_markdown", "The same as Markdown"), "text/plain",
		func(_ context.Context, _ account.Identity, in *AnnouncementType) (string, error) {
			one, err := a.Text(announcement.Type(in.Type))
			return announcement.Source(one.Title, one.Body), err
		})
}
