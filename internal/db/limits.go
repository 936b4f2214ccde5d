package db

import (
	"strconv"
	"time"

	"github.com/uptrace/bun"
)

// The limits below keep callers from waiting without end for a process that is frozen or cut off from the network.
// PostgreSQL frees the locks of such a process after lockWait + idleInTx at most, 10 s: a statement that was already
// sent waits lockWait for its lock and may then hold it for idleInTx, unless the process reports before.
const (
	lockWait  = 2 * time.Second
	idleInTx  = 8 * time.Second
	statement = 5 * time.Second
	// unacknowledged is how long sent bytes may stay unacknowledged before TCP gives a connection up.
	unacknowledged = 8 * time.Second

	connectWait = 5 * time.Second
	// silence is how long PostgreSQL may leave a request unanswered. It is longer than any statement may take.
	silence = 8 * time.Second
	// attempt is how long one run of a transaction may take, from its BEGIN to the answer to its COMMIT.
	attempt = 10 * time.Second

	// longStatement and longAttempt are the limits of work on whole tables.
	longStatement = 10 * time.Minute
	longAttempt   = 30 * time.Minute
)

// txWait is the time that Tx waits for a write slot and repeats a transaction, in total. Tests shorten it.
var txWait = 30 * time.Second

// parameters returns the limits as parameters of a session of PostgreSQL.
func parameters(statement time.Duration) map[string]string {
	ms := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	return map[string]string{
		"statement_timeout": ms(statement), "lock_timeout": ms(lockWait),
		"idle_in_transaction_session_timeout": ms(idleInTx),
		"tcp_user_timeout":                    ms(unacknowledged), "tcp_keepalives_idle": "4",
		"tcp_keepalives_interval": "2",
		"tcp_keepalives_count":    "2",
	}
}

// setLocal returns the statement that sets the limits for one transaction. It is for sessions behind a pooler, which
// refuses or ignores the parameters at the start and keeps nothing between transactions.
func setLocal(statement time.Duration) string {
	var text string
	p := parameters(statement)
	for _, name := range []string{"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"} {
		text += "SET LOCAL " + name + " = " + p[name] + ";"
	}
	return text
}

// unlimited returns the pool with which whole tables are read: on SQLite the usual one, on PostgreSQL one without a
// bound of each wait.
func (d *DB) unlimited() *bun.DB {
	if d.sqlite {
		return d.DB
	}
	return d.long
}
