// Package permission says what members of staff may do. Each operation of staff names one permission, and a role is a
// set of permissions: one table gives those of the five built-in roles, and package role reads those of the operator's
// own. Code checks the permission, never the role, with what the database holds at the time of the call. The routers of
// the API refuse, when they start, an operation whose permission is not in the table.
package permission

import (
	"fmt"
	"slices"

	"airstrip/internal/fault"
)

// Role names the role of a member of staff: a built-in one, or one of the operator's own; empty for everybody else.
type Role string

// The built-in roles, from all permissions to few but reading.
const (
	Owner   Role = "owner"
	Admin   Role = "admin"
	Finance Role = "finance"
	Support Role = "support"
	Viewer  Role = "viewer"
)

// Roles are all built-in roles.
var Roles = []Role{Owner, Admin, Finance, Support, Viewer}

// Permission names what an operation of staff needs: the object, with its area if it has one, and the verb.
type Permission string

// The permissions. The table says what each one allows.
const (
	ApprovalRead   Permission = "approval.read"
	ApprovalDecide Permission = "approval.decide"

	LedgerRead     Permission = "money.ledger.read"
	Reconcile      Permission = "money.reconcile"
	AdjustmentRead Permission = "money.adjustment.read"
	AdjustmentMake Permission = "money.adjustment.make"
	Refund         Permission = "money.refund"
	RefundRead     Permission = "money.refund.read"
	CommissionPay  Permission = "money.commission.pay"
	CaseRead       Permission = "payment.case.read"
	CaseDecide     Permission = "payment.case.decide"
	PaymentConfirm Permission = "payment.confirm"
	OrderRead      Permission = "order.read"
	OrderCancel    Permission = "order.cancel"
	OrderMake      Permission = "order.make"
	RechargeRead   Permission = "recharge.read"
	NotifyRead     Permission = "recharge.notify.read"
	GatewayRead    Permission = "gateway.read"
	GatewayWrite   Permission = "gateway.write"

	CDKeyRead   Permission = "cdkey.read"
	CDKeyMake   Permission = "cdkey.make"
	CDKeyVoid   Permission = "cdkey.void"
	CouponRead  Permission = "coupon.read"
	CouponWrite Permission = "coupon.write"

	PlanRead  Permission = "plan.read"
	PlanWrite Permission = "plan.text.write"
	PlanTerms Permission = "plan.write"

	NodeRead         Permission = "node.read"
	NodeUserRead     Permission = "node.user.read"
	NodeSpeedRead    Permission = "node.speed_test.read"
	NodeWrite        Permission = "node.write"
	NodeSilence      Permission = "node.silence"
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

	AnnouncementRead  Permission = "announcement.read"
	AnnouncementWrite Permission = "announcement.write"

	GuideRead  Permission = "guide.read"
	GuideWrite Permission = "guide.write"

	OverviewRead     Permission = "overview.read"
	UserRead         Permission = "user.read"
	UserLabel        Permission = "user.label"
	UserHistoryRead  Permission = "user.history.read"
	UserBan          Permission = "user.ban"
	UserEmailReplace Permission = "user.email.replace"
	UserAdd          Permission = "user.add"
	UserImport       Permission = "user.import"
	UserRecover      Permission = "user.recover"
	UserTwoFactorOff Permission = "user.two_factor.off"
	UserClose        Permission = "user.close"
	UserMerge        Permission = "user.merge"
	UserSignInAs     Permission = "user.sign_in_as"
	UserNote         Permission = "user.note"
	UserBulk         Permission = "user.bulk"
	ServiceGive      Permission = "service.give"
	ServiceEnd       Permission = "service.end"
	StaffChange      Permission = "staff.change"
	MemberRead       Permission = "staff.member.read"
	MemberWrite      Permission = "staff.member.write"
	RoleWrite        Permission = "staff.role.write"
	RoleRead         Permission = "staff.role.read"
	ViewSave         Permission = "console.view"
	ViewManage       Permission = "console.view.manage"
	NetworkBanRead   Permission = "network.ban.read"
	NetworkBan       Permission = "network.ban"

	TicketRead   Permission = "ticket.read"
	TicketAnswer Permission = "ticket.answer"
	TicketManage Permission = "ticket.manage"
	TicketMerge  Permission = "ticket.merge"
	CannedWrite  Permission = "ticket.canned_answer.write"

	MailRead     Permission = "mail.read"
	MailCodeRead Permission = "mail.code.read"
	MailRetry    Permission = "mail.retry"

	MailTemplateRead  Permission = "mail.template.read"
	MailTemplateWrite Permission = "mail.template.write"

	MediaRead    Permission = "media.read"
	MediaWrite   Permission = "media.write"
	ShareRead    Permission = "shareaccount.read"
	ShareWrite   Permission = "shareaccount.write"
	PartnerRead  Permission = "partner.read"
	JobRun       Permission = "job.run"
	AuditRead    Permission = "audit.read"
	APIKeyRead   Permission = "api_key.read"
	APIKeyWrite  Permission = "api_key.write"
	WebhookRead  Permission = "webhook.read"
	WebhookWrite Permission = "webhook.write"
	WebhookSend  Permission = "webhook.send"

	SettingRead      Permission = "setting.read"
	SettingWrite     Permission = "setting.write"
	SettingSensitive Permission = "setting.sensitive.write"
	SettingTest      Permission = "setting.test"

	JobRead    Permission = "job.read"
	JobManage  Permission = "job.manage"
	SystemRead Permission = "system.read"

	SigningKeyRotate Permission = "signing_key.rotate"
)

