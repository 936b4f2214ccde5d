package dnshost

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var record = Record{Zone: "airport.test", Name: "_acme-challenge.hk.airport.test", Value: "proof_of-it"}

// vendor is the API of a provider. It expects calls in order and answers each.
type vendor struct {
	t     *testing.T
	calls []call
	// signed reports whether a request, given with its body, is authenticated.
	signed func(r *http.Request, body string) bool
}

type call struct {
	want   string // Method, URL, body.
	status int
	answer string
}

func (v *vendor) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body = string(text)
	}
	if !v.signed(r, body) {
		v.t.Errorf("%s %s is not signed: %v", r.Method, r.URL, r.Header)
	}
	// The nonce and the time differ in each call.
	if form, err := url.ParseQuery(body); err == nil && form.Has("Signature") {
		for _, name := range []string{"Signature", "SignatureNonce", "Timestamp"} {
			form.Del(name)
		}
		body = form.Encode()
	}
	if action := r.Header.Get("X-TC-Action"); action != "" {
		body = action + " " + r.Header.Get("X-TC-Version") + " " + body
	}
	got := strings.TrimSpace(r.Method + " " + r.URL.String() + " " + body)
	if len(v.calls) == 0 {
		v.t.Errorf("not expected: %s", got)
		return nil, io.EOF
	}
	next := v.calls[0]
	v.calls = v.calls[1:]
	if got != next.want {
		v.t.Errorf("asked for\n%s\nnot\n%s", got, next.want)
	}
	if next.status == 0 { // The connection breaks.
		return nil, io.ErrUnexpectedEOF
	}
	return &http.Response{
		StatusCode: next.status, Status: strconv.Itoa(next.status) + " " + http.StatusText(next.status),
		Body: io.NopCloser(strings.NewReader(next.answer)), Request: r,
	}, nil
}

func hasBearerToken(r *http.Request, _ string) bool {
	return r.Header.Get("Authorization") == "Bearer t0ken"
}

