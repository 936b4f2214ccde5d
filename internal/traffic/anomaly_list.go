package traffic

import (
	"context"
	"time"
)

// AnomalyFilter selects anomalies: of one kind, on the last days, that many times the usual or more.
type AnomalyFilter struct {
	Of            AnomalyOf
	Days, Least   int64
	Limit, Offset int64
}

// Anomalies returns what watchDays found, the newest day first and of each the most bytes first, and how many there
// are. The days of those that an earlier version found have no bytes.
func (t *Traffic) Anomalies(ctx context.Context, f AnomalyFilter) (found []Anomaly, total int64, err error) {
	oldest := dayOf(t.db.Now().In(t.settings.Get().Zone()).AddDate(0, 0, int(1-f.Days)))
	const where = ` FROM traffic_anomaly WHERE kind = ? AND day >= ? AND (usual = 0 OR bytes / usual >= ?)`
	if err := t.db.NewRaw(`SELECT count(*)`+where, f.Of, oldest, f.Least).Scan(ctx, &total); err != nil {
		return nil, 0, err
	}
	var rows []struct{ ObjectID, Day, Bytes, Usual int64 }
	if err := t.db.NewRaw(`SELECT object_id, day, bytes, usual`+where+` ORDER BY day DESC, bytes DESC, object_id
		LIMIT ? OFFSET ?`, f.Of, oldest, f.Least, f.Limit, f.Offset).Scan(ctx, &rows); err != nil {
		return nil, 0, err
	}
	for _, r := range rows {
		found = append(found, Anomaly{f.Of, r.ObjectID, t.startOf(r.Day).Add(12 * time.Hour), r.Bytes, r.Usual})
	}
	return found, total, nil
}
