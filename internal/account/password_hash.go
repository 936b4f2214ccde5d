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

// ErrBusy is the fault of a call that would have to wait too long for its password to be hashed.
var ErrBusy = fault.TooMany("sign_in_busy", "登录人数较多，请稍后再试", "Many people are signing in right now; please try again in a moment").After(3 * time.Second)

// cost is how dear an Argon2id hash is.
type cost struct {
	memory  uint32 // KiB
	passes  uint32
	threads uint8
}

var (
	present     = cost{19 * 1024, 2, 1}
	presentCost = present.prefix()
)

// hash gives the PHC string of a password.
func (h *hasher) hash(ctx context.Context, s share, password string) (phc string, err error) {
	err = h.do(ctx, s, func() { phc = present.hash(password) })
	return phc, err
}

// matches tells whether stored is of this password, as it was typed; an empty one, of a user who does not exist, never is.
// A wrong password is compared with decoys of all other costs too (see costs), in the same turn.
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
				compare(password, decoyOf(cost))
			}
		}
	})
	return ok, err
}

// compare tells whether a stored hash, of whatever kind, is of this password as it was typed.
func compare(password, stored string) bool {
	if isBcrypt(stored) {
		return bcrypt.CompareHashAndPassword([]byte(stored), []byte(password)) == nil
	}
	if w, is := unwrap(stored); is {
		return argon(w.kind.digest(password, w.salt), w.phc)
	}
	return argon(normalPassword(password), stored)
}

// argon tells whether a PHC string is of this text.
func argon(text, phc string) bool {
	c, salt, sum, err := parse(phc)
	if err != nil {
		return false
	}
	got := argon2.IDKey([]byte(text), salt, c.passes, c.memory, c.threads, uint32(len(sum)))
	return subtle.ConstantTimeCompare(got, sum) == 1
}

// outdated tells whether a stored hash is of another cost than today's, or of another panel.
func outdated(stored string) bool {
	c, _, _, err := parse(stored)
	return err != nil || c != present
}

func (c cost) hash(password string) string {
	salt := make([]byte, 16)
	rand.Read(salt)
	sum := argon2.IDKey([]byte(password), salt, c.passes, c.memory, c.threads, 32)
	b64 := base64.RawStdEncoding
	return c.prefix() + b64.EncodeToString(salt) + "$" + b64.EncodeToString(sum)
}

// prefix is how hashes of this cost begin.
func (c cost) prefix() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, c.memory, c.passes, c.threads)
}

var errDamaged = errors.New("a stored password hash cannot be read")

const maxMemory = 128 << 10 // KiB

// parse reads what hash, or another panel, wrote. Costs beyond reason are refused: with them a few sign-ins would take the
// server's memory.
func parse(phc string) (c cost, salt, sum []byte, err error) {
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
	if err != nil || version != argon2.Version || c.memory > maxMemory || c.passes < 1 || c.passes > 16 || c.threads < 1 || len(sum) < 16 {
		return cost{}, nil, nil, errDamaged
	}
	return c, salt, sum, nil
}
