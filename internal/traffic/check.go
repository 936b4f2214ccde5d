package traffic

import (
	"context"
	"log/slog"
	"math"
	"math/bits"
)

// counted is a row that is good, with what it costs.
type counted struct {
	Row
	billed int64
}

// check sorts the rows into good ones and refused ones, and leaves out the hits of users who are not the node's.
func (t *Traffic) check(ctx context.Context, r *Report, rate int64) (good []counted, refused []Refusal, err error) {
	if len(r.Rows) > MaxRows {
		return nil, nil, ErrTooMany
	}
	now := t.db.Now()
	if r.To.IsZero() {
		r.From, r.To = now, now
	}
	switch {
	case r.To.Before(r.From):
		return nil, nil, ErrWindow
	case now.Sub(r.To) > maxAge:
		slog.ErrorContext(ctx, "a report is older than its key would be kept and was not counted", "node", r.Node.ID, "id", r.ID, "to", r.To, "rows", len(r.Rows))
		return nil, nil, ErrTooOld
	}
	may, err := t.allowance(ctx, r.Node, now)
	if err != nil {
		return nil, nil, err
	}
	ids := make([]int64, len(r.Rows))
	for i, row := range r.Rows {
		ids[i] = row.UserID
	}
	admitted, err := t.nodes.Admitted(ctx, r.Node, ids)
	if err != nil {
		return nil, nil, err
	}
	seen := make(map[int64]bool, len(r.Rows))
	good = make([]counted, 0, len(r.Rows))
	for _, row := range r.Rows {
		billed, fits := bill(row, rate)
		code := ""
		switch {
		case row.Up < 0 || row.Down < 0:
			code = "negative"
		case seconds(r.Node, row) > may.most || !fits:
			code = "absurd"
		case !admitted[row.UserID]:
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
			good = append(good, counted{row, billed})
		}
	}
	if r.Hits, err = t.nodes.OwnHits(ctx, r.Node, r.Hits); err != nil {
		return nil, nil, err
	}
	if len(refused) > 0 {
		slog.WarnContext(ctx, "rows of a traffic report were refused", "node", r.Node.ID, "rows", len(r.Rows), "refused", len(refused), "first", refused[0])
	}
	return good, refused, nil
}

// bill gives (up + down) × rate, rounded down; ok is false where that has no place in 63 bits.
func bill(row Row, ratePermille int64) (billed int64, ok bool) {
	if row.Up < 0 || row.Down < 0 || row.Up > math.MaxInt64-row.Down {
		return 0, false
	}
	hi, lo := bits.Mul64(uint64(row.Up+row.Down), uint64(ratePermille))
	if hi >= 1000 {
		return 0, false
	}
	q, _ := bits.Div64(hi, lo, 1000)
	return int64(q), q <= math.MaxInt64
}
