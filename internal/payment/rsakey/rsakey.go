// Package rsakey reads RSA keys as payment platforms hand them out, in PEM or as bare base64, and signs with SHA-256
// and PKCS #1 v1.5, as all of them do (RFC 8017, section 8.2).
package rsakey

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"maps"
	"slices"
	"strings"
)

// ErrKey is the error of a text that is no key.
var ErrKey = errors.New("rsakey: not an RSA key in PEM or base64")

// der returns what is inside the PEM or the base64.
func der(text string) ([]byte, error) {
	if block, _ := pem.Decode([]byte(text)); block != nil {
		return block.Bytes, nil
	}
	b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil || len(b) == 0 {
		return nil, ErrKey
	}
	return b, nil
}

// Private reads a private key in PKCS #1 or PKCS #8.
func Private(text string) (*rsa.PrivateKey, error) {
	b, err := der(text)
	if err != nil {
		return nil, err
	}
	if key, err := x509.ParsePKCS1PrivateKey(b); err == nil {
		return key, nil
	}
	any, err := x509.ParsePKCS8PrivateKey(b)
	if key, ok := any.(*rsa.PrivateKey); err == nil && ok {
		return key, nil
	}
	return nil, ErrKey
}

// Public reads a public key, alone or in a certificate.
func Public(text string) (*rsa.PublicKey, error) {
	b, err := der(text)
	if err != nil {
		return nil, err
	}
	any, err := x509.ParsePKIXPublicKey(b)
	if err != nil {
		if c, err := x509.ParseCertificate(b); err == nil {
			any = c.PublicKey
		} else if key, err := x509.ParsePKCS1PublicKey(b); err == nil {
			return key, nil
		}
	}
	if key, ok := any.(*rsa.PublicKey); ok {
		return key, nil
	}
	return nil, ErrKey
}

// Sign returns the signature of message in base64.
func Sign(key *rsa.PrivateKey, message string) (string, error) {
	sum := sha256.Sum256([]byte(message))
	sign, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	return base64.StdEncoding.EncodeToString(sign), err
}

// Verify reports whether sign, in base64, is the signature of message.
func Verify(key *rsa.PublicKey, message, sign string) bool {
	raw, err := base64.StdEncoding.DecodeString(sign)
	sum := sha256.Sum256([]byte(message))
	return err == nil && rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], raw) == nil
}

// Sorted returns the pairs name=value in the order of names, joined by &, without empty values and without the names in
// but: the text that Alipay and its many likenesses sign.
func Sorted(form map[string]string, but ...string) string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if form[name] != "" && !slices.Contains(but, name) {
			pairs = append(pairs, name+"="+form[name])
		}
	}
	return strings.Join(pairs, "&")
}
