package wechatpay

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"airstrip/internal/payment"
	"airstrip/internal/payment/rsakey"
)

// refusal is an answer that says no.
type refusal struct {
	Status        int
	Code, Message string
}

func (e *refusal) Error() string {
	return fmt.Sprintf("wechatpay: %d %s %.200s", e.Status, e.Code, e.Message)
}

// call sends a signed call and reads its verified answer. path has its query with it, since that is signed too.
func (g *gateway) call(ctx context.Context, method, path string, content, into any) error {
	header, body, err := g.send(ctx, method, path, content)
	if err != nil {
		return err
	}
	if err := g.verify(ctx, header, body); err != nil {
		return fmt.Errorf("the answer to %s: %w", path, err)
	}
	return json.Unmarshal(body, into)
}

func (g *gateway) send(ctx context.Context, method, path string, content any) (http.Header, []byte, error) {
	var body []byte
	if content != nil {
		var err error
		if body, err = json.Marshal(content); err != nil {
			return nil, nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, g.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	nonce, at := rand.Text(), strconv.FormatInt(g.now().Unix(), 10)
	sign, err := rsakey.Sign(g.private, method+"\n"+path+"\n"+at+"\n"+nonce+"\n"+string(body)+"\n")
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Authorization",
		fmt.Sprintf(`WECHATPAY2-SHA256-RSA2048 mchid="%s",nonce_str="%s",signature="%s",timestamp="%s",serial_no="%s"`,
			g.mchID, nonce, sign, at, g.serial))
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "airstrip")
	if content != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if g.byKey { // says that answers are to be signed with the key we know
		for id := range g.keys {
			req.Header.Set("Wechatpay-Serial", id)
		}
	}
	res, answer, err := payment.Call(req)
	if err != nil {
		return nil, nil, err
	}
	if res.StatusCode != http.StatusOK {
		said := &refusal{Status: res.StatusCode}
		var no struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		}
		if json.Unmarshal(answer, &no) == nil {
			said.Code, said.Message = no.Code, no.Message
		}
		return nil, nil, said
	}
	return res.Header, answer, nil
}
