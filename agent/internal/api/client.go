package api

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// maxMessageBytes bounds a message from the server. A snapshot of 100,000 users is well below it.
const maxMessageBytes = 64 << 20

// Client calls one server with one node's secret.
type Client struct {
	base      string
	secret    string
	userAgent string
	// calls has a timeout for the whole request. streams bounds only the response header; the caller's context ends the
	// stream.
	calls, streams *http.Client
	serverTime     atomic.Pointer[clockReading]
	mu             sync.Mutex
	contact        Contact
}

// Contact is the state of the connection to the server: when it last answered and, while it does not, why and since
// when.
type Contact struct {
	Answered time.Time
	Failing  error
	Since    time.Time
}

// clockReading pairs a time of the server with the local clock at which it arrived.
type clockReading struct{ theirs, ours time.Time }

// New returns a client for the server at base, an http or https address. A path in base is kept, for servers behind a
// proxy.
func New(base, secret, version string) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("server %q is not an http or https address such as https://panel.example", base)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("server has to end after the host, as %s://%s does", u.Scheme, u.Host)
	}
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: 30 * time.Second,
		IdleConnTimeout:       90 * time.Second,
		ForceAttemptHTTP2:     true,
	}
	// A redirect would send the node's secret to an address that the operator did not name.
	refuseRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{
		base:      strings.TrimRight(base, "/") + "/api/agent/v1/",
		secret:    secret,
		userAgent: "airstrip-node/" + version,
		calls:     &http.Client{Transport: transport, Timeout: time.Minute, CheckRedirect: refuseRedirect},
		streams:   &http.Client{Transport: transport, CheckRedirect: refuseRedirect},
	}, nil
}

// Now returns the server's time, as far as an answer has given it. The node's own clock may be wrong or jump.
func (c *Client) Now() time.Time {
	if at := c.serverTime.Load(); at != nil {
		return at.theirs.Add(time.Since(at.ours)) // The monotonic clock carries the server's time forward.
	}
	return time.Now().UTC()
}

// KnowsTime reports whether an answer of the server has given its time.
func (c *Client) KnowsTime() bool { return c.serverTime.Load() != nil }

// MaxLeaseRequests is the maximum number of users in one request for leases.
const MaxLeaseRequests = 2000

// ErrNotModified means that the snapshot still is the one with the given ETag.
var ErrNotModified = errors.New("not modified")

// Snapshot fetches the complete state. etag is that of the last snapshot, or empty. It returns ErrNotModified if
// nothing changed.
func (c *Client) Snapshot(ctx context.Context, etag string) (*Snapshot, string, error) {
	req, err := c.request(ctx, http.MethodGet, "snapshot?leases=1", nil)
	if err != nil {
		return nil, "", err
	}
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	res, err := c.do(c.calls, req)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusNotModified {
		return nil, etag, ErrNotModified
	}
	var s Snapshot
	if err := json.NewDecoder(io.LimitReader(res.Body, maxMessageBytes)).Decode(&s); err != nil {
		return nil, "", fmt.Errorf("reading the snapshot: %w", err)
	}
	return &s, res.Header.Get("ETag"), nil
}

// Changes opens the stream of changes after revision and passes each line to handle, until the stream ends, ctx is done
// or handle fails. With poll the server ends the stream after the changes that exist now.
func (c *Client) Changes(ctx context.Context, revision int64, poll bool, handle func(Change) error) error {
	path := "changes?leases=1&since=" + strconv.FormatInt(revision, 10)
	client := c.streams
	if poll {
		path += "&poll=1"
		client = c.calls
	}
	req, err := c.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	res, err := c.do(client, req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(make([]byte, 0, 64<<10), maxMessageBytes)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var change Change
		if err := json.Unmarshal(lines.Bytes(), &change); err != nil {
			return fmt.Errorf("reading a change: %w", err)
		}
		if err := handle(change); err != nil {
			return err
		}
	}
	return lines.Err()
}

// Report sends one batch, with the same bytes on every attempt. An *Error that is Final must not be retried.
func (c *Client) Report(ctx context.Context, body []byte) (*Receipt, error) {
	sum := sha256.Sum256(body)
	var receipt Receipt
	err := c.post(ctx, "reports", body, &receipt, "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
	if err != nil {
		return nil, err
	}
	if receipt.Result != "counted" && receipt.Result != "already_counted" {
		return nil, fmt.Errorf("the server answered a report with the unknown result %q", receipt.Result)
	}
	return &receipt, nil
}

// Status sends the heartbeat. duplicate reports that another agent uses the same secret.
func (c *Client) Status(ctx context.Context, s Status) (double bool, err error) {
	body, err := json.Marshal(s)
	if err != nil {
		return false, err
	}
	var answer struct {
		Double bool `json:"double"`
	}
	err = c.post(ctx, "status", body, &answer, "")
	return answer.Double, err
}

// Device requests a device slot for an address, or reports addresses that were cut. It may take some seconds, because
// another node may have to cut an older address first.
func (c *Client) Device(ctx context.Context, d Device) (*Admission, error) {
	body, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	var answer Admission
	if err := c.post(ctx, "devices", body, &answer, ""); err != nil {
		return nil, err
	}
	return &answer, nil
}

// Lease requests leases of users' traffic, for at most MaxLeaseRequests users.
func (c *Client) Lease(ctx context.Context, requests []LeaseRequest) (*Leases, error) {
	body, err := json.Marshal(map[string][]LeaseRequest{"users": requests})
	if err != nil {
		return nil, err
	}
	var answer Leases
	if err := c.post(ctx, "leases", body, &answer, ""); err != nil {
		return nil, err
	}
	return &answer, nil
}

func (c *Client) post(ctx context.Context, path string, body []byte, answer any, digest string) error {
	req, err := c.request(ctx, http.MethodPost, path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if digest != "" {
		req.Header.Set("Content-Digest", digest)
	}
	res, err := c.do(c.calls, req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if err := json.NewDecoder(io.LimitReader(res.Body, maxMessageBytes)).Decode(answer); err != nil {
		return fmt.Errorf("reading the answer to %s: %w", path, err)
	}
	return nil
}

func (c *Client) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.secret)
	req.Header.Set("User-Agent", c.userAgent)
	req.Header.Set("Accept-Language", "en") // Messages go into the log, which is in English.
	return req, nil
}

// Contact returns the state of the connection to the server.
func (c *Client) Contact() Contact {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.contact
}

func (c *Client) recordResult(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch now := time.Now(); {
	case err == nil:
		c.contact = Contact{Answered: now}
	case c.contact.Failing == nil:
		c.contact.Failing, c.contact.Since = err, now
	default:
		c.contact.Failing = err
	}
}

// do returns a response only for status 200 and 304. Every other status becomes an *Error.
func (c *Client) do(client *http.Client, req *http.Request) (*http.Response, error) {
	res, err := client.Do(req)
	if err != nil {
		if !errors.Is(req.Context().Err(), context.Canceled) { // A cancelled request says nothing about the server.
			c.recordResult(connectionError(err))
		}
		return nil, connectionError(err)
	}
	if theirs, err := http.ParseTime(res.Header.Get("Date")); err == nil {
		c.serverTime.Store(&clockReading{theirs.UTC(), time.Now()})
	}
	if failure := responseError(res); failure != nil {
		res.Body.Close()
		if failure.concernsConnection() {
			c.recordResult(failure)
		} else {
			c.recordResult(nil)
		}
		return nil, failure
	}
	c.recordResult(nil)
	return res, nil
}
