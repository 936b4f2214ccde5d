// Package seal encrypts what the database keeps but must show again, and derives the server's other keys, all from the
// one AIRSTRIP_SECRET_KEY. Each purpose has a key of its own, so that what was sealed for one never opens as another.
package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const keyFile = "secret.key"

// Key is the server's secret, 32 bytes.
type Key [32]byte

// ErrOpen is what Open answers to anything that this key did not seal for this purpose.
var ErrOpen = errors.New("seal: wrong key or damaged data")

// ParseKey reads 32 bytes in hex or base64.
func ParseKey(text string) (Key, error) {
	text = strings.TrimSpace(text)
	b, err := hex.DecodeString(text)
	if err != nil {
		if b, err = base64.StdEncoding.DecodeString(text); err != nil {
			b, err = base64.RawURLEncoding.DecodeString(text)
		}
	}
	if err != nil || len(b) != 32 {
		return Key{}, errors.New("the secret key must be 32 bytes in hex or base64")
	}
	if bytes.Count(b, b[:1]) == len(b) {
		return Key{}, errors.New("the secret key is one byte repeated, which anybody can guess; make one with " +
			"openssl rand -hex 32")
	}
	return Key(b), nil
}

// Random returns a new key.
func Random() (key Key) {
	rand.Read(key[:])
	return key
}

// ReadKey reads dir/secret.key. Where there is none the error is fs.ErrNotExist.
func ReadKey(dir string) (Key, error) {
	path := filepath.Join(dir, keyFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return Key{}, err
	}
	key, err := ParseKey(string(text))
	if err != nil {
		return Key{}, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// LoadKey reads dir/secret.key and makes it, readable by its owner only, where there is none.
func LoadKey(dir string) (Key, error) {
	key, err := ReadKey(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	key = Random()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Key{}, err
	}
	// Written under another name first, so that no other process that starts reads half of a key.
	f, err := os.CreateTemp(dir, keyFile+".") // with mode 0600
	if err != nil {
		return Key{}, err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(hex.EncodeToString(key[:]) + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return Key{}, err
	}
	err = os.Link(f.Name(), filepath.Join(dir, keyFile))
	if errors.Is(err, fs.ErrExist) { // another process was faster
		return ReadKey(dir)
	}
	return key, err
}

// For derives the 32-byte key of one purpose.
func (k Key) For(purpose string) []byte {
	out, err := hkdf.Key(sha256.New, k[:], nil, "airstrip "+purpose, 32)
	if err != nil {
		panic(err) // only for lengths that HKDF cannot give
	}
	return out
}

// Seal encrypts plain for purpose.
func (k Key) Seal(purpose string, plain []byte) []byte {
	return k.aead(purpose).Seal(nil, nil, plain, nil)
}

// Open decrypts what Seal made for the same purpose, or answers ErrOpen.
func (k Key) Open(purpose string, sealed []byte) ([]byte, error) {
	plain, err := k.aead(purpose).Open(nil, nil, sealed, nil)
	if err != nil {
		return nil, ErrOpen
	}
	return plain, nil
}

func (k Key) aead(purpose string) cipher.AEAD {
	block, err := aes.NewCipher(k.For(purpose))
	if err != nil {
		panic(err) // the key has 32 bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return aead
}

// RowCipher encrypts one value of each row of a table. A value is bound to its row's id and does not open in another
// row. It derives its key once, so it costs about a microsecond a value, and is safe for concurrent use. AES-GCM with
// random nonces allows 2^32 values for each key.
type RowCipher struct{ aead cipher.AEAD }

// RowCipher returns the cipher of one purpose.
func (k Key) RowCipher(purpose string) RowCipher { return RowCipher{k.aead(purpose)} }

// Seal encrypts plain for the row id.
func (c RowCipher) Seal(id int64, plain []byte) []byte {
	return c.aead.Seal(nil, nil, plain, binary.BigEndian.AppendUint64(nil, uint64(id)))
}

// Open decrypts what Seal made for the same row id, or returns ErrOpen.
func (c RowCipher) Open(id int64, sealed []byte) ([]byte, error) {
	plain, err := c.aead.Open(nil, nil, sealed, binary.BigEndian.AppendUint64(nil, uint64(id)))
	if err != nil {
		return nil, ErrOpen
	}
	return plain, nil
}

// Digest is HMAC-SHA-256, cut to 128 bits, with a key of the purpose's own. A unique index on it holds that no two rows
// have the same value, and without the key nobody can test a guess against it.
func (k Key) Digest(purpose string, value []byte) []byte {
	mac := hmac.New(sha256.New, k.For(purpose))
	mac.Write(value)
	return mac.Sum(nil)[:16]
}
