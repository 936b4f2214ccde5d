package dnshost

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// doJSON sends a request and decodes the JSON answer into out. An error contains the beginning of an answer that
// reports a failure.
func doJSON(client *http.Client, request *http.Request, out any) error {
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s answers %s: %s", request.URL.Host, response.Status, excerpt(body))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("%s answers what is not understood: %s", request.URL.Host, excerpt(body))
	}
	return nil
}

func excerpt(body []byte) string {
	return strings.ToValidUTF8(string(body[:min(len(body), 300)]), "")
}

// bearer calls a JSON API that authenticates by a bearer token.
type bearer struct {
	token  string
	client *http.Client
}

func (b bearer) call(ctx context.Context, method, url string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+b.token)
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return doJSON(b.client, request, out)
}

// object is a JSON object.
type object = map[string]any
