package main

import (
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// sample is the result of one load.
type sample struct {
	perSecond float64
	p50, p99  time.Duration
	failed    int
	bytes     int64
}

var client = &http.Client{
	Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true},
	Timeout:   2 * time.Minute,
}

// load sends what next returns over conns connections until next returns nil or the time is over. An answer whose
// status is not want counts as failed.
func load(conns int, most time.Duration, want int, next func() *http.Request) sample {
	var mu sync.Mutex
	var took []time.Duration
	var s sample
	var wg sync.WaitGroup
	start := time.Now()
	for range conns {
		wg.Go(func() {
			for time.Since(start) < most {
				mu.Lock()
				req := next()
				mu.Unlock()
				if req == nil {
					return
				}
				t := time.Now()
				status, n := send(req)
				d := time.Since(t)
				mu.Lock()
				took = append(took, d)
				s.bytes += n
				if status != want {
					s.failed++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	s.perSecond = float64(len(took)) / time.Since(start).Seconds()
	slices.Sort(took)
	if len(took) > 0 {
		s.p50, s.p99 = took[len(took)/2], took[len(took)*99/100]
	}
	return s
}

func send(req *http.Request) (status int, n int64) {
	res, err := client.Do(req)
	if err != nil {
		return 0, 0
	}
	defer res.Body.Close()
	n, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode, n
}

// get returns a next for load that repeats one request.
func get(url string, header ...string) func() *http.Request {
	return func() *http.Request {
		req, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			panic(err) // the addresses are ours
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		return req
	}
}
