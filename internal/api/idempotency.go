package api

import (
	"context"
	"crypto/sha256"
	"net/http"
	"strings"
	"unicode/utf8"

	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/text"
)

// maxKeyLength is the greatest length of an Idempotency-Key in characters.
const maxKeyLength = 128

// KeyedRequest returns the request's Idempotency-Key, bound to the user and to a hash of the method, the path and
// input. isKeyed is false where it has none.
func KeyedRequest(r *http.Request, userID int64, input string) (keyed idempotency.Request, isKeyed bool, err error) {
	const header = "Idempotency-Key"
	keys := r.Header.Values(header)
	switch {
	case len(keys) == 0:
		return keyed, false, nil
	case len(keys) > 1:
		return keyed, false, fault.Invalid(header, "repeated", header+" 出现了不止一次",
			"The "+header+" is given more than once")
	case strings.TrimSpace(keys[0]) == "":
		return keyed, false, fault.Invalid(header, "required", header+" 是空的", "The "+header+" is empty")
	case utf8.RuneCountInString(keys[0]) > maxKeyLength:
		return keyed, false, fault.Invalid(header, "too_long", header+" 不能超过 128 个字符",
			"The "+header+" must not be longer than 128 characters")
	case !text.IsStorable(keys[0]):
		return keyed, false, fault.Invalid(header, "characters", header+" 包含无法保存的字符",
			"The "+header+" has characters that cannot be kept")
	}
	sum := sha256.Sum256([]byte(r.Method + "\n" + r.URL.Path + "\n" + input))
	return idempotency.Request{UserID: userID, Key: keys[0], Hash: sum[:]}, true, nil
}

// WithIdempotencyKey returns the request's context with its Idempotency-Key, if it has one; see KeyedRequest.
func WithIdempotencyKey(r *http.Request, userID int64, input string) (context.Context, error) {
	keyed, isKeyed, err := KeyedRequest(r, userID, input)
	if err != nil || !isKeyed {
		return r.Context(), err
	}
	return idempotency.With(r.Context(), keyed), nil
}
