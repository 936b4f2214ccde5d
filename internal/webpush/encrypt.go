package webpush

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
)

const (
	saltBytes   = 16
	authBytes   = 16
	recordBytes = 4096 // what push services must take (RFC 8030, section 7.2)
	lastRecord  = 0x02 // delimiter after the text of the last record
)

// encrypt returns text as the body of a push message (RFC 8291, in the content coding of RFC 8188), which only the
// browser of the subscription reads. Each message has a key pair and a salt of its own.
func encrypt(text []byte, browser *ecdh.PublicKey, auth []byte) ([]byte, error) {
	own, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	salt := make([]byte, saltBytes)
	rand.Read(salt)
	return encryptWith(text, browser, auth, own, salt)
}

func encryptWith(text []byte, browser *ecdh.PublicKey, auth []byte, own *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	shared, err := own.ECDH(browser)
	if err != nil {
		return nil, err
	}
	public := own.PublicKey().Bytes()
	info := "WebPush: info\x00" + string(browser.Bytes()) + string(public)
	input, err := hkdf.Key(sha256.New, shared, auth, info, 32)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, input, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, input, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	body := append([]byte(nil), salt...)
	body = binary.BigEndian.AppendUint32(body, recordBytes)
	body = append(body, byte(len(public)))
	body = append(body, public...)
	return aead.Seal(body, nonce, append(text[:len(text):len(text)], lastRecord), nil), nil
}
