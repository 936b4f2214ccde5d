package trafficlog

import (
	"context"
	"slices"

	"github.com/uptrace/bun"
)

// PageQuery selects rows of a page, the newest first.
type PageQuery struct {
	Filter
	After         *Record // continue after this row; nil: begin with the newest. Only its key counts
	Limit, Offset int64
}

// Page is what was found.
type Page struct {
	Records []Record
	Count   int64 // rows that the filter selects
	Amount        // their sum
}

// Page returns rows of a user's log. It decodes the days that the page shows, and of the others those alone of which
// something lies outside of the pack or the filter selects a part.
func (l *Log) Page(ctx context.Context, user int64, q PageQuery) (page Page, err error) {
	err = l.db.ReadTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		page = Page{Records: []Record{}}
		out, err := l.outsideOf(ctx, tx, user, q.Filter)
		if err != nil {
			return err
		}
		ids, err := packIDs(ctx, tx, user, q.Filter)
		if err != nil {
			return err
		}
		columns := "n, up, down, billed"
		if q.NodeID != 0 {
			columns += ", data"
		}
		found, err := packs(ctx, tx, columns, ids)
		if err != nil {
			return err
		}
		w := window{query: q, tx: tx, page: &page}
		return w.fill(ctx, days(found, out))
	})
	return page, err
}

// logDay is a UTC day of a user: its pack, if there is one, and the rows outside of it.
type logDay struct {
	day     int64
	pack    *packRow
	outside []slotAmount
}

// days returns the days with rows, the newest first.
func days(found []packRow, out outside) (all []logDay) {
	at := map[int64]*packRow{}
	for i := range found {
		at[found[i].day()] = &found[i]
		if _, both := out[found[i].day()]; !both {
			out[found[i].day()] = nil
		}
	}
	for day, rows := range out {
		all = append(all, logDay{day, at[day], rows})
	}
	slices.SortFunc(all, func(a, b logDay) int { return int(b.day - a.day) })
	return all
}

// window fills a page from days.
type window struct {
	query   PageQuery
	tx      bun.Tx
	page    *Page
	skipped int64 // of Offset
}

func (w *window) fill(ctx context.Context, all []logDay) error {
	for _, d := range all {
		if w.wholePack(d) {
			w.page.Count, w.page.Amount = w.page.Count+d.pack.N, w.page.plus(d.pack.amount())
			if w.skips(d) {
				continue
			}
		}
		rows, err := w.rows(ctx, d)
		if err != nil {
			return err
		}
		if !w.wholePack(d) {
			w.page.Count, w.page.Amount = w.page.Count+int64(len(rows)), w.page.plus(sumOf(rows))
		}
		for _, r := range slices.Backward(rows) {
			switch {
			case w.query.After != nil && !after(d.day, r, *w.query.After):
			case w.skipped < w.query.Offset:
				w.skipped++
			case int64(len(w.page.Records)) < w.query.Limit:
				w.page.Records = append(w.page.Records, recordOf(d.day, r))
			}
		}
	}
	return nil
}

// wholePack tells whether the counts of a day's pack are those of all that the filter selects of the day.
func (w *window) wholePack(d logDay) bool {
	f := w.query.Filter
	return d.pack != nil && len(d.outside) == 0 && f.NodeID == 0 &&
		d.day*dayHours >= f.From && (d.day+1)*dayHours <= f.To
}

// skips tells whether no row of a day is on the page, and counts those that Offset skips.
func (w *window) skips(d logDay) bool {
	q := w.query
	if int64(len(w.page.Records)) >= q.Limit {
		return true
	}
	if q.After != nil && d.day*dayHours > q.After.At.Unix()/3600 {
		return true
	}
	begun := q.After != nil && (d.day+1)*dayHours > q.After.At.Unix()/3600
	if !begun && q.Offset-w.skipped >= d.pack.N {
		w.skipped += d.pack.N
		return true
	}
	return false
}

// rows returns what the filter selects of a day.
func (w *window) rows(ctx context.Context, d logDay) ([]slotAmount, error) {
	if d.pack == nil {
		return d.outside, nil
	}
	if d.pack.Data == nil {
		found, err := packs(ctx, w.tx, "data", []int64{d.pack.ID})
		if err != nil {
			return nil, err
		}
		d.pack.Data = found[0].Data // the pack was found in this snapshot
	}
	rows, err := d.pack.selected(w.query.Filter)
	return mergePack(rows, d.outside), err
}

// after tells whether a row comes after another in a log that begins with the newest row.
func after(day int64, r slotAmount, than Record) bool {
	place := slot{day*dayHours + r.hour, r.node, r.rate}
	return place.compare(slot{than.At.Unix() / 3600, than.NodeID, than.RatePermille}) < 0
}
