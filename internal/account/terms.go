package account

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// Acceptance is which version of the terms and the privacy notice a user accepted at sign-up. Accounts that staff made,
// and those from before the site had terms, have none. It outlives the closing of the account, as the ledger does: it
// proves under which terms everything in the ledger was sold, and names nobody once the account's data are erased.
type Acceptance struct {
	bun.BaseModel `bun:"table:terms_acceptance"`
	AccountID     int64  `bun:",pk"`
	Version       string // see Site.LegalVersion
	AcceptedAt    time.Time
}

// checkAccepted returns what is wrong with the version that a person accepts on a site that has the present one; empty:
// the site has nothing to accept.
func checkAccepted(accepted, present string) *fault.Field {
	switch {
	case accepted == present || present == "":
		return nil
	case accepted == "":
		return field("accepted_terms", "required", "请阅读并同意服务条款和隐私政策",
			"Please read and accept the terms and the privacy notice")
	}
	return field("accepted_terms", "outdated", "条款刚刚有更新，请重新阅读并同意",
		"The terms have just changed; please read and accept them again")
}

// acceptTerms records as part of tx what the user of a new account accepted; without a version that is nothing.
func acceptTerms(ctx context.Context, tx bun.Tx, accountID int64, version string, at time.Time) error {
	if version == "" {
		return nil
	}
	_, err := tx.NewInsert().Model(&Acceptance{AccountID: accountID, Version: version, AcceptedAt: at}).Exec(ctx)
	return err
}

// Acceptance returns what the user of an account accepted; nil: nothing.
func (a *Accounts) Acceptance(ctx context.Context, accountID int64) (*Acceptance, error) {
	var one Acceptance
	err := a.db.NewSelect().Model(&one).Where("account_id = ?", accountID).Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil
	}
	return &one, err
}
