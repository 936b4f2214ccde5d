package agent

import (
	"net/http"

	"airstrip/internal/api"
	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

// leasesJSON requests leases of users' traffic, and releases those that are no longer needed.
type leasesJSON struct {
	Users []struct {
		UserID  int64 `json:"user_id"`
		Open    int64 `json:"open"` // Bytes transferred that no answered report contains.
		Release bool  `json:"release,omitempty"`
	} `json:"users"`
}

// leasedJSON is the answer: the bytes that the agent may serve beyond those of answered reports, for so many seconds
// from its request.
type leasedJSON struct {
	Leases  []leaseJSON `json:"leases"`
	Seconds int64       `json:"seconds"`
}

type leaseJSON struct {
	UserID int64  `json:"user_id"`
	Bytes  *int64 `json:"bytes"` // null for unlimited.
	Spent  bool   `json:"spent,omitempty"`
}

func (s *server) lease(w http.ResponseWriter, r *http.Request, n node.Node) error {
	body, err := api.ReadNodeBody(r.Body)
	if err != nil {
		return err
	}
	var in leasesJSON
	if err := decode(body, &in); err != nil {
		return err
	}
	asks := make([]traffic.Ask, len(in.Users))
	for i, u := range in.Users {
		asks[i] = traffic.Ask{UserID: u.UserID, Open: u.Open, Release: u.Release}
	}
	leases, err := s.traffic.Lease(r.Context(), n, asks)
	if err != nil {
		return err
	}
	out := leasedJSON{Leases: make([]leaseJSON, len(leases)), Seconds: int64(traffic.LeaseFor.Seconds())}
	for i, l := range leases {
		out.Leases[i] = leaseJSON{UserID: l.UserID, Spent: l.Spent}
		if !l.Unlimited {
			out.Leases[i].Bytes = &l.Bytes
		}
	}
	api.WriteJSON(w, http.StatusOK, out)
	return nil
}
