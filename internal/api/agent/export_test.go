package agent

import (
	"net/http"
	"time"

	"airstrip/internal/node"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
)

// RegisterWaiting is Register where an address waits for a place as long as it is told here.
func RegisterWaiting(mux *http.ServeMux, nodes *node.Nodes, traffic *traffic.Traffic, settings *setting.Settings, placeWithin time.Duration) {
	register(mux, &server{nodes, traffic, settings, placeWithin})
}
