package user

import (
	"context"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
)

type securityResult struct {
	GaEnable          bool       `json:"ga_enable" doc:"Whether the second factor is on"`
	EmailNotification bool       `json:"email_notification" doc:"Whether a sign-in from a new place is told by mail"`
	GaEnabledAt       *time.Time `json:"ga_enabled_at"`
	RecoveryCodesLeft int64      `json:"recovery_codes_left"`
	PasswordChangedAt time.Time  `json:"password_changed_at"`
}

type securityBody struct {
	GaEnable          *bool   `json:"ga_enable,omitempty" nullable:"true" doc:"True ends a set-up that was begun, false turns the second factor off, null leaves it"`
	EmailNotification *bool   `json:"email_notification,omitempty" nullable:"true" doc:"Null leaves it"`
	GaToken           *string `json:"ga_token,omitempty" nullable:"true" maxLength:"64" doc:"Code of the app, or to turn off a recovery code; needed with ga_enable"`
	Password          *string `json:"password,omitempty" nullable:"true" maxLength:"1024" doc:"Needed to turn the second factor off"`
}

type securityPostResult struct {
	RecoveryCodes []string `json:"recovery_codes" doc:"After turning the second factor on: ten codes, each good for one use, shown this once"`
}

type recoveryCodesResult struct {
	RecoveryCodes []string `json:"recovery_codes" doc:"Ten codes, each good for one use, shown this once; those from before are void"`
}

type enrolmentResult struct {
	Secret string `json:"secret" doc:"Base32, for typing; shown this once"`
	URI    string `json:"uri" doc:"otpauth:// address, for a QR code"`
}

type passwordBody struct {
	Password string `json:"password" maxLength:"1024"`
}

type passwordAndCodeBody struct {
	Password string `json:"password" maxLength:"1024"`
	GaToken  string `json:"ga_token" maxLength:"64" doc:"Code of the app or a recovery code"`
}

// DeviceResult is what a User-Agent header says of a device, in names.
type DeviceResult struct {
	Browser    string `json:"browser" doc:"With its version, as Firefox 140; empty where unknown"`
	System     string `json:"system" doc:"As Windows or Android 16; empty where unknown"`
	DeviceKind string `json:"device_kind" enum:",computer,phone,tablet"`
}

// PlaceResult is where a call came from.
type PlaceResult struct {
	IPAddress string `json:"ip_address" doc:"Empty: done by the operator"`
	Area      string `json:"area" doc:"Country or region, ISO 3166-1; ZZ where unknown" example:"JP"`
	DeviceResult
}

func placeOf(p account.Origin) PlaceResult {
	return PlaceResult{p.IP, p.Area, DeviceResult{p.Device.Browser, p.Device.System, p.Device.Kind}}
}

type sessionResult struct {
	SessionID    uuid.UUID `json:"session_id"`
	IsCurrent    bool      `json:"is_current" doc:"The session that makes the call"`
	IsByStaff    bool      `json:"is_by_staff" doc:"Support, which sees the site as the user does and can change nothing"`
	IsRemembered bool      `json:"is_remembered" doc:"Lives 30 days after it was last seen, others one hour"`
	CreatedAt    time.Time `json:"created_at"`
	SeenAt       time.Time `json:"seen_at"`
	PlaceResult
}

type sessionPath struct {
	SessionID uuid.UUID `path:"session_id"`
}

// Security adds what protects an account: the second factor, and the sessions.
func Security(a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		twoFactor(r, a)
		sessions(r, a)
	}
}

func twoFactor(r *v2.Router, a *account.Accounts) {
	v2.Handle(r, v2.UserOp("GET /user/account/security").OpenToVisits().
		Named("account_security", "What protects the account"),
		func(ctx context.Context, who account.Identity, _ *v2.Empty) (securityResult, error) {
			s, err := a.Security(ctx, who.UserID)
			return securityResult{
				GaEnable: s.TwoFactorSince != nil, EmailNotification: s.NoticeByMail, GaEnabledAt: s.TwoFactorSince,
				RecoveryCodesLeft: s.RecoveryCodesLeft, PasswordChangedAt: s.PasswordChangedAt,
			}, err
		})
	v2.Handle(r, v2.StepUpWhere(v2.UserOp("POST /user/account/security"), silencesSignIns).
		Named("account_security_set",
			"Turn the second factor on or off, which ends all other sessions and all API tokens, and the notices "+
				"by mail").
		Answering(fault.Text{ZH: "安全设置已更新", EN: "The security settings were changed"}),
		func(ctx context.Context, who account.Identity, in *v2.Body[securityBody]) (securityPostResult, error) {
			return setSecurity(ctx, a, who, in.Body)
		})
	v2.Handle(r, v2.UserOp("POST /user/account/two-factor/begin").
		Named("account_two_factor_begin",
			"Begin the set-up of the second factor; it is on once this session has sent a code of the app to "+
				"account_security_set, within ten minutes"),
		func(ctx context.Context, who account.Identity, in *v2.Body[passwordBody]) (enrolmentResult, error) {
			e, err := a.TwoFactor.Begin(ctx, who, in.Body.Password, v2.ClientOf(ctx))
			return enrolmentResult{e.Secret, e.URI}, err
		})
	v2.Handle(r, v2.UserOp("POST /user/account/two-factor/recovery-codes").
		Named("account_recovery_codes_renew", "Get new recovery codes; ends all other sessions and all API tokens").
		Answering(fault.Text{ZH: "恢复码已更新", EN: "The recovery codes were renewed"}),
		func(ctx context.Context, who account.Identity, in *v2.Body[passwordAndCodeBody]) (recoveryCodesResult, error) {
			codes, err := a.TwoFactor.RenewRecoveryCodes(ctx, who, in.Body.Password, in.Body.GaToken, v2.ClientOf(ctx))
			return recoveryCodesResult{codes}, fieldsCalled(err, "code", "ga_token")
		})
}

