package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/node"
	"airstrip/internal/permission"
	"airstrip/internal/traffic"
)

type nodeMoment struct {
	At      time.Time `json:"at" doc:"When the step began"`
	CPU     float64   `json:"cpu" doc:"Percent, on the average"`
	Memory  float64   `json:"memory"`
	UpBPS   int64     `json:"up_bps" doc:"Bytes a second, on the average"`
	DownBPS int64     `json:"down_bps"`
	Open    int64     `json:"connections"`
	Online  int64     `json:"online_users" doc:"The most at once"`
}

type nodeOutage struct {
	BeganAt time.Time  `json:"began_at" doc:"The last sign of life before it"`
	EndedAt *time.Time `json:"ended_at" nullable:"true" doc:"null: it lasts"`
}

type nodeHistory struct {
	StepMinutes int64        `json:"step_minutes"`
	Moments     []nodeMoment `json:"moments" doc:"Steps in which it said nothing are left out"`
	Outages     []nodeOutage `json:"outages" doc:"The newest first"`
}

type nodeOnline struct {
	UserID  int64     `json:"user_id"`
	IP      string    `json:"ip"`
	FirstAt time.Time `json:"first_at"`
	LastAt  time.Time `json:"last_at"`
}

type heavyUser struct {
	UserID    int64  `json:"user_id"`
	Email     string `json:"email" doc:"Empty: the account is gone"`
	UpBytes   int64  `json:"up_bytes"`
	DownBytes int64  `json:"down_bytes"`
	Billed    int64  `json:"billed_bytes"`
}

type speedTests struct {
	Tests []speedTest `json:"tests" doc:"Newest first, the last twenty"`
}

type speedTest struct {
	Results  map[string]string `json:"results" doc:"Texts of the agent, by telecomping, telecomeupload, telecomedownload, and the same of unicom and cmcc"`
	TestedAt time.Time         `json:"tested_at"`
}

// NodeStats adds, for staff, what is known of how one node is and was, and of who is on it.
func NodeStats(nodes *node.Nodes, t *traffic.Traffic) v2.Resource {
	return func(r *v2.Router) {
		type historyQuery struct {
			ID    int64 `path:"node_id" minimum:"1"`
			Hours int64 `query:"hours" default:"24" minimum:"1" maximum:"2160"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/nodes/{node_id}/history", permission.NodeRead).
			Named("staff_node_history", "How a node was in the last hours, in about 300 steps, and when it was away"),
			func(ctx context.Context, _ account.Identity, in *historyQuery) (nodeHistory, error) {
				if _, err := nodes.Get(ctx, in.ID); err != nil {
					return nodeHistory{}, err
				}
				to := nodes.Limits.LocalTime()
				from, step := to.Add(-time.Duration(in.Hours)*time.Hour), max(1, in.Hours*60/300)
				moments, err := nodes.Monitor.History(ctx, in.ID, from, to.Add(time.Minute), step)
				if err != nil {
					return nodeHistory{}, err
				}
				outages, err := nodes.Monitor.Outages(ctx, in.ID, from)
				out := nodeHistory{step, []nodeMoment{}, []nodeOutage{}}
				for _, m := range moments {
					out.Moments = append(out.Moments, nodeMoment{
						m.At, float64(m.CPUPermille) / 10,
						float64(m.MemoryPermille) / 10, m.UpBPS, m.DownBPS, m.Connections, m.OnlineUsers,
					})
				}
				for _, o := range outages {
					out.Outages = append(out.Outages, nodeOutage{o.BeganAt, o.EndedAt})
				}
				return out, err
			})
		v2.HandleList(r, v2.StaffOp("GET /staff/nodes/{node_id}/online", permission.NodeUserRead).
			Named("staff_node_online", "The addresses that are connected to a node now"),
			func(ctx context.Context, _ account.Identity, in *v2.NodeID) (out []nodeOnline, err error) {
				if _, err := nodes.Get(ctx, in.ID); err != nil {
					return nil, err
				}
				online, err := nodes.Presence.OnlineOn(ctx, in.ID)
				for _, o := range online {
					out = append(out, nodeOnline{o.UserID, o.IP, o.FirstAt, o.LastAt})
				}
				return out, err
			})
		type heavyQuery struct {
			ID    int64 `path:"node_id" minimum:"1"`
			Hours int   `query:"hours" default:"24" minimum:"1" maximum:"2160"`
			Limit int64 `query:"limit" default:"50" minimum:"1" maximum:"500"`
		}
		v2.HandleList(r, v2.StaffOp("GET /staff/nodes/{node_id}/users", permission.NodeUserRead).
			Named("staff_node_users", "The users who moved most on a node in the last hours"),
			func(ctx context.Context, _ account.Identity, in *heavyQuery) (out []heavyUser, err error) {
				if _, err := nodes.Get(ctx, in.ID); err != nil {
					return nil, err
				}
				from := nodes.Limits.LocalTime().Add(-time.Duration(in.Hours) * time.Hour)
				users, err := t.HeaviestOn(ctx, in.ID, from, in.Limit)
				for _, u := range users {
					out = append(out, heavyUser{u.UserID, u.Email, u.Up, u.Down, u.Billed})
				}
				return out, err
			})
		v2.Handle(r, v2.StaffOp("GET /staff/nodes/{node_id}/speed-tests", permission.NodeSpeedRead).
			Named("staff_node_speed_tests", "How fast a node says it reaches the carriers"),
			func(ctx context.Context, _ account.Identity, in *v2.NodeID) (speedTests, error) {
				if _, err := nodes.Get(ctx, in.ID); err != nil {
					return speedTests{}, err
				}
				tests, err := nodes.Monitor.SpeedTests(ctx, in.ID)
				out := speedTests{[]speedTest{}}
				for _, t := range tests {
					out.Tests = append(out.Tests, speedTest{t.Results, t.At})
				}
				return out, err
			})
	}
}
