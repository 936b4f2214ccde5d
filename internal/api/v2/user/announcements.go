package user

import (
	"context"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/announcement"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/markdown"
)

type announcementItem struct {
	ID        int64      `json:"id"`
	Type      string     `json:"ann_type" enum:"index_ann,pop_up_ann,maintenance"`
	Title     string     `json:"title" doc:"Empty: the text has no title"`
	Markdown  string     `json:"markdown_text" doc:"Markdown without the title; empty: the title says it all"`
	CreatedAt time.Time  `json:"created_at" doc:"From when on it is shown"`
	UpdatedAt time.Time  `json:"updated_at"`
	EndsAt    *time.Time `json:"ends_at" nullable:"true" doc:"null: no end is set"`
	Pinned    bool       `json:"is_pinned"`
	Read      bool       `json:"is_read" doc:"Whether the user has seen it, on any device"`
}

func newAnnouncement(one *announcement.Seen, lang fault.Lang) announcementItem {
	title, body := one.In(lang)
	return announcementItem{
		one.ID, string(one.Type), title, body, one.StartsAt, one.UpdatedAt, one.EndsAt, one.Pinned, one.Read,
	}
}

type announcementList struct {
	Announcements []announcementItem `json:"announcements" doc:"Pinned ones first, then the newest"`
	TotalCount    int                `json:"total_count"`
	UnreadCount   int                `json:"unread_count" doc:"Of all of them"`
}

type unreadAnnouncements struct {
	UnreadCount int                `json:"unread_count"`
	PopUps      []announcementItem `json:"pop_ups" doc:"To show at once, each until it is marked as read"`
	Maintenance []announcementItem `json:"maintenance" doc:"To show on every page while it is in force, seen or not"`
}

type readBody struct {
	IDs []int64 `json:"ids,omitempty" maxItems:"500" doc:"Absent or empty: all"`
}

type systemAnnouncement struct {
	CreatedAt     time.Time          `json:"created_at" doc:"Of the newest; where there is none, the present"`
	Content       string             `json:"content" doc:"The newest, as safe HTML; empty: there is none"`
	Announcements []announcementItem `json:"announcements" doc:"All of the type: pinned ones first, then the newest"`
}

// Announcements adds what the operator announces to the user, and what the user has seen of it.
func Announcements(a *announcement.Announcements, now func() time.Time) v2.Resource {
	return func(r *v2.Router) {
		type part struct {
			Limit  int `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.UserOp("GET /user/announcements").OpenToVisits().
			Named("announcements_list", "The announcements for the user that are in force"),
			func(ctx context.Context, who account.Identity, in *part) (announcementList, error) {
				list, err := a.For(ctx, who.UserID)
				all, unread := newAnnouncements(list, api.CallerOf(ctx).Lang)
				out := announcementList{[]announcementItem{}, len(all), unread}
				if in.Offset < len(all) {
					out.Announcements = all[in.Offset:min(in.Offset+in.Limit, len(all))]
				}
				return out, err
			})
		v2.Handle(r, v2.UserOp("GET /user/announcements/unread").OpenToVisits().
			Named("announcements_unread", "How many announcements the user has not seen, and those to show at once"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (unreadAnnouncements, error) {
				return unreadOf(ctx, a, who.UserID)
			})
		v2.Handle(r, v2.UserOp("POST /user/announcements/read").
			Named("announcements_mark_read", "Mark announcements as seen, on all devices"),
			func(ctx context.Context, who account.Identity, in *v2.Body[readBody]) (unreadAnnouncements, error) {
				if err := a.MarkRead(ctx, who.UserID, in.Body.IDs...); err != nil {
					return unreadAnnouncements{}, err
				}
				return unreadOf(ctx, a, who.UserID)
			})
		type wish struct {
			Type string `query:"ann_type" enum:"index_ann,pop_up_ann,maintenance" default:"index_ann"`
		}
		v2.Handle(r, v2.UserOp("GET /user/system/announcements").OpenToVisits().
			Named("system_announcements", "The announcements of one type that are in force"),
			func(ctx context.Context, who account.Identity, in *wish) (systemAnnouncement, error) {
				list, err := a.For(ctx, who.UserID, announcement.Type(in.Type))
				lang := api.CallerOf(ctx).Lang
				all, _ := newAnnouncements(list, lang)
				out := systemAnnouncement{now(), "", all}
				for i, one := range list {
					if i == 0 || one.StartsAt.After(out.CreatedAt) {
						out.CreatedAt, out.Content = one.StartsAt, markdown.HTML(announcement.Source(one.In(lang)))
					}
				}
				return out, err
			})
	}
}

func newAnnouncements(list []announcement.Seen, lang fault.Lang) (all []announcementItem, unread int) {
	all = make([]announcementItem, len(list))
	for i := range list {
		all[i] = newAnnouncement(&list[i], lang)
		if !all[i].Read {
			unread++
		}
	}
	return all, unread
}

func unreadOf(ctx context.Context, a *announcement.Announcements, userID int64) (unreadAnnouncements, error) {
	out := unreadAnnouncements{PopUps: []announcementItem{}, Maintenance: []announcementItem{}}
	list, err := a.For(ctx, userID)
	for i := range list {
		item := newAnnouncement(&list[i], api.CallerOf(ctx).Lang)
		if !item.Read {
			out.UnreadCount++
			if list[i].Type == announcement.PopUp {
				out.PopUps = append(out.PopUps, item)
			}
		}
		if list[i].Type == announcement.Maintenance {
			out.Maintenance = append(out.Maintenance, item)
		}
	}
	return out, err
}
