// Package permission says what members of staff may do. Each operation of staff names one permission, and a role is the
// set of permissions that one table gives it. Whether a member may do something is asked by the permission, never by
// the role, and with the role that the database holds at that very call. The routers of the API refuse, when they
// start, an operation whose permission is not in the table.
package permission

import (
	"fmt"
	"slices"
)

// Role is what a member of staff is; empty for everybody else.
type Role string

// The roles of staff, from all permissions to few but reading.
const (
	Owner   Role = "owner"
	Admin   Role = "admin"
	Finance Role = "finance"
	Support Role = "support"
	Viewer  Role = "viewer"
)

// Roles are all roles of staff.
var Roles = []Role{Owner, Admin, Finance, Support, Viewer}

// Permission is what an operation of staff needs: the object, with its area where it has one, and the verb.
type Permission string

// The permissions. What each one allows stands in the table.
const (
	ApprovalRead   Permission = "approval.read"
	ApprovalDecide Permission = "approval.decide"

	AdjustmentRead Permission = "money.adjustment.read"
	AdjustmentMake Permission = "money.adjustment.make"
	Refund         Permission = "money.refund"
	RefundRead     Permission = "money.refund.read"
	CaseRead       Permission = "payment.case.read"
	CaseDecide     Permission = "payment.case.decide"
	PaymentConfirm Permission = "payment.confirm"
	GatewayRead    Permission = "gateway.read"
	GatewayWrite   Permission = "gateway.write"

	CDKeyRead   Permission = "cdkey.read"
	CDKeyMake   Permission = "cdkey.make"
	CDKeyVoid   Permission = "cdkey.void"
	CouponRead  Permission = "coupon.read"
	CouponWrite Permission = "coupon.write"

	PlanRead  Permission = "plan.read"
	PlanWrite Permission = "plan.text.write"

	NodeRead         Permission = "node.read"
	NodeUserRead     Permission = "node.user.read"
	NodeSpeedRead    Permission = "node.speed_test.read"
	NodeWrite        Permission = "node.write"
	NodeSecretRotate Permission = "node.secret.rotate"
	NodeCertificate  Permission = "node.certificate.read"
	SharedKeyRead    Permission = "node.shared_key.read"
	SharedKeyWrite   Permission = "node.shared_key.write"
	BatchRead        Permission = "traffic.batch.read"
	BatchDecide      Permission = "traffic.batch.decide"
	TrafficRead      Permission = "traffic.total.read"
	TrafficGrant     Permission = "traffic.grant"
	RuleRead         Permission = "node.rule.read"
	RuleWrite        Permission = "node.rule.write"
	HitRead          Permission = "node.rule.hit.read"
	BlockedRead      Permission = "node.blocked_address.read"
	BlockedLift      Permission = "node.blocked_address.lift"

	TemplateRead  Permission = "link.template.read"
	TemplateWrite Permission = "link.template.write"
	LinkGroupRead Permission = "link.group.read"
	LinkExport    Permission = "link.export"
	ClientRead    Permission = "client.read"
	ClientWrite   Permission = "client.write"

	UserBan          Permission = "user.ban"
	UserEmailReplace Permission = "user.email.replace"
	StaffChange      Permission = "staff.change"
	NetworkBanRead   Permission = "network.ban.read"
	NetworkBan       Permission = "network.ban"

	MailRead     Permission = "mail.read"
	MailCodeRead Permission = "mail.code.read"
	MailRetry    Permission = "mail.retry"
	MediaRead    Permission = "media.read"
	MediaWrite   Permission = "media.write"
	PartnerRead  Permission = "partner.read"
	JobRun       Permission = "job.run"
	AuditRead    Permission = "audit.read"
)

// Sets of roles that stand in the table more than once. Only owners change staff, gateways and what opens every node or
// every account; what gives access to a user's account or link is never for finance and viewers.
var (
	owners     = []Role{Owner}
	admins     = []Role{Owner, Admin}
	cashiers   = []Role{Owner, Admin, Finance}
	supporters = []Role{Owner, Admin, Support}
	readers    = []Role{Owner, Admin, Support, Viewer}
)

// Grant is one row of the table.
type Grant struct {
	Permission Permission
	Roles      []Role
	Allows     string
}

