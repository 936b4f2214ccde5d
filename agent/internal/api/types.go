// Package api is what airstrip-node speaks with the server: the shapes and the calls of
// /api/agent/v1.
package api

import "time"

// Snapshot is the whole of what a node has to know at one revision.
type Snapshot struct {
	Revision int64  `json:"revision"`
	Node     Node   `json:"node"`
	Users    []User `json:"users"`
	Rules    []Rule `json:"rules"`
	// Blocked are the addresses from which nobody is let in.
	Blocked []string `json:"blocked"`
}

// Node says what to serve and where. Speed is in Mbit/s for each user, nil for none.
type Node struct {
	ID            int64    `json:"id"`
	Name          string   `json:"name"`
	Protocol      string   `json:"protocol"`
	Listen        string   `json:"listen"`
	Port          int      `json:"port"`
	Settings      Settings `json:"settings"`
	SpeedMbps     *float64 `json:"speed_mbps"`
	ReportSeconds int      `json:"report_seconds"`
	AllowPrivate  bool     `json:"allow_private"`
	// Closed, or with its own quota Spent, nobody may use it. Hidden, it is in no list and no link.
	Closed bool `json:"closed"`
	Spent  bool `json:"spent"`
	Hidden bool `json:"hidden"`
	// Forwards are the ports at which this node is the relay of others.
	Forwards []Forward `json:"forwards"`
}

// Forward passes all that comes to a port on to Target, host:port.
type Forward struct {
	Port   int    `json:"port"`
	Target string `json:"target"`
	TCP    bool   `json:"tcp"`
	UDP    bool   `json:"udp"`
}

// Settings of the protocols; the zero value of a field means its default.
type Settings struct {
	Transport    string  `json:"transport"`
	Path         string  `json:"path"`
	Host         string  `json:"host"`
	ServiceName  string  `json:"service_name"`
	Security     string  `json:"security"`
	Flow         string  `json:"flow"`
	TLS          TLS     `json:"tls"`
	Reality      Reality `json:"reality"`
	Method       string  `json:"method"`
	ServerKey    string  `json:"server_key"`
	Obfs         string  `json:"obfs"`
	ObfsPassword string  `json:"obfs_password"`
	UpMbps       int     `json:"up_mbps"`
	DownMbps     int     `json:"down_mbps"`
	// Congestion is TUIC's control of congestion; ZeroRTT lets TUIC clients send before the handshake ends.
	Congestion string `json:"congestion"`
	ZeroRTT    bool   `json:"zero_rtt"`
	// Padding is AnyTLS's padding scheme, line by line.
	Padding []string `json:"padding_scheme"`
}

// TLS of a node. A certificate by ACME wins over the PEM texts, which are pushed by the server, and these over the
// files, which are local to the agent.
type TLS struct {
	ServerName      string   `json:"server_name"`
	ALPN            []string `json:"alpn"`
	Certificate     string   `json:"certificate"`
	Key             string   `json:"key"`
	CertificateFile string   `json:"certificate_file"`
	KeyFile         string   `json:"key_file"`
	ACME            *ACME    `json:"acme"`
}

// ACME asks the agent to get a certificate for the server's name. The challenge is http-01, tls-alpn-01 or dns-01.
type ACME struct {
	Email     string `json:"email"`
	Challenge string `json:"challenge"`
	Directory string `json:"directory"`
}

// Reality of a VLESS node; the private key is base64url without padding, as xray prints it.
type Reality struct {
	Dest        string   `json:"dest"`
	ServerNames []string `json:"server_names"`
	PrivateKey  string   `json:"private_key"`
	ShortIDs    []string `json:"short_ids"`
}

// User may use the node. Remaining is raw bytes, up and down together, nil for unlimited.
type User struct {
	ID          int64    `json:"id"`
	UUID        string   `json:"uuid"`
	Password    string   `json:"password"`
	SpeedMbps   *float64 `json:"speed_mbps"`
	DeviceLimit *int     `json:"device_limit"`
	Remaining   *int64   `json:"remaining"`
	// Idle is how many raw bytes beyond those of answered reports need no lease; nil: none needs one.
	Idle *int64 `json:"idle,omitempty"`
}

