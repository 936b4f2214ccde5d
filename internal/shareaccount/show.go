package shareaccount

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/service"
)

// Offer is a share account as a user sees it in the list, without its secret.
type Offer struct {
	Account
	Until  time.Time  // when the account or the user's right to it ends
	Seen   int64      // version of the secret that the user saw last; 0: none
	SeenAt *time.Time // when they last saw it
}

// Credentials are what opens an account at the third party.
type Credentials struct {
	Login    string
	Password string
	Version  int64
	HasTOTP  bool
}

// Passcode is a TOTP code.
type Passcode struct {
	Code        string
	SecondsLeft int64
	At          time.Time // server time of the code
}

// entitles returns until when the running services give a right to the account; nil where none does.
func (a *Account) entitles(running []service.Service, now time.Time) *time.Time {
	if !a.Enabled || a.RemovedAt != nil || (a.ExpiresAt != nil && !a.ExpiresAt.After(now)) {
		return nil
	}
	var until *time.Time
	for i := range running {
		v := &running[i]
		fits := v.Class >= a.Class && (a.UserGroup == 0 || slices.Contains(v.Groups, a.UserGroup)) &&
			(len(a.PlanIDs) == 0 || slices.Contains(a.PlanIDs, v.PlanID))
		if fits && (until == nil || v.EndsAt.After(*until)) {
			until = &v.EndsAt
		}
	}
	if until != nil && a.ExpiresAt != nil && a.ExpiresAt.Before(*until) {
		return a.ExpiresAt
	}
	return until
}

// ListFor returns the share accounts that the user's running services entitle them to. A banned user has none.
func (s *Accounts) ListFor(ctx context.Context, userID int64) (offers []Offer, err error) {
	running, banned, err := s.services.RunningIn(ctx, s.db, userID)
	if err != nil || banned || len(running) == 0 {
		return nil, err
	}
	var accounts []Account
	if err := s.query(&accounts).Where("?TableAlias.enabled").Scan(ctx); err != nil {
		return nil, err
	}
	seen, err := s.lastSeen(ctx, userID)
	if err != nil {
		return nil, err
	}
	now := s.db.Now()
	for i := range accounts {
		a := accounts[i]
		if until := a.entitles(running, now); until != nil {
			o := Offer{Account: a, Until: *until}
			if v, ok := seen[a.ID]; ok {
				o.Seen, o.SeenAt = v.Version, &v.At
			}
			offers = append(offers, o)
		}
	}
	return offers, nil
}

// lastSeen returns the last version of each account that the user saw, by account.
func (s *Accounts) lastSeen(ctx context.Context, userID int64) (map[int64]View, error) {
	var rows []View
	err := s.db.NewSelect().Model(&rows).Column("share_account_id").ColumnExpr("MAX(version) AS version").
		ColumnExpr("MAX(at) AS at").Where("user_id = ? AND kind = ?", userID, Secret).GroupExpr("share_account_id").
		Scan(ctx)
	seen := map[int64]View{}
	for _, v := range rows {
		seen[v.ShareAccountID] = v
	}
	return seen, err
}

// ShowSecret shows a user the credentials of an account and records that: ErrNoAccount, ErrBanned, ErrFull.
func (s *Accounts) ShowSecret(ctx context.Context, userID, id int64, from account.Client) (c Credentials, err error) {
	err = s.show(ctx, userID, id, Secret, from, func(a *Account) error {
		password, err := s.openSecret(a)
		c = Credentials{a.Login, password, a.Version, a.HasTOTP()}
		return err
	})
	return c, err
}

// ShowCode shows a user the present TOTP code of an account and records that; the seed stays here. ErrNoTOTP, and those
// of ShowSecret.
func (s *Accounts) ShowCode(ctx context.Context, userID, id int64, from account.Client) (p Passcode, err error) {
	err = s.show(ctx, userID, id, Code, from, func(a *Account) error {
		if !a.HasTOTP() {
			return ErrNoTOTP
		}
		g, err := s.openTOTP(a)
		if err != nil {
			return err
		}
		p.At = s.db.Now()
		p.Code, p.SecondsLeft, err = g.at(p.At)
		return err
	})
	return p, err
}

// show calls open with an account that the user is entitled to, and records the view. The row of the account is
// locked: of two users who take its last place at once one gets it, and nobody is recorded with a version that they did
// not see.
func (s *Accounts) show(
	ctx context.Context, userID, id int64, kind Kind, from account.Client, open func(*Account) error,
) error {
	if err := s.shown.Allow(strconv.FormatInt(userID, 10)); err != nil {
		return err
	}
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		a, err := locked(ctx, tx, id, ErrNoAccount)
		if err != nil {
			return err
		}
		running, banned, err := s.services.RunningIn(ctx, tx, userID)
		switch {
		case err != nil:
			return err
		case banned:
			return ErrBanned
		case a.entitles(running, s.db.Now()) == nil:
			return ErrNoAccount
		}
		if err := a.admit(ctx, tx, userID); err != nil {
			return err
		}
		if err := open(a); err != nil {
			return err
		}
		_, err = tx.NewInsert().Model(&View{
			ShareAccountID: a.ID, UserID: userID, Kind: kind, Version: a.Version, At: s.db.Now(), IP: from.IP.String(),
			UserAgent: account.ShortUserAgent(from),
		}).Exec(ctx)
		return err
	})
}

// admit returns ErrFull where as many users as may be saw the present secret or a code, and the user is not one of
// them.
func (a *Account) admit(ctx context.Context, tx bun.Tx, userID int64) error {
	if a.MaxUsers == nil {
		return nil
	}
	var others, own int64
	if err := tx.NewRaw(`SELECT COUNT(DISTINCT CASE WHEN user_id <> ?0 THEN user_id END),
		COUNT(CASE WHEN user_id = ?0 THEN 1 END) FROM share_account_view
		WHERE share_account_id = ?1 AND version = ?2`, userID, a.ID, a.Version).
		Scan(ctx, &others, &own); err != nil {
		return err
	}
	if own == 0 && others >= *a.MaxUsers {
		return ErrFull
	}
	return nil
}
