// Package trafficlog stores what each user moved on each node in each hour, and the sums by day and month.
//
// Rows of hours that are open lie in chunks of 1,024 users, so that a report of thousands of users writes some dozens
// of blobs. When an hour is over, a job seals it: its rows move into one pack per user and UTC day, in a transaction
// per chunk. Each row is in one place or its bytes are divided among several places whose sum is the row: readers add
// what they find in one snapshot, and whatever writes holds the lock of the revision that its caller bumps.
package trafficlog

import (
	"errors"
	"sync/atomic"
	"time"

	"airstrip/internal/db"
)

// Revision is the name of the revision that whoever writes to the log bumps first in its transaction.
const Revision = "traffic"

// ErrOverflow is returned where a counter would exceed 63 bits.
var ErrOverflow = errors.New("trafficlog: a counter would exceed 63 bits")

// Log is the traffic log in a database.
type Log struct {
	db    *db.DB
	moved atomic.Bool // the rows of earlier versions are gone, which never changes again
}

// New returns the log in d.
func New(d *db.DB) *Log { return &Log{db: d} }

// Record is one row of the log: a user on a node in an hour, at one rate.
type Record struct {
	NodeID       int64
	At           time.Time // when the hour began
	RatePermille int64
	Up           int64
	Down         int64
	Billed       int64
}

// Filter selects rows of a user: the hours from From on and before To, as Unix times / 3600, and a node; 0: all nodes.
type Filter struct{ From, To, NodeID int64 }

// UserDay is what a user moved on a day of the site's calendar, written as 20260131, or in a month, as 202601.
type UserDay struct {
	Day    int64
	UserID int64
	Amount
}

// HourTotal is what a user moved on a node in an hour, at one rate.
type HourTotal struct {
	Hour         int64 // Unix time / 3600
	UserID       int64
	NodeID       int64
	RatePermille int64
	Amount
}

// Slot names what is stored together while its hour is open.
type Slot struct{ Hour, NodeID, RatePermille int64 }

// Addition is what a transaction adds to the log.
type Addition struct {
	Hours map[Slot]map[int64]Amount  // by user
	Days  map[int64]map[int64]Amount // by day of the site's calendar and user
}
