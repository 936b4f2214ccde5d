package emby

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"airstrip/internal/secret"
)

// client calls the media server, whose address is the operator's own setting and never comes from a user. It follows no
// redirects: the API key is meant for that address alone.
var client = &http.Client{
	Timeout:       20 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

const maxAnswer = 8 << 20 // bytes; a list of all users is the largest

// server is Emby's API, as https://dev.emby.media/doc/restapi describes it.
type server struct{ address, key string }

func (e *Emby) server(ctx context.Context) (server, error) {
	key, err := e.secrets.Get(ctx, secret.EmbyKey)
	if err != nil {
		return server{}, err
	}
	s := server{e.settings.Get().EmbyURL, key}
	if s.address == "" || s.key == "" {
		return s, ErrOff
	}
	return s, nil
}

// person is a user of the media server. The policy has fields that we don't know, and keeps them.
type person struct {
	ID     string `json:"Id"`
	Name   string
	Policy map[string]any
}

// add makes an account, or finds the one that an earlier try made, and gives its id.
func (s server) add(ctx context.Context, name string) (id string, err error) {
	var everybody []person
	if _, err := s.call(ctx, http.MethodGet, "/Users", nil, &everybody); err != nil {
		return "", err
	}
	for _, p := range everybody {
		if p.Name == name {
			return p.ID, nil
		}
	}
	var made person
	if _, err := s.call(ctx, http.MethodPost, "/Users/New", map[string]any{"Name": name}, &made); err != nil {
		return "", err
	}
	if made.ID == "" {
		return "", fmt.Errorf("emby: POST /Users/New: the answer has no Id")
	}
	return made.ID, nil
}

func (s server) setPassword(ctx context.Context, id, password string) error {
	_, err := s.call(ctx, http.MethodPost, "/Users/"+url.PathEscape(id)+"/Password", map[string]any{
		"Id":    id,
		"NewPw": password, "ResetPassword": false,
	}, nil)
	return err
}

// setDisabled turns an account off or on. Such an account never rules the server, whatever its policy said before.
func (s server) setDisabled(ctx context.Context, id string, disabled bool) error {
	var p person
	if _, err := s.call(ctx, http.MethodGet, "/Users/"+url.PathEscape(id), nil, &p); err != nil {
		return err
	}
	if p.Policy == nil {
		p.Policy = map[string]any{}
	}
	p.Policy["IsDisabled"], p.Policy["IsAdministrator"], p.Policy["IsHidden"] = disabled, false, true
	_, err := s.call(ctx, http.MethodPost, "/Users/"+url.PathEscape(id)+"/Policy", p.Policy, nil)
	return err
}

// remove deletes an account; one that has gone already is fine.
func (s server) remove(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	status, err := s.call(ctx, http.MethodDelete, "/Users/"+url.PathEscape(id), nil, nil)
	if status == http.StatusNotFound {
		return nil
	}
	return err
}

func (s server) call(ctx context.Context, method, path string, in, out any) (status int, err error) {
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return 0, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, s.address+path, &body)
	if err != nil {
		return 0, err
	}
	req.Header.Set("X-Emby-Token", s.key)
	req.Header.Set("Accept", "application/json")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("emby: %w", err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	switch {
	case err != nil:
		return res.StatusCode, fmt.Errorf("emby: %s %s: %w", method, path, err)
	case res.StatusCode < 200 || res.StatusCode > 299:
		return res.StatusCode, fmt.Errorf("emby: %s %s: the server answered %d %.200q", method, path, res.StatusCode,
			answer)
	case out == nil:
		return res.StatusCode, nil
	}
	return res.StatusCode, json.Unmarshal(answer, out)
}
