package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// socketFile is the socket at which a running agent reports its status.
const socketFile = "status.sock"

// socketPath returns a path that is short enough for a socket address wherever the folder is.
func socketPath(folder *os.File) string {
	return fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), socketFile)
}

// serveStatus lets Summarize query the agent's status until stop is called.
func (a *agent) serveStatus(folder *os.File) (stop func()) {
	_ = os.Remove(socketPath(folder)) // Left behind by an agent that was killed.
	listener, err := net.Listen("unix", socketPath(folder))
	if err != nil {
		a.log.Warn("status will know no more than what lies in the data folder", "err", err)
		return func() {}
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil { // For example too many open files.
				time.Sleep(100 * time.Millisecond)
				continue
			}
			go func() {
				defer conn.Close()
				_ = conn.SetDeadline(time.Now().Add(statusTimeout))
				_ = json.NewEncoder(conn).Encode(a.summary()) // A client that disconnected needs no answer.
			}()
		}
	}()
	return func() { listener.Close() }
}

// statusTimeout bounds a query of a running agent's status.
const statusTimeout = 5 * time.Second

// requestStatus queries the status of a running agent.
func requestStatus(folder *os.File, s *Summary) error {
	conn, err := net.DialTimeout("unix", socketPath(folder), statusTimeout)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(statusTimeout))
	return json.NewDecoder(conn).Decode(s)
}
