package webpush

import (
	"crypto/ecdh"
	"encoding/base64"
	"testing"
)

// The values are those of RFC 8291, appendix A.
func TestEncrypt_GivesTheBodyOfTheRFC(t *testing.T) {
	b := func(text string) []byte {
		raw, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	browser, err := ecdh.P256().NewPublicKey(b(
		"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"))
	if err != nil {
		t.Fatal(err)
	}
	own, err := ecdh.P256().NewPrivateKey(b("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
	if err != nil {
		t.Fatal(err)
	}
	body, err := encryptWith([]byte("When I grow up, I want to be a watermelon"), browser, b("BTBZMqHH6r4Tts7J_aSIgg"),
		own, b("DGv6ra1nlYgDCS1FRnbzlw"))
	const want = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w" +
		"EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
	if got := base64.RawURLEncoding.EncodeToString(body); err != nil || got != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
}
