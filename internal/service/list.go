package service

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/listing"
)

// ServiceList declares the list of all services. Who has users searches it by them.
func ServiceList() *listing.Resource {
	return &listing.Resource{
		Name: "services", Table: "service", ID: "id", Default: "-started",
		Filters: []listing.Filter{
			{Key: "plan", Kind: listing.Reference, Of: "plans", Column: "plan_id", Doc: "Plan of the service"},
			{Key: "user", Kind: listing.Reference, Of: "users", Column: "user_id", Doc: "Whose service"},
			{Key: "ends", Kind: listing.Date, Column: "ends_at", Doc: "Until when it was given"},
			{Key: "ended", Kind: listing.Date, Column: "ended_at", None: true, Doc: "When it ended; none: it runs"},
			{Key: "started", Kind: listing.Date, Column: "started_at", Doc: "When it began"},
		},
		Sorts: []listing.Sort{
			{Key: "started", Column: "started_at", Kind: listing.Time},
			{Key: "ends", Column: "ends_at", Kind: listing.Time},
		},
		Indexes: []listing.Index{
			{Name: "service_started", Columns: []string{"started_at", "id", "ends_at"}},
			{Name: "service_ends", Columns: []string{"ends_at", "id", "started_at"}},
			{Name: "service_end", Columns: []string{"ends_at", "id"}, Null: "ended_at"},
		},
	}
}

// ByID returns the services with these numbers, whosever they are, in any order.
func (s *Services) ByID(ctx context.Context, ids []int64) (services []Service, err error) {
	err = withCycle(s.db.NewSelect().Model(&services)).Where("service.id IN (?)", bun.List(ids)).Scan(ctx)
	return services, err
}
