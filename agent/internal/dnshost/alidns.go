package dnshost

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// alidns is Alibaba Cloud DNS, through the RPC style of its API.
type alidns struct {
	id, secret string
	client     *http.Client
}

func (a alidns) Add(ctx context.Context, r Record) (func(context.Context) error, error) {
	var made struct {
		ID string `json:"RecordId"`
	}
	// 600 s is the minimum TTL of zones without a paid plan.
	if err := a.call(ctx, "AddDomainRecord", url.Values{
		"DomainName": {r.Zone}, "RR": {r.label()}, "Type": {"TXT"},
		"Value": {r.Value}, "TTL": {"600"},
	}, &made); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		return a.call(ctx, "DeleteDomainRecord", url.Values{"RecordId": {made.ID}}, nil)
	}, nil
}

// call sends the form in the body, so that neither the key ID nor the signature is part of a URL that errors contain.
func (a alidns) call(ctx context.Context, action string, form url.Values, out any) error {
	for name, value := range map[string]string{
		"Action": action, "Format": "JSON", "Version": "2015-01-09", "AccessKeyId": a.id,
		"SignatureMethod": "HMAC-SHA1", "SignatureVersion": "1.0", "SignatureNonce": rand.Text(),
		"Timestamp": time.Now().UTC().Format(time.RFC3339),
	} {
		form.Set(name, value)
	}
	form.Set("Signature", a.sign("POST", form))
	request, err := http.NewRequestWithContext(ctx, "POST", "https://alidns.aliyuncs.com/",
		strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return doJSON(a.client, request, out)
}

func (a alidns) sign(method string, form url.Values) string {
	mac := hmac.New(sha1.New, []byte(a.secret+"&"))
	mac.Write([]byte(method + "&%2F&" + url.QueryEscape(strings.ReplaceAll(form.Encode(), "+", "%20"))))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