// silencesSignIns tells whether the call turns the mails about sign-ins off and shows no password for it: to turn the
// second factor on or off takes one.
func silencesSignIns(in *v2.Body[securityBody]) bool {
	b := in.Body
	return b.GaEnable == nil && b.EmailNotification != nil && !*b.EmailNotification
}

func setSecurity(ctx context.Context, a *account.Accounts, who account.Identity, b securityBody) (securityPostResult,
	error,
) {
	out := securityPostResult{RecoveryCodes: []string{}}
	var notices []account.Step
	if b.EmailNotification != nil {
		notices = append(notices, a.NoticeByMail(who.UserID, *b.EmailNotification))
	}
	switch {
	case b.GaEnable == nil && b.EmailNotification == nil:
		return out, fault.Required("account_security_set", "ga_enable")
	case b.GaEnable == nil:
		return out, a.SetNoticeByMail(ctx, who.UserID, *b.EmailNotification)
	case b.GaToken == nil:
		return out, fault.Required("account_security_set", "ga_token")
	case *b.GaEnable:
		codes, err := a.TwoFactor.Confirm(ctx, who, *b.GaToken, v2.ClientOf(ctx), notices...)
		return securityPostResult{append(out.RecoveryCodes, codes...)}, fieldsCalled(err, "code", "ga_token")
	case b.Password == nil:
		return out, fault.Required("account_security_set", "password")
	}
	err := a.TwoFactor.TurnOff(ctx, who, *b.Password, *b.GaToken, v2.ClientOf(ctx), notices...)
	return out, fieldsCalled(err, "code", "ga_token")
}

func sessions(r *v2.Router, a *account.Accounts) {
	v2.HandleList(r, v2.UserOp("GET /user/account/sessions").OpenToVisits().
		Named("account_sessions", "Visits of support, then where the user is signed in, this session first"),
		func(ctx context.Context, who account.Identity, _ *v2.Empty) ([]sessionResult, error) {
			devices, err := a.Sessions.Devices(ctx, who)
			list := make([]sessionResult, len(devices))
			for i, d := range devices {
				list[i] = sessionResult{
					d.ID, d.Current, d.ByStaff, d.Remember, d.CreatedAt, d.SeenAt, placeOf(d.Origin),
				}
			}
			return list, err
		})
	v2.Handle(r, v2.UserOp("DELETE /user/account/sessions/{session_id}").StepUp().
		Named("account_session_end", "End one session").
		Answering(fault.Text{ZH: "该设备已退出登录", EN: "That device was signed out"}),
		func(ctx context.Context, who account.Identity, in *sessionPath) (v2.Empty, error) {
			return v2.Empty{}, a.Sessions.End(ctx, who, in.SessionID, v2.ClientOf(ctx))
		})
	v2.Handle(r, v2.UserOp("POST /user/account/sessions/end-others").StepUp().
		Named("account_sessions_end_others", "End all sessions but the one of the call").
		Answering(fault.Text{ZH: "其他设备均已退出登录", EN: "All other devices were signed out"}),
		func(ctx context.Context, who account.Identity, _ *v2.Empty) (v2.Empty, error) {
			return v2.Empty{}, a.Sessions.EndOthers(ctx, who, v2.ClientOf(ctx))
		})
}

// fieldsCalled returns the fault err with a field under the name that this operation has for it.
func fieldsCalled(err error, name, here string) error {
	f, ok := fault.As(err)
	if !ok {
		return err
	}
	renamed := *f
	renamed.Fields = append([]fault.Field{}, f.Fields...)
	for i := range renamed.Fields {
		if renamed.Fields[i].Name == name {
			renamed.Fields[i].Name = here
		}
	}
	return &renamed
}
