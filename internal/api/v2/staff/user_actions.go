package staff

import (
	"context"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/approval"
	"airstrip/internal/fault"
	"airstrip/internal/link"
	"airstrip/internal/permission"
	"airstrip/internal/shop"
)

type nothing struct{}

type userWithReason struct {
	ID   int64 `path:"user_id" minimum:"1"`
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"For the audit log"`
	}
}

type addedUser struct {
	ID    int64  `json:"id"`
	Email string `json:"email"`
}

// UserActions adds what staff does to the account of a user. What is worth money is in UserGifts.
func UserActions(a *account.Accounts, l *link.Links) v2.Resource {
	return func(r *v2.Router) {
		type added struct {
			Email string     `json:"email" minLength:"3" maxLength:"254"`
			Name  string     `json:"name,omitempty" maxLength:"32" doc:"Absent: the part of the address before the @"`
			Lang  fault.Lang `json:"lang,omitempty" enum:"zh-CN,en" doc:"Absent: that of the caller"`
		}
		v2.Handle(r, v2.StaffOp("POST /staff/users", permission.UserAdd).
			Named("staff_user_add", "Add a user, who gets a mail to set a password"),
			func(ctx context.Context, who account.Identity, in *v2.Body[added]) (addedUser, error) {
				lang := in.Body.Lang
				if lang == "" {
					lang = api.CallerOf(ctx).Lang
				}
				u, err := a.Invite(ctx, who, in.Body.Email, in.Body.Name, lang)
				return addedUser{u.ID, u.Email}, err
			})
		v2.Handle(r, v2.StaffOp("POST /staff/users/{user_id}/password-mail", permission.UserRecover).
			Named("staff_user_password_mail", "Mail a user a code to set another password"),
			func(ctx context.Context, who account.Identity, in *userWithReason) (nothing, error) {
				return nothing{}, a.EmailCodes.SendReset(ctx, who, in.ID, in.Body.Reason)
			})
		type sessionEnd struct {
			ID   int64 `path:"user_id" minimum:"1"`
			Body struct {
				SessionID *uuid.UUID `json:"session_id,omitempty" doc:"Absent: all of them"`
				Reason    string     `json:"reason" minLength:"1" maxLength:"500" doc:"For the audit log"`
			}
		}
		type endedSessions struct {
			Ended int `json:"ended" doc:"How many sessions ended"`
		}
		v2.Handle(r, v2.StaffOp("POST /staff/users/{user_id}/sessions/end", permission.UserRecover).
			Named("staff_user_sessions_end", "End all sessions of a user, or one"),
			func(ctx context.Context, who account.Identity, in *sessionEnd) (endedSessions, error) {
				if one := in.Body.SessionID; one != nil {
					return endedSessions{1}, a.Sessions.EndOneOf(ctx, who, in.ID, *one, in.Body.Reason)
				}
				n, err := a.Sessions.EndAllOf(ctx, who, in.ID, in.Body.Reason)
				return endedSessions{n}, err
			})
		type begunVisit struct {
			Code  uuid.UUID `json:"code" doc:"Opens the visit once, by auth_visit_open"`
			Until time.Time `json:"until" doc:"When the code is no longer good"`
		}
		v2.Handle(r, v2.StaffOp("POST /staff/users/{user_id}/sign-in-as", permission.UserSignInAs).
			Named("staff_user_sign_in_as",
				"Begin a visit: for 30 minutes the member sees the site as a user does, and can change nothing"),
			func(ctx context.Context, who account.Identity, in *userWithReason) (begunVisit, error) {
				code, until, err := a.Visits.Begin(ctx, who, in.ID, in.Body.Reason)
				return begunVisit{code, until}, err
			})
		v2.Handle(r, v2.StaffOp("POST /staff/users/{user_id}/link/reset", permission.UserRecover).
			Named("staff_user_link_reset",
				"Give a user another link and other credentials on all nodes; the member does not see them"),
			func(ctx context.Context, who account.Identity, in *userWithReason) (nothing, error) {
				if err := a.MayActOn(ctx, who, permission.UserRecover, in.ID); err != nil {
					return nothing{}, err
				}
				return nothing{}, l.ResetFor(ctx, in.ID, in.Body.Reason)
			})
		v2.Handle(r, v2.StaffOp("POST /staff/users/{user_id}/two-factor/off", permission.UserTwoFactorOff).
			Named("staff_user_two_factor_off", "Turn the second factor of a user off; all sessions end"),
			func(ctx context.Context, who account.Identity, in *userWithReason) (nothing, error) {
				return nothing{}, a.TwoFactor.TurnOffFor(ctx, who, in.ID, in.Body.Reason)
			})
		type anotherEmail struct {
			ID   int64 `path:"user_id" minimum:"1"`
			Body struct {
				Present string `json:"present_email" maxLength:"254" doc:"The user's present address"`
				Email   string `json:"email" maxLength:"254" doc:"The one that the user is to have"`
				Reason  string `json:"reason" minLength:"1" maxLength:"500" doc:"For the audit log"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/users/{user_id}/email", permission.UserEmailReplace).
			Named("staff_user_email_replace",
				"Give a user another address; both must be right, and all sessions of the user end"),
			func(ctx context.Context, who account.Identity, in *anotherEmail) (addedUser, error) {
				_, err := a.Credentials.ReplaceEmail(ctx, who, in.ID, in.Body.Present, in.Body.Email, in.Body.Reason,
					v2.ClientOf(ctx))
				return addedUser{in.ID, account.NormalEmail(in.Body.Email)}, renamed(err, map[string]string{
					"user_old_email": "present_email", "user_new_email": "email",
				})
			})
		type closing struct {
			ID   int64 `path:"user_id" minimum:"1"`
			Body struct {
				Email   string         `json:"email" maxLength:"254" doc:"The user's address, typed again"`
				Forfeit v2.AmountInput `json:"forfeit" doc:"The money that the user loses, wallet.forfeit of the user"`
				Reason  string         `json:"reason" minLength:"1" maxLength:"500" doc:"For the audit log"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/users/{user_id}/close", permission.UserClose).
			Named("staff_user_close", "Close the account of a user for good"),
			func(ctx context.Context, who account.Identity, in *closing) (nothing, error) {
				return nothing{}, a.CloseFor(ctx, who, in.ID, in.Body.Email, in.Body.Forfeit.Amount, in.Body.Reason)
			})
		type userSession struct {
			ID        string    `json:"id"`
			CreatedAt time.Time `json:"created_at"`
			SeenAt    time.Time `json:"seen_at" doc:"Last sign-in or refresh"`
			IP        string    `json:"ip"`
			Area      string    `json:"area" doc:"Country; ZZ: unknown"`
			Browser   string    `json:"browser"`
			System    string    `json:"system"`
			IsByStaff bool      `json:"is_by_staff" doc:"A visit of a member of staff, which ends by itself"`
		}
		v2.HandleList(r, v2.StaffOp("GET /staff/users/{user_id}/sessions", permission.UserHistoryRead).
			Named("staff_user_sessions", "The running sessions of a user, by their last use"),
			func(ctx context.Context, _ account.Identity, in *userPath) ([]userSession, error) {
				devices, err := a.Sessions.Of(ctx, in.ID)
				out := make([]userSession, len(devices))
				for i, d := range devices {
					at := d.Device
					out[i] = userSession{
						d.ID.String(), d.CreatedAt, d.SeenAt, d.IP, d.Area, at.Browser, at.System, d.ByStaff,
					}
				}
				return out, err
			})
	}
}

// UserGifts adds what staff gives a user of services, and takes.
func UserGifts(s *shop.Shop) v2.Resource {
	return func(r *v2.Router) {
		type gift struct {
			ID   int64 `path:"user_id" minimum:"1"`
			Body struct {
				Kind      string `json:"kind" enum:"start,extend,change,reset" doc:"Says what: see the operation"`
				ServiceID *int64 `json:"service_id,omitempty"`
				PlanID    *int64 `json:"plan_id,omitempty"`
				Months    int    `json:"months,omitempty" minimum:"0" maximum:"120"`
				Days      int    `json:"days,omitempty" minimum:"0" maximum:"3660"`
				Reason    string `json:"reason" minLength:"1" maxLength:"500" doc:"For the audit log"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/users/{user_id}/service-gifts", permission.ServiceGive,
			approval.ServiceGift).WithKey().
			Named("staff_service_give",
				"Give a user time of a plan (start: of plan_id; extend: of what service_id is), another plan until "+
					"service_id would have ended (change), or the traffic of its cycle once more (reset). What was paid for "+
					"a service that is changed cannot be refunded any more. 403 second_member_needed: it waits"),
			func(ctx context.Context, who account.Identity, in *gift) (nothing, error) {
				return nothing{}, s.Give(ctx, shop.Gift{
					UserID: in.ID, Kind: shop.GiftKind(in.Body.Kind), ServiceID: in.Body.ServiceID,
					PlanID: in.Body.PlanID,
					Months: in.Body.Months, Days: in.Body.Days, Reason: in.Body.Reason, MadeBy: &who.UserID,
				})
			})
		type traffic struct {
			ID   int64 `path:"user_id" minimum:"1"`
			Body struct {
				Bytes  int64  `json:"bytes" minimum:"1" maximum:"1125899906842624"`
				Name   string `json:"name" minLength:"1" maxLength:"64" doc:"Of the package, as the user reads it"`
				Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"For the audit log"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/users/{user_id}/traffic-grants", permission.TrafficGrant,
			approval.Traffic).WithKey().
			Named("staff_traffic_give",
				"Give a user traffic that lasts until it is used up; 403 second_member_needed: it waits"),
			func(ctx context.Context, who account.Identity, in *traffic) (nothing, error) {
				return nothing{}, s.GrantTraffic(ctx, in.ID, in.Body.Name, in.Body.Bytes, in.Body.Reason, &who.UserID)
			})
		type which struct {
			ID        int64 `path:"user_id" minimum:"1"`
			ServiceID int64 `path:"service_id" minimum:"1"`
			Body      struct {
				Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"For the audit log"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/users/{user_id}/services/{service_id}/end", permission.ServiceEnd).
			Named("staff_service_end", "End a running service of a user for good; nothing is given back"),
			func(ctx context.Context, _ account.Identity, in *which) (nothing, error) {
				return nothing{}, s.StopService(ctx, in.ID, in.ServiceID, in.Body.Reason)
			})
	}
}
