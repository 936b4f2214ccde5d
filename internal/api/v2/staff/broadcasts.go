package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/announcement"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/permission"
)

type broadcast struct {
	Channel   string     `json:"channel" enum:"mail,telegram"`
	State     string     `json:"state" enum:"running,stopped,done" doc:"stopped: may be started again and goes on where it was"`
	Users     int64      `json:"users" doc:"Users that the channel reached when it began, for whatever audience"`
	Passed    int64      `json:"passed" doc:"Those that were looked at"`
	Queued    int64      `json:"queued" doc:"Those of them to whom it is sent: who are of the audience and did not unsubscribe"`
	StartedAt time.Time  `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at" nullable:"true"`
}

func newBroadcast(one *announcement.Broadcast) broadcast {
	return broadcast{
		string(one.Channel), string(one.State), one.Users, one.Passed, one.Queued, one.StartedAt, one.EndedAt,
	}
}

type broadcastCall struct {
	ID   int64 `path:"announcement_id" minimum:"1"`
	Body struct {
		Channel string `json:"channel" enum:"mail,telegram"`
	}
}

type broadcastStart struct {
	ID   int64 `path:"announcement_id" minimum:"1"`
	Body struct {
		Channel string `json:"channel" enum:"mail,telegram"`
		Reason  string `json:"reason,omitempty" maxLength:"500" doc:"Kept in the audit log"`
	}
}

type broadcastReach struct {
	Mail     int64 `json:"mail"`
	Telegram int64 `json:"telegram"`
}

type broadcastList struct {
	Broadcasts []broadcast `json:"broadcasts" doc:"At most one by each channel"`
}

// Broadcasts adds the sending of announcements by mail and Telegram.
func Broadcasts(b *announcement.Broadcasts) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/announcements/{announcement_id}/broadcasts", permission.AnnouncementRead).
			Named("staff_announcement_broadcasts", "How far the sending of an announcement is"),
			func(ctx context.Context, _ account.Identity, in *announcementPath) (broadcastList, error) {
				list, err := b.List(ctx, in.ID)
				out := broadcastList{[]broadcast{}}
				for i := range list {
					out.Broadcasts = append(out.Broadcasts, newBroadcast(&list[i]))
				}
				return out, err
			})
		v2.Handle(r, v2.StaffOp("GET /staff/announcements/{announcement_id}/reach", permission.AnnouncementRead).
			Named("staff_announcement_reach", "To how many users each channel would bring an announcement now"),
			func(ctx context.Context, _ account.Identity, in *announcementPath) (out broadcastReach, err error) {
				if out.Mail, err = b.Reach(ctx, in.ID, announcement.ByMail); err != nil {
					return out, err
				}
				out.Telegram, err = b.Reach(ctx, in.ID, announcement.ByTelegram)
				return out, err
			})
		v2.Handle(r, v2.StaffOp("POST /staff/announcements/{announcement_id}/broadcast", permission.AnnouncementWrite).
			StepUp().
			Named("staff_announcement_broadcast",
				"Send an announcement to its audience by mail or Telegram, to each user once"),
			func(ctx context.Context, _ account.Identity, in *broadcastStart) (broadcast, error) {
				one, err := b.Start(ctx, in.ID, announcement.Channel(in.Body.Channel), in.Body.Reason)
				return newBroadcast(&one), err
			})
		v2.Handle(r, v2.StaffOp("POST /staff/announcements/{announcement_id}/broadcast/stop",
			permission.AnnouncementWrite).
			Named("staff_announcement_broadcast_stop", "Stop the sending of an announcement"),
			func(ctx context.Context, _ account.Identity, in *broadcastCall) (broadcast, error) {
				one, err := b.Stop(ctx, in.ID, announcement.Channel(in.Body.Channel))
				return newBroadcast(&one), err
			})
	}
}
