package account

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/detached"
	"airstrip/internal/fault"
	"airstrip/internal/limit"
	"airstrip/internal/permission"
	"airstrip/internal/role"
	"airstrip/internal/token"
)

// Visits let members of staff see the site as a user does. A visit is no session of the user: it has no refresh token,
// ends by itself after visitLife, and stands in no list or count of the user's own sign-ins. It lasts only while the
// session runs in which the member began it and the member's role allows visits; once it may not go on it is over for
// good, whatever its member may do later. Operations refuse it unless they say that they are open to visits.
type Visits struct {
	db       *db.DB
	tokens   *token.Tokens
	roles    *staffRoles
	history  *History
	log      *audit.Log     // nil: the end of a visit leaves no entry
	openings *limit.Limiter // by network
}

const (
	visitCodeLife = time.Minute
	visitLife     = 30 * time.Minute

	// visitEndTime bounds the writing of the end of a visit, which goes on when the refused caller hangs up.
	visitEndTime = 5 * time.Second
)

// Faults of visits. ErrVisit refuses what a visit may not do.
var (
	ErrVisit = fault.Forbidden("staff_visit", "你正在以该用户的身份查看，只能浏览：不能修改任何内容，也不显示订阅链接和密钥",
		"You are signed in as this user to look only: nothing can be changed here, and no link or secret is shown")
	ErrVisitCode = fault.Unauthorized("staff_visit_code_invalid", "此登录链接无效、已使用或已过期，请在后台重新打开",
		"This link is not valid, was used or is too old; please begin again in the console")
	ErrVisitStaff = fault.Forbidden("staff_visit_of_staff", "不能以工作人员的身份登录",
		"Nobody can sign in as a member of staff")
)

type visit struct {
	bun.BaseModel   `bun:"table:staff_visit"`
	ID              uuid.UUID `bun:",pk"`
	AccountID       int64
	MemberID        *int64     // nil: the operator
	MemberSessionID *uuid.UUID // nil with MemberID
	CodeHash        []byte
	CreatedAt       time.Time
	OpenedAt        *time.Time
	ExpiresAt       time.Time
	EndedAt         *time.Time
}

// visitSources are the tables on which it depends whether a visit v goes on: the user u, the member m and the session s
// of the member. visitRuns is the condition for that, but for the member's role, which code decides.
const (
	visitSources = `staff_visit v JOIN account u ON u.id = v.account_id LEFT JOIN account m ON m.id = v.member_id
		LEFT JOIN session s ON s.id = v.member_session_id`
	visitRuns = `v.ended_at IS NULL AND v.expires_at > ? AND u.closed_at IS NULL
		AND u.role = '' AND (v.member_id IS NULL OR (s.ended_at IS NULL AND s.expires_at > ?))`
)

func newVisits(c Config, roles *staffRoles, history *History) *Visits {
	return &Visits{
		db: c.DB, tokens: c.Tokens, roles: roles, history: history, log: c.Audit, openings: limit.Per(time.Hour, 100),
	}
}

// Begin lets the member by, or the operator, visit a user for the reason. It returns the code that opens the visit,
// once, until the time returned. Members of staff are visited by nobody: ErrVisitStaff.
func (v *Visits) Begin(ctx context.Context, by Identity, userID int64, reason string) (
	code uuid.UUID, until time.Time, err error,
) {
	now := v.db.Now()
	code, until = uuid.New(), now.Add(visitCodeLife)
	row := visit{
		ID: newID(), AccountID: userID, MemberID: by.staffID(), CodeHash: tokenHash(code), CreatedAt: now,
		ExpiresAt: until,
	}
	if by.UserID != 0 {
		row.MemberSessionID = &by.SessionID
	}
	err = v.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := actedOn(ctx, tx, by, permission.UserSignInAs, userID)
		if err == nil && r.Role != "" {
			err = ErrVisitStaff
		}
		if err != nil {
			return err
		}
		if _, err := tx.NewInsert().Model(&row).Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "user.sign_in_as", audit.ID("user", userID), nil,
			map[string]any{"visit": row.ID, "minutes": int(visitLife.Minutes())}, reason)
	})
	return code, until, err
}

