package text

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"testing"
)

func TestIsGuessable_OfRandomKeys_IsFalse(t *testing.T) {
	for range 1000 {
		raw := make([]byte, 16)
		rand.Read(raw)
		for _, key := range []string{string(raw), hex.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw)} {
			if IsGuessable(key) {
				t.Errorf("%x counts as guessable", key)
			}
		}
	}
}

func TestIsGuessable_OfKeysWithAPattern_IsTrue(t *testing.T) {
	for _, key := range []string{
		"", "0", "0000000000000000", "0123456789abcdef", "fedcba9876543210", "passwordpassword", "qazwsxqazwsxqaz",
		"aabbccddeeaabbccddee",
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01",
	} {
		if !IsGuessable(key) {
			t.Errorf("%q does not count as guessable", key)
		}
	}
}
