package link_test

import (
	"context"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/link"
	"airstrip/internal/listing"
	"airstrip/internal/seal"
)

func TestFetchList_ByAddressAndArea_InAnySpelling(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewInsert().Model(&[]link.Fetch{
				{UserID: 1, FetchedAt: d.Now(), IP: "2001:db8::1", Area: "DE"},
				{UserID: 1, FetchedAt: d.Now(), IP: "192.0.2.1", Area: "FR"},
			}).Exec(ctx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		lists := listing.New(d, seal.Key{1}, func() *time.Location { return time.UTC })
		for typed, want := range map[string][]int64{
			"ip=2001:DB8:0::1": {1}, "ip=2001:db8::1": {1}, "ip=::ffff:192.0.2.1": {2}, "ip=192.0.2": nil, "area=de": {1},
		} {
			values, err := url.ParseQuery(typed)
			if err != nil {
				t.Fatal(err)
			}
			q, err := lists.Parse(t.Context(), link.FetchList(), values)
			if err != nil {
				t.Fatal(err)
			}
			page, err := lists.Page(t.Context(), q)
			if err != nil || !slices.Equal(page.IDs, want) {
				t.Errorf("%q found %v (%v), want %v", typed, page.IDs, err, want)
			}
		}
	})
}
