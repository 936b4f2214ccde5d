package staff

import (
	"context"
	"slices"
	"strconv"

	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
)

// exportedUser is a row of the ranking in a file.
type exportedUser struct {
	UserID      int64  `parquet:"user_id"`
	Email       string `parquet:"email"`
	UpBytes     int64  `parquet:"up_bytes"`
	DownBytes   int64  `parquet:"down_bytes"`
	BilledBytes int64  `parquet:"billed_bytes"`
}

// export gives the whole ranking for a file, and records that somebody took it.
func (st statistics) export(ctx context.Context, in *StatisticsQuery, format string) (v2.Records[exportedUser], error) {
	from, to, err := in.bounds(st.traffic.Now())
	if err != nil {
		return nil, err
	}
	users, total, err := st.traffic.Ranking(ctx, from, to, 1<<31, 0)
	if err != nil {
		return nil, err
	}
	err = audit.Note(ctx, "statistics.export", audit.Object{Kind: "statistics", ID: "users"},
		map[string]any{"from": from, "to": to, "users": total, "format": format}, "")
	if err != nil {
		return nil, err
	}
	return func(write func(part []exportedUser) error) error {
		for some := range slices.Chunk(users, holdingsAtOnce) {
			ids := make([]int64, len(some))
			for i, u := range some {
				ids[i] = u.UserID
			}
			emails, err := st.accounts.Emails(ctx, ids)
			if err != nil {
				return err
			}
			part := make([]exportedUser, len(some))
			for i, u := range some {
				part[i] = exportedUser{u.UserID, emails[u.UserID], u.Up, u.Down, u.Billed}
			}
			if err := write(part); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// csvOf gives the rows of users, with a first one that names the columns.
func csvOf(users v2.Records[exportedUser]) v2.Rows {
	return func(row func(...string) error) error {
		if err := row("user_id", "email", "up_bytes", "down_bytes", "billed_bytes"); err != nil {
			return err
		}
		number := func(n int64) string { return strconv.FormatInt(n, 10) }
		return users(func(part []exportedUser) error {
			for _, u := range part {
				err := row(number(u.UserID), u.Email, number(u.UpBytes), number(u.DownBytes), number(u.BilledBytes))
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
}
