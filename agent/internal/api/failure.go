package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Error is an answer of the server that is not a success.
type Error struct {
	Status  int
	Code    string
	Message string
}

func (e *Error) Error() string {
	if e.SecretRefused() {
		return fmt.Sprintf("the server refuses the node's secret (%d %s): %s", e.Status, e.Code, e.Message)
	}
	return fmt.Sprintf("the server answered %d %s: %s", e.Status, e.Code, e.Message)
}

// Final reports whether the server will never accept the same request.
func (e *Error) Final() bool {
	return e.Status == http.StatusConflict || e.Status == http.StatusGone || e.Status == http.StatusUnprocessableEntity
}

// SecretRefused reports whether the server does not accept the node's secret.
func (e *Error) SecretRefused() bool { return e.Status == http.StatusUnauthorized }

// concernsConnection reports whether the answer is about the way to the server or the agent's identity, not about the
// request.
func (e *Error) concernsConnection() bool {
	return e.Status < 400 || e.Status >= 500 || e.SecretRefused() || e.Status == http.StatusForbidden ||
		e.Code == unknownCode
}

// unknownCode stands for the code of an answer without one. Such an answer does not come from Airstrip.
const unknownCode = "unknown"

// responseError returns nil for a success, otherwise the error. Its message says what an operator can do about it.
func responseError(res *http.Response) *Error {
	page := strings.HasPrefix(res.Header.Get("Content-Type"), "text/html")
	if res.StatusCode == http.StatusNotModified || res.StatusCode == http.StatusOK && !page {
		return nil
	}
	failure := &Error{Status: res.StatusCode, Code: unknownCode, Message: http.StatusText(res.StatusCode)}
	body, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10)) // A body that cannot be read adds nothing to the message.
	var named struct{ Code, Message string }
	if json.Unmarshal(body, &named) == nil && named.Code != "" {
		failure.Code, failure.Message = named.Code, named.Message
	}
	at := res.Request.URL.Scheme + "://" + res.Request.URL.Host
	switch {
	case failure.SecretRefused():
		failure.Message += ". Was it replaced, or is it another site's? The line that the service gives with a new " +
			"secret puts that in place"
	case failure.Code != unknownCode:
	case res.Header.Get("Location") != "":
		failure.Message = "it sends on to " + res.Header.Get("Location") +
			"; if that is the site, its address, without the path, has to be the server"
	case strings.Contains(string(body), "HTTP request to an HTTPS server"):
		failure.Message = "it speaks https; the server has to be https://" + res.Request.URL.Host
	case page && res.StatusCode == http.StatusOK:
		failure.Message = "a page, which is not for agents; the server has to be the address of the site alone, " +
			"such as " + at
	case res.StatusCode == http.StatusNotFound:
		failure.Message += "; there is no Airstrip at this address"
	}
	return failure
}

// connectionError explains why no answer came and what an operator can do. It leaves out the address, which the reader
// knows.
func connectionError(err error) error {
	if call := new(url.Error); errors.As(err, &call) {
		err = call.Err
	}
	var slow net.Error
	switch {
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return fmt.Errorf("%w; there is no TLS at this address: is the port right?", err)
	case errors.As(err, &slow) && slow.Timeout():
		return fmt.Errorf("no answer in time (%w); does a firewall drop it?", err)
	}
	return err
}
