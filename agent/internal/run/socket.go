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

// socketOf a folder, by a path that is short enough for a socket's address wherever the folder is.
func socketOf(folder *os.File) string {
	return fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), socketFile)
}

// tell lets Summarize ask how the agent stands, until stop.
func (a *agent) tell(folder *os.File) (stop func()) {
	_ = os.Remove(socketOf(folder)) // that of one who was killed
	door, err := net.Listen("unix", socketOf(folder))
	if err != nil {
		a.log.Warn("status will know no more than what lies in the data folder", "err", err)
		return func() {}
	}
	go func() {
		for {
			conn, err := door.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil { // such as too many open files
				time.Sleep(100 * time.Millisecond)
				continue
			}
			go func() {
				defer conn.Close()
				_ = conn.SetDeadline(time.Now().Add(answerTime))
				_ = json.NewEncoder(conn).Encode(a.summary()) // whoever went away needs no answer
			}()
		}
	}()
	return func() { door.Close() }
}

// answerTime is how long a running agent has to tell how it stands.
const answerTime = 5 * time.Second

// ask has the running agent say how it stands.
func ask(folder *os.File, s *Summary) error {
	conn, err := net.DialTimeout("unix", socketOf(folder), answerTime)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(answerTime))
	return json.NewDecoder(conn).Decode(s)
}
