package telegram

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"github.com/google/uuid"
)

// What a link's code is good for.
const (
	toSignIn = "s"
	toLink   = "l"
)

// code gives what a link to the bot carries: at most 64 characters, letters, digits, - and _, as Telegram wants it. It
// is made from the row's id with our key, so the database holds nothing that opens anything, and the same row gives the
// same link again.
func (b *Bot) code(purpose string, id uuid.UUID) string {
	return purpose + base64.RawURLEncoding.EncodeToString(append(id[:], b.codeMAC(purpose, id)...))
}

// read gives the row's id of a code that is ours.
func (b *Bot) read(code string) (purpose string, id uuid.UUID, ok bool) {
	if len(code) < 2 {
		return "", id, false
	}
	purpose = code[:1]
	raw, err := base64.RawURLEncoding.DecodeString(code[1:])
	if err != nil || len(raw) != 32 {
		return "", id, false
	}
	copy(id[:], raw)
	return purpose, id, hmac.Equal(raw[16:], b.codeMAC(purpose, id))
}

func (b *Bot) codeMAC(purpose string, id uuid.UUID) []byte {
	mac := hmac.New(sha256.New, b.key.For("telegram code"))
	mac.Write([]byte(purpose))
	mac.Write(id[:])
	return mac.Sum(nil)[:16]
}
