package alipay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"airstrip/internal/payment"
	"airstrip/internal/payment/rsakey"
)

// form returns the signed parameters of a call.
func (g *gateway) form(method string, content any, more map[string]string) (url.Values, error) {
	biz, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	params := map[string]string{
		"app_id": g.appID, "method": method, "format": "JSON", "charset": "utf-8", "sign_type": "RSA2",
		"version":   "1.0",
		"timestamp": g.now().In(zone).Format(clock), "biz_content": string(biz),
	}
	for name, v := range more {
		params[name] = v
	}
	if params["sign"], err = rsakey.Sign(g.private, rsakey.Sorted(params)); err != nil {
		return nil, err
	}
	form := url.Values{}
	for name, v := range params {
		form.Set(name, v)
	}
	return form, nil
}

// declinedError is an answer that is well signed and says no.
type declinedError struct {
	Code, SubCode, SubMsg string
}

func (e *declinedError) Error() string {
	return fmt.Sprintf("alipay: %s %s %.200s", e.Code, e.SubCode, e.SubMsg)
}

// definite reports whether Alipay, having understood the call, did not and will not do it.
func (e *declinedError) definite() bool {
	return e.Code == "40004" && !strings.HasSuffix(e.SubCode, "SYSTEM_ERROR") &&
		e.SubCode != "ACQ.DISCORDANT_REPEAT_REQUEST"
}

// call has Alipay do method and reads its answer, whose signature is over the very bytes of the inner object.
func (g *gateway) call(ctx context.Context, method string, content any, more map[string]string, into any) error {
	form, err := g.form(method, content, more)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+"?charset=utf-8",
		strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded;charset=utf-8")
	res, body, err := payment.Call(req)
	if err != nil {
		return err
	}
	var outer map[string]json.RawMessage
	if err := json.Unmarshal(body, &outer); err != nil || res.StatusCode != http.StatusOK {
		return payment.Declined(method, res, "", "no JSON")
	}
	inner, ok := outer[strings.ReplaceAll(method, ".", "_")+"_response"]
	if !ok { // a call that could not even be read is answered without a signature
		return payment.Declined(method, res, "", string(bytes.TrimSpace(outer["error_response"])))
	}
	var sign string
	if err := json.Unmarshal(outer["sign"], &sign); err != nil || !rsakey.Verify(g.alipay, string(inner), sign) {
		return errors.New("alipay: the answer is not signed by Alipay's key")
	}
	var said struct {
		Code    string `json:"code"`
		Msg     string `json:"msg"`
		SubCode string `json:"sub_code"`
		SubMsg  string `json:"sub_msg"`
	}
	if err := json.Unmarshal(inner, &said); err != nil {
		return err
	}
	if said.Code != "10000" {
		return &declinedError{said.Code, said.SubCode, said.Msg + " " + said.SubMsg}
	}
	return json.Unmarshal(inner, into)
}
