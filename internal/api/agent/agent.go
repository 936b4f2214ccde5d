// Package agent is what airstrip-node speaks with the server, under /api/agent/v1: a snapshot, a stream of changes with
// a revision, reports that count exactly once, leases of what is left of quotas, places for addresses of users with a device
// limit, and heartbeats. The node's secret alone names the node.
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

// guard finds the node before anything else of the request is looked at. An error of fn is answered as {code, message}.
func (s *server) guard(fn func(http.ResponseWriter, *http.Request, node.Node) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n, _, err := s.nodes.BySecret(r.Context(), secretOf(r))
		if err == nil {
			err = fn(w, r, n)
		}
		if err != nil {
			fail(w, r, err)
		}
	}
}

// inRequestSlot is for what takes the server more than a moment; places for addresses are asked for by many at once.
func (s *server) inRequestSlot(fn func(http.ResponseWriter, *http.Request, node.Node) error) func(http.ResponseWriter, *http.Request, node.Node) error {
	return func(w http.ResponseWriter, r *http.Request, n node.Node) error {
		done, err := s.nodes.Turn(r.Context(), n)
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
