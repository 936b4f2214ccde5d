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

var errGroup = fault.Invalid("manual_link_group", "range", "manual_link_group 不能为负", "The manual_link_group must not be negative")

// GroupQuery gives what is added to a user's link so that it leads to the entries of another link group. It is signed:
// groups exist so that a blocked entry touches only the users of its group, so nobody finds the others by counting.
func (l *Links) GroupQuery(ctx context.Context, userID int64, group int) (string, error) {
	if group < 0 {
		return "", errGroup
	}
	if _, err := l.services.Access(ctx, userID); err != nil {
		return "", err
	}
	return url.Values{"manual_link_group": {strconv.Itoa(group)}, "group_sign": {l.groupSign(userID, group)}}.Encode(), nil
}

func (l *Links) groupSign(userID int64, group int) string {
	mac := hmac.New(sha256.New, l.key.For("link group"))
	fmt.Fprintf(mac, "%d %d", userID, group)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

// applyGroup lets r lead to the entries of the group that it names, where it bears the signature for it; else it is forgotten.
func (l *Links) applyGroup(k *tokenOwner, r *Request) {
	if r.Group != nil && hmac.Equal([]byte(r.GroupSign), []byte(l.groupSign(k.UserID, *r.Group))) {
		k.Group = *r.Group
		return
	}
	r.Group, r.GroupSign = nil, ""
}
