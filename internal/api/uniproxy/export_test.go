package uniproxy

import (
	"net/http"
	"time"

	"airstrip/internal/node"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
)

// RegisterAt is Register with other intervals for sockets.
func RegisterAt(mux *http.ServeMux, nodes *node.Nodes, traffic *traffic.Traffic, settings *setting.Settings,
	site string, write, ping, devices time.Duration,
) {
	register(mux, nodes, traffic, settings, site, intervals{defaultIntervals.admit, write, ping, devices})
}
