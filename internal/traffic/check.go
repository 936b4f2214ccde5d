package traffic

import (
	"context"
	"log/slog"
	"math"
	"math/bits"
	"time"
)

// counted is a valid row with its cost.
type counted struct {
	Row
	billedUp, billedDown int64
}

func (c counted) billed() int64 { return c.billedUp + c.billedDown }

// check separates valid rows from refused ones and drops the hits of users who are not the node's. The users of a held
// report are checked when it is counted.
func (t *Traffic) check(ctx context.Context, r *Report, rate int64, kept bool) (good []counted, refused []Refusal,
	err error,
) {
	if len(r.Rows) > MaxRows {
		return nil, nil, ErrTooMany
	}
	if r.To.Before(r.From) || r.From.Year() < 2000 || r.To.Year() > 2199 {
		return nil, nil, ErrWindow
	}
	if now := t.db.Now(); now.Sub(r.To) > maxAge {
		slog.ErrorContext(ctx, "a report is older than its key would be kept and was not counted", "node", r.Node.ID,
			"id", r.ID, "to", r.To, "rows", len(r.Rows))
		return nil, nil, ErrTooOld
	}
	var admitted map[int64]bool
	if !kept {
		if admitted, err = t.admitted(ctx, r, min(r.To.UnixMilli(), t.db.Now().UnixMilli())); err != nil {
			return nil, nil, err
		}
	}
	seen := make(map[int64]bool, len(r.Rows))
	good = make([]counted, 0, len(r.Rows))
	for _, row := range r.Rows {
		c, fits := bill(row, rate)
		code := ""
		switch {
		case row.Up < 0 || row.Down < 0:
			code = "negative"
		case !fits || linkTime(r.Node, uint64(row.Up)+uint64(row.Down)) > reserve:
			code = "absurd"
		case !kept && !admitted[row.UserID]:
			code = "not_on_list"
		case seen[row.UserID]:
			code = "duplicate_user"
		}
		if code != "" {
			refused = append(refused, Refusal{row.UserID, code})
			continue
		}
		seen[row.UserID] = true
		if row.Up > 0 || row.Down > 0 {
			good = append(good, c)
		}
	}
	if r.Hits, err = t.nodes.Rules.OwnHits(ctx, r.Node, r.Hits); err != nil {
		return nil, nil, err
	}
	if len(refused) > 0 {
		slog.WarnContext(ctx, "rows of a traffic report were refused", "node", r.Node.ID, "rows", len(r.Rows),
			"refused", len(refused), "first", refused[0])
	}
	return good, refused, nil
}

// admitted reports for each user of the report whether bytes moved at that time, in Unix milliseconds, count.
func (t *Traffic) admitted(ctx context.Context, r *Report, at int64) (map[int64]bool, error) {
	ids := make([]int64, len(r.Rows))
	for i, row := range r.Rows {
		ids[i] = row.UserID
	}
	return t.nodes.Admission.AdmittedAt(ctx, r.Node, ids, time.UnixMilli(at).UTC())
}

// bill returns what the row costs: (up + down) × rate, rounded down, and the upload's part of it: up × rate, rounded
// down. ok is false if it does not fit 63 bits.
func bill(row Row, ratePermille int64) (c counted, ok bool) {
	if row.Down < 0 || row.Up > math.MaxInt64-row.Down {
		return counted{}, false
	}
	up, upFits := times(row.Up, ratePermille)
	all, allFits := times(row.Up+row.Down, ratePermille)
	return counted{row, up, all - up}, upFits && allFits
}

// times returns n × ratePermille / 1000, rounded down; ok is false if n is negative or the result does not fit 63 bits.
func times(n, ratePermille int64) (product int64, ok bool) {
	if n < 0 {
		return 0, false
	}
	hi, lo := bits.Mul64(uint64(n), uint64(ratePermille))
	if hi >= 1000 {
		return 0, false
	}
	q, _ := bits.Div64(hi, lo, 1000)
	return int64(q), q <= math.MaxInt64
}
