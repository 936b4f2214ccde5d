package api_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"airstrip/internal/api"
)

// pipe is a listener with one connection, whose two ends share the test's clock.
type pipe struct{ ends chan net.Conn }

func (p pipe) Accept() (net.Conn, error) {
	if conn, ok := <-p.ends; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (p pipe) Close() error   { close(p.ends); return nil }
func (p pipe) Addr() net.Addr { return &net.TCPAddr{} }

const long = 1 << 20 // bytes of an answer

// serveSlowly runs test with a connection to a server whose /long answers long bytes, and with the error of writing
// them.
func serveSlowly(t *testing.T, test func(client net.Conn, sent <-chan error)) {
	synctest.Test(t, func(t *testing.T) {
		sent := make(chan error, 1)
		mux := http.NewServeMux()
		mux.HandleFunc("GET /long", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png") // is not compressed
			_, err := w.Write(make([]byte, long))
			sent <- err
		})
		mux.HandleFunc("GET /short", func(w http.ResponseWriter,
			_ *http.Request,
		) {
			w.WriteHeader(http.StatusNoContent)
		})
		client, end := net.Pipe()
		listener := pipe{make(chan net.Conn, 1)}
		listener.ends <- end
		server := &http.Server{Handler: api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler()}
		go server.Serve(listener)
		test(client, sent)
		client.Close()
		server.Close()
	})
}

// Who asks and does not read the answer must not keep the connection and what it takes for ever.
func TestAnAnswerThatNobodyReadsIsGivenUp(t *testing.T) {
	serveSlowly(t, func(client net.Conn, sent <-chan error) {
		io.WriteString(client, "GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
		select {
		case err := <-sent:
			if err == nil {
				t.Error("it was written though nobody read it")
			}
		case <-time.After(time.Hour):
			t.Error("after an hour it is still being written")
		}
	})
}

func TestAnAnswerThatIsReadSlowlyArrives(t *testing.T) {
	serveSlowly(t, func(client net.Conn, sent <-chan error) {
		answers := bufio.NewReader(client)
		for range 2 { // on the same connection
			io.WriteString(client, "GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
			answer, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, begun := 0, time.Now()
			for part := make([]byte, 8<<10); err == nil; {
				time.Sleep(3 * time.Second)
				var n int
				n, err = answer.Body.Read(part)
				got += n
			}
			if err != io.EOF || got != long || <-sent != nil {
				t.Errorf("got %d bytes, %v", got, err)
			}
			if time.Since(begun) < 2*time.Minute {
				t.Error("that was not slow")
			}
			time.Sleep(time.Minute) // longer than an answer may make no progress
			io.WriteString(client, "GET /short HTTP/1.1\r\nHost: x\r\n\r\n")
			if answer, err := http.ReadResponse(answers, nil); err != nil || answer.StatusCode != http.StatusNoContent {
				t.Fatal(answer, err)
			}
			time.Sleep(time.Minute)
		}
	})
}
