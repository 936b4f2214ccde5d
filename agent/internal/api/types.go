// Package api is the client side of /api/agent/v1: the messages between airstrip-node and the server, and the calls
// that carry them. The types mirror the server's contract and hold no behaviour. Each call turns an answer that is not
// a success into an *Error, which tells apart what may be retried from what is final. The client also follows the
// server's clock, so that reports do not depend on the node's.
package api

import "time"

// Snapshot is the complete state of a node at one revision.
type Snapshot struct {
	Revision int64  `json:"revision"`
	Node     Node   `json:"node"`
	Users    []User `json:"users"`
	Rules    []Rule `json:"rules"`
	// Blocked lists the addresses whose connections are refused.
	Blocked []string `json:"blocked"`
}

// Node describes what to serve and where. SpeedMbps is the limit for each user, nil for none.
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
	// While the node is Closed, or its own quota is Spent, no user may connect. A Hidden node appears in no list and no
	// link.
	Closed bool `json:"closed"`
	Spent  bool `json:"spent"`
	Hidden bool `json:"hidden"`
	// Forwards are the ports at which this node relays to other nodes.
	Forwards []Forward `json:"forwards"`
}

// Forward passes all traffic of a port on to Target, host:port.
type Forward struct {
	Port   int    `json:"port"`
	Target string `json:"target"`
	TCP    bool   `json:"tcp"`
	UDP    bool   `json:"udp"`
}

// Settings of the protocols. The zero value of a field selects its default.
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
	// Congestion is TUIC's congestion control. ZeroRTT lets TUIC clients send data before the handshake is complete.
	Congestion string `json:"congestion"`
	ZeroRTT    bool   `json:"zero_rtt"`
	// Padding is AnyTLS's padding scheme, one element per line.
	Padding []string `json:"padding_scheme"`
}

// TLS settings of a node. ACME takes precedence over the PEM texts, which the server sends, and these over the files,
// which are local to the node.
type TLS struct {
	ServerName      string   `json:"server_name"`
	ALPN            []string `json:"alpn"`
	Certificate     string   `json:"certificate"`
	Key             string   `json:"key"`
	CertificateFile string   `json:"certificate_file"`
	KeyFile         string   `json:"key_file"`
	ACME            *ACME    `json:"acme"`
}

// ACME requests a certificate for the server name. Challenge is http-01, tls-alpn-01 or dns-01.
type ACME struct {
	Email     string `json:"email"`
	Challenge string `json:"challenge"`
	Directory string `json:"directory"`
}

// Reality holds the settings of a REALITY node. PrivateKey is base64url without padding, as xray prints it.
type Reality struct {
	Dest        string   `json:"dest"`
	ServerNames []string `json:"server_names"`
	PrivateKey  string   `json:"private_key"`
	ShortIDs    []string `json:"short_ids"`
}

// User is a user who may use the node. Remaining counts bytes in both directions, before rates, and is nil for
// unlimited.
type User struct {
	ID          int64    `json:"id"`
	UUID        string   `json:"uuid"`
	Password    string   `json:"password"`
	SpeedMbps   *float64 `json:"speed_mbps"`
	DeviceLimit *int     `json:"device_limit"`
	Remaining   *int64   `json:"remaining"`
	// Idle is the number of bytes beyond those of answered reports that need no lease. It is nil where no lease is
	// needed.
	Idle *int64 `json:"idle,omitempty"`
}

// LeaseRequest requests a lease of a user's traffic. Open is the number of bytes that no answered report contains.
// Release returns the lease.
type LeaseRequest struct {
	UserID  int64 `json:"user_id"`
	Open    int64 `json:"open"`
	Release bool  `json:"release,omitempty"`
}

// Lease allows a user Bytes beyond those of answered reports, nil for unlimited. Spent means that nothing remains,
// neither here nor on other nodes.
type Lease struct {
	UserID int64  `json:"user_id"`
	Bytes  *int64 `json:"bytes"`
	Spent  bool   `json:"spent"`
}

// Leases answers a list of LeaseRequests. A lease is valid for Seconds from the time of its request.
type Leases struct {
	Leases  []Lease `json:"leases"`
	Seconds int64   `json:"seconds"`
}

// Rule forbids destinations. Pattern is an RE2 expression that is matched against host:port.
type Rule struct {
	ID      int64   `json:"id"`
	Pattern string  `json:"pattern"`
	Exempt  []int64 `json:"exempt,omitempty"` // Exempt lists the users whom the rule does not apply to.
}

// Change is one line of the stream of changes. Nil fields did not change.
type Change struct {
	Revision  int64    `json:"revision"`
	Users     []User   `json:"users"`
	Removed   []int64  `json:"removed"`
	Node      *Node    `json:"node"`
	Rules     *[]Rule  `json:"rules"`
	Blocked   []string `json:"blocked"`   // Blocked lists addresses to block.
	Unblocked []string `json:"unblocked"` // Unblocked lists addresses to unblock.
	Drop      []Drop   `json:"drop"`
	Heartbeat bool     `json:"heartbeat"`
	Reset     bool     `json:"reset"`
}

// Drop names addresses of a user that lost their device slots and have to be cut. The server repeats it until the agent
// confirms.
type Drop struct {
	UserID int64    `json:"user_id"`
	IPs    []string `json:"ips"`
}

// Device requests a device slot for the address IP, and confirms the addresses in Gone as cut.
type Device struct {
	UserID int64    `json:"user_id"`
	IP     string   `json:"ip,omitempty"`
	Gone   []string `json:"gone,omitempty"`
}

// Admission answers a Device. The addresses in Drop have to be cut here before IP can have the slot.
type Admission struct {
	Admitted bool     `json:"admitted"`
	Drop     []string `json:"drop"`
}

// MaxRows is the maximum number of rows that the server accepts in one report.
const MaxRows = 20_000

// Report is the body of one batch: the traffic between From and To.
type Report struct {
	Boot     string    `json:"boot"`
	Sequence int64     `json:"sequence"`
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Rows     []Row     `json:"rows"`
	Hits     []Hit     `json:"hits,omitempty"`
}

// Row is the traffic of one user in a batch.
type Row struct {
	UserID int64 `json:"user_id"`
	Up     int64 `json:"up"`
	Down   int64 `json:"down"`
}

// Hit counts how often a rule stopped a user in a batch.
type Hit struct {
	UserID int64 `json:"user_id"`
	RuleID int64 `json:"rule_id"`
	Count  int64 `json:"count"`
}

// Receipt answers a batch. Result is "counted" or "already_counted".
type Receipt struct {
	Result  string    `json:"result"`
	Refused []Refusal `json:"refused"`
	Stop    []int64   `json:"stop"`
	// Held is the reason why the server did not count the batch but holds it for staff: too_old or future.
	Held string `json:"kept"`
}

// Refusal names a row that the server did not count.
type Refusal struct {
	UserID int64  `json:"user_id"`
	Code   string `json:"code"`
}

// Status is the heartbeat. CPU and Memory are fractions from 0 to 1; speeds are in bytes per second.
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

// Online lists the addresses of a user since the last heartbeat.
type Online struct {
	UserID int64    `json:"user_id"`
	IPs    []string `json:"ips"`
}
