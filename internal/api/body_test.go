package api_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"airstrip/internal/api"
)

// slowWork is longer than every deadline of a connection.
const slowWork = time.Hour

// newBodyServer serves routes that treat the bodies of their requests differently, on one connection in the test's
// time.
func newBodyServer(t *testing.T, protocols *http.Protocols) (client net.Conn) {
	mux := http.NewServeMux()
	work := func(r *http.Request) (status int) {
		select {
		case <-r.Context().Done():
			return http.StatusInternalServerError
		case <-time.After(slowWork):
			return http.StatusNoContent
		}
	}
	mux.HandleFunc("POST /work", func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			api.NewFailure(r.Context(), api.Unreadable(err)).Write(w)
			return
		}
		http.NewResponseController(w).SetReadDeadline(time.Now().Add(5 * time.Second)) // as huma does
		w.WriteHeader(work(r))
	})
	mux.HandleFunc("POST /unread", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(work(r)) })
	mux.HandleFunc("POST /stream", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "begun")
		http.NewResponseController(w).Flush()
		fmt.Fprintln(w, "ended", work(r))
	})
	client, end := net.Pipe()
	listener := pipe{make(chan net.Conn, 1)}
	listener.ends <- end
	server := &http.Server{
		Handler:   api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler(),
		Protocols: protocols,
	}
	go server.Serve(listener)
	t.Cleanup(func() {
		client.Close()
		server.Close()
	})
	return client
}

func TestRequestBody_DeadlineEndsWithTheBody(t *testing.T) {
	for _, path := range []string{"/work", "/unread", "/stream"} {
		t.Run(path[1:], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := newBodyServer(t, nil)
				answers := bufio.NewReader(client)
				for range 2 { // on the same connection
					go fmt.Fprintf(client, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", path)
					answer, err := http.ReadResponse(answers, nil)
					if err != nil {
						t.Fatal(err)
					}
					body, err := io.ReadAll(answer.Body)
					if answer.StatusCode >= 300 || err != nil || path == "/stream" &&
						string(body) != "begun\nended 204\n" {
						t.Errorf("%d %q, %v", answer.StatusCode, body, err)
					}
				}
			})
		})
	}
}

func TestRequestBody_ThatArrivesTooSlowlyIsRefused(t *testing.T) {
	for path, status := range map[string]int{"/work": http.StatusRequestTimeout, "/unread": http.StatusNoContent} {
		t.Run(path[1:], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := newBodyServer(t, nil)
				var sending sync.WaitGroup
				sending.Go(func() {
					fmt.Fprintf(client, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\n", path)
					for _, err := io.WriteString(client, "x"); err == nil; _, err = io.WriteString(client, "x") {
						time.Sleep(10 * time.Second)
					}
				})
				answers := bufio.NewReader(client)
				answer, err := http.ReadResponse(answers, nil)
				if err != nil || answer.StatusCode != status || !answer.Close {
					t.Errorf("%+v, %v; want %d and the end of the connection", answer, err, status)
				}
				io.Copy(io.Discard, answers)
				sending.Wait()
			})
		})
	}
}

func TestRequestBody_ThatArrivesSlowlyEnoughIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newBodyServer(t, nil)
		go func() {
			fmt.Fprintf(client, "POST /work HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", 16*64<<10)
			for range 16 {
				time.Sleep(25 * time.Second)
				io.WriteString(client, strings.Repeat("x", 64<<10))
			}
		}()
		if answer, err := http.ReadResponse(bufio.NewReader(client), nil); err != nil ||
			answer.StatusCode != http.StatusNoContent {
			t.Errorf("%+v, %v", answer, err)
		}
	})
}

// Behind a proxy that speaks HTTP/2 to the server all calls share one connection.
func TestRequestBody_OnHTTP2_FailsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h2c := new(http.Protocols)
		h2c.SetUnencryptedHTTP2(true)
		conn := newBodyServer(t, h2c)
		transport := &http.Transport{Protocols: h2c, DialContext: func(context.Context, string, string) (net.Conn,
			error,
		) {
			return conn, nil
		}}
		defer transport.CloseIdleConnections()
		post := func(path string, body io.Reader) int {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://x"+path, body)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := transport.RoundTrip(req)
			if err != nil {
				t.Error(path, err)
				return 0
			}
			answer.Body.Close()
			return answer.StatusCode
		}
		stalled, end := io.Pipe()
		defer end.Close()
		if status := post("/work", strings.NewReader("{}")); status != http.StatusNoContent { // the one that dials
			t.Errorf("a call alone: %d", status)
		}
		slow := make(chan int, 1)
		go func() { slow <- post("/work", stalled) }()
		for range 2 {
			if status := post("/work", strings.NewReader("{}")); status != http.StatusNoContent {
				t.Errorf("a call with all of its body: %d", status)
			}
		}
		if status := <-slow; status != http.StatusRequestTimeout {
			t.Errorf("a call whose body stalls: %d", status)
		}
	})
}
