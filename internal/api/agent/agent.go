// Package agent is the API of airstrip-node, under /api/agent/v1: a snapshot, a stream of changes by revision, reports
// that count exactly once, leases of remaining quotas, device slots for addresses of users with a device limit, and
// heartbeats. It decodes and answers; packages node and traffic hold the rules. The node's secret alone identifies the
// node.
package agent

import (
	"net/http"
	"strings"
	"time"

	"airstrip/internal/api"
	"airstrip/internal/node"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
)

type server struct {
	nodes    *node.Nodes
	traffic  *traffic.Traffic
	settings *setting.Settings

	placeWithin time.Duration
}

// Register serves the agents' API on mux.
func Register(mux *http.ServeMux, nodes *node.Nodes, traffic *traffic.Traffic, settings *setting.Settings) {
	register(mux, &server{nodes, traffic, settings, deviceTimeout})
}

func register(mux *http.ServeMux, s *server) {
	mux.HandleFunc("GET /api/agent/v1/snapshot", s.guard(s.inRequestSlot(s.snapshot)))
	mux.HandleFunc("GET /api/agent/v1/changes", s.guard(s.changes))
	mux.HandleFunc("POST /api/agent/v1/reports", s.guard(s.inRequestSlot(s.report)))
	mux.HandleFunc("POST /api/agent/v1/status", s.guard(s.inRequestSlot(s.status)))
	mux.HandleFunc("POST /api/agent/v1/devices", s.guard(s.device))
	mux.HandleFunc("POST /api/agent/v1/leases", s.guard(s.inRequestSlot(s.lease)))
}

// guard authenticates the node before it reads anything else of the request. An error of fn is answered as {code,
// message}.
func (s *server) guard(fn func(http.ResponseWriter, *http.Request, node.Node) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n, _, err := s.nodes.Secrets.Node(r.Context(), secretOf(r))
		if err == nil {
			err = fn(w, r, n)
		}
		if err != nil {
			fail(w, r, err)
		}
	}
}

// inRequestSlot is for requests that take the server more than a moment, except device slots, which many addresses
// request at once.
func (s *server) inRequestSlot(fn func(http.ResponseWriter, *http.Request, node.Node) error) func(http.ResponseWriter,
	*http.Request, node.Node) error {
	return func(w http.ResponseWriter, r *http.Request, n node.Node) error {
		done, err := s.nodes.Limits.RequestSlot(r.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		return fn(w, r, n)
	}
}

func secretOf(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func fail(w http.ResponseWriter, r *http.Request, err error) {
	f := api.NewFailure(r.Context(), err)
	f.WriteAs(w, map[string]any{"code": f.Code, "message": f.Message, "errors": f.Errors})
}
