package shareaccount

import (
	"encoding/base32"
	"encoding/json"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"airstrip/internal/fault"
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
	maxPeriod = 300
)

var errSeed = fault.Invalid("totp", "format", "请填写 Base32 密钥，或以 otpauth://totp/ 开头的地址",
	"This must be a key in base32 or an address that begins with otpauth://totp/")

// parseGenerator reads what a third party shows when two-factor authentication is set up: a key in base32, with the
// usual parameters, or an otpauth address.
func parseGenerator(text string) (generator, error) {
	g := generator{Secret: text, Period: 30, Digits: 6, Algorithm: "SHA1"}
	if strings.HasPrefix(strings.ToLower(text), "otpauth:") {
		key, err := otp.NewKeyFromURL(text)
		if err != nil || key.Type() != "totp" {
			return g, errSeed
		}
		g = generator{key.Secret(), key.Period(), key.Digits().Length(), key.Algorithm().String()}
	}
	g.Secret = strings.ToUpper(strings.NewReplacer(" ", "", "-", "", "=", "").Replace(g.Secret))
	seed, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(g.Secret)
	_, known := algorithms[g.Algorithm]
	if err != nil || len(seed) < minSeed || !known || g.Period < 1 || g.Period > maxPeriod ||
		g.Digits < 6 || g.Digits > 8 {
		return g, errSeed
	}
	return g, nil
}

func readGenerator(text []byte) (g generator, err error) {
	err = json.Unmarshal(text, &g)
	return g, err
}

func (g generator) text() []byte {
	text, err := json.Marshal(g)
	if err != nil {
		panic(err) // texts and numbers only
	}
	return text
}

// at returns the code at t and for how many seconds it is good.
func (g generator) at(t time.Time) (code string, secondsLeft int64, err error) {
	code, err = totp.GenerateCodeCustom(g.Secret, t, totp.ValidateOpts{
		Period: uint(g.Period), Digits: otp.Digits(g.Digits), Algorithm: algorithms[g.Algorithm],
	})
	period := int64(g.Period)
	return code, period - t.Unix()%period, err
}