// Sets of roles that the table uses more than once. Only owners change staff, gateways and what opens every node or
// every account; what gives access to a user's account or link is never for finance and viewers.
var (
	owners     = []Role{Owner}
	admins     = []Role{Owner, Admin}
	cashiers   = []Role{Owner, Admin, Finance}
	supporters = []Role{Owner, Admin, Support}
	readers    = []Role{Owner, Admin, Support, Viewer}
	clerks     = []Role{Owner, Admin, Finance, Support}
)

// ErrRefused is returned to who lacks the permission for what they ask.
var ErrRefused = fault.Forbidden("not_allowed", "没有权限", "You are not allowed to do this")

// everyday are the permissions for what a session that was left open may do as well: what shows no secret, gives
// nothing of worth, and neither opens, moves nor removes what customers have. Whoever needs any other one is asked for
// a recent password or passkey, so a permission is dangerous until it stands here. Operations that are dangerous alone
// among those of their permission say so themselves.
var everyday = []Permission{
	ApprovalRead, AdjustmentRead, RefundRead, CaseRead, OrderRead, OrderCancel, RechargeRead, NotifyRead,
	GatewayRead, CDKeyRead, CouponRead, PlanRead, PlanWrite, NodeRead, NodeUserRead, NodeSpeedRead, NodeSilence,
	LedgerRead, SharedKeyRead, BatchRead, TrafficRead, RuleRead, HitRead, BlockedRead, BlockedLift, TemplateRead,
	LinkGroupRead, ClientRead, AnnouncementRead, AnnouncementWrite, GuideRead, GuideWrite, OverviewRead, UserRead,
	UserLabel, UserHistoryRead, UserAdd, UserNote, UserBulk, MemberRead, RoleRead, ViewSave, ViewManage,
	NetworkBanRead, TicketRead, TicketAnswer, TicketManage, TicketMerge, CannedWrite, MailRead, MailRetry,
	MailTemplateRead, MediaRead, ShareRead, PartnerRead, JobRun, AuditRead, APIKeyRead, WebhookRead, WebhookSend,
	SettingRead, SettingWrite, SettingTest, JobRead, JobManage, SystemRead,
}

// Dangerous reports whether what needs p asks for a recent password or passkey.
func (p Permission) Dangerous() bool { return !slices.Contains(everyday, p) }

