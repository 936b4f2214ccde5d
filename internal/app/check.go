package app

import (
	"context"

	"airstrip/internal/db"
)

// Check asks every part for what is not as it must be.
func (a *App) Check(ctx context.Context) ([]db.Violation, error) {
	var all []db.Violation
	for _, part := range []interface {
		Check(context.Context) ([]db.Violation, error)
	}{a.Wallets, a.Shop, a.CDKeys, a.Invites} {
		broken, err := part.Check(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, broken...)
	}
	return all, nil
}
