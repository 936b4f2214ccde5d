package traffic

import "airstrip/internal/trafficlog"

// History gives tests the log that t writes.
func (t *Traffic) History() *trafficlog.Log { return t.history }
