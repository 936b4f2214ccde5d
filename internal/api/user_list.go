package api

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"airstrip/internal/node"
	"airstrip/internal/service"
)

// ListedUser is a user of a node as agents of UniProxy and of PPanel read it. It holds nothing that changes often: an
// agent replaces a changed user and cuts the user's connections.
type ListedUser struct {
	ID          int64  `json:"id"`
	UUID        string `json:"uuid"`         // the seed of the user's secrets
	SpeedLimit  int    `json:"speed_limit"`  // Mbit/s; 0: none
	DeviceLimit int    `json:"device_limit"` // 0: none
}

// UserListKey is what a node's list of users depends on. Nodes with the same key share one list.
type UserListKey struct {
	class, group int
	serves       bool
	protocol     node.Protocol
	method       string
	speed        int
}

// UserListKeyOf returns the key of n.
func UserListKeyOf(n node.Node) UserListKey {
	return UserListKey{n.Class, n.GroupID, n.Serves(), n.Protocol, n.Settings.Method, orZero(n.SpeedMbps)}
}

// UserLists serves the lists of users who may use a node.
type UserLists struct {
	nodes *node.Nodes
	lists *Lists[UserListKey]
}

// NewUserLists returns the lists of users of nodes.
func NewUserLists(nodes *node.Nodes) *UserLists { return &UserLists{nodes, NewLists[UserListKey]()} }

// Serve answers the list of users who may use n at revision. The list is never empty, and its name is the first of the
// body: XrayR panics on an empty list, other agents do not start, and v2node searches for the first text "users".
func (l *UserLists) Serve(w http.ResponseWriter, r *http.Request, n node.Node, revision int64) error {
	return l.lists.Serve(w, r, UserListKeyOf(n), revision, func(ctx context.Context) ([]byte, error) {
		userList, err := l.nodes.Admission.UserList(ctx, n)
		if err != nil {
			return nil, err
		}
		return json.Marshal(map[string][]ListedUser{"users": ListedUsers(n, userList)})
	})
}

// ListedUsers returns users as agents of n read them.
func ListedUsers(n node.Node, userList []service.Access) []ListedUser {
	users := make([]ListedUser, len(userList))
	for i, a := range userList {
		users[i] = ListedUser{a.UserID, seed(n, a), lower(orZero(a.SpeedMbps), orZero(n.SpeedMbps)), orZero(a.Devices)}
	}
	return users
}

// seed returns the text from which agents make the user's secret: the text itself, or for Shadowsocks 2022 its base64.
func seed(n node.Node, a service.Access) string {
	secret := node.UserSecret(n, a.UUID, a.Password)
	if n.Protocol == node.Shadowsocks && strings.HasPrefix(n.Settings.Method, "2022-") {
		letters, err := base64.StdEncoding.DecodeString(secret)
		if err != nil {
			panic(err) // we encoded it
		}
		return string(letters)
	}
	return secret
}

// lower returns the lower of two limits, of which 0 is none. It joins the user's and the node's, since these agents
// know only one.
func lower(a, b int) int {
	if a == 0 || b == 0 {
		return a + b
	}
	return min(a, b)
}

func orZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}
