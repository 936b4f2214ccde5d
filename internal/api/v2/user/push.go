package user

import (
	"context"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/webpush"
)

type pushResult struct {
	PublicKey  string       `json:"public_key" doc:"applicationServerKey of PushManager.subscribe, in base64url"`
	MaxDevices int64        `json:"max_devices"`
	Devices    []pushDevice `json:"devices" doc:"The newest first"`
}

type pushDevice struct {
	DeviceID     int64      `json:"device_id"`
	IsCurrent    bool       `json:"is_current" doc:"Of the session that makes the call"`
	IsRemembered bool       `json:"is_remembered" doc:"Is notified until 30 days after it was last seen, others for one hour"`
	CreatedAt    time.Time  `json:"created_at"`
	NotifiedAt   *time.Time `json:"notified_at" doc:"When the push service last took a notice"`
	DeviceResult
}

type pushBody struct {
	Endpoint string `json:"endpoint" maxLength:"2048" doc:"Of the PushSubscription"`
	P256DH   string `json:"p256dh" maxLength:"200" doc:"Key of that name, in base64url"`
	Auth     string `json:"auth" maxLength:"100" doc:"Secret of that name, in base64url"`
}

type pushPath struct {
	DeviceID int64 `path:"device_id" minimum:"1"`
}

// Push adds the browsers in which the user is notified.
func Push(p *webpush.Push, accounts *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/account/push").OpenToVisits().
			Named("push_get", "In which browsers the user is notified, and the key to subscribe with"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (pushResult, error) {
				return pushed(ctx, p, accounts, who)
			})
		v2.Handle(r, v2.UserOp("POST /user/account/push").
			Named("push_subscribe", "Notify the user in the browser of this session; 409 push_too_many").
			Answering(fault.Text{ZH: "此设备已开启推送通知", EN: "This device is notified from now on"}),
			func(ctx context.Context, who account.Identity, in *v2.Body[pushBody]) (pushResult, error) {
				target := webpush.Target{Endpoint: in.Body.Endpoint, P256DH: in.Body.P256DH, Auth: in.Body.Auth}
				if err := p.Subscribe(ctx, who.UserID, who.SessionID, target); err != nil {
					return pushResult{}, err
				}
				return pushed(ctx, p, accounts, who)
			})
		v2.Handle(r, v2.UserOp("DELETE /user/account/push/{device_id}").
			Named("push_unsubscribe", "Notify the user in a browser no more; 404 push_subscription_not_found").
			Answering(fault.Text{ZH: "该设备不再接收推送通知", EN: "That device is not notified any more"}),
			func(ctx context.Context, who account.Identity, in *pushPath) (pushResult, error) {
				if err := p.Unsubscribe(ctx, who.UserID, in.DeviceID); err != nil {
					return pushResult{}, err
				}
				return pushed(ctx, p, accounts, who)
			})
	}
}

func pushed(ctx context.Context, p *webpush.Push, accounts *account.Accounts, who account.Identity) (
	out pushResult, err error,
) {
	out = pushResult{MaxDevices: webpush.MaxDevices, Devices: []pushDevice{}}
	if out.PublicKey, err = p.PublicKey(ctx); err != nil {
		return out, err
	}
	subscribed, err := p.Devices(ctx, who.UserID)
	if err != nil {
		return out, err
	}
	signedIn, err := accounts.Sessions.Devices(ctx, who)
	if err != nil {
		return out, err
	}
	sessions := map[uuid.UUID]account.SignedInDevice{}
	for _, s := range signedIn {
		sessions[s.ID] = s
	}
	for _, d := range subscribed {
		if s, ok := sessions[d.SessionID]; ok { // else it expired, and nothing is sent there
			out.Devices = append(out.Devices, pushDevice{
				d.ID, s.Current, s.Remember, d.CreatedAt, d.SentAt, placeOf(s.Origin).DeviceResult,
			})
		}
	}
	return out, nil
}
