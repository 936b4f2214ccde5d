package cdkey

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"airstrip/internal/fault"
)

const (
	length  = 20 // characters of five bits each
	visible = 5  // of them are kept readable
)

// alphabet has no two characters that look alike: what is read as I, L or O is 1 or 0. It is Crockford's base 32.
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

var encoding = base32.NewEncoding(alphabet).WithPadding(base32.NoPadding)

// newCode gives 100 random bits as 20 characters.
func newCode() string {
	var b [13]byte
	rand.Read(b[:]) // never fails
	return encoding.EncodeToString(b[:])[:length]
}

// grouped gives the code as people read it: XXXXX-XXXXX-XXXXX-XXXXX.
func grouped(code string) string {
	return strings.Join([]string{code[:5], code[5:10], code[10:15], code[15:]}, "-")
}

// normal gives what a person meant by text, whatever its case, spaces, dashes and look-alikes.
func normal(text string) (string, error) {
	code := strings.Map(func(r rune) rune {
		switch r = unicode.ToUpper(r); {
		case unicode.IsSpace(r) || unicode.Is(unicode.Pd, r) || r == '_' || r == '−':
			return -1
		case r == 'O':
			return '0'
		case r == 'I' || r == 'L':
			return '1'
		}
		return r
	}, norm.NFKC.String(text))
	if len(code) != length || strings.Trim(code, alphabet) != "" {
		return "", fault.Invalid("cd_key", "format", "兑换码由 20 个字母和数字组成", "A cd-key has 20 letters and digits")
	}
	return code, nil
}

func hash(code string) []byte {
	sum := sha256.Sum256([]byte(code))
	return sum[:]
}