// Open exchanges a code of Begin, once, for the access token of the visit. The user finds the visit in the history of
// the account. ErrVisitCode: the code is good no longer.
func (v *Visits) Open(ctx context.Context, code string, from Client) (access string, err error) {
	id, err := uuid.Parse(code)
	if err != nil {
		return "", ErrVisitCode
	}
	if err := v.openings.Allow(networkOf(from.IP)); err != nil {
		return "", err
	}
	err = v.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		now := v.db.Now()
		var row visit
		_, err := tx.NewUpdate().Model((*visit)(nil)).Set("opened_at = ?", now).Set("expires_at = ?", now.Add(visitLife)).
			Where("code_hash = ? AND opened_at IS NULL AND ended_at IS NULL AND expires_at > ?", tokenHash(id), now).
			Returning("*").Exec(ctx, &row)
		if errors.Is(err, db.ErrNoRows) || (err == nil && row.ID == uuid.Nil) {
			return ErrVisitCode
		}
		if err != nil {
			return err
		}
		r, err := find(ctx, tx, "id = ?", row.AccountID)
		if err != nil {
			return err
		}
		if _, _, err := v.running(ctx, tx, row.ID, row.AccountID); err != nil {
			return ErrVisitCode.Because(err)
		}
		if err := v.history.noteBy(ctx, tx, r.ID, StaffSignedIn, Client{}, row.MemberID); err != nil {
			return err
		}
		access, err = v.tokens.Sign(token.NewVisit(row.ID, now, row.ExpiresAt,
			token.SubjectAccess{UserID: r.ID, UserNewID: r.UUID, UserName: r.Name, Email: r.Email}))
		return err
	})
	return access, err
}

// identify returns the user as whom the visit of an access token acts, ErrSignedOut once it is over, or ErrStaffNetwork
// where a member calls from elsewhere than staff may.
func (v *Visits) identify(ctx context.Context, claims token.Claims) (Identity, error) {
	who, member, err := v.running(ctx, v.db, claims.ID, claims.SubjectAccess.UserID)
	if errors.Is(err, ErrSignedOut) {
		v.endRefused(ctx, claims.ID)
	}
	who.IssuedAt, who.address = claims.IssuedAt.UTC(), addressIn(ctx)
	if err == nil && !v.mayCallFrom(who.address, member) {
		err = ErrStaffNetwork
	}
	if end := claims.ExpiresAt.UTC(); who.ExpiresAt.IsZero() || end.Before(who.ExpiresAt) {
		who.ExpiresAt = end
	}
	return who, err
}

// mayCallFrom tells whether a visit may go on from the address: member is who visits, nil the operator.
func (v *Visits) mayCallFrom(address netip.Addr, member *int64) bool {
	return member == nil || v.roles.settings.Get().StaffMayCallFrom(address)
}

// running returns as whom a visit acts and the member who visits, nil for the operator, or ErrSignedOut.
func (v *Visits) running(ctx context.Context, idb bun.IDB, id uuid.UUID, userID int64) (
	who Identity, member *int64, err error,
) {
	who = Identity{UserID: userID, SessionID: id, visiting: true}
	var by struct {
		UUID              uuid.UUID
		Banned            bool
		MemberID          *int64
		Role              Role
		MemberBanned      bool
		CreatedAt, SeenAt bun.NullTime
	}
	now := v.db.Now()
	err = idb.NewRaw(`SELECT u.uuid, u.banned_at IS NOT NULL AS banned, v.member_id, COALESCE(m.role, '') AS role,
		m.banned_at IS NOT NULL AS member_banned, s.created_at, s.seen_at
		FROM `+visitSources+` WHERE v.id = ? AND u.id = ? AND `+visitRuns, id, userID, now, now).Scan(ctx, &by)
	if err != nil {
		return Identity{}, nil, db.OrMissing(err, ErrSignedOut)
	}
	who.UUID, who.banned = by.UUID, by.Banned
	if by.MemberID == nil {
		return who, nil, nil
	}
	end, over := v.roles.sessionEnd(by.Role, by.CreatedAt.Time, by.SeenAt.Time)
	if over {
		return Identity{}, nil, ErrSignedOut
	}
	who.ExpiresAt = end
	has, _, err := v.roles.inEffect(ctx, idb, *by.MemberID, by.Role, by.MemberBanned)
	if err != nil {
		return Identity{}, nil, err
	}
	may, err := role.Of(ctx, idb, has)
	if err == nil && !may.Has(permission.UserSignInAs) {
		err = ErrSignedOut
	}
	return who, by.MemberID, err
}

// visitEnd says what ended a visit, for the audit log.
type visitEnd string

const (
	endedByMember      visitEnd = "member"
	endedByUser        visitEnd = "user"
	endedByStaff       visitEnd = "staff"
	endedByCredentials visitEnd = "credentials" // the user has others
	endedByTime        visitEnd = "time"
	endedByRights      visitEnd = "rights" // with the member's session or role, or as the user joined the staff or left
)

