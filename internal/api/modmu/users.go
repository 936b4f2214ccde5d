package modmu

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"airstrip/internal/node"
)

// userJSON has every field that some agent reads. Nothing in it may change by itself, as who is online does: agents add a
// changed user anew and cut the connections.
type userJSON struct {
	ID             int64     `json:"id"`
	UUID           uuid.UUID `json:"uuid"`
	Passwd         string    `json:"passwd"`
	Port           int       `json:"port"`
	Method         string    `json:"method"`
	NodeSpeedLimit int       `json:"node_speedlimit"` // Mbit/s; 0: none
	NodeIPLimit    int       `json:"node_iplimit"`    // 0: none
	NodeConnector  int       `json:"node_connector"`  // the same by its old name
	Obfs           string    `json:"obfs"`            // from here on the Python agent wants the keys to exist
	ObfsParam      string    `json:"obfs_param"`
	Protocol       string    `json:"protocol"`
	ProtocolParam  string    `json:"protocol_param"`
	ForbiddenIP    string    `json:"forbidden_ip"`
	ForbiddenPort  string    `json:"forbidden_port"`
	IsMultiUser    int       `json:"is_multi_user"`
}

// placeholder stands in an empty list, on which some agents fail. Its id is nobody's and nobody knows its secrets.
var placeholder = sha256.Sum256([]byte("airstrip placeholder"))

// listKey is what a list follows from; nodes that have it in common share one.
type listKey struct {
	class, group int
	enabled      bool
	protocol     node.Protocol
	method       string
	port         int
}

// list is the answer for one revision, as the bytes that are sent.
type list struct {
	revision int64
	etag     string
	plain    []byte
	gzipped  []byte
}

// users answers who may use the node. The list is built once for each change and node type, and sent as bytes.
func (s *server) users(w http.ResponseWriter, r *http.Request, n node.Node, revision int64) {
	s.seen(r.Context(), n)
	key := listKey{n.Class, n.GroupID, n.Enabled, n.Protocol, n.Settings.Method, n.ListenPort}
	l, ok := s.lists.GetIfPresent(key)
	if !ok || l.revision != revision {
		var err error
		if l, err = s.build(r.Context(), n, revision, l); err != nil {
			fail(w, r, err)
			return
		}
		s.lists.Set(key, l)
	}
	h := w.Header()
	h.Set("ETag", l.etag)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == l.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := l.plain
	h.Set("Content-Type", "application/json; charset=utf-8")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		body = l.gzipped
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}

// build makes the list for a revision; one with the same bytes as before stays as it is.
func (s *server) build(ctx context.Context, n node.Node, revision int64, before *list) (*list, error) {
	users := []userJSON{}
	if n.Enabled {
		allowed, err := s.services.Allowed(ctx, n.Class, n.GroupID)
		if err != nil {
			return nil, err
		}
		for _, a := range allowed {
			users = append(users, user(n, a.UserID, a.UUID, a.Password, orZero(a.SpeedMbps), orZero(a.Devices)))
		}
	}
	if len(users) == 0 {
		users = append(users, user(n, 0, uuid.UUID(placeholder[:16]), hex.EncodeToString(placeholder[16:]), 0, 0))
	}
	plain, err := json.Marshal(envelope{1, users})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(plain)
	etag := `"` + hex.EncodeToString(sum[:16]) + `"`
	if before != nil && before.etag == etag {
		return &list{revision, etag, before.plain, before.gzipped}, nil
	}
	var zipped bytes.Buffer
	zip := gzip.NewWriter(&zipped)
	zip.Write(plain)
	zip.Close()
	return &list{revision, etag, plain, zipped.Bytes()}, nil
}

func user(n node.Node, id int64, name uuid.UUID, password string, speed, devices int) userJSON {
	u := userJSON{ID: id, UUID: name, Passwd: password, Port: n.ListenPort, Method: n.Settings.Method, NodeSpeedLimit: speed, NodeIPLimit: devices, NodeConnector: devices, Obfs: "plain", Protocol: "origin"}
	if n.Protocol == node.Shadowsocks {
		u.Passwd = node.UserSecret(n, name, password)
	}
	return u
}

func orZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}
