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

// RosterUser is a user of a node as agents of UniProxy and of PPanel read it. It has nothing in it that changes by itself:
// agents add a changed user anew and cut the connections.
type RosterUser struct {
	ID          int64  `json:"id"`
	UUID        string `json:"uuid"`         // what all the user's secrets are made of
	SpeedLimit  int    `json:"speed_limit"`  // Mbit/s; 0: none
	DeviceLimit int    `json:"device_limit"` // 0: none
}

// RosterKey is what a node's list of users follows from; nodes that have it in common share one.
type RosterKey struct {
	class, group int
	serves       bool
	protocol     node.Protocol
	method       string
	speed        int
}

// RosterKeyOf gives n's.
func RosterKeyOf(n node.Node) RosterKey {
	return RosterKey{n.Class, n.GroupID, n.Serves(), n.Protocol, n.Settings.Method, orZero(n.SpeedMbps)}
}

// Rosters answers who may use a node.
type Rosters struct {
	nodes *node.Nodes
	lists *Lists[RosterKey]
}

// NewRosters gives the lists of users of nodes.
func NewRosters(nodes *node.Nodes) *Rosters { return &Rosters{nodes, NewLists[RosterKey]()} }

// Serve answers who may use n as it is at revision. The list is never empty, and nothing stands before its name: XrayR
// panics on an empty one, others do not start, and v2node looks for the first text that is "users".
func (l *Rosters) Serve(w http.ResponseWriter, r *http.Request, n node.Node, revision int64) error {
	return l.lists.Serve(w, r, RosterKeyOf(n), revision, func(ctx context.Context) ([]byte, error) {
		roster, err := l.nodes.Roster(ctx, n)
		if err != nil {
			return nil, err
		}
		return json.Marshal(map[string][]RosterUser{"users": RosterUsers(n, roster)})
	})
}

// RosterUsers gives users as agents of n read them.
func RosterUsers(n node.Node, roster []service.Access) []RosterUser {
	users := make([]RosterUser, len(roster))
	for i, a := range roster {
		users[i] = RosterUser{a.UserID, seed(n, a), lower(orZero(a.SpeedMbps), orZero(n.SpeedMbps)), orZero(a.Devices)}
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
