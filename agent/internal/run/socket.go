package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// socketFile is where a running agent tells how it stands.
const socketFile = "status.sock"

// socketPath a folder, by a path that is short enough for a socket's address wherever the folder is.
func socketPath(folder *os.File) string {
	return fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), socketFile)
}

// serveStatus lets Summarize ask how the agent stands, until stop.
func (a *agent) serveStatus(folder *os.File) (stop func()) {
	_ = os.Remove(socketPath(folder)) // that of one who was killed
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
			if err != nil { // such as too many open files
				time.Sleep(100 * time.Millisecond)
				continue
			}
			go func() {
				defer conn.Close()
				_ = conn.SetDeadline(time.Now().Add(statusTimeout))
				_ = json.NewEncoder(conn).Encode(a.summary()) // whoever went away needs no answer
			}()
		}
	}()
	return func() { listener.Close() }
}

// statusTimeout is how long a running agent has to tell how it stands.
const statusTimeout = 5 * time.Second

// requestStatus has the running agent say how it stands.
func requestStatus(folder *os.File, s *Summary) error {
	conn, err := net.DialTimeout("unix", socketPath(folder), statusTimeout)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(statusTimeout))
	return json.NewDecoder(conn).Decode(s)
}