// Table gives each permission to its roles.
var Table = []Grant{
	{ApprovalRead, cashiers, "see what staff gave that is worth money"},
	{ApprovalDecide, cashiers, "approve or decline what another member gave"},

	{AdjustmentRead, cashiers, "see adjustments of wallets"},
	{AdjustmentMake, cashiers, "put money into wallets and take it out"},
	{Refund, cashiers, "pay orders and recharges back, and answer requests for it"},
	{RefundRead, cashiers, "see refunds and requests for them"},
	{CaseRead, cashiers, "see payments that were refused, doubled or match nothing"},
	{CaseDecide, cashiers, "credit, pay back or dismiss such a payment"},
	{PaymentConfirm, cashiers, "confirm a recharge by hand"},
	{GatewayRead, cashiers, "see payment gateways without their secrets"},
	{GatewayWrite, owners, "add, change and remove payment gateways"},

	{CDKeyRead, cashiers, "see batches of cd-keys"},
	{CDKeyMake, cashiers, "make cd-keys"},
	{CDKeyVoid, cashiers, "void cd-keys"},
	{CouponRead, cashiers, "see coupons"},
	{CouponWrite, cashiers, "make and change coupons"},

	{PlanRead, readers, "see plans and packages, hidden ones too"},
	{PlanWrite, admins, "change the names and descriptions of plans and packages"},

	{NodeRead, readers, "see nodes and their history"},
	{NodeUserRead, supporters, "see which users are on a node, from where, and how much they moved"},
	{NodeSpeedRead, admins, "see speed tests of a node"},
	{NodeWrite, admins, "add, change and remove nodes"},
	{NodeSecretRotate, admins, "give a node's agent another secret"},
	{NodeCertificate, admins, "take a node's certificate with its private key"},
	{SharedKeyRead, admins, "see whether one key opens all nodes"},
	{SharedKeyWrite, owners, "let one key open all nodes, or take it back"},
	{BatchRead, readers, "see reports that were refused for their time"},
	{BatchDecide, admins, "count or dismiss such a report"},
	{TrafficRead, admins, "see the traffic of nodes and users by day"},
	{TrafficGrant, admins, "give users traffic, by an API token of the scope grant"},
	{RuleRead, admins, "see audit rules"},
	{RuleWrite, admins, "make, change and lift audit rules"},
	{HitRead, admins, "see whom audit rules stopped, and where"},
	{BlockedRead, admins, "see addresses that all nodes block"},
	{BlockedLift, admins, "let such an address go"},

	{TemplateRead, readers, "see and try the templates of the link's files"},
	{TemplateWrite, admins, "set and remove templates of the link's files"},
	{LinkGroupRead, supporters, "see what leads a user's link to another link group"},
	{LinkExport, owners, "take the links of all users"},
	{ClientRead, readers, "see the list of clients"},
	{ClientWrite, admins, "add, change and remove clients"},

	{UserBan, supporters, "ban users and end their bans"},
	{UserEmailReplace, admins, "give a user another address"},
	{StaffChange, owners, "do to members of staff what may be done to users"},
	{NetworkBanRead, admins, "see networks whose requests are refused"},
	{NetworkBan, admins, "refuse the requests of a network, and let it in again"},

	{MailRead, supporters, "see the mails of the site"},
	{MailCodeRead, owners, "see codes in mails that are still good"},
	{MailRetry, admins, "send a mail again"},
	{MediaRead, supporters, "see accounts on the media server"},
	{MediaWrite, admins, "make, turn off and delete accounts on the media server"},
	{PartnerRead, admins, "see what users may use, by an API token of the scope partner"},
	{AuditRead, admins, "see the audit log: what staff and the operator changed"},
	{JobRun, admins, "run the server's jobs, also by an API token of the scope jobs"},
}

// Known tells whether p is in the table.
func (p Permission) Known() bool {
	return slices.ContainsFunc(Table, func(g Grant) bool { return g.Permission == p })
}

// Roles gives the roles that have p.
func (p Permission) Roles() []Role {
	for _, g := range Table {
		if g.Permission == p {
			return slices.Clone(g.Roles)
		}
	}
	return nil
}

// Has tells whether a member of staff with this role has p. Nobody without a role has any.
func (r Role) Has(p Permission) bool {
	return r != "" && slices.Contains(p.Roles(), r)
}

// Must gives p, and panics where p is not in the table. Routers ask it for each operation of staff before they serve.
func Must(p Permission, operation string) Permission {
	if !p.Known() {
		panic(fmt.Sprintf("permission: %s needs %q, which is not in permission.Table", operation, p))
	}
	return p
}
