package shareaccount

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/text"
)

// query selects the accounts that are not removed, with how many users saw the present secret of each.
func (s *Accounts) query(into *[]Account) *bun.SelectQuery {
	return s.db.NewSelect().Model(into).ColumnExpr("?TableAlias.*").
		ColumnExpr(`(SELECT COUNT(DISTINCT v.user_id) FROM share_account_view v
			WHERE v.share_account_id = ?TableAlias.id AND v.version = ?TableAlias.version AND v.kind = ?) AS users`,
			Secret).
		Where("?TableAlias.removed_at IS NULL").OrderExpr("?TableAlias.sort, ?TableAlias.id")
}

// List returns all share accounts in staff's order.
func (s *Accounts) List(ctx context.Context) (accounts []Account, err error) {
	err = s.query(&accounts).Scan(ctx)
	return accounts, err
}

// Get returns the share account with this id, or ErrNoAccountForStaff.
func (s *Accounts) Get(ctx context.Context, id int64) (Account, error) {
	var accounts []Account
	err := s.query(&accounts).Where("?TableAlias.id = ?", id).Scan(ctx)
	if err == nil && len(accounts) == 0 {
		err = ErrNoAccountForStaff
	}
	if err != nil {
		return Account{}, err
	}
	return accounts[0], nil
}

// A NewSecret is what staff gives to open an account.
type NewSecret struct {
	Password string
	TOTP     *string // base32 or an otpauth address; empty: the account has none; nil: as before
}

func (n NewSecret) check() (g *generator, err error) {
	if n.Password == "" || utf8.RuneCountInString(n.Password) > 500 {
		return nil, fault.Invalid("password", "length", "密码需为 1 至 500 个字符", "The password must have 1 to 500 characters")
	}
	if n.TOTP == nil || *n.TOTP == "" {
		return nil, nil
	}
	parsed, err := parseGenerator(*n.TOTP)
	return &parsed, err
}

// Add adds an account.
func (s *Accounts) Add(ctx context.Context, d Draft, secret NewSecret) (Account, error) {
	d = d.normal()
	if err := d.check(); err != nil {
		return Account{}, err
	}
	totp, err := secret.check()
	if err != nil {
		return Account{}, err
	}
	now := s.db.Now()
	// The secret is sealed for the row's number, which the database gives.
	a := Account{Draft: d, Secret: []byte{}, Version: 1, RotatedAt: now, CreatedAt: now, UpdatedAt: now}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		a.ID = 0
		if _, err := tx.NewInsert().Model(&a).Exec(ctx); err != nil {
			return err
		}
		a.Secret = s.secrets.Seal(a.ID, []byte(secret.Password))
		if totp != nil {
			a.TOTP = s.totp.Seal(a.ID, totp.text())
		}
		if _, err := tx.NewUpdate().Model(&a).Column("secret", "totp").WherePK().Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "shareaccount.add", audit.ID("share_account", a.ID), nil, a.audited(), "")
	})
	return a, err
}

// Change replaces what staff says of an account beside its secret.
func (s *Accounts) Change(ctx context.Context, id int64, d Draft) (Account, error) {
	d = d.normal()
	if err := d.check(); err != nil {
		return Account{}, err
	}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		a, err := locked(ctx, tx, id, ErrNoAccountForStaff)
		if err != nil {
			return err
		}
		before := a.audited()
		a.Draft, a.UpdatedAt = d, s.db.Now()
		if _, err := tx.NewUpdate().Model(a).ExcludeColumn("id", "created_at").WherePK().Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "shareaccount.change", audit.ID("share_account", id), before, a.audited(), "")
	})
	if err != nil {
		return Account{}, err
	}
	return s.Get(ctx, id)
}

// Rotate gives an account another secret, after the password was changed at the third party.
func (s *Accounts) Rotate(ctx context.Context, id int64, secret NewSecret) (Account, error) {
	totp, err := secret.check()
	if err != nil {
		return Account{}, err
	}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		a, err := locked(ctx, tx, id, ErrNoAccountForStaff)
		if err != nil {
			return err
		}
		before := a.audited()
		a.Secret, a.Version, a.RotatedAt = s.secrets.Seal(id, []byte(secret.Password)), a.Version+1, s.db.Now()
		a.UpdatedAt = a.RotatedAt
		if totp != nil {
			a.TOTP = s.totp.Seal(id, totp.text())
		} else if secret.TOTP != nil {
			a.TOTP = nil
		}
		if _, err := tx.NewUpdate().Model(a).Column("secret", "totp", "version", "rotated_at", "updated_at").WherePK().
			Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "shareaccount.rotate", audit.ID("share_account", id), before, a.audited(), "")
	})
	if err != nil {
		return Account{}, err
	}
	return s.Get(ctx, id)
}

// Remove removes an account and its secret. The log of who saw it is kept for its time.
func (s *Accounts) Remove(ctx context.Context, id int64) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		a, err := locked(ctx, tx, id, ErrNoAccountForStaff)
		if err != nil {
			return err
		}
		before, now := a.audited(), s.db.Now()
		a.Secret, a.TOTP, a.Enabled, a.RemovedAt, a.UpdatedAt = nil, nil, false, &now, now
		if _, err := tx.NewUpdate().Model(a).Column("secret", "totp", "enabled", "removed_at", "updated_at").WherePK().
			Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "shareaccount.remove", audit.ID("share_account", id), before, nil, "")
	})
}

// audited is what the audit log keeps of an account: nothing of its secret but the version.
func (a *Account) audited() any {
	return struct {
		Draft
		Version int64
		HasTOTP bool
	}{a.Draft, a.Version, a.HasTOTP()}
}

