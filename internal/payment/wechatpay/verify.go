package wechatpay

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"airstrip/internal/payment"
	"airstrip/internal/payment/rsakey"
)

const (
	maxAge     = 5 * time.Minute // of a message, either way
	fetchPause = time.Minute     // between two fetches of certificates, whatever serial numbers are shown to us
	retryPause = 10 * time.Second
)

// verify reports whether WeChat Pay signed the body now. Any error other than ErrSignature means that this
// could not be determined.
func (g *gateway) verify(ctx context.Context, header http.Header, body []byte) error {
	at := header.Get("Wechatpay-Timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || strconv.FormatInt(seconds, 10) != at || g.now().Sub(time.Unix(seconds, 0)).Abs() > maxAge {
		return payment.ErrSignature
	}
	key, err := g.key(ctx, header.Get("Wechatpay-Serial"))
	if err != nil {
		return err
	}
	if key == nil || !rsakey.Verify(key, at+"\n"+header.Get("Wechatpay-Nonce")+"\n"+string(body)+"\n",
		header.Get("Wechatpay-Signature")) {
		return payment.ErrSignature
	}
	return nil
}

// key returns WeChat Pay's key with this serial number, nil where it has none. Certificates are fetched when one is
// shown that we do not know: they are replaced from time to time.
func (g *gateway) key(ctx context.Context, serial string) (*rsa.PublicKey, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if key := g.keys[serial]; key != nil || g.byKey || serial == "" {
		return key, nil
	}
	pause := fetchPause
	if g.failed != nil {
		pause = retryPause
	}
	if g.now().Sub(g.fetched).Abs() < pause {
		return nil, g.failed
	}
	g.fetched = g.now()
	keys, err := g.certificates(ctx)
	if g.failed = err; err != nil {
		return nil, err
	}
	g.keys = keys
	return keys[serial], nil
}

type sealed struct {
	OriginalType   string `json:"original_type"`
	Algorithm      string `json:"algorithm"`
	Ciphertext     []byte `json:"ciphertext"`
	AssociatedData string `json:"associated_data"`
	Nonce          string `json:"nonce"`
}

// unseal opens what is sealed with the merchant's APIv3 key, which only WeChat Pay has besides us.
func (g *gateway) unseal(s sealed) ([]byte, error) {
	if s.Algorithm != "AEAD_AES_256_GCM" || len(s.Nonce) != g.aead.NonceSize() {
		return nil, payment.ErrUnreadable
	}
	return g.aead.Open(nil, []byte(s.Nonce), s.Ciphertext, []byte(s.AssociatedData))
}

// certificates fetches the platform's certificates. That they open with the APIv3 key is what makes them WeChat Pay's.
func (g *gateway) certificates(ctx context.Context) (map[string]*rsa.PublicKey, error) {
	_, body, err := g.send(ctx, http.MethodGet, "/v3/certificates", nil)
	if err != nil {
		return nil, err
	}
	var list struct {
		Data []struct {
			SerialNo           string `json:"serial_no"`
			EncryptCertificate sealed `json:"encrypt_certificate"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	keys := map[string]*rsa.PublicKey{}
	for _, c := range list.Data {
		text, err := g.unseal(c.EncryptCertificate)
		if err != nil {
			return nil, fmt.Errorf("wechatpay: certificate %s does not open: %w", c.SerialNo, err)
		}
		if keys[c.SerialNo], err = rsakey.Public(string(text)); err != nil {
			return nil, err
		}
	}
	return keys, nil
}