// LeaseRequest asks for a lease of a user's traffic. Open is how many raw bytes were moved that no answered report has. Release
// ends the lease.
type LeaseRequest struct {
	UserID  int64 `json:"user_id"`
	Open    int64 `json:"open"`
	Release bool  `json:"release,omitempty"`
}

// Lease is how many raw bytes beyond those of answered reports a user may move, nil for any number. Spent: nothing is left,
// here or with other nodes.
type Lease struct {
	UserID int64  `json:"user_id"`
	Bytes  *int64 `json:"bytes"`
	Spent  bool   `json:"spent"`
}

// Leases is the answer to some LeaseAsk. They hold so many seconds from when they were asked for.
type Leases struct {
	Leases  []Lease `json:"leases"`
	Seconds int64   `json:"seconds"`
}

// Rule forbids destinations: Pattern is an RE2 expression matched against host:port.
type Rule struct {
	ID      int64   `json:"id"`
	Pattern string  `json:"pattern"`
	Exempt  []int64 `json:"exempt,omitempty"` // users whom it does not stop
}

// Change is one line of the stream of changes. What is nil did not change.
type Change struct {
	Revision  int64    `json:"revision"`
	Users     []User   `json:"users"`
	Removed   []int64  `json:"removed"`
	Node      *Node    `json:"node"`
	Rules     *[]Rule  `json:"rules"`
	Blocked   []string `json:"blocked"`   // addresses that came to those
	Unblocked []string `json:"unblocked"` // and that left them
	Drop      []Drop   `json:"drop"`
	Heartbeat bool     `json:"heartbeat"`
	Reset     bool     `json:"reset"`
}

// Drop names addresses of a user that have lost their place to newer ones and are to be cut. The server repeats it until
// it is told that they are gone.
type Drop struct {
	UserID int64    `json:"user_id"`
	IPs    []string `json:"ips"`
}

// Device asks for a place for an address of a user with a device limit, IP, and says which have been cut, Gone.
type Device struct {
	UserID int64    `json:"user_id"`
	IP     string   `json:"ip,omitempty"`
	Gone   []string `json:"gone,omitempty"`
}

// Admission is the answer to Device. What is in Drop has to be cut here before the address can have the place.
type Admission struct {
	Admitted bool     `json:"admitted"`
	Drop     []string `json:"drop"`
}

// MaxRows is the most rows that the server takes in one report.
const MaxRows = 20_000

// Report is the body of one batch: what was counted between From and To.
type Report struct {
	Boot     string    `json:"boot"`
	Sequence int64     `json:"sequence"`
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Rows     []Row     `json:"rows"`
	Hits     []Hit     `json:"hits,omitempty"`
}

// Row is the bytes of one user in a batch.
type Row struct {
	UserID int64 `json:"user_id"`
	Up     int64 `json:"up"`
	Down   int64 `json:"down"`
}

// Hit says how often a rule stopped a user in a batch.
type Hit struct {
	UserID int64 `json:"user_id"`
	RuleID int64 `json:"rule_id"`
	Count  int64 `json:"count"`
}

// Receipt is the server's answer to a batch, "counted" or "already_counted".
type Receipt struct {
	Result  string    `json:"result"`
	Refused []Refusal `json:"refused"`
	Stop    []int64   `json:"stop"`
	// Held is why the batch was not counted but waits for the operator's staff: too_old or future.
	Held string `json:"kept"`
}

// Refusal names a row that the server did not count.
type Refusal struct {
	UserID int64  `json:"user_id"`
	Code   string `json:"code"`
}

// Status is the heartbeat. CPU and Memory are shares from 0 to 1, speeds are bytes a second.
type Status struct {
	Boot          string     `json:"boot"`
	Version       string     `json:"version"`
	Revision      int64      `json:"revision"`
	UptimeSeconds int64      `json:"uptime_seconds"`
	Load          [3]float64 `json:"load"`
	CPU           float64    `json:"cpu"`
	Memory        float64    `json:"memory"`
	UpBPS         int64      `json:"up_bps"`
	DownBPS       int64      `json:"down_bps"`
	Connections   int        `json:"connections"`
	Online        []Online   `json:"online"`
}

// Online lists the addresses a user was seen at since the last heartbeat.
type Online struct {
	UserID int64    `json:"user_id"`
	IPs    []string `json:"ips"`
}
