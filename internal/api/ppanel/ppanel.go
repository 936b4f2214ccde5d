// Package ppanel is the API of ppanel-node, the node agent of PPanel, under /v1/server and /v2/server. PPanel's server
// has several protocols and an ID; here it is a node with one protocol. The messages follow PPanel's. The secret_key is
// the node's own secret, which identifies it. It decodes and answers; packages node and traffic hold the rules.
package ppanel

import (
	"log/slog"
	"net/http"
	"strconv"

	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/node"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
)

type server struct {
	nodes     *node.Nodes
	traffic   *traffic.Traffic
	settings  *setting.Settings
	userLists *api.UserLists
}

// call is a request of a node's agent.
type call struct {
	*http.Request
	node     node.Node // Without private keys.
	revision int64     // Revision of everything that agents receive.
}

// Register serves the agents' API on mux.
func Register(mux *http.ServeMux, nodes *node.Nodes, traffic *traffic.Traffic, settings *setting.Settings) {
	s := &server{nodes, traffic, settings, api.NewUserLists(nodes)}
	mux.HandleFunc("GET /v2/server/{server_id}", s.guard(s.config))
	mux.HandleFunc("GET /v1/server/user", s.guard(s.users))
	mux.HandleFunc("POST /v1/server/push", s.guard(s.push))
	mux.HandleFunc("POST /v1/server/online", s.guard(s.online))
	mux.HandleFunc("POST /v1/server/status", s.guard(s.status))
}

// answer is the envelope of answers, except the list of users.
type answer struct {
	Code int    `json:"code"` // Repeats the HTTP status.
	Msg  string `json:"msg"`
	Data any    `json:"data,omitempty"`
}

var errWhichServer = fault.Invalid("server_id", "required", "使用共用密钥时必须提供 server_id",
	"With the one key of all nodes the server_id is needed")

// guard authenticates the node by its key before it reads anything else of the request. The agent distinguishes errors
// by the HTTP status.
func (s *server) guard(fn func(http.ResponseWriter, call) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := s.find(r)
		if err == nil {
			err = s.inTurn(w, c, fn)
		}
		if err == nil {
			return
		}
		f := api.NewFailure(r.Context(), err)
		f.WriteAs(w, answer{Code: f.GetStatus(), Msg: f.Message})
	}
}

func (s *server) inTurn(w http.ResponseWriter, c call, fn func(http.ResponseWriter, call) error) error {
	done, err := s.nodes.Limits.RequestSlot(c.Context(), c.node)
	if err != nil {
		return err
	}
	defer done()
	return fn(w, c)
}

// find returns the node of the key, which must be the one that the agent was configured for.
func (s *server) find(r *http.Request) (call, error) {
	query := r.URL.Query()
	claimed := r.PathValue("server_id")
	if claimed == "" {
		claimed = query.Get("server_id")
	}
	id, _ := strconv.ParseInt(claimed, 10, 64) // An ID that is not a number identifies no node.
	n, revision, err := s.nodes.Secrets.NodeByKey(r.Context(), query.Get("secret_key"), id)
	protocol := query.Get("protocol")
	if protocol == "hysteria" {
		protocol = string(node.Hysteria2)
	}
	switch {
	case err != nil:
		return call{}, err
	case n.ID == 0:
		return call{}, errWhichServer
	case claimed != "" && n.ID != id:
		return call{}, api.ErrOtherNode
	case protocol != "" && protocol != string(n.Protocol):
		return call{}, api.ErrOtherNodeType
	}
	// A failure to record the contact does not affect the answer.
	if err := s.nodes.Monitor.RecordContact(r.Context(), n.ID); err != nil {
		slog.WarnContext(r.Context(), "a node's sign of life could not be noted", "node", n.ID, "error", err)
	}
	return call{r, n, revision}, nil
}

func (s *server) users(w http.ResponseWriter, c call) error {
	return s.userLists.Serve(w, c.Request, c.node, c.revision)
}
