package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"

	"airstrip/internal/fault"
)

// ErrBusy is returned to a call that would wait too long for its password to be hashed.
var ErrBusy = fault.TooMany("sign_in_busy", "登录人数较多，请稍后再试",
	"Many people are signing in right now; please try again in a moment").After(3 * time.Second)

// argon2Cost holds the parameters of an Argon2id hash.
type argon2Cost struct {
	memory  uint32 // KiB
	passes  uint32
	threads uint8
}

var presentArgon2 = argon2Cost{19 * 1024, 2, 1}

// hash returns the PHC string of a password.
func (h *hasher) hash(ctx context.Context, s share, password string) (phc string, err error) {
	err = h.do(ctx, s, func() { phc = h.cost.hash(password) })
	return phc, err
}

// matches tells whether the stored hash is that of the password as it was typed. An empty hash, that of a user who does
// not exist, never matches. A wrong password is also compared with dummy hashes of all other costs (see
// verifier.costs), in the same slot.
func (h *hasher) matches(ctx context.Context, s share, password, stored string, costs []string) (ok bool, err error) {
	if stored != "" && checkHash(stored) != nil {
		return false, errDamaged
	}
	err = h.do(ctx, s, func() {
		if ok = compare(password, stored); ok {
			return
		}
		for _, cost := range costs {
			if cost != costOf(stored) {
				compare(password, dummyHash(cost))
			}
		}
	})
	return ok, err
}

// compare tells whether a stored hash, of any kind, is that of the password as it was typed.
func compare(password, stored string) bool {
	if isBcrypt(stored) {
		return bcrypt.CompareHashAndPassword([]byte(stored), []byte(password)) == nil
	}
	if w, is := parseLegacyHash(stored); is {
		return argon(w.kind.digest(password, w.salt), w.phc)
	}
	return argon(normalPassword(password), stored)
}

// argon tells whether a PHC string is the hash of the text.
func argon(text, phc string) bool {
	c, salt, sum, err := parse(phc)
	if err != nil {
		return false
	}
	got := argon2.IDKey([]byte(text), salt, c.passes, c.memory, c.threads, uint32(len(sum)))
	return subtle.ConstantTimeCompare(got, sum) == 1
}

// outdated tells whether a stored hash has another cost than the present one, or comes from another panel.
func (h *hasher) outdated(stored string) bool {
	c, _, _, err := parse(stored)
	return err != nil || c != h.cost
}

func (c argon2Cost) hash(password string) string {
	salt := make([]byte, 16)
	rand.Read(salt)
	sum := argon2.IDKey([]byte(password), salt, c.passes, c.memory, c.threads, 32)
	b64 := base64.RawStdEncoding
	return c.prefix() + b64.EncodeToString(salt) + "$" + b64.EncodeToString(sum)
}

// prefix returns the beginning of all hashes of this cost.
func (c argon2Cost) prefix() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, c.memory, c.passes, c.threads)
}

var errDamaged = errors.New("a stored password hash cannot be read")

const maxMemory = 128 << 10 // KiB

// parse reads a PHC string that hash or another panel made. It refuses excessive costs, with which a few sign-ins would
// exhaust the server's memory.
func parse(phc string) (c argon2Cost, salt, sum []byte, err error) {
	parts := strings.Split(phc, "$")
	version := 0
	if len(parts) == 6 && parts[0] == "" && parts[1] == "argon2id" {
		_, err = fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &c.memory, &c.passes, &c.threads)
		if err == nil {
			salt, err = base64.RawStdEncoding.DecodeString(parts[4])
		}
		if err == nil {
			sum, err = base64.RawStdEncoding.DecodeString(parts[5])
		}
	}
	if err != nil || version != argon2.Version || c.memory > maxMemory || c.passes < 1 || c.passes > 16 ||
		c.threads < 1 || len(sum) < 16 {
		return argon2Cost{}, nil, nil, errDamaged
	}
	return c, salt, sum, nil
}
