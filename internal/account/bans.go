package account

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/mail"
	"airstrip/internal/notify"
	"airstrip/internal/permission"
	"airstrip/internal/service"
)

// Bans starts and ends bans.
type Bans struct {
	db       *db.DB
	notices  *notify.Notices
	services *service.Services
	visits   *Visits
}

// BanTask is a ban: it suspends a user's service for a time. The user can still sign in and read why. Bans may overlap;
// the user has service again when none is running.
type BanTask struct {
	bun.BaseModel `bun:"table:ban_task"`
	ID            int64 `bun:",pk,autoincrement"`
	AccountID     int64
	StartsAt      time.Time  // zero: now
	EndsAt        *time.Time // nil: until somebody ends it
	Reason        string     // shown to the user
	Remark        string     // for staff
	Mail          bool       // whether the user is notified by mail
	MadeBy        *int64     // member of staff; nil: the operator
	CreatedAt     time.Time
	StartedAt     *time.Time // when it took effect
	EndedAt       *time.Time
	EndedBy       *int64 // nil: ended by time, or by the operator
}

// ErrBanStaff is returned to a member of staff who may not ban or unban other members.
var ErrBanStaff = fault.Forbidden("staff_ban_needs_owner", "只有站长可以封禁或解封工作人员",
	"Only an owner can ban members of staff or lift their bans")

// ErrLastOwnerBan is returned to a member of staff who bans the only owner without a running or a future ban. The
// operator may do so.
var ErrLastOwnerBan = fault.Conflict("last_owner_ban", "不能封禁唯一未被封禁的站长",
	"The only owner who is not banned cannot be banned")

const maxBanText = 500 // characters

// Ban adds the ban t. by is the member of staff who adds it, the zero Identity stands for the operator. Invalid input
// names the fields of the API: task_start_at, task_end_at, ban_context, remark.
func (b *Bans) Ban(ctx context.Context, t BanTask, by Identity) (BanTask, error) {
	now := b.db.Now()
	t.CreatedAt, t.Reason, t.Remark, t.MadeBy = now, strings.TrimSpace(t.Reason), strings.TrimSpace(t.Remark),
		by.staffID()
	if t.StartsAt.IsZero() || t.StartsAt.Before(now) {
		t.StartsAt = now
	}
	t.StartsAt = t.StartsAt.UTC().Truncate(time.Millisecond)
	if t.EndsAt != nil {
		t.EndsAt = new(t.EndsAt.UTC().Truncate(time.Millisecond))
	}
	if err := invalid(checkBanEnd(t), checkBanText("ban_context", t.Reason),
		checkBanText("remark", t.Remark)); err != nil {
		return t, err
	}
	err := b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := find(ctx, tx, "id = ?", t.AccountID)
		if err == nil {
			err = r.open()
		}
		if err != nil {
			return err
		}
		if err := by.mayBan(ctx, tx, r); err != nil {
			return err
		}
		if by.UserID != 0 {
			left, err := hasOtherOwner(ctx, tx, r)
			if err == nil && !left {
				err = ErrLastOwnerBan
			}
			if err != nil {
				return err
			}
		}
		if _, err := tx.NewInsert().Model(&t).Exec(ctx); err != nil {
			return err
		}
		after := map[string]any{
			"task": t.ID, "starts_at": t.StartsAt, "ends_at": t.EndsAt, "remark": t.Remark,
			"mail": t.Mail,
		}
		if err := audit.Record(ctx, tx, "user.ban", audit.ID("user", r.ID), nil, after, t.Reason); err != nil {
			return err
		}
		return b.applyTo(ctx, tx, r.ID)
	})
	return t, err
}

func checkBanEnd(t BanTask) *fault.Field {
	if t.EndsAt != nil && !t.EndsAt.After(t.StartsAt) {
		return field("task_end_at", "range", "结束时间必须晚于开始时间和现在", "The end must be after the start and after now")
	}
	return nil
}

func checkBanText(name, text string) *fault.Field {
	if utf8.RuneCountInString(text) > maxBanText || !utf8.ValidString(text) {
		return field(name, "too_long", "不能超过 500 个字符", "This must not be longer than 500 characters")
	}
	return nil
}

// Unban ends all bans of the user, future ones too, and returns their number.
func (b *Bans) Unban(ctx context.Context, userID int64, by Identity) (ended int64, err error) {
	err = b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r, err := find(ctx, tx, "id = ?", userID)
		if err != nil {
			return err
		}
		if err := by.mayBan(ctx, tx, r); err != nil {
			return err
		}
		ended, err = db.Changed(tx.NewUpdate().Model((*BanTask)(nil)).Set("ended_at = ?", b.db.Now()).
			Set("ended_by = ?", by.staffID()).
			Where("account_id = ? AND ended_at IS NULL", userID).Exec(ctx))
		if err != nil {
			return err
		}
		if err := audit.Record(ctx, tx, "user.unban", audit.ID("user", userID), nil, map[string]any{"ended": ended},
			""); err != nil {
			return err
		}
		return b.applyTo(ctx, tx, userID)
	})
	return ended, err
}

