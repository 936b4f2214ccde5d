package account

import (
	"context"
	"crypto/md5" // other panels hashed with it
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"airstrip/internal/fault"
)

// HashKind says how another panel hashed a password.
type HashKind string

// The accepted kinds of hashes. V2Board names its own md5, sha256 and md5salt and otherwise uses bcrypt; SSPanel uses
// md5salt or sha256salt, with one salt in its configuration, or bcrypt or argon2id.
const (
	Argon2id   HashKind = "argon2id"
	Bcrypt     HashKind = "bcrypt"
	MD5        HashKind = "md5"
	SHA256     HashKind = "sha256"
	MD5Salt    HashKind = "md5salt"    // of the password followed by the salt
	SHA256Salt HashKind = "sha256salt" // the same
)

// digest returns the hash, in hex, as the other panel computes it.
func (k HashKind) digest(password, salt string) string {
	switch k {
	case MD5, MD5Salt:
		sum := md5.Sum([]byte(password + salt))
		return hex.EncodeToString(sum[:])
	default:
		sum := sha256.Sum256([]byte(password + salt))
		return hex.EncodeToString(sum[:])
	}
}

// legacyHash is an Argon2id hash of another panel's hash. A hash that is fast to guess is never stored by itself.
type legacyHash struct {
	kind HashKind
	salt string
	phc  string
}

// String returns the stored form, kind:salt:phc, with the salt in base64.
func (w legacyHash) String() string {
	return string(w.kind) + ":" + base64.RawStdEncoding.EncodeToString([]byte(w.salt)) + ":" + w.phc
}

func parseLegacyHash(stored string) (w legacyHash, ok bool) {
	parts := strings.SplitN(stored, ":", 3)
	if len(parts) != 3 {
		return w, false
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[1])
	return legacyHash{HashKind(parts[0]), string(salt), parts[2]}, err == nil
}

func isBcrypt(stored string) bool { return strings.HasPrefix(stored, "$2") }

// maxBcryptCost keeps a sign-in below about two seconds.
const maxBcryptCost = 14

// foreignHash is the hash of another panel, of a known kind and in its form.
type foreignHash struct {
	kind       HashKind
	hash, salt string
}

// digits is how many hex digits the hashes of those kinds have that are fast to guess.
var digits = map[HashKind]int{MD5: 32, MD5Salt: 32, SHA256: 64, SHA256Salt: 64}

// isFast tells whether the hash is fast to guess, so that it is hashed once more before it is stored.
func (f foreignHash) isFast() bool { return digits[f.kind] != 0 }

// readForeignHash checks the hash of another panel. An empty kind is derived from the hash. Invalid input names the
// fields kind, hash or salt.
func readForeignHash(kind HashKind, hash, salt string) (foreignHash, error) {
	if kind == "" && isBcrypt(hash) {
		kind = Bcrypt
	} else if kind == "" && strings.HasPrefix(hash, "$argon2id$") {
		kind = Argon2id
	}
	f := foreignHash{kind, hash, salt}
	salted := kind == MD5Salt || kind == SHA256Salt
	switch {
	case !f.isFast() && kind != Bcrypt && kind != Argon2id:
		return f, fault.Invalid("kind", "choice", "kind 只能是 argon2id、bcrypt、md5、sha256、md5salt 或 sha256salt",
			"The kind is argon2id, bcrypt, md5, sha256, md5salt or sha256salt")
	case salted != (salt != ""):
		return f, fault.Invalid("salt", "salt", "md5salt 和 sha256salt 需要 salt，其他类型不能有",
			"md5salt and sha256salt need a salt, the others have none")
	}
	if !f.isFast() {
		return f, checkHash(hash)
	}
	f.hash = strings.ToLower(hash)
	if raw, err := hex.DecodeString(f.hash); err != nil || len(raw)*2 != digits[kind] {
		return f, fault.Invalid("hash", "format", fmt.Sprintf("%s 须为 %d 位十六进制", kind, digits[kind]),
			fmt.Sprintf("A hash of the kind %s has %d hex digits", kind, digits[kind]))
	}
	return f, nil
}

// Accept returns what Import takes for the hash of another panel. An empty kind is derived from the hash. Invalid input
// names the fields kind, hash or salt.
func (a *Accounts) Accept(ctx context.Context, kind HashKind, hash, salt string) (stored string, err error) {
	f, err := readForeignHash(kind, hash, salt)
	if err != nil {
		return "", err
	}
	return a.stored(ctx, f)
}

// stored returns the stored form of a hash, which takes the time of a sign-in for one that is fast to guess.
func (a *Accounts) stored(ctx context.Context, f foreignHash) (string, error) {
	if !f.isFast() {
		return f.hash, nil
	}
	phc, err := a.hasher.hash(ctx, share{}, f.hash)
	return legacyHash{f.kind, f.salt, phc}.String(), err
}

// checkHash checks a hash before it is stored as a password.
func checkHash(stored string) error {
	if isBcrypt(stored) {
		if cost, err := bcrypt.Cost([]byte(stored)); err != nil || len(stored) != 60 || cost > maxBcryptCost {
			return fault.Invalid("hash", "format", "不是可用的 bcrypt 哈希", "This is no bcrypt hash that can be used")
		}
		return nil
	}
	if w, is := parseLegacyHash(stored); is && slices.Contains([]HashKind{MD5, SHA256, MD5Salt, SHA256Salt}, w.kind) {
		stored = w.phc
	}
	if _, _, _, err := parse(stored); err != nil {
		return fault.Invalid("hash", "format", "不是可用的 Argon2id 哈希", "This is no Argon2id hash that can be used").
			Because(err)
	}
	return nil
}