// end ends those of the named visits that are open, and returns their number. Where no other member acts in ctx, the
// entry of the audit log names the one who visited.
func (v *Visits) end(ctx context.Context, tx bun.Tx, by visitEnd, where string, args ...any) (ended int, err error) {
	var rows []visit
	if _, err := tx.NewUpdate().Model((*visit)(nil)).Set("ended_at = ?", v.db.Now()).Where(where, args...).
		Where("ended_at IS NULL").Returning("*").Exec(ctx, &rows); err != nil {
		return 0, err
	}
	for _, row := range rows {
		if row.OpenedAt == nil {
			continue
		}
		ended++
		acting := ctx
		if !audit.Acting(ctx) && v.log != nil {
			actor, err := row.actor(ctx, tx)
			if err != nil {
				return 0, err
			}
			acting = v.log.As(ctx, actor)
		}
		if err := audit.Record(acting, tx, "user.sign_in_as.end", audit.ID("user", row.AccountID),
			map[string]any{"runs": true}, map[string]any{"runs": false, "ended_by": by}, ""); err != nil {
			return 0, err
		}
	}
	return ended, nil
}

// actor returns who visits, as the audit log names them.
func (r *visit) actor(ctx context.Context, tx bun.Tx) (audit.Actor, error) {
	if r.MemberID == nil {
		return audit.Actor{Kind: audit.Operator}, nil
	}
	m, err := userByID(ctx, tx, *r.MemberID)
	return audit.Actor{Kind: audit.Member, UserID: m.ID, Role: m.Role}, err
}

// EndLost ends, as part of tx, all visits that may not go on as tx sees roles, bans and sessions. What takes rights
// away calls it, so that the visits stay over where the rights come back.
func (v *Visits) EndLost(ctx context.Context, tx bun.Tx) error { return v.endLost(ctx, tx, "TRUE") }

// endLostOf is EndLost for the visits of a member and those to a user.
func (v *Visits) endLostOf(ctx context.Context, tx bun.Tx, userID int64) error {
	return v.endLost(ctx, tx, "member_id = ?0 OR account_id = ?0", userID)
}

func (v *Visits) endLost(ctx context.Context, tx bun.Tx, where string, args ...any) error {
	var open []visit
	if err := tx.NewSelect().Model(&open).Where("ended_at IS NULL").Where(where, args...).OrderExpr("id").
		Scan(ctx); err != nil {
		return err
	}
	for _, row := range open {
		_, _, err := v.running(ctx, tx, row.ID, row.AccountID)
		if errors.Is(err, ErrSignedOut) {
			_, err = v.end(ctx, tx, row.lost(v.db.Now()), "id = ?", row.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// endRefused ends a visit that a call was refused for. Where that cannot be written the next refusal, or EndDue, does.
func (v *Visits) endRefused(ctx context.Context, id uuid.UUID) {
	ctx, cancel := detached.WithTimeout(ctx, visitEndTime)
	defer cancel()
	var open []visit
	err := v.db.NewSelect().Model(&open).Where("id = ? AND ended_at IS NULL", id).Scan(ctx)
	if err == nil && len(open) > 0 {
		err = v.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			_, err := v.end(ctx, tx, open[0].lost(v.db.Now()), "id = ?", id)
			return err
		})
	}
	if err != nil {
		slog.WarnContext(ctx, "could not write that a visit is over", "visit", id, "error", err)
	}
}

// lost says what ended a visit that may not go on.
func (r *visit) lost(now time.Time) visitEnd {
	if !r.ExpiresAt.After(now) {
		return endedByTime
	}
	return endedByRights
}

// visitBatch is how many visits one transaction ends.
const visitBatch = 100

// EndDue ends the visits that are over: by time, with the session of the member, or since the member lost the right in
// a way that does not call EndLost. They are refused before that; this records it.
func (v *Visits) EndDue(ctx context.Context) error {
	var open []visit
	if err := v.db.NewSelect().Model(&open).Where("ended_at IS NULL").OrderExpr("created_at, id").Limit(visitBatch).
		Scan(ctx); err != nil {
		return err
	}
	now := v.db.Now()
	for _, row := range open {
		_, _, err := v.running(ctx, v.db, row.ID, row.AccountID)
		if err == nil {
			continue
		}
		if !errors.Is(err, ErrSignedOut) {
			return err
		}
		if err := v.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			_, err := v.end(ctx, tx, row.lost(now), "id = ?", row.ID)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// of returns the visits of a user that are open now, as the user sees them among their devices.
func (v *Visits) of(ctx context.Context, who Identity) (devices []SignedInDevice, err error) {
	var rows []visit
	if err := v.db.NewSelect().Model(&rows).
		Where("account_id = ? AND ended_at IS NULL AND opened_at IS NOT NULL", who.UserID).OrderExpr("opened_at DESC, id DESC").
		Scan(ctx); err != nil {
		return nil, err
	}
	for _, row := range rows {
		if _, _, err := v.running(ctx, v.db, row.ID, row.AccountID); errors.Is(err, ErrSignedOut) {
			continue
		} else if err != nil {
			return nil, err
		}
		devices = append(devices, SignedInDevice{
			ID: row.ID, Current: row.ID == who.SessionID, ByStaff: true, CreatedAt: *row.OpenedAt,
			SeenAt: *row.OpenedAt, Origin: v.history.origin("", ""),
		})
	}
	return devices, nil
}
