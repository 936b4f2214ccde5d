package modmu

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/google/uuid"

	"airstrip/internal/node"
	"airstrip/internal/service"
)

// userJSON has every field that some agent reads. No field may change by itself, as the online state does: agents add a
// changed user again and cut the connections.
type userJSON struct {
	ID             int64     `json:"id"`
	UUID           uuid.UUID `json:"uuid"`
	Passwd         string    `json:"passwd"`
	Port           int       `json:"port"`
	Method         string    `json:"method"`
	NodeSpeedLimit int       `json:"node_speedlimit"` // Mbit/s; 0 for none.
	NodeIPLimit    int       `json:"node_iplimit"`    // 0 for none.
	NodeConnector  int       `json:"node_connector"`  // The same under its old name.
	Obfs           string    `json:"obfs"`            // The Python agent requires the keys from here on.
	ObfsParam      string    `json:"obfs_param"`
	Protocol       string    `json:"protocol"`
	ProtocolParam  string    `json:"protocol_param"`
	ForbiddenIP    string    `json:"forbidden_ip"`
	ForbiddenPort  string    `json:"forbidden_port"`
	IsMultiUser    int       `json:"is_multi_user"`
}

// listKey is what a list depends on. Nodes with the same key share one list.
type listKey struct {
	class, group int
	serves       bool
	protocol     node.Protocol
	method       string
	port         int
}

// users lists who may use the node.
func (s *server) users(w http.ResponseWriter, r *http.Request, n node.Node, revision int64) {
	s.recordContact(r.Context(), n)
	s.traffic.Polled(r.Context(), n.ID)
	key := listKey{n.Class, n.GroupID, n.Serves(), n.Protocol, n.Settings.Method, n.ListenPort}
	if err := s.lists.Serve(w, r, key, revision, func(ctx context.Context) ([]byte,
		error,
	) {
		return s.list(ctx, n)
	}); err != nil {
		fail(w, r, err)
	}
}

func (s *server) list(ctx context.Context, n node.Node) ([]byte, error) {
	allowed, err := s.nodes.Admission.UserList(ctx, n)
	if err != nil {
		return nil, err
	}
	users := make([]userJSON, len(allowed))
	for i, a := range allowed {
		users[i] = user(n, a)
	}
	return json.Marshal(envelope{1, users})
}

func user(n node.Node, a service.Access) userJSON {
	u := userJSON{
		ID: a.UserID, UUID: a.UUID, Passwd: a.Password, Port: n.ListenPort, Method: n.Settings.Method,
		NodeSpeedLimit: orZero(a.SpeedMbps), NodeIPLimit: orZero(a.Devices), NodeConnector: orZero(a.Devices),
		Obfs: "plain", Protocol: "origin",
	}
	if n.Protocol == node.Shadowsocks || n.Protocol == node.TUIC {
		u.Passwd = node.UserSecret(n, a.UUID, a.Password)
	}
	return u
}

func orZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}
