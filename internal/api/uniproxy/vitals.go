package uniproxy

import (
	"encoding/json"
	"math"

	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/node"
)

// vitalsJSON is what agents report about their machine, in one object or spread over two. Each agent omits something.
type vitalsJSON struct {
	CPU *float64 `json:"cpu"` // In percent.
	Mem *struct {
		Total float64 `json:"total"` // In any unit; 100 if used is a percentage.
		Used  float64 `json:"used"`
	} `json:"mem"`
	Uptime *float64 `json:"uptime"`
	Load   *struct {
		One     float64 `json:"load1"`
		Five    float64 `json:"load5"`
		Fifteen float64 `json:"load15"`
	} `json:"load"`
	Connections *float64 `json:"active_connections"`
	Users       *float64 `json:"active_users"`
	Up          *float64 `json:"outbound_speed"` // Bytes per second.
	Down        *float64 `json:"inbound_speed"`
}

// readVitals combines the parts. A missing part contributes nothing.
func readVitals(parts ...json.RawMessage) (v node.Vitals, err error) {
	var in vitalsJSON
	for _, part := range parts {
		if part == nil {
			continue
		}
		if err := json.Unmarshal(part, &in); err != nil {
			return v, api.ErrUnreadable.Because(err)
		}
	}
	if in.CPU != nil {
		if *in.CPU < 0 {
			return v, fault.Invalid("cpu", "range", "cpu 不能为负", "The load of the processor must not be negative")
		}
		v.CPUPermille = permille(*in.CPU / 100)
	}
	if in.Mem != nil {
		if in.Mem.Total < 0 || in.Mem.Used < 0 {
			return v, fault.Invalid("mem", "range", "mem 不能为负", "The memory must not be negative")
		}
		share := 0.0
		if in.Mem.Total > 0 {
			share = in.Mem.Used / in.Mem.Total
		}
		v.MemoryPermille = permille(share)
	}
	if l := in.Load; l != nil {
		if min(l.One, l.Five, l.Fifteen) < 0 {
			return v, fault.Invalid("load", "range", "load 不能为负", "The load must not be negative")
		}
		v.Load = []float64{l.One, l.Five, l.Fifteen}
	}
	for _, n := range []struct {
		name string
		in   *float64
		out  **int64
	}{
		{"uptime", in.Uptime, &v.UptimeSeconds},
		{"active_connections", in.Connections, &v.Connections},
		{"active_users", in.Users, &v.OnlineUsers},
		{"outbound_speed", in.Up, &v.UpBPS},
		{"inbound_speed", in.Down, &v.DownBPS},
	} {
		if n.in == nil {
			continue
		}
		if *n.in < 0 || *n.in > 1<<53 {
			return v, fault.Invalid(n.name, "range", n.name+" 超出范围", n.name+" is out of range")
		}
		*n.out = new(int64(*n.in))
	}
	return v, nil
}

func permille(share float64) *int64 { return new(int64(math.Round(min(share, 1) * 1000))) }
