package dbtest

import (
	"net"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgproto3"
)

// serve connects a client to PostgreSQL, and looks at the locks before the client sees the answer to a statement.
func (l *Locks) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", l.socket)
	if err != nil {
		return
	}
	defer server.Close()
	clients, servers := pgproto3.NewBackend(client, client), pgproto3.NewFrontend(server, server)
	start, err := clients.ReceiveStartupMessage()
	if err != nil {
		return
	}
	if servers.Send(start); servers.Flush() != nil {
		return
	}
	s := &tracedSession{locks: l, prepared: map[string]string{}, constraints: make(chan struct{})}
	defer close(s.constraints)
	go func() {
		defer server.Close()
		for {
			m, err := clients.Receive()
			if err != nil {
				return
			}
			if s.sent(m) {
				servers.Send(&pgproto3.Query{String: "SET CONSTRAINTS ALL IMMEDIATE"})
				if servers.Flush() != nil {
					return
				}
				<-s.constraints
			}
			if servers.Send(m); servers.Flush() != nil {
				return
			}
		}
	}()
	for {
		m, err := servers.Receive()
		if err != nil {
			return
		}
		if s.answered(m) {
			continue
		}
		if clients.Send(m); clients.Flush() != nil {
			return
		}
	}
}

// tracedSession is a session with the locks of its transaction.
type tracedSession struct {
	locks *Locks
	pid   uint32

	mu          sync.Mutex
	prepared    map[string]string // the texts of statements by their names
	statement   string            // that runs
	transaction []rowLock
	own         bool          // whether the statement that runs is not the client's
	constraints chan struct{} // receives when it has run
}

// sent notes what the client sends, and tells whether it is the end of a transaction whose triggers are to run before.
func (s *tracedSession) sent(m pgproto3.FrontendMessage) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m := m.(type) {
	case *pgproto3.Query:
		s.statement = m.String
		s.own = strings.EqualFold(s.statement, "commit")
	case *pgproto3.Parse:
		s.prepared[m.Name] = m.Query
	case *pgproto3.Bind:
		s.statement = s.prepared[m.PreparedStatement]
	}
	return s.own
}

// answered notes what the server answers, and tells whether that is not for the client.
func (s *tracedSession) answered(m pgproto3.BackendMessage) (own bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own = s.own
	switch m := m.(type) {
	case *pgproto3.BackendKeyData:
		s.pid = m.ProcessID
	case *pgproto3.ReadyForQuery:
		switch m.TxStatus {
		case 'T':
			if own || mayLock(strings.ToUpper(s.statement)) {
				s.transaction = s.locks.look(s.pid, s.statement, s.transaction)
			}
		case 'I':
			s.locks.ended(s.transaction)
			s.transaction = nil
		}
		if own {
			s.own = false
			s.constraints <- struct{}{}
		}
	}
	return own
}

func mayLock(text string) bool {
	for _, word := range []string{"INSERT", "UPDATE", "DELETE", "FOR SHARE", "FOR KEY SHARE"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
