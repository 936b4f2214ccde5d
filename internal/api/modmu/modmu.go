// Package modmu is the API of node agents of the SSPanel family, under /v1/mod_mu and /mod_mu: XrayR and its forks,
// soga, the Python agent. Its messages follow theirs: an answer has exactly the keys ret and data and the status 200,
// except for a wrong key. The key identifies the node; an installation migrated from another panel may also have one
// key for all nodes. It decodes and answers; packages node and traffic hold the rules.
package modmu

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

type server struct {
	nodes    *node.Nodes
	traffic  *traffic.Traffic
	lists    *api.Lists[listKey]
	fallback fallback
}

// Register serves the agents' API on mux, under both prefixes.
func Register(mux *http.ServeMux, nodes *node.Nodes, traffic *traffic.Traffic) {
	s := &server{nodes, traffic, api.NewLists[listKey](), newFallback()}
	for _, prefix := range []string{"/mod_mu", "/v1/mod_mu"} {
		mux.HandleFunc("GET "+prefix+"/users", s.guard(s.users))
		for pattern, fn := range map[string]answer{
			"POST /users/traffic":    s.postTraffic,
			"POST /users/aliveip":    s.postAliveIP,
			"POST /users/detectlog":  s.postDetectLog,
			"GET /nodes":             s.listNodes,
			"GET /nodes/config":      s.nodesConfig,
			"POST /nodes/config":     s.nodesConfig,
			"GET /nodes/{id}/info":   s.nodeInfo,
			"POST /nodes/{id}/info":  s.postNodeInfo,
			"GET /func/ping":         s.ping,
			"POST /func/ping":        s.ping,
			"GET /func/detect_rules": s.detectRules,
			"GET /func/relay_rules":  s.relayRules,
			"GET /func/autoexec":     s.nothing, // It would let the panel run commands on nodes.
			"POST /func/autoexec":    s.accept,
			"GET /func/block_ip":     s.blockedIPs,
			"POST /func/block_ip":    s.blockIPs,
			"GET /func/unblock_ip":   s.unblockedIPs,
			"POST /func/speedtest":   s.postSpeedTest,
			"GET /unlock/config":     s.unlockConfig,
			"POST /unlock/report":    s.accept,
		} {
			method, path, _ := strings.Cut(pattern, " ")
			mux.HandleFunc(method+" "+prefix+path, s.guard(s.answer(fn)))
		}
	}
}

// answer returns the data of an answer.
type answer func(r *http.Request, n node.Node) (any, error)

// envelope has exactly the keys that the Python agent permits.
type envelope struct {
	Ret  int `json:"ret"`
	Data any `json:"data"`
}

// guard authenticates the node by its key before it reads anything else of the request.
func (s *server) guard(fn func(http.ResponseWriter, *http.Request, node.Node, int64)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		key := query.Get("key")
		for _, name := range []string{"muKey", "token"} {
			if key == "" {
				key = query.Get(name)
			}
		}
		claimed := query.Get("node_id")
		if claimed == "" || claimed == "0" {
			claimed = r.PathValue("id")
		}
		id, _ := strconv.ParseInt(claimed, 10, 64) // An ID that is not a number identifies no node.
		n, revision, err := s.find(r.Context(), key, id)
		if errors.Is(err, node.ErrSecret) {
			api.WriteJSON(w, http.StatusUnauthorized, envelope{0, node.ErrSecret.Text.EN})
			return
		}
		if err != nil {
			fail(w, r, err)
			return
		}
		switch of := query.Get("node_id"); {
		case n.ID == 0 && aboutNode(r):
			fail(w, r, api.ErrWhichNode)
			return
		case of != "" && of != "0" && n.ID != 0 && of != strconv.FormatInt(n.ID, 10):
			fail(w, r, api.ErrOtherNode)
			return
		}
		done, err := s.nodes.Limits.RequestSlot(r.Context(), n)
		if err != nil {
			fail(w, r, err)
			return
		}
		defer done()
		fn(w, r, n, revision)
	}
}

// aboutNode reports whether the request concerns one node. XrayR sends other requests without its ID.
func aboutNode(r *http.Request) bool {
	_, path, _ := strings.Cut(r.URL.Path, "mod_mu")
	return strings.HasPrefix(path, "/users") || strings.HasSuffix(path, "/info") || path == "/func/speedtest"
}

func (s *server) answer(fn answer) func(http.ResponseWriter, *http.Request, node.Node, int64) {
	return func(w http.ResponseWriter, r *http.Request, n node.Node, _ int64) {
		data, err := fn(r, n)
		if err != nil {
			fail(w, r, err)
			return
		}
		api.WriteJSON(w, http.StatusOK, envelope{1, data})
	}
}

// fail answers an error with the status that agents expect.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	f := api.FaultOf(r.Context(), err)
	status := http.StatusOK
	if f.Status == http.StatusRequestEntityTooLarge || f.Status == http.StatusServiceUnavailable {
		status = f.Status
	}
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", api.RetryAfter(f))
	}
	api.WriteJSON(w, status, envelope{0, reason(f)})
}

// reason describes the fault, with the names of wrong fields, because agents show nothing but data.
func reason(f *fault.Error) string {
	if len(f.Fields) == 0 {
		return f.Text.EN
	}
	texts := make([]string, len(f.Fields))
	for i, field := range f.Fields {
		texts[i] = field.Name + ": " + field.Text.EN
	}
	return strings.Join(texts, "; ")
}

// posted is the body of a post. Rows that cannot be read are identified by their position.
type posted[T any] struct {
	body    []byte
	rows    []T
	total   int
	refused []string
}

// read decodes a post. A null list is empty, as agents in Go write it. If none of the rows can be read, the post
// belongs to another protocol and is refused as a whole.
func read[T any](r *http.Request) (posted[T], error) {
	var in posted[T]
	body, err := api.ReadNodeBody(r.Body)
	if err != nil {
		return in, err
	}
	var post struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &post); err != nil {
		return in, api.ErrUnreadable.Because(err)
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(post.Data, &rows); err != nil { // The data may also be missing.
		return in, api.ErrUnreadable.Because(err)
	}
	if len(rows) > traffic.MaxRows {
		return in, traffic.ErrTooMany
	}
	in.body, in.total = body, len(rows)
	for i, text := range rows {
		var row *T
		if err := json.Unmarshal(text, &row); err != nil || row == nil {
			in.refused = append(in.refused, fmt.Sprintf("row %d unreadable", i+1))
			continue
		}
		in.rows = append(in.rows, *row)
	}
	if in.total > 0 && len(in.rows) == 0 {
		return in, api.ErrUnreadable
	}
	return in, nil
}

func (s *server) ping(*http.Request, node.Node) (any, error) { return "pong", nil }

func (s *server) nothing(*http.Request, node.Node) (any, error) { return []any{}, nil }

// accept accepts a post whose content is not used.
func (s *server) accept(r *http.Request, _ node.Node) (any, error) {
	_, err := io.Copy(io.Discard, r.Body)
	return "ok", err
}

// recordContact records that the agent is alive. A failure to do so does not affect the answer.
func (s *server) recordContact(ctx context.Context, n node.Node) {
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	if err := s.nodes.Monitor.RecordContact(ctx, n.ID); err != nil {
		slog.WarnContext(ctx, "a node's sign of life could not be noted", "node", n.ID, "error", err)
	}
}
