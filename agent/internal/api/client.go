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

// A snapshot of 100,000 users stays well below this.
const maxMessageBytes = 64 << 20

// Client calls one server with one node's secret.
type Client struct {
	base      string
	secret    string
	userAgent string
	// calls bounds a whole request; streams only its beginning, its life is the caller's context.
	calls, streams *http.Client
	serverTime     atomic.Pointer[clockReading]
	mu             sync.Mutex
	contact        Contact
}

// Contact is how it went with the server: when it last answered as it should and, while it does not, why and since when.
type Contact struct {
	Answered time.Time
	Failing  error
	Since    time.Time
}

// clockReading is a time of the server's with the reading of our clock at which it came.
type clockReading struct{ theirs, ours time.Time }

// New makes a client for the server at base, an http or https address. A path in it is that at which a proxy has the server.
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
	// A redirect would carry the node's secret to somewhere the operator never named.
	refuseRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{
		base:      strings.TrimRight(base, "/") + "/api/agent/v1/",
		secret:    secret,
		userAgent: "airstrip-node/" + version,
		calls:     &http.Client{Transport: transport, Timeout: time.Minute, CheckRedirect: refuseRedirect},
		streams:   &http.Client{Transport: transport, CheckRedirect: refuseRedirect},
	}, nil
}

// Now is the time by the server's clock, as far as an answer has told it: the node's own may be wrong, or jump.
func (c *Client) Now() time.Time {
	if at := c.serverTime.Load(); at != nil {
		return at.theirs.Add(time.Since(at.ours)) // by the monotonic clock
	}
	return time.Now().UTC()
}

// KnowsTime says whether the server has told the time.
func (c *Client) KnowsTime() bool { return c.serverTime.Load() != nil }

// MaxLeaseRequests is the most users of whom leases are asked for in one request.
const MaxLeaseRequests = 2000

// ErrNotModified means that the snapshot is the one of the ETag.
var ErrNotModified = errors.New("not modified")

// Snapshot asks for everything; etag is that of the last one or empty. ErrNotModified: nothing is new.
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

// Changes opens the stream of what changed after revision and hands each line to handle, until the stream
// ends, ctx is done or handle fails. With poll the server ends the stream after what is there now.
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

// Report sends one batch, the same bytes every time. An *Error that is Final must not be repeated.
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

// Status sends the heartbeat. Double: another agent says that it is this node, too.
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

// Device asks for a place for an address, or says which are gone. It may take some seconds: another node may have to cut
// an older address first.
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

// Lease asks for leases of users' traffic, at most MaxAsks at a time.
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
	req.Header.Set("Accept-Language", "en") // as the log is
	return req, nil
}

// Contact answers how it goes with the server.
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

// do answers with 200 and 304 only; everything else becomes an *Error.
func (c *Client) do(client *http.Client, req *http.Request) (*http.Response, error) {
	res, err := client.Do(req)
	if err != nil {
		if !errors.Is(req.Context().Err(), context.Canceled) { // else it was our wish
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
