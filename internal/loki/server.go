package loki

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"airstrip/internal/secret"
)

// client calls Loki, whose address is the operator's own setting and never comes from a user. It follows no redirects:
// the password is meant for that address alone.
var client = &http.Client{
	Timeout:       10 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// server is Loki's push API, as https://grafana.com/docs/loki/latest/reference/loki-http-api/ describes it.
type server struct{ address, username, password, tenant string }

func (l *Loki) server(ctx context.Context) (server, error) {
	site := l.settings.Get()
	if site.LokiPushURL == "" {
		return server{}, ErrOff
	}
	password, err := l.secrets.Get(ctx, secret.LokiPassword)
	return server{site.LokiPushURL, site.LokiUsername, password, site.LokiTenant}, err
}

type stream struct {
	Labels map[string]string `json:"stream"`
	Values [][2]string       `json:"values"` // nanoseconds of Unix time and the line
}

// refusal is an answer other than that the lines were taken.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("Loki answers %d: %s", r.status, r.text)
}

// ofLines reports whether Loki refuses some of the lines themselves, and has taken the others of the push. Any other
// refusal is of the push as a whole, such as of its labels, a password or the rate.
func (r *refusal) ofLines() bool {
	text := strings.ToLower(r.text)
	return r.status == http.StatusBadRequest && slices.ContainsFunc([]string{
		"timestamp too old", "timestamp too new", "entry too far behind", "entry out of order", "max entry size",
	}, func(reason string) bool { return strings.Contains(text, reason) })
}

// push sends lines of one stream.
func (s server) push(ctx context.Context, labels map[string]string, lines []line) error {
	out := stream{Labels: labels, Values: make([][2]string, len(lines))}
	for i, l := range lines {
		out.Values[i] = [2]string{strconv.FormatInt(l.at.UnixNano(), 10), l.text}
	}
	body, err := json.Marshal(map[string][]stream{"streams": {out}})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if s.username != "" {
		req.SetBasicAuth(s.username, s.password)
	}
	if s.tenant != "" {
		req.Header.Set("X-Scope-OrgID", s.tenant)
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode >= 200 && res.StatusCode <= 299 {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, 500))
	if err != nil {
		return err
	}
	return &refusal{res.StatusCode, string(bytes.TrimSpace(text))}
}