// Running returns the running ban of the user that ends last; nil where there is none.
func (b *Bans) Running(ctx context.Context, userID int64) (*BanTask, error) {
	var tasks []BanTask
	err := running(b.db.NewSelect().Model(&tasks)).Where("account_id = ?", userID).
		OrderExpr("CASE WHEN ends_at IS NULL THEN 0 ELSE 1 END, ends_at DESC, id DESC").Limit(1).Scan(ctx)
	if err != nil || len(tasks) == 0 {
		return nil, err
	}
	return &tasks[0], nil
}

const maxShownBans = 100

// Of returns the newest bans of the user, ended and future ones too, newest first.
func (b *Bans) Of(ctx context.Context, userID int64) (tasks []BanTask, err error) {
	err = b.db.NewSelect().Model(&tasks).Where("account_id = ?", userID).OrderExpr("id DESC").Limit(maxShownBans).
		Scan(ctx)
	return tasks, err
}

func running(q *bun.SelectQuery) *bun.SelectQuery {
	return q.Where("started_at IS NOT NULL AND ended_at IS NULL")
}

const banBatch = 200 // users in one transaction

// ApplyDue starts and ends the bans whose time has come.
func (b *Bans) ApplyDue(ctx context.Context) error {
	for {
		var due []int64
		now := b.db.Now()
		if err := b.db.NewRaw(`SELECT account_id FROM ban_task WHERE started_at IS NULL AND ended_at IS NULL
			AND starts_at <= ?0
			UNION SELECT account_id FROM ban_task WHERE ended_at IS NULL AND ends_at <= ?0 ORDER BY 1
			LIMIT ?1`, now, banBatch).Scan(ctx, &due); err != nil {
			return err
		}
		if len(due) == 0 {
			return nil
		}
		if err := b.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			for _, userID := range slices.Sorted(slices.Values(due)) {
				if err := b.applyTo(ctx, tx, userID); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
}

// applyTo starts and ends the due bans of one user, and updates the account and its access.
func (b *Bans) applyTo(ctx context.Context, tx bun.Tx, userID int64) error {
	// Writing the account's row first serializes decisions about a user, so that each one sees what the others have
	// committed.
	if _, err := tx.NewRaw(`UPDATE account SET banned_at = banned_at WHERE id = ?`, userID).Exec(ctx); err != nil {
		return err
	}
	now := b.db.Now()
	r, err := find(ctx, tx, "id = ?", userID)
	if err != nil {
		return err
	}
	var starting []BanTask
	if err := tx.NewSelect().Model(&starting).
		Where("account_id = ? AND started_at IS NULL AND ended_at IS NULL AND starts_at <= ?", userID, now).
		Scan(ctx); err != nil {
		return err
	}
	for i := range starting {
		starting[i].StartedAt = &now
		if _, err := tx.NewUpdate().Model(&starting[i]).Column("started_at").WherePK().Exec(ctx); err != nil {
			return err
		}
		if t := starting[i]; t.Mail && (t.EndsAt == nil || t.EndsAt.After(now)) {
			if err := b.notices.Notify(ctx, tx, r.recipient(),
				mail.Banned{Reason: t.Reason, Until: t.EndsAt}); err != nil {
				return err
			}
		}
	}
	if _, err := tx.NewUpdate().Model((*BanTask)(nil)).Set("ended_at = ?", now).
		Where("account_id = ? AND ended_at IS NULL AND ends_at <= ?", userID, now).Exec(ctx); err != nil {
		return err
	}
	banned, err := running(tx.NewSelect().Model((*BanTask)(nil))).Where("account_id = ?", userID).Exists(ctx)
	if err != nil || r.Banned() == banned {
		return err
	}
	r.BannedAt = nil
	if banned {
		r.BannedAt = &now
		if err := b.notices.EndPush(ctx, tx, userID); err != nil {
			return err
		}
	}
	if _, err := tx.NewUpdate().Model(&r).Column("banned_at").WherePK().Exec(ctx); err != nil {
		return err
	}
	if err := b.visits.endLostOf(ctx, tx, userID); err != nil {
		return err
	}
	return b.services.SetBanned(ctx, tx, userID, banned)
}

// mayBan returns ErrBanStaff where the member of staff may not ban the user. The operator may.
func (i Identity) mayBan(ctx context.Context, tx bun.Tx, user row) error {
	if i.UserID == 0 {
		return nil
	}
	may, err := i.mayActOn(ctx, tx, permission.UserBan, user)
	if err == nil && !may {
		err = ErrBanStaff
	}
	return err
}
