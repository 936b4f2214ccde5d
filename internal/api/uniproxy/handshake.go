package uniproxy

import (
	"net/http"
	"strings"

	"airstrip/internal/api"
)

type handshakeJSON struct {
	WebSocket struct {
		Enabled bool   `json:"enabled"`
		URL     string `json:"ws_url"`
	} `json:"websocket"`
	Settings struct {
		PushInterval int `json:"push_interval"` // In seconds.
		PullInterval int `json:"pull_interval"`
	} `json:"settings"`
}

// handshake returns the address of the agent's WebSocket. It is at the site's own address whatever the Host header
// says, since the agent will send its token there.
func (s *server) handshake(w http.ResponseWriter, _ call) error {
	var out handshakeJSON
	out.WebSocket.Enabled, out.WebSocket.URL = true, "ws"+strings.TrimPrefix(s.site, "http")+"/api/v2/server/ws"
	seconds := s.settings.Get().NodeReportSeconds
	out.Settings.PushInterval, out.Settings.PullInterval = seconds, seconds
	api.WriteJSON(w, http.StatusOK, out)
	return nil
}
