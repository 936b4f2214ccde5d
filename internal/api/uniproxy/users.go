package uniproxy

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"airstrip/internal/node"
	"airstrip/internal/service"
)

// userJSON has nothing in it that changes by itself: agents add a changed user anew and cut the connections.
type userJSON struct {
	ID          int64  `json:"id"`
	UUID        string `json:"uuid"`         // what all the user's secrets are made of
	SpeedLimit  int    `json:"speed_limit"`  // Mbit/s; 0: none
	DeviceLimit int    `json:"device_limit"` // 0: none
}

// listKey is what a list follows from; nodes that have it in common share one.
type listKey struct {
	class, group int
	serves       bool
	protocol     node.Protocol
	method       string
	speed        int
}

func keyOf(n node.Node) listKey {
	return listKey{n.Class, n.GroupID, n.Serves(), n.Protocol, n.Settings.Method, orZero(n.SpeedMbps)}
}

// users answers who may use the node. The list is never empty, and nothing stands before its name: XrayR panics on an
// empty one, others do not start, and v2node looks for the first text that is "users".
func (s *server) users(w http.ResponseWriter, c call) error {
	n := c.node
	return s.lists.Serve(w, c.Request, keyOf(n), c.revision, func(ctx context.Context) ([]byte, error) {
		roster, err := s.nodes.Roster(ctx, n)
		if err != nil {
			return nil, err
		}
		return json.Marshal(map[string][]userJSON{"users": usersJSON(n, roster)})
	})
}

func usersJSON(n node.Node, roster []service.Access) []userJSON {
	users := make([]userJSON, len(roster))
	for i, a := range roster {
		users[i] = userJSON{a.UserID, seed(n, a), lower(orZero(a.SpeedMbps), orZero(n.SpeedMbps)), orZero(a.Devices)}
	}
	return users
}

// seed is the text from which agents make what the user proves themselves with: they take it as it is, but for Shadowsocks
// 2022 its base64.
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

// lower gives the lower of two limits, of which 0 is none. These agents know of no limit of the node's.
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