// Grant is one row of the table.
type Grant struct {
	Permission Permission
	Roles      []Role
	Allows     fault.Text
}

// Area is a part of what staff does: its permissions, and the commands that do the same in the server's shell.
type Area struct {
	Name     fault.Text
	Commands []string
	Grants   []Grant
}

// Areas give each permission to its roles, in the order in which members of staff read them.
var Areas = []Area{
	{fault.Text{ZH: "审批", EN: "Approvals"}, []string{"approval"}, []Grant{
		{ApprovalRead, cashiers, fault.Text{ZH: "查看工作人员给出的有价之物", EN: "see what staff gave that is worth money"}},
		{ApprovalDecide, cashiers, fault.Text{
			ZH: "批准或拒绝其他成员给出的内容",
			EN: "approve or decline what another member gave",
		}},
	}},
	{fault.Text{ZH: "资金", EN: "Money"}, []string{
		"wallet", "recharge", "refund", "payout", "payment-case", "gateway",
	}, []Grant{
		{LedgerRead, clerks, fault.Text{
			ZH: "查看账本：所有账户的流水和余额，以及账单",
			EN: "see the ledger: movements and balances of all accounts, and invoices",
		}},
		{Reconcile, cashiers, fault.Text{
			ZH: "导入支付平台的对账单，登记和冲销结算",
			EN: "import statements of gateways, and enter and reverse what they paid out",
		}},
		{AdjustmentRead, cashiers, fault.Text{ZH: "查看钱包调整", EN: "see adjustments of wallets"}},
		{AdjustmentMake, cashiers, fault.Text{ZH: "为钱包加款或扣款", EN: "put money into wallets and take it out"}},
		{RefundRead, cashiers, fault.Text{ZH: "查看退款和退款申请", EN: "see refunds and requests for them"}},
		{Refund, cashiers, fault.Text{
			ZH: "退还订单和充值，处理退款申请",
			EN: "pay orders and recharges back, and answer requests for it",
		}},
		{CommissionPay, cashiers, fault.Text{
			ZH: "支付或拒绝返佣提现，查看收款账号",
			EN: "pay commission out or refuse to, and see the accounts to pay to",
		}},
		{CaseRead, cashiers, fault.Text{
			ZH: "查看被拒、重复或无法对应的付款",
			EN: "see payments that were refused, doubled or match nothing",
		}},
		{CaseDecide, cashiers, fault.Text{ZH: "将此类付款入账、退回或忽略", EN: "credit, pay back or dismiss such a payment"}},
		{OrderRead, Roles, fault.Text{ZH: "查看所有订单", EN: "see all orders"}},
		{OrderCancel, clerks, fault.Text{
			ZH: "取消用户未支付的订单和充值",
			EN: "cancel orders and recharges of users that are not paid",
		}},
		{OrderMake, admins, fault.Text{
			ZH: "为用户下单，可低于标价",
			EN: "make orders for users, at the listed price or a lower one",
		}},
		{RechargeRead, Roles, fault.Text{ZH: "查看所有充值", EN: "see all recharges"}},
		{NotifyRead, cashiers, fault.Text{
			ZH: "查看支付网关发来的原始通知",
			EN: "see what gateways sent about a recharge, as it came",
		}},
		{PaymentConfirm, cashiers, fault.Text{ZH: "手动确认充值", EN: "confirm a recharge by hand"}},
		{GatewayRead, cashiers, fault.Text{ZH: "查看支付网关（不含密钥）", EN: "see payment gateways without their secrets"}},
		{GatewayWrite, owners, fault.Text{ZH: "添加、修改和移除支付网关", EN: "add, change and remove payment gateways"}},
	}},
	{fault.Text{ZH: "卡密和优惠码", EN: "Cd-keys and coupons"}, []string{"cdkey", "coupon"}, []Grant{
		{CDKeyRead, cashiers, fault.Text{ZH: "查看卡密批次", EN: "see batches of cd-keys"}},
		{CDKeyMake, cashiers, fault.Text{ZH: "生成卡密", EN: "make cd-keys"}},
		{CDKeyVoid, cashiers, fault.Text{ZH: "作废卡密", EN: "void cd-keys"}},
		{CouponRead, cashiers, fault.Text{ZH: "查看优惠码", EN: "see coupons"}},
		{CouponWrite, cashiers, fault.Text{ZH: "创建和修改优惠码", EN: "make and change coupons"}},
	}},
	{fault.Text{ZH: "商店", EN: "Shop"}, []string{"plan"}, []Grant{
		{PlanRead, readers, fault.Text{ZH: "查看套餐和流量包，含隐藏的", EN: "see plans and packages, hidden ones too"}},
		{PlanWrite, admins, fault.Text{
			ZH: "修改套餐和流量包的名称与介绍",
			EN: "change the names and descriptions of plans and packages",
		}},
		// Who sets prices can give away whatever the shop sells, and no limit could count it.
		{PlanTerms, owners, fault.Text{
			ZH: "添加、修改、归档和排列套餐和流量包，含价格",
			EN: "add, change, archive and order plans and packages, with their prices",
		}},
	}},
	{fault.Text{ZH: "节点", EN: "Nodes"}, []string{"node"}, []Grant{
		{NodeRead, readers, fault.Text{ZH: "查看节点及其历史", EN: "see nodes and their history"}},
		{NodeUserRead, supporters, fault.Text{
			ZH: "查看节点上有哪些用户、来自何处、用了多少流量",
			EN: "see which users are on a node, from where, and how much they moved",
		}},
		{NodeSpeedRead, admins, fault.Text{ZH: "查看节点测速", EN: "see speed tests of a node"}},
		{NodeWrite, admins, fault.Text{ZH: "添加、修改和移除节点", EN: "add, change and remove nodes"}},
		{NodeSilence, supporters, fault.Text{
			ZH: "暂停某个节点的故障通知",
			EN: "silence the notices of a node's outages for a time",
		}},
		{NodeSecretRotate, admins, fault.Text{ZH: "更换节点程序的密钥", EN: "give a node's agent another secret"}},
		{NodeCertificate, admins, fault.Text{ZH: "取走节点的证书和私钥", EN: "take a node's certificate with its private key"}},
		{SharedKeyRead, admins, fault.Text{ZH: "查看是否有一把密钥可打开所有节点", EN: "see whether one key opens all nodes"}},
		{SharedKeyWrite, owners, fault.Text{
			ZH: "允许一把密钥打开所有节点，或收回",
			EN: "let one key open all nodes, or take it back",
		}},
		{BlockedRead, admins, fault.Text{ZH: "查看所有节点封锁的地址", EN: "see addresses that all nodes block"}},
		{BlockedLift, admins, fault.Text{ZH: "解封此类地址", EN: "let such an address go"}},
	}},
	{fault.Text{ZH: "流量", EN: "Traffic"}, []string{"node"}, []Grant{
		{TrafficRead, admins, fault.Text{ZH: "查看节点和用户的每日流量", EN: "see the traffic of nodes and users by day"}},
		{TrafficGrant, admins, fault.Text{
			ZH: "用 grant 权限的 API 令牌给用户加流量",
			EN: "give users traffic, by an API token of the scope grant",
		}},
		{BatchRead, readers, fault.Text{ZH: "查看因时间被拒的流量上报", EN: "see reports that were refused for their time"}},
		{BatchDecide, admins, fault.Text{ZH: "计入或忽略此类上报", EN: "count or dismiss such a report"}},
	}},
	{fault.Text{ZH: "审计规则", EN: "Audit rules"}, []string{"rule"}, []Grant{
		{RuleRead, admins, fault.Text{ZH: "查看审计规则", EN: "see audit rules"}},
		{RuleWrite, admins, fault.Text{ZH: "添加、修改和撤销审计规则", EN: "make, change and lift audit rules"}},
		{HitRead, admins, fault.Text{ZH: "查看审计规则拦截了谁、在哪里", EN: "see whom audit rules stopped, and where"}},
	}},
	{fault.Text{ZH: "订阅和客户端", EN: "Links and clients"}, nil, []Grant{
		{TemplateRead, readers, fault.Text{ZH: "查看和试用订阅文件的模板", EN: "see and try the templates of the link's files"}},
		{TemplateWrite, admins, fault.Text{ZH: "设置和移除订阅文件的模板", EN: "set and remove templates of the link's files"}},
		{LinkGroupRead, supporters, fault.Text{
			ZH: "查看用户的订阅为何指向另一个链接组",
			EN: "see what leads a user's link to another link group",
		}},
		{LinkExport, owners, fault.Text{ZH: "取走所有用户的订阅链接", EN: "take the links of all users"}},
		{ClientRead, readers, fault.Text{ZH: "查看客户端列表", EN: "see the list of clients"}},
		{ClientWrite, admins, fault.Text{ZH: "添加、修改和移除客户端", EN: "add, change and remove clients"}},
	}},
	{fault.Text{ZH: "公告", EN: "Announcements"}, []string{"announcement"}, []Grant{
		{AnnouncementRead, readers, fault.Text{ZH: "查看所有公告", EN: "see all announcements"}},
		{AnnouncementWrite, admins, fault.Text{
			ZH: "发布、修改、发送和移除公告", EN: "make, change, send and remove announcements",
		}},
	}},
	{fault.Text{ZH: "教程", EN: "Guides"}, nil, []Grant{
		{GuideRead, readers, fault.Text{ZH: "查看所有教程", EN: "see all guides"}},
		{GuideWrite, admins, fault.Text{ZH: "编写、修改和移除教程", EN: "write, change and remove guides"}},
	}},
	{fault.Text{ZH: "用户和工作人员", EN: "Users and staff"}, []string{"user"}, []Grant{
		{OverviewRead, Roles, fault.Text{ZH: "查看站点概览的数字", EN: "see the figures of the overview"}},
		{UserRead, Roles, fault.Text{ZH: "查看用户列表和用户的资料", EN: "see the list of users, and what is known of a user"}},
		{UserHistoryRead, supporters, fault.Text{
			ZH: "查看用户的登录、地址和订阅拉取记录",
			EN: "see the sign-ins of users, their addresses, and the fetches of their links",
		}},
		{UserLabel, supporters, fault.Text{ZH: "给用户贴标签", EN: "put labels on users"}},
		{UserBan, supporters, fault.Text{ZH: "封禁用户和解除封禁", EN: "ban users and end their bans"}},
		{UserEmailReplace, admins, fault.Text{ZH: "为用户更换邮箱", EN: "give a user another address"}},
		{UserNote, supporters, fault.Text{ZH: "查看和填写用户备注", EN: "read and write notes about users"}},
		{UserAdd, admins, fault.Text{ZH: "添加用户", EN: "add users"}},
		{UserImport, admins, fault.Text{
			ZH: "导入其他面板的用户及其密码哈希",
			EN: "import users of another panel with the hashes of their passwords",
		}},
		{UserRecover, supporters, fault.Text{
			ZH: "向用户发送重设密码的邮件，结束其登录，更换其订阅链接",
			EN: "mail users the way to another password, end their sessions, and replace their links",
		}},
		{UserTwoFactorOff, admins, fault.Text{ZH: "关闭用户的两步验证", EN: "turn the second factor of users off"}},
		{UserSignInAs, admins, fault.Text{
			ZH: "以用户的身份查看网站，不能修改任何内容",
			EN: "sign in as a user to see the site as they do, without changing anything",
		}},
		{UserBulk, admins, fault.Text{
			ZH: "对许多用户批量操作（每项操作还需其自身的权限）",
			EN: "do to many users at once what one may do to each",
		}},
		{UserClose, admins, fault.Text{ZH: "注销用户的账号", EN: "close the accounts of users"}},
		{UserMerge, admins, fault.Text{
			ZH: "合并同一人的两个账号，余额归保留的账号",
			EN: "merge two accounts of one person, and move the balance to the one that stays",
		}},
		{ServiceGive, admins, fault.Text{
			ZH: "赠送套餐时长，更换套餐，重置流量",
			EN: "give users time of plans, move them to other plans, and reset their traffic",
		}},
		{ServiceEnd, admins, fault.Text{ZH: "提前结束用户的服务", EN: "end services of users before their time"}},
		{StaffChange, owners, fault.Text{
			ZH: "对工作人员进行可对用户进行的操作",
			EN: "do to members of staff what may be done to users",
		}},
		{MediaRead, supporters, fault.Text{ZH: "查看媒体服务器上的账号", EN: "see accounts on the media server"}},
		{MediaWrite, admins, fault.Text{
			ZH: "创建、停用和删除媒体服务器上的账号",
			EN: "make, turn off and delete accounts on the media server",
		}},
		{ShareRead, supporters, fault.Text{
			ZH: "查看共享账号（不含密码）及谁看过",
			EN: "see share accounts without their secrets, and who was shown them",
		}},
		{ShareWrite, admins, fault.Text{
			ZH: "添加、修改和移除共享账号，更换其密码",
			EN: "add, change and remove share accounts, and replace their secrets",
		}},
		{PartnerRead, admins, fault.Text{
			ZH: "用 partner 权限的 API 令牌查看用户可用的内容",
			EN: "see what users may use, by an API token of the scope partner",
		}},
		{MemberRead, admins, fault.Text{
			ZH: "查看工作人员及其角色和权限", EN: "see the members of staff, and what each role may do",
		}},
		{MemberWrite, owners, fault.Text{
			ZH: "添加和移除工作人员，更改其角色（不超出自己的权限）",
			EN: "add and remove members of staff and change their roles, up to one's own permissions",
		}},
		{RoleWrite, owners, fault.Text{
			ZH: "创建、修改和删除角色（不超出自己的权限）",
			EN: "make, change and delete roles, up to one's own permissions",
		}},
		{RoleRead, Roles, fault.Text{ZH: "查看自己的角色和权限", EN: "see one's own role and what it may do"}},
		{ViewSave, Roles, fault.Text{
			ZH: "保存后台列表的视图，并与其他成员共享",
			EN: "save views of the console's lists, and share them with other members",
		}},
		{ViewManage, admins, fault.Text{
			ZH: "修改和移除其他成员共享的视图",
			EN: "change and remove views that other members shared",
		}},
	}},
	{fault.Text{ZH: "工单", EN: "Tickets"}, nil, []Grant{
		{TicketRead, readers, fault.Text{
			ZH: "查看和搜索工单，含内部备注",
			EN: "see and search tickets, with the notes of staff",
		}},
		{TicketAnswer, supporters, fault.Text{ZH: "回复工单，写内部备注", EN: "answer tickets, and write notes in them"}},
		{TicketManage, supporters, fault.Text{
			ZH: "分配工单，更改其状态、优先级和分类",
			EN: "assign tickets, and change their state, priority and category",
		}},
		{TicketMerge, supporters, fault.Text{ZH: "合并同一用户的工单", EN: "merge tickets of one user"}},
		{CannedWrite, supporters, fault.Text{ZH: "添加、修改和移除常用回复", EN: "make, change and remove canned answers"}},
	}},
	{fault.Text{ZH: "站点", EN: "Site"}, []string{"mail", "audit", "setting", "signing-key", "doctor", "backup"}, []Grant{
		{NetworkBanRead, admins, fault.Text{ZH: "查看被拒绝访问的网段", EN: "see networks whose requests are refused"}},
		{NetworkBan, admins, fault.Text{
			ZH: "拒绝某个网段访问，或重新放行",
			EN: "refuse the requests of a network, and let it in again",
		}},
		{MailRead, supporters, fault.Text{ZH: "查看站点邮件", EN: "see the mails of the site"}},
		{MailCodeRead, owners, fault.Text{ZH: "查看邮件中仍有效的验证码", EN: "see codes in mails that are still good"}},
		{MailTemplateRead, admins, fault.Text{ZH: "查看和预览邮件模板", EN: "see and try the templates of mails"}},
		// Whoever writes the mail that brings a code can have its reader give the code away.
		{MailTemplateWrite, owners, fault.Text{
			ZH: "修改邮件模板，恢复内置模板，发送测试邮件",
			EN: "change and reset the templates of mails, and send tests of them",
		}},
		{MailRetry, admins, fault.Text{ZH: "重新发送邮件", EN: "send a mail again"}},
		{AuditRead, admins, fault.Text{
			ZH: "查看操作日志：工作人员和运营者改了什么",
			EN: "see the audit log: what staff and the operator changed",
		}},
		{APIKeyRead, owners, fault.Text{
			ZH: "查看工作人员程序用的 API 密钥（不含密钥本身）",
			EN: "see the API keys of programs that act for staff, without their secrets",
		}},
		{APIKeyWrite, owners, fault.Text{
			ZH: "创建、更换和撤销此类密钥", EN: "make, replace and revoke such keys",
		}},
		{WebhookRead, admins, fault.Text{
			ZH: "查看 Webhook（不含密钥）及其投递记录",
			EN: "see webhooks without their secrets, and what was sent to them",
		}},
		{WebhookWrite, owners, fault.Text{
			ZH: "添加、修改和移除 Webhook，更换其密钥",
			EN: "add, change and remove webhooks, and replace their secrets",
		}},
		{WebhookSend, admins, fault.Text{ZH: "测试 Webhook，重新投递", EN: "test webhooks, and send deliveries again"}},
		{SettingRead, admins, fault.Text{ZH: "查看设置（不含密钥）", EN: "see the settings without their secrets"}},
		{SettingWrite, admins, fault.Text{ZH: "修改设置，恢复默认值", EN: "change settings, and give them their defaults"}},
		{SettingSensitive, owners, fault.Text{
			ZH: "修改涉及资金和安全的设置及密钥", EN: "change settings of money and security, and secrets",
		}},
		{SettingTest, admins, fault.Text{
			ZH: "测试邮件、Telegram、存储等连接", EN: "try mail, Telegram, storage and other connections",
		}},
		{JobRead, admins, fault.Text{ZH: "查看服务器任务及其错误", EN: "see the server's jobs, and what went wrong with them"}},
		{JobManage, admins, fault.Text{ZH: "立即运行或重试服务器任务", EN: "have jobs of the server run now, or again"}},
		{SystemRead, admins, fault.Text{ZH: "查看服务器的版本和状态", EN: "see versions and health of the server"}},
		{SigningKeyRotate, owners, fault.Text{
			ZH: "更换登录令牌的签名密钥，可让所有人重新登录",
			EN: "replace the key that signs the tokens of sessions, also so that everybody signs in again",
		}},
		{JobRun, admins, fault.Text{
			ZH: "运行服务器任务，也可用 jobs 权限的 API 令牌",
			EN: "run the server's jobs, also by an API token of the scope jobs",
		}},
	}},
}

// Table is all rows of all areas.
var Table = table()

func table() (all []Grant) {
	for _, a := range Areas {
		all = append(all, a.Grants...)
	}
	return all
}

// Known reports whether p is in the table.
func (p Permission) Known() bool {
	return slices.ContainsFunc(Table, func(g Grant) bool { return g.Permission == p })
}

// Roles returns the built-in roles that have p.
func (p Permission) Roles() []Role {
	for _, g := range Table {
		if g.Permission == p {
			return slices.Clone(g.Roles)
		}
	}
	return nil
}

// Must returns p and panics if p is not in the table. Routers call it for each operation of staff before they serve.
func Must(p Permission, operation string) Permission {
	if !p.Known() {
		panic(fmt.Sprintf("permission: %s needs %q, which is not in permission.Table", operation, p))
	}
	return p
}
