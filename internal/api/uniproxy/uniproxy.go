// Package uniproxy is the API of node agents of the v2board and Xboard family, under /api/v1/server/UniProxy and
// /api/v2/server: XrayR, V2bX, v2node, Xboard-node and their forks. Its messages follow theirs, and they distinguish
// errors by the HTTP status. The token is the node's own secret, which alone identifies the node. Of Xboard's two modes
// it supports that of a node, not that of a machine, in which one secret controls many nodes. It decodes and answers;
// packages node and traffic hold the rules.
package uniproxy

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"

	"airstrip/internal/api"
	"airstrip/internal/node"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
)

type server struct {
	nodes     *node.Nodes
	traffic   *traffic.Traffic
	settings  *setting.Settings
	userLists *api.UserLists
	site      string
	pace      intervals
}

// call is a request of a node's agent.
type call struct {
	*http.Request
	node     node.Node // Without private keys.
	nodeType string    // The agent's name for the protocol.
	revision int64     // Revision of everything that agents receive.
	body     []byte    // Of a post.
}

// Register serves the agents' API on mux. site is the server's address, at which agents open their WebSockets.
func Register(mux *http.ServeMux, nodes *node.Nodes, traffic *traffic.Traffic, settings *setting.Settings,
	site string,
) {
	register(mux, nodes, traffic, settings, site, defaultIntervals)
}

func register(mux *http.ServeMux, nodes *node.Nodes, traffic *traffic.Traffic, settings *setting.Settings,
	site string, pace intervals,
) {
	s := &server{nodes, traffic, settings, api.NewUserLists(nodes), site, pace}
	for _, prefix := range []string{"/api/v1/server/UniProxy/", "/api/v2/server/"} {
		mux.HandleFunc("GET "+prefix+"config", s.guard(s.config))
		mux.HandleFunc("GET "+prefix+"user", s.guard(s.users))
		mux.HandleFunc("GET "+prefix+"alivelist", s.guard(s.aliveList))
		mux.HandleFunc("POST "+prefix+"push", s.guard(s.push))
		mux.HandleFunc("POST "+prefix+"alive", s.guard(s.alive))
		mux.HandleFunc("POST "+prefix+"status", s.guard(s.status))
		mux.HandleFunc("GET "+prefix+"ws", s.socket) // Under the first prefix for agents that do not shake hands.
	}
	mux.HandleFunc("GET /api/v2/server/handshake", s.guard(s.handshake))
	mux.HandleFunc("POST /api/v2/server/handshake", s.guard(s.handshake))
	mux.HandleFunc("POST /api/v2/server/report", s.guard(s.report))
}

// guard authenticates the node by its token before it reads anything else of the request. Xboard-node sends its token
// in the body of a post, with its report.
func (s *server) guard(fn func(http.ResponseWriter, call) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := s.answer(w, r, fn); err != nil {
			fail(w, r, err)
		}
	}
}

// maxUnauthenticated bounds the body of a post whose sender is known only after it was read.
const maxUnauthenticated = 1 << 20

func (s *server) answer(w http.ResponseWriter, r *http.Request, fn func(http.ResponseWriter, call) error) (err error) {
	query := r.URL.Query()
	who := claim{query.Get("token"), query.Get("node_id"), query.Get("node_type")}
	c := call{Request: r}
	if who.token == "" && r.Method == http.MethodPost {
		if c.body, err = api.ReadNodeBody(http.MaxBytesReader(w, r.Body, maxUnauthenticated)); err != nil {
			return err
		}
		who = claimIn(c.body)
	}
	if c.node, c.revision, err = who.find(r.Context(), s.nodes); err != nil {
		return err
	}
	c.nodeType = who.nodeType
	done, err := s.nodes.Limits.RequestSlot(r.Context(), c.node)
	if err != nil {
		return err
	}
	defer done()
	if c.body == nil && r.Method == http.MethodPost {
		if c.body, err = api.ReadNodeBody(r.Body); err != nil {
			return err
		}
	}
	// A failure to record the contact does not affect the answer.
	if err := s.nodes.Monitor.RecordContact(r.Context(), c.node.ID); err != nil {
		slog.WarnContext(r.Context(), "a node's sign of life could not be noted", "node", c.node.ID, "error", err)
	}
	return fn(w, c)
}

func (s *server) users(w http.ResponseWriter, c call) error {
	s.traffic.Polled(c.Context(), c.node.ID)
	return s.userLists.Serve(w, c.Request, c.node, c.revision)
}

// claim is how an agent identifies itself. Only the token proves anything.
type claim struct{ token, nodeID, nodeType string }

// claimIn reads a claim from a post. Its node_id is a number or a string.
func claimIn(body []byte) claim {
	var in struct {
		Token    string      `json:"token"`
		NodeID   json.Number `json:"node_id"`
		NodeType string      `json:"node_type"`
	}
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&in); err != nil {
		return claim{}
	}
	return claim{in.Token, in.NodeID.String(), in.NodeType}
}

// aliases are other names that agents use for a protocol.
var aliases = map[string]node.Protocol{"v2ray": node.VMess, "hysteria": node.Hysteria2}

// anyType is the type by which v2node requests a node of any protocol.
const anyType = "v2node"

// find returns the node of the token and a revision that it is at least as new as. The key of all nodes, if the
// installation has one, needs the node's ID in addition.
func (c claim) find(ctx context.Context, nodes *node.Nodes) (node.Node, int64, error) {
	id, _ := strconv.ParseInt(c.nodeID, 10, 64) // An ID that is not a number identifies no node.
	n, revision, err := nodes.Secrets.NodeByKey(ctx, c.token, id)
	if err == nil && n.ID == 0 {
		err = api.ErrWhichNode
	}
	if err == nil {
		err = c.check(n)
	}
	return n, revision, err
}

// check returns an error if the agent was configured for another node.
func (c claim) check(n node.Node) error {
	if c.nodeID != "" && c.nodeID != strconv.FormatInt(n.ID, 10) {
		return api.ErrOtherNode
	}
	if c.nodeType != "" && c.nodeType != anyType && node.Protocol(c.nodeType) != n.Protocol &&
		aliases[c.nodeType] != n.Protocol {
		return api.ErrOtherNodeType
	}
	return nil
}

func fail(w http.ResponseWriter, r *http.Request, err error) {
	f := api.NewFailure(r.Context(), err)
	answer := map[string]any{"status": "fail", "code": f.Code, "message": f.Message}
	if len(f.Errors) > 0 {
		answer["errors"] = f.Errors
	}
	f.WriteAs(w, answer)
}
