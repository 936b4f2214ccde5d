package account

import (
	_ "embed" // the list of common passwords
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"airstrip/internal/fault"
	"airstrip/internal/text"
)

// NormalEmail returns an e-mail address as it is stored: trimmed, with the letters of ASCII in lower case. Others stay,
// so that no address becomes the one of somebody else: the lower case of the sign of kelvin is an ordinary k.
func NormalEmail(email string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, strings.TrimSpace(email))
}

var domain = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// checkEmail checks a normal e-mail address. The lengths are those of RFC 5321.
func checkEmail(email string, allowed []string) *fault.Field {
	parsed, err := mail.ParseAddress(email)
	at := strings.LastIndexByte(email, '@')
	if err != nil || parsed.Address != email || at < 1 || at > 64 || len(email) > 254 || !ascii(email) ||
		!domain.MatchString(email[at+1:]) {
		return field("email", "email", "请输入有效的邮箱地址", "Please enter a valid e-mail address")
	}
	same := func(d string) bool { return strings.EqualFold(strings.TrimPrefix(d, "@"), email[at+1:]) }
	if len(allowed) > 0 && !slices.ContainsFunc(allowed, same) {
		return field("email", "domain", "本站不接受该邮箱服务商的地址", "Addresses of this e-mail provider are not accepted here")
	}
	return nil
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// normalName returns a name as it is stored.
func normalName(name string) string { return norm.NFC.String(strings.TrimSpace(name)) }

func checkName(name string) *fault.Field {
	if n := utf8.RuneCountInString(name); n < 1 || n > 32 || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, unicode.IsControl) {
		return field("name", "length", "名称需为 1 至 32 个字符", "The name must have 1 to 32 characters")
	}
	if !text.IsVisible(name) {
		return field("name", "invisible_characters", "名称包含不可见或改变文字方向的字符",
			"The name has invisible characters, or ones that change the direction of writing")
	}
	return nil
}

// normalPassword returns a password as it is hashed, so that it is the same from every keyboard.
func normalPassword(password string) string { return norm.NFC.String(password) }

// maxTypedPassword is the number of bytes of a typed password that are hashed. No password that can be set is longer.
const maxTypedPassword = 1024

// checkPassword tests a normal password that was given in the input field called name, for the account with this e-mail
// address on the site called siteName.
func checkPassword(name, password, email, siteName string) *fault.Field {
	if n := utf8.RuneCountInString(password); n < 8 || n > 128 || !utf8.ValidString(password) {
		return field(name, "length", "密码需为 8 至 128 个字符", "The password must have 8 to 128 characters")
	}
	if _, common := slices.BinarySearch(commonPasswords(), strings.ToLower(password)); common {
		return field(name, "common", "这个密码太常见，请换一个", "This password is one of the most common; please choose another")
	}
	local, _, _ := strings.Cut(email, "@")
	for _, known := range []string{email, local, siteName} {
		if known != "" && foldCase(password) == foldCase(known) {
			return field(name, "personal", "密码不能与邮箱或站点名称相同",
				"The password must not be the e-mail address or the name of this site")
		}
	}
	if isSequence([]rune(password)) {
		return field(name, "simple", "密码不能是同一个字符或连续的字符",
			"The password must not be one repeated character or a row of successive ones")
	}
	return nil
}

// foldCase returns a text in lower case and without spaces, to compare it as a guesser would.
func foldCase(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }

// isSequence tells whether each character follows from the one before by the same step of -1, 0 or 1; 9 is followed by
// 0.
func isSequence(s []rune) bool {
	step := func(i int) rune {
		switch {
		case s[i-1] == '9' && s[i] == '0':
			return 1
		case s[i-1] == '0' && s[i] == '9':
			return -1
		}
		return s[i] - s[i-1]
	}
	for i := 1; i < len(s); i++ {
		if d := step(i); d < -1 || d > 1 || d != step(1) {
			return false
		}
	}
	return true
}

func checkRepeated(password, repeated string) *fault.Field {
	if password != repeated {
		return field("re_password", "mismatch", "两次输入的密码不一致", "The two passwords are not the same")
	}
	return nil
}

// The 10,000 commonest passwords of eight or more characters, sorted. Selected from the ranked password list in zxcvbn
// 4.4.2 (MIT, see common_passwords.LICENSE), which comes from the ten million passwords that Mark Burnett put into the
// public domain.
//
//go:embed common_passwords.txt
var commonText string

var commonPasswords = sync.OnceValue(func() []string { return strings.Fields(commonText) })

func field(name, code, zh, en string) *fault.Field {
	return &fault.Field{Name: name, Code: code, Text: fault.Text{ZH: zh, EN: en}}
}

// invalid returns the fault of the fields that are not nil; nil where all are.
func invalid(fields ...*fault.Field) error {
	var wrong []fault.Field
	for _, f := range fields {
		if f != nil {
			wrong = append(wrong, *f)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return fault.ErrInvalid.In(wrong...)
}
