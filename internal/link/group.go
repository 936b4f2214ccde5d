package link

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"strconv"

	"airstrip/internal/fault"
)

var errGroup = fault.Invalid("manual_link_group", "range", "manual_link_group 不能为负",
	"The manual_link_group must not be negative")

// GroupQuery returns the parameters that make a user's link lead to the entries of another link group. They are signed:
// groups exist so that a blocked entry affects only the users of its group, so nobody may find the others by counting.
func (l *Links) GroupQuery(ctx context.Context, userID int64, group int) (string, error) {
	if group < 0 {
		return "", errGroup
	}
	if _, err := l.services.Access(ctx, userID); err != nil {
		return "", err
	}
	return url.Values{
		"manual_link_group": {strconv.Itoa(group)},
		"group_sign":        {l.groupSign(userID, group)},
	}.Encode(), nil
}

func (l *Links) groupSign(userID int64, group int) string {
	mac := hmac.New(sha256.New, l.key.For("link group"))
	fmt.Fprintf(mac, "%d %d", userID, group)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

// applyGroup makes r lead to the entries of the group that it names if its signature is valid. Otherwise the group is
// ignored.
func (l *Links) applyGroup(k *tokenOwner, r *Request) {
	if r.Group != nil && hmac.Equal([]byte(r.GroupSign), []byte(l.groupSign(k.UserID, *r.Group))) {
		k.Group = *r.Group
		return
	}
	r.Group, r.GroupSign = nil, ""
}
