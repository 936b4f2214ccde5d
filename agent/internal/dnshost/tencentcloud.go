package dnshost

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tencentcloud is DNSPod, through the API and keys of Tencent Cloud.
type tencentcloud struct {
	id, key string
	client  *http.Client
}

func (t tencentcloud) Add(ctx context.Context, r Record) (func(context.Context) error, error) {
	// Line 0 is the default one, whatever its name in the account's language. 600 s is the minimum TTL of zones without
	// a paid plan.
	made, err := t.call(ctx, "CreateRecord", object{
		"Domain": r.Zone, "SubDomain": r.label(), "RecordType": "TXT", "RecordLine": "默认", "RecordLineId": "0",
		"Value": r.Value, "TTL": 600,
	})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		_, err := t.call(ctx, "DeleteRecord", object{"Domain": r.Zone, "RecordId": made})
		return err
	}, nil
}

// call returns the ID of the record. Failures arrive with status 200.
func (t tencentcloud) call(ctx context.Context, action string, in object) (record int64, err error) {
	body, err := json.Marshal(in)
	if err != nil {
		return 0, err
	}
	const host = "dnspod.tencentcloudapi.com"
	request, err := http.NewRequestWithContext(ctx, "POST", "https://"+host+"/", strings.NewReader(string(body)))
	if err != nil {
		return 0, err
	}
	now := time.Now()
	request.Header.Set("Content-Type", tencentType)
	request.Header.Set("X-TC-Action", action)
	request.Header.Set("X-TC-Version", "2021-03-23")
	request.Header.Set("X-TC-Timestamp", strconv.FormatInt(now.Unix(), 10))
	request.Header.Set("Authorization", t.sign(host, body, now))
	var out struct {
		Response struct {
			RecordID int64 `json:"RecordId"`
			Error    *struct{ Code, Message string }
		}
	}
	if err := doJSON(t.client, request, &out); err != nil {
		return 0, err
	}
	if e := out.Response.Error; e != nil {
		return 0, fmt.Errorf("%s answers %s: %s", host, e.Code, e.Message)
	}
	return out.Response.RecordID, nil
}

const tencentType = "application/json; charset=utf-8"

// sign computes TC3-HMAC-SHA256 over a POST. The first label of the host is the service's name.
func (t tencentcloud) sign(host string, body []byte, at time.Time) string {
	day := at.UTC().Format(time.DateOnly)
	service, _, _ := strings.Cut(host, ".")
	scope := day + "/" + service + "/tc3_request"
	canonical := "POST\n/\n\ncontent-type:" + tencentType + "\nhost:" + host + "\n\ncontent-type;host\n" +
		digest(string(body))
	key := []byte("TC3" + t.key)
	for _, part := range []string{day, service, "tc3_request"} {
		key = mac(key, part)
	}
	signature := mac(key, "TC3-HMAC-SHA256\n"+strconv.FormatInt(at.Unix(), 10)+"\n"+scope+"\n"+digest(canonical))
	return "TC3-HMAC-SHA256 Credential=" + t.id + "/" + scope + ", SignedHeaders=content-type;host, Signature=" +
		hex.EncodeToString(signature)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func mac(key []byte, text string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}
