package shareaccount

import (
	"encoding/base32"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"airstrip/internal/fault"
	"airstrip/internal/text"
)

// generator makes the TOTP codes (RFC 6238) of an account at a third party, which chooses the parameters.
type generator struct {
	Secret    string `json:"secret"` // base32 without padding
	Period    uint64 `json:"period"` // seconds
	Digits    int    `json:"digits"`
	Algorithm string `json:"algorithm"`
}

var algorithms = map[string]otp.Algorithm{
	"SHA1": otp.AlgorithmSHA1, "SHA256": otp.AlgorithmSHA256, "SHA512": otp.AlgorithmSHA512,
}

// Limits of the parameters of a generator.
const (
	minSeed   = 10 // bytes; services in use give 10 and more
	minPeriod = 15 // seconds
	maxPeriod = 300
	minDigits = 6
	maxDigits = 8
)

var errSeed = fault.Invalid("totp", "format", "请填写 Base32 密钥，或以 otpauth://totp/ 开头的地址",
	"This must be a key in base32 or an address that begins with otpauth://totp/")

var errParameters = fault.Invalid("totp", "range", "不支持该动态码的参数：周期须为 15 至 300 秒，位数为 6 至 8，算法为 SHA1、SHA256 或 SHA512",
	"Codes are made with a period of 15 to 300 seconds, 6 to 8 digits and SHA1, SHA256 or SHA512")

// parseGenerator reads what a third party shows when two-factor authentication is set up: a key in base32, with the
// usual parameters, or an otpauth address.
func parseGenerator(seed string) (generator, error) {
	g := generator{Secret: seed, Period: 30, Digits: 6, Algorithm: "SHA1"}
	if strings.HasPrefix(strings.ToLower(seed), "otpauth:") {
		var err error
		if g, err = fromAddress(seed); err != nil {
			return g, err
		}
	}
	g.Secret = strings.ToUpper(strings.NewReplacer(" ", "", "-", "", "=", "").Replace(g.Secret))
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(g.Secret)
	if err != nil || len(key) < minSeed {
		return g, errSeed
	}
	return g, nil
}

// fromAddress reads an otpauth address. A parameter that is absent has its usual value, and any other is used as it is
// or refused: codes made with a value that stands for it would never be right.
func fromAddress(address string) (g generator, err error) {
	at, err := url.Parse(address)
	if err != nil || !strings.EqualFold(at.Host, "totp") {
		return g, errSeed
	}
	query, err := url.ParseQuery(at.RawQuery)
	if err != nil || len(query["secret"]) != 1 {
		return g, errSeed
	}
	one := func(name, usual string) string {
		switch values := query[name]; len(values) {
		case 0:
			return usual
		case 1:
			return values[0]
		}
		return ""
	}
	period, isPeriod := text.Integer(one("period", "30"))
	digits, isNumber := text.Integer(one("digits", "6"))
	g = generator{query["secret"][0], uint64(period), int(digits), strings.ToUpper(one("algorithm", "SHA1"))}
	if _, known := algorithms[g.Algorithm]; !known || !isPeriod || period < minPeriod || period > maxPeriod ||
		!isNumber || digits < minDigits || digits > maxDigits {
		return g, errParameters
	}
	return g, nil
}

func readGenerator(stored []byte) (g generator, err error) {
	err = json.Unmarshal(stored, &g)
	return g, err
}

func (g generator) text() []byte {
	stored, err := json.Marshal(g)
	if err != nil {
		panic(err) // texts and numbers only
	}
	return stored
}

// at returns the code at t and for how many seconds it is good.
func (g generator) at(t time.Time) (code string, secondsLeft int64, err error) {
	code, err = totp.GenerateCodeCustom(g.Secret, t, totp.ValidateOpts{
		Period: uint(g.Period), Digits: otp.Digits(g.Digits), Algorithm: algorithms[g.Algorithm],
	})
	period := int64(g.Period)
	return code, period - t.Unix()%period, err
}
