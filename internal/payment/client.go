package payment

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Client calls payment platforms. It follows no redirects: what we send is signed for one address, and may be secret.
var Client = &http.Client{
	Timeout:       gatewayTimeout,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 5 * time.Second,
		MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
	},
}

const maxReply = 1 << 20

// Call sends req and gives the answer with all of its body, whatever its status.
func Call(req *http.Request) (*http.Response, []byte, error) {
	res, err := Client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
	if err == nil && len(body) > maxReply {
		err = errors.New("payment: the platform's answer is too large")
	}
	return res, body, err
}

// Declined is the error of a call that the platform did not do, with its own words, for the log.
func Declined(call string, res *http.Response, code, message string) error {
	return fmt.Errorf("payment: %s: the platform answered %d %s: %.200s", call, res.StatusCode, code, message)
}