// ViewFilter says which views are looked for; what is zero does not matter.
type ViewFilter struct {
	UserID        int64
	Kind          Kind
	Limit, Offset int64
}

// known returns ErrNoAccountForStaff where no account has this id. A removed one still has its log.
func (s *Accounts) known(ctx context.Context, id int64) error {
	exists, err := s.db.NewSelect().Model((*Account)(nil)).Where("id = ?", id).Exists(ctx)
	if err == nil && !exists {
		err = ErrNoAccountForStaff
	}
	return err
}

// Views returns a part of the views of an account, newest first, and how many there are.
func (s *Accounts) Views(ctx context.Context, id int64, f ViewFilter) (views []View, total int64, err error) {
	if err := s.known(ctx, id); err != nil {
		return nil, 0, err
	}
	q := s.db.NewSelect().Model(&views).Where("share_account_id = ?", id).OrderExpr("id DESC").
		Limit(f.Limit).Offset(f.Offset)
	if f.UserID != 0 {
		q.Where("user_id = ?", f.UserID)
	}
	if f.Kind != "" {
		q.Where("kind = ?", f.Kind)
	}
	total, err = q.ScanAndCount(ctx)
	return views, total, err
}

// A Viewer is a user who saw some version of a secret.
type Viewer struct {
	UserID      int64
	Version     int64 // the last that they saw
	Count       int64
	FirstAt     time.Time
	LastAt      time.Time
	SawPrevious bool // whether they saw the version before the present one
}

// Viewers returns a part of the users who saw the secret of an account in any version, those who saw it last first, and
// how many there are. With onlyPrevious it returns those who saw the version before the present one.
func (s *Accounts) Viewers(
	ctx context.Context, id int64, onlyPrevious bool, limit, offset int64,
) (viewers []Viewer, total int64, err error) {
	if err := s.known(ctx, id); err != nil {
		return nil, 0, err
	}
	q := s.db.NewSelect().TableExpr("share_account_view AS v").Join("JOIN share_account AS a ON a.id = v.share_account_id").
		ColumnExpr("v.user_id").ColumnExpr("MAX(v.version) AS version").ColumnExpr("COUNT(*) AS count").
		ColumnExpr("MIN(v.at) AS first_at").ColumnExpr("MAX(v.at) AS last_at").
		ColumnExpr("MAX(CASE WHEN v.version = a.version - 1 THEN 1 ELSE 0 END) = 1 AS saw_previous").
		Where("v.share_account_id = ? AND v.kind = ?", id, Secret).GroupExpr("v.user_id")
	if onlyPrevious {
		q.Having("MAX(CASE WHEN v.version = a.version - 1 THEN 1 ELSE 0 END) = 1")
	}
	if total, err = s.count(ctx, q); err != nil {
		return nil, 0, err
	}
	err = q.OrderExpr("MAX(v.at) DESC, v.user_id").Limit(limit).Offset(offset).Scan(ctx, &viewers)
	return viewers, total, err
}

func (s *Accounts) count(ctx context.Context, groups *bun.SelectQuery) (total int64, err error) {
	err = s.db.NewSelect().TableExpr("(?) AS viewer", groups).ColumnExpr("COUNT(*)").Scan(ctx, &total)
	return total, err
}

func (d Draft) normal() Draft {
	d.Name, d.URL, d.Note = strings.TrimSpace(d.Name), strings.TrimSpace(d.URL), strings.TrimSpace(d.Note)
	d.Names, d.Notes = d.Names.OrEmpty(), d.Notes.OrEmpty()
	d.PlanIDs = slices.Compact(slices.Sorted(slices.Values(append([]int64{}, d.PlanIDs...))))
	return d
}

func (d Draft) check() error {
	var p fault.Problems
	name := func(field, value string) {
		p.When(utf8.RuneCountInString(value) > 80 || !text.IsVisible(value), field, "length",
			"名称需为 1 至 80 个字符", "The name must have 1 to 80 characters")
	}
	note := func(field, value string) {
		p.When(utf8.RuneCountInString(value) > 2000, field, "length", "说明最多 2000 字", "The note has at most 2000 characters")
	}
	name("name", d.Name)
	p.When(strings.TrimSpace(d.Name) == "", "name", "required", "请填写名称", "Please enter a name")
	note("note", d.Note)
	for lang, value := range d.Names {
		name(fault.FieldOf("name", lang), value)
	}
	for lang, value := range d.Notes {
		note(fault.FieldOf("note", lang), value)
	}
	at, ok := text.WebAddress(d.URL)
	p.When(d.URL != "" && (!ok || at.User != nil || len(d.URL) > 500), "url", "url", "请填写以 https:// 开头的地址",
		"Please give an address that begins with https://")
	p.When(utf8.RuneCountInString(d.Login) > 200, "login", "length", "登录名最多 200 字", "The login has at most 200 characters")
	p.When(d.Class < 0, "class", "range", "等级不能为负", "The class must not be negative")
	p.When(d.UserGroup < 0, "group", "range", "分组不能为负", "The group must not be negative")
	p.When(len(d.PlanIDs) > 100 || slices.ContainsFunc(d.PlanIDs, func(id int64) bool { return id < 1 }), "plan_ids",
		"range", "请填写有效的套餐编号", "These must be the ids of plans")
	p.When(d.MaxUsers != nil && *d.MaxUsers < 1, "max_users", "range", "使用人数至少为 1", "There must be one user at least")
	return p.Err()
}
