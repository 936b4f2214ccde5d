package service_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
)

// BenchmarkAllowed reads the list of 100,000 users for nodes: in a new process, and after the change of one
// user. BenchmarkAccess gives the one row that a link follows from.
func BenchmarkAllowed(b *testing.B) {
	eachCrowd(b, func(b *testing.B, d *db.DB, settings *setting.Settings) {
		b.Run("first", func(b *testing.B) {
			for b.Loop() {
				if users, err := service.New(d, seal.Key{1}, settings).Allowed(b.Context(), 0, 0); err != nil ||
					len(users) != crowd {
					b.Fatal(len(users), err)
				}
			}
		})
		services := service.New(d, seal.Key{1}, settings)
		if _, err := services.Allowed(b.Context(), 0, 0); err != nil {
			b.Fatal(err)
		}
		b.Run("one changed", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				if err := d.Tx(b.Context(), func(ctx context.Context, tx bun.Tx) error {
					return services.ResetCredentials(ctx, tx, crowd/2)
				}); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if users, err := services.Allowed(b.Context(), 0, 0); err != nil || len(users) != crowd {
					b.Fatal(len(users), err)
				}
			}
		})
	})
}

func BenchmarkAccess(b *testing.B) {
	eachCrowd(b, func(b *testing.B, d *db.DB, settings *setting.Settings) {
		services := service.New(d, seal.Key{1}, settings)
		for b.Loop() {
			if _, err := services.Access(b.Context(), crowd/2); err != nil {
				b.Fatal(err)
			}
		}
	})
}

const crowd = 100_000

func eachCrowd(b *testing.B, bench func(b *testing.B, d *db.DB, settings *setting.Settings)) {
	for name, open := range map[string]func(testing.TB) *db.DB{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(name, func(b *testing.B) {
			d := open(b)
			settings, err := setting.New(b.Context(), d)
			if err != nil {
				b.Fatal(err)
			}
			credentials := service.NewCredentials(seal.Key{1})
			err = d.LongTx(b.Context(), func(ctx context.Context, tx bun.Tx) error {
				for first := int64(1); first <= crowd; first += 1000 {
					rows := make([]service.Access, 1000)
					for i := range rows {
						a := &rows[i]
						*a = service.Access{
							UserID: first + int64(i), State: service.Active, Allowed: true,
							Groups: []int{}, WasGroups: []int{}, Revision: 1,
						}
						a.Sealed, _ = credentials.Seal(a.UserID, uuid.New(), "password-of-22-letters")
					}
					if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
						return err
					}
				}
				_, err := db.Bump(ctx, tx, service.Revision)
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
			bench(b, d, settings)
		})
	}
}