// The calls and answers follow the providers' API references.
var vendors = map[string]struct {
	settings string
	signed   func(r *http.Request, body string) bool
	calls    []call
	refusal  call // Answer to the first call.
}{
	"cloudflare": {
		`{"provider": "cloudflare", "token": "t0ken"}`, hasBearerToken,
		[]call{
			{
				"GET https://api.cloudflare.com/client/v4/zones?name=airport.test", 200,
				`{"success":true,"errors":[],"result":[{"id":"023e105f","name":"airport.test"}]}`,
			},
			{`POST https://api.cloudflare.com/client/v4/zones/023e105f/dns_records {"content":"\"proof_of-it\"","name":"_acme-challenge.hk.airport.test","ttl":120,"type":"TXT"}`, 200, `{"success":true,"result":{"id":"372e6795","type":"TXT"}}`},
			{
				"DELETE https://api.cloudflare.com/client/v4/zones/023e105f/dns_records/372e6795", 200,
				`{"result":{"id":"372e6795"}}`,
			},
		},
		call{
			"GET https://api.cloudflare.com/client/v4/zones?name=airport.test", 403,
			`{"success":false,"errors":[{"code":9109,"message":"Invalid access token"}]}`,
		},
	},
	"digitalocean": {
		`{"provider": "digitalocean", "token": "t0ken"}`, hasBearerToken,
		[]call{
			{`POST https://api.digitalocean.com/v2/domains/airport.test/records {"data":"proof_of-it","name":"_acme-challenge.hk","ttl":60,"type":"TXT"}`, 201, `{"domain_record":{"id":28448429,"type":"TXT"}}`},
			{"DELETE https://api.digitalocean.com/v2/domains/airport.test/records/28448429", 204, ``},
		},
		call{`POST https://api.digitalocean.com/v2/domains/airport.test/records {"data":"proof_of-it","name":"_acme-challenge.hk","ttl":60,"type":"TXT"}`, 401, `{"id":"Unauthorized","message":"Unable to authenticate you"}`},
	},
	"hetzner": {
		`{"provider": "hetzner", "token": "t0ken"}`, hasBearerToken,
		[]call{
			{`POST https://api.hetzner.cloud/v1/zones/airport.test/rrsets/_acme-challenge.hk/TXT/actions/add_records {"records":[{"value":"\"proof_of-it\""}],"ttl":60}`, 201, `{"action":{"id":1,"status":"running"}}`},
			{`POST https://api.hetzner.cloud/v1/zones/airport.test/rrsets/_acme-challenge.hk/TXT/actions/remove_records {"records":[{"value":"\"proof_of-it\""}]}`, 201, `{"action":{"id":2,"status":"running"}}`},
		},
		call{`POST https://api.hetzner.cloud/v1/zones/airport.test/rrsets/_acme-challenge.hk/TXT/actions/add_records {"records":[{"value":"\"proof_of-it\""}],"ttl":60}`, 401, `{"error":{"code":"unauthorized","message":"unable to authenticate"}}`},
	},
	"alidns": {
		`{"provider": "alidns", "access_key_id": "LTAI", "access_key_secret": "s3cret"}`,
		func(_ *http.Request, body string) bool {
			form, err := url.ParseQuery(body)
			signature := form.Get("Signature")
			form.Del("Signature")
			at, late := time.Parse(time.RFC3339, form.Get("Timestamp"))
			return err == nil && late == nil && time.Since(at).Abs() < time.Hour && form.Get("SignatureNonce") != "" &&
				signature == alidns{id: "LTAI", secret: "s3cret"}.sign("POST", form)
		},
		[]call{
			{"POST https://alidns.aliyuncs.com/ AccessKeyId=LTAI&Action=AddDomainRecord&DomainName=airport.test&Format=JSON&RR=_acme-challenge.hk&SignatureMethod=HMAC-SHA1&SignatureVersion=1.0&TTL=600&Type=TXT&Value=proof_of-it&Version=2015-01-09", 200, `{"RequestId":"536E9CAD","RecordId":"9999985"}`},
			{"POST https://alidns.aliyuncs.com/ AccessKeyId=LTAI&Action=DeleteDomainRecord&Format=JSON&RecordId=9999985&SignatureMethod=HMAC-SHA1&SignatureVersion=1.0&Version=2015-01-09", 200, `{"RequestId":"536E9CAE","RecordId":"9999985"}`},
		},
		call{"POST https://alidns.aliyuncs.com/ AccessKeyId=LTAI&Action=AddDomainRecord&DomainName=airport.test&Format=JSON&RR=_acme-challenge.hk&SignatureMethod=HMAC-SHA1&SignatureVersion=1.0&TTL=600&Type=TXT&Value=proof_of-it&Version=2015-01-09", 404, `{"Code":"InvalidAccessKeyId.NotFound","Message":"Specified access key is not found."}`},
	},
	"tencentcloud": {
		`{"provider": "tencentcloud", "secret_id": "AKID", "secret_key": "s3cret"}`,
		func(r *http.Request, body string) bool {
			at, err := strconv.ParseInt(r.Header.Get("X-TC-Timestamp"), 10, 64)
			return err == nil && time.Since(time.Unix(at, 0)).Abs() < time.Hour &&
				r.Header.Get("Content-Type") == "application/json; charset=utf-8" &&
				r.Header.Get("Authorization") == tencentcloud{id: "AKID", key: "s3cret"}.sign(r.URL.Host,
					[]byte(body), time.Unix(at, 0))
		},
		[]call{
			{`POST https://dnspod.tencentcloudapi.com/ CreateRecord 2021-03-23 {"Domain":"airport.test","RecordLine":"默认","RecordLineId":"0","RecordType":"TXT","SubDomain":"_acme-challenge.hk","TTL":600,"Value":"proof_of-it"}`, 200, `{"Response":{"RecordId":162,"RequestId":"ab4f1426"}}`},
			{`POST https://dnspod.tencentcloudapi.com/ DeleteRecord 2021-03-23 {"Domain":"airport.test","RecordId":162}`, 200, `{"Response":{"RequestId":"ab4f1427"}}`},
		},
		call{`POST https://dnspod.tencentcloudapi.com/ CreateRecord 2021-03-23 {"Domain":"airport.test","RecordLine":"默认","RecordLineId":"0","RecordType":"TXT","SubDomain":"_acme-challenge.hk","TTL":600,"Value":"proof_of-it"}`, 200, `{"Response":{"Error":{"Code":"AuthFailure.SignatureFailure","Message":"签名错误"},"RequestId":"ab4f1428"}}`},
	},
}

func TestHost_AddsAndRemovesRecordAtEachVendor(t *testing.T) {
	for name, c := range vendors {
		t.Run(name, func(t *testing.T) {
			v := &vendor{t, slices.Clone(c.calls), c.signed}
			host, err := open([]byte(c.settings), &http.Client{Transport: v})
			if err != nil {
				t.Fatal(err)
			}
			remove, err := host.Add(t.Context(), record)
			if err != nil {
				t.Fatal(err)
			}
			if len(v.calls) != 1 {
				t.Errorf("there are %d calls to come, not just the removal", len(v.calls))
			}
			if err := remove(t.Context()); err != nil || len(v.calls) > 0 {
				t.Error(len(v.calls), err)
			}
		})
	}
}

func TestHost_RefusedByVendor_ErrorHasNoCredentials(t *testing.T) {
	reasons := map[string]string{
		"cloudflare": "Invalid access token", "digitalocean": "Unable to authenticate you",
		"hetzner": "unable to authenticate",
		"alidns":  "access key is not found", "tencentcloud": "签名错误",
	}
	for name, c := range vendors {
		v := &vendor{t, []call{c.refusal, {want: c.refusal.want}}, c.signed}
		host, err := open([]byte(c.settings), &http.Client{Transport: v})
		if err != nil {
			t.Fatal(err)
		}
		_, refused := host.Add(t.Context(), record)
		_, silent := host.Add(t.Context(), record)
		if refused == nil || !strings.Contains(refused.Error(), reasons[name]) || silent == nil {
			t.Errorf("%s: %v, %v", name, refused, silent)
			continue
		}
		for _, secret := range []string{"t0ken", "s3cret", "LTAI", "AKID"} {
			if strings.Contains(refused.Error()+silent.Error(), secret) {
				t.Errorf("%s tells %s: %v, %v", name, secret, refused, silent)
			}
		}
	}
}

