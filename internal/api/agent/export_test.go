package agent

import (
	"net/http"
	"time"

	"airstrip/internal/node"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
)

// RegisterWaiting is Register with another bound for how long an address waits for a slot.
func RegisterWaiting(mux *http.ServeMux, nodes *node.Nodes, traffic *traffic.Traffic, settings *setting.Settings,
	placeWithin time.Duration,
) {
	register(mux, &server{nodes, traffic, settings, placeWithin})
}
