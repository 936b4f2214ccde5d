package agent

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/node"
)

// deviceTimeout is how long an address waits until another node has cut an older one. Tests may use another value.
const deviceTimeout = 3 * time.Second

// deviceJSON confirms which of a user's addresses the agent has cut, and requests a device slot for another.
type deviceJSON struct {
	UserID int64    `json:"user_id"`
	IP     string   `json:"ip,omitempty"`
	Gone   []string `json:"gone,omitempty"`
}

// admissionJSON is the answer. If this very node holds the slots, Drop names the addresses to cut; the agent then asks
// again and confirms them.
type admissionJSON struct {
	Admitted bool     `json:"admitted"`
	Drop     []string `json:"drop,omitempty"`
}

// dropJSON names addresses of a user that the agent has to cut.
type dropJSON struct {
	UserID int64    `json:"user_id"`
	IPs    []string `json:"ips"`
}

func (s *server) device(w http.ResponseWriter, r *http.Request, n node.Node) error {
	body, err := api.ReadNodeBody(r.Body)
	if err != nil {
		return err
	}
	var in deviceJSON
	if err := decode(body, &in); err != nil {
		return err
	}
	if len(in.Gone) > 0 {
		if err := s.nodes.DeviceSlots.RecordCut(r.Context(), n, in.UserID, in.Gone); err != nil {
			return err
		}
	}
	var out admissionJSON
	if in.IP != "" {
		ip, err := netip.ParseAddr(in.IP)
		if err != nil {
			return fault.Invalid("ip", "format", "不是有效的 IP 地址", "This is not an IP address")
		}
		if out, err = s.admit(r.Context(), n, in.UserID, ip); err != nil {
			return err
		}
	}
	api.WriteJSON(w, http.StatusOK, out)
	return nil
}

func (s *server) admit(ctx context.Context, n node.Node, userID int64, ip netip.Addr) (out admissionJSON, err error) {
	changes, stop := s.nodes.DeviceSlots.Watch()
	defer stop()
	timeout := time.After(s.placeWithin)
	for {
		answer, err := s.nodes.DeviceSlots.Admit(ctx, n, userID, ip)
		if err != nil || answer != node.Wait {
			return admissionJSON{Admitted: answer == node.Admitted}, err
		}
		drops, err := s.devicesToCut(ctx, n)
		if err != nil {
			return out, err
		}
		for _, d := range drops {
			if d.UserID == userID {
				return admissionJSON{Drop: d.IPs}, nil
			}
		}
		select {
		case <-changes:
		case <-timeout:
			return out, nil
		case <-ctx.Done():
			return out, ctx.Err()
		}
	}
}

// devicesToCut returns the addresses that n's agent has to cut.
func (s *server) devicesToCut(ctx context.Context, n node.Node) ([]dropJSON, error) {
	rows, err := s.nodes.DeviceSlots.AddressesToCut(ctx, n)
	var out []dropJSON
	for _, r := range rows {
		if last := len(out) - 1; last < 0 || out[last].UserID != r.UserID {
			out = append(out, dropJSON{UserID: r.UserID})
		}
		out[len(out)-1].IPs = append(out[len(out)-1].IPs, r.IP)
	}
	return out, err
}