func TestCloudflare_ZoneNotVisibleToToken_IsNamed(t *testing.T) {
	v := &vendor{t, []call{{
		"GET https://api.cloudflare.com/client/v4/zones?name=airport.test", 200,
		`{"success":true,"result":[]}`,
	}}, hasBearerToken}
	host, err := open([]byte(vendors["cloudflare"].settings), &http.Client{Transport: v})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := host.Add(t.Context(), record); err == nil || !strings.Contains(err.Error(), "airport.test") ||
		!strings.Contains(err.Error(), "DNS:Edit") {
		t.Error(err)
	}
}

// The examples are from the vendors' documentation.
func TestSign_MatchesVendorExamples(t *testing.T) {
	form := url.Values{
		"Format": {"XML"}, "AccessKeyId": {"testid"}, "Action": {"DescribeDomainRecords"},
		"SignatureMethod": {"HMAC-SHA1"}, "DomainName": {"example.com"},
		"SignatureNonce": {"f59ed6a9-83fc-473b-9cc6-99c95df3856e"}, "SignatureVersion": {"1.0"},
		"Version": {"2015-01-09"}, "Timestamp": {"2016-03-24T16:41:54Z"},
	}
	if s := (alidns{secret: "testsecret"}).sign("GET", form); s != "uRpHwaSEt3J+6KQD//svCh/x+pI=" {
		t.Error("alidns:", s)
	}
	tencent := tencentcloud{id: "AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE", key: "Gu5t9xGARNpq86cd98joQYCN3EXAMPLE"}
	body := `{"Limit": 1, "Filters": [{"Values": ["\u672a\u547d\u540d"], "Name": "instance-name"}]}`
	if s := tencent.sign("cvm.tencentcloudapi.com", []byte(body),
		time.Unix(1551113065, 0)); s != "TC3-HMAC-SHA256 Credential=AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE/2019-02-25/cvm/tc3_request, "+
		"SignedHeaders=content-type;host, Signature=72e494ea809ad7a8c8f7a4507b9bddcbaa8e581f516e8da2f66e2c5a96525168" {
		t.Error("tencentcloud:", s)
	}
}

func TestLoad_UnusableFile_NamesWhatIsMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dns.json")
	if _, err := Load(path); err == nil {
		t.Error("a file that is not there is taken")
	}
	all := strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")
	for text, word := range map[string]string{
		`token: s3cret`:                         "JSON",
		`{"provider": 7}`:                       "JSON",
		`{"token": "s3cret"}`:                   "provider is missing; it is one of " + all,
		`{"provider": "s3cret"}`:                "provider is none of " + all,
		`{"provider": "cloudflare"}`:            "cloudflare needs token",
		`{"provider": "hetzner", "tokne": "x"}`: `hetzner has no setting "tokne"; it needs token`,
		`{"provider": "digitalocean"}`:          "digitalocean needs token",
		`{"provider": "alidns"}`:                "alidns needs access_key_id",
		`{"provider": "alidns", "access_key_id": "LTAI", "access_key_secret": ""}`:                                             "alidns needs access_key_secret",
		`{"provider": "tencentcloud", "secret_id": "AKID"}`:                                                                    "tencentcloud needs secret_key",
		`{"provider": "rfc2136", "server": "ns1", "key_name": "k"}`:                                                            "rfc2136 needs key",
		`{"provider": "rfc2136", "server": "ns1", "key_name": "k", "key": "s3cret!"}`:                                          "key is not base64",
		`{"provider": "rfc2136", "server": "ns1", "key_name": "k", "key": "c2VjcmV0", "key_algorithm": "hmac-md5.sig-alg..."}`: "key_algorithm is none of hmac-sha256",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		if err == nil || !strings.Contains(err.Error(), word) || !strings.Contains(err.Error(), path) ||
			strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestRFC2136_ServerWithoutPort_UsesPort53(t *testing.T) {
	for given, address := range map[string]string{
		"ns1.airport.test": "ns1.airport.test:53", "ns1:5353": "ns1:5353",
		"2001:db8::1": "[2001:db8::1]:53", "[2001:db8::1]": "[2001:db8::1]:53",
	} {
		host, err := open([]byte(`{"provider": "rfc2136", "server": "`+given+`", "key_name": "K", "key": "c2VjcmV0"}`),
			nil)
		if err != nil {
			t.Fatal(err)
		}
		if h := host.(rfc2136); h.server != address || h.keyName != "k." || h.algorithm != "hmac-sha256" {
			t.Errorf("%s: %+v", given, h)
		}
	}
}
