package mail

import (
	"slices"
	"time"

	"airstrip/internal/fault"
)

// Kind is a kind of mail, as staff sees it.
type Kind struct {
	Kind    string
	Name    fault.Text
	ToStaff bool    // else to users
	Example Content // made-up data, by which templates are checked and shown
}

var langs = []fault.Lang{fault.ZH, fault.EN}

// exampleAt is when what examples tell of happened.
var exampleAt = time.Date(2026, 3, 14, 6, 30, 0, 0, time.UTC)

const (
	exampleIP      = "203.0.113.7"
	exampleTo      = "ming@example.com"
	exampleName    = "MacBook"
	exampleNode    = "Tokyo 1"
	exampleService = "Standard"
	exampleTitle   = "Cannot connect"
	exampleMessage = "Hello,\nsince this morning my phone does not connect."
	exampleAmount  = 3000
	exampleMoney   = "CNY"
	exampleMinutes = 10
	exampleOther   = "ming.new@example.com"
)

func exampleCode(purpose string) Code {
	c := Code{Purpose: purpose, Code: "012345", Minutes: exampleMinutes}
	switch purpose {
	case forgotPassword:
		c.Path = "/auth/forgot-password#example"
	case changeEmail:
		c.Other = exampleOther
	}
	return c
}

func kindOf(example Content, zh, en string) Kind {
	return Kind{Kind: example.kind(), Name: fault.Text{ZH: zh, EN: en}, Example: example}
}

func staffKind(example Content, zh, en string) Kind {
	k := kindOf(example, zh, en)
	k.ToStaff = true
	return k
}

// Kinds are all kinds of mails, in the order in which they are shown.
var Kinds = []Kind{
	kindOf(exampleCode("register"), "注册验证码", "Code to sign up"),
	kindOf(exampleCode("login"), "登录验证码", "Code to sign in"),
	kindOf(exampleCode(forgotPassword), "重置密码", "Code and link to set a new password"),
	kindOf(exampleCode(changeEmail), "更换邮箱验证码", "Code to change the address"),
	kindOf(exampleCode("step_up"), "身份验证码", "Code to confirm who one is"),
	kindOf(EmailTaken{}, "邮箱已有账号", "The address has an account already"),
	kindOf(PasswordChanged{At: exampleAt, IP: exampleIP, Passkeys: 1}, "密码已修改", "The password was changed"),
	kindOf(EmailChanged{At: exampleAt, IP: exampleIP, Other: exampleOther, Telegram: true}, "邮箱已更换",
		"The address was changed"),
	kindOf(SecurityChanged{What: "two_factor_on", At: exampleAt, IP: exampleIP}, "账号安全变更",
		"Another change of the account's security"),
	kindOf(PasskeyAdded{At: exampleAt, IP: exampleIP, Name: exampleName}, "已添加通行密钥", "A passkey was added"),
	kindOf(LoginAlert{At: exampleAt, IP: exampleIP, Area: "JP", Device: "Firefox 140 · Windows"}, "新的登录",
		"Sign-in from a new place or device"),
	kindOf(AccountClosed{At: exampleAt, IP: exampleIP}, "账号已注销", "The account is closed"),
	kindOf(Banned{Reason: "Shared account", Until: &exampleAt}, "账号已封禁", "The account is suspended"),
	kindOf(PaymentReceived{exampleAmount, exampleMoney, "epay"}, "充值到账", "A recharge has arrived"),
	kindOf(OrderAssigned{42, exampleService, exampleAmount, exampleMoney, exampleAt, 7}, "待付款的订单",
		"An order by staff waits to be paid"),
	kindOf(Renewed{exampleService, exampleAt, exampleAmount, exampleMoney}, "自动续费成功", "A service was renewed"),
	kindOf(NotRenewed{Service: exampleService, EndsAt: exampleAt, Missing: exampleAmount, Currency: exampleMoney},
		"自动续费未成功", "A service could not be renewed"),
	kindOf(ServiceEnding{exampleService, exampleAt, 3}, "服务即将到期", "A service ends soon"),
	kindOf(TrafficUsed{exampleService, 80, &exampleAt}, "流量用量提醒", "Traffic is nearly used"),
	kindOf(LinkSpread{Networks: 14, Areas: 3}, "订阅链接被多处获取", "The link is fetched from many places"),
	kindOf(PayoutDecided{exampleAmount, exampleMoney, true, "Sent today"}, "提现结果", "A payout was decided"),
	kindOf(TicketAnswered{No: 42, Title: exampleTitle, Text: exampleMessage}, "工单有新回复", "A ticket was answered"),
	kindOf(TicketMailRefused{42, fault.Text{ZH: "工单已关闭", EN: "the ticket is closed"}}, "邮件回复未加入工单",
		"An answer by mail was not added"),
	kindOf(Announcement{
		Title: "Maintenance", Text: "On Sunday from 02:00 to 03:00.", HTML: "<p>On Sunday from 02:00 to 03:00.</p>",
		URL: "https://example.com/announcement", Unsubscribe: "https://example.com/unsubscribe",
	}, "公告", "Announcement"),
	kindOf(NoticeTest{}, "测试通知", "Test notice of a user"),
	staffKind(exampleCode("test"), "测试邮件", "Test mail"),
	staffKind(TicketWaiting{42, exampleTitle, exampleMessage, true}, "工单待处理", "A ticket waits"),
	staffKind(PaymentCase{
		At: exampleAt, No: 7, Gateway: "epay", TransactionID: "2026031422001", Amount: exampleAmount,
		Currency: exampleMoney,
	}, "付款待处理", "A payment needs a decision"),
	staffKind(NodeOffline{exampleNode, exampleAt}, "节点离线", "A node is offline"),
	staffKind(NodeBack{exampleNode, exampleAt, exampleAt.Add(time.Hour)}, "节点恢复", "A node is back"),
	staffKind(NodeConflict{exampleNode, exampleAt}, "节点上报冲突", "Reports of a node are in conflict"),
	staffKind(NodeBeyondLink{exampleNode, exampleAt, 1000}, "节点上报超出带宽", "A node reports more than it can carry"),
	staffKind(NodeDouble{exampleNode, exampleAt}, "节点密钥被两处使用", "Two agents have one secret"),
	staffKind(TrafficAnomalies{Days: []TrafficAnomaly{
		{ID: 12, Name: exampleTo, Day: "2026-03-14", Bytes: 600 << 30, Usual: 20 << 30},
	}, More: 2}, "流量异常", "Unusual traffic"),
	staffKind(WebhookDisabled{Webhook: "crm", Since: exampleAt}, "Webhook 已停用", "A webhook was disabled"),
	staffKind(ClockDisagrees{"app1", exampleAt, exampleAt.Add(time.Hour)}, "服务器时钟异常", "A clock cannot be trusted"),
	staffKind(AuditFault{exampleAt}, "审计日志异常", "The audit log was tampered with"),
}

func kindNamed(name string) (Kind, bool) {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Kind == name })
	if i < 0 {
		return Kind{}, false
	}
	return Kinds[i], true
}

// KindNamed gives a kind of mail: ErrNoTemplate.
func KindNamed(name string) (Kind, error) {
	k, known := kindNamed(name)
	if !known {
		return k, ErrNoTemplate
	}
	return k, nil
}

func (m *Mails) exampleValues(k Kind, lang fault.Lang) *values {
	site := m.settings.Get()
	v := newValues(lang, site.Zone(), site.SiteName, m.site, exampleTo)
	k.Example.fill(v)
	return v
}

// Variable is what a template may have in its place of a value.
type Variable struct {
	Name    string
	About   fault.Text
	Example string
	IsBlock bool // stands on a line of its own
	Needed  bool // no template is without it
}

// Variables are those of a kind, with examples in a language.
func (m *Mails) Variables(k Kind, lang fault.Lang) (list []Variable) {
	v := m.exampleValues(k, lang)
	for _, name := range v.names() {
		_, isBlock := v.blocks[name]
		list = append(list, Variable{
			Name: name, About: variableWords[name], Example: v.example(name), IsBlock: isBlock,
			Needed: slices.Contains(v.needed, name),
		})
	}
	return list
}

// Preview writes the example of a kind by a template that need not be stored. What is wrong is named subject or body.
func (m *Mails) Preview(t Template) (Letter, error) {
	if err := m.check(&t); err != nil {
		return Letter{}, err
	}
	k, err := KindNamed(t.Kind)
	if err != nil {
		return Letter{}, err
	}
	return m.writeBy(t, Message{To: exampleTo, Lang: t.Lang, Content: k.Example})
}

// variableWords say what each variable stands for.
var variableWords = map[string]fault.Text{
	"site_name":      {ZH: "网站名称", EN: "Name of the site"},
	"site_url":       {ZH: "网站地址", EN: "Address of the site"},
	"recipient":      {ZH: "收件人邮箱", EN: "Address of the reader"},
	"code":           {ZH: "验证码", EN: "The code"},
	"minutes":        {ZH: "有效分钟数", EN: "Minutes that the code is good for"},
	"link":           {ZH: "打开页面的按钮", EN: "Button that opens the page"},
	"new_address":    {ZH: "账号的新邮箱", EN: "The account's new address"},
	"advice":         {ZH: "给非本人操作者的建议", EN: "What to do if it was somebody else"},
	"time":           {ZH: "发生时间", EN: "When it happened"},
	"origin":         {ZH: "操作来源", EN: "Where the change came from"},
	"ip":             {ZH: "IP 地址", EN: "IP address"},
	"other_ways":     {ZH: "其他登录方式的状态；可能为空", EN: "What became of other ways to sign in; may be empty"},
	"event":          {ZH: "发生了什么", EN: "What happened"},
	"consequence":    {ZH: "对其他登录的影响；可能为空", EN: "What it means for other sessions; may be empty"},
	"name":           {ZH: "通行密钥名称", EN: "Name of the passkey"},
	"area_note":      {ZH: "国家或地区；可能为空", EN: "Country or region; may be empty"},
	"device_note":    {ZH: "设备；可能为空", EN: "Device; may be empty"},
	"duration":       {ZH: "封禁多久", EN: "How long it lasts"},
	"reason_note":    {ZH: "原因；可能为空", EN: "Reason; may be empty"},
	"amount":         {ZH: "金额和币种", EN: "Amount with its currency"},
	"service":        {ZH: "服务名称", EN: "Name of the service"},
	"ends_at":        {ZH: "到期时间", EN: "When the service ends"},
	"cause":          {ZH: "原因", EN: "Why"},
	"next_step":      {ZH: "用户接下来可做什么", EN: "What the reader can do"},
	"next_url":       {ZH: "对应页面的地址", EN: "Address of the page for it"},
	"days":           {ZH: "剩余天数", EN: "Days until then"},
	"percent":        {ZH: "已用百分比", EN: "Percent that are used"},
	"reset_note":     {ZH: "流量何时重置；可能为空", EN: "When the traffic begins anew; may be empty"},
	"spread":         {ZH: "从多少网络和地区获取", EN: "How many networks and areas"},
	"decision":       {ZH: "结果（用于主题）", EN: "The decision, for the subject"},
	"outcome":        {ZH: "结果说明", EN: "What was decided"},
	"answer_note":    {ZH: "客服备注；可能为空", EN: "Answer of staff; may be empty"},
	"ticket_no":      {ZH: "工单编号", EN: "Number of the ticket"},
	"ticket_title":   {ZH: "工单标题", EN: "Title of the ticket"},
	"message":        {ZH: "消息全文", EN: "The message"},
	"reason":         {ZH: "原因", EN: "Why"},
	"title":          {ZH: "公告标题", EN: "Title of the announcement"},
	"announcement":   {ZH: "公告标题和全文", EN: "The announcement with its title"},
	"links":          {ZH: "查看和退订的链接", EN: "Links to read it on the site and to unsubscribe"},
	"order_no":       {ZH: "订单号", EN: "Number of the order"},
	"item":           {ZH: "套餐或流量包名称", EN: "Name of the plan or package"},
	"pay_until":      {ZH: "付款截止时间", EN: "Until when it can be paid"},
	"pay_url":        {ZH: "付款页面的地址", EN: "Address of the page to pay on"},
	"case_no":        {ZH: "待处理付款编号", EN: "Number of the case"},
	"gateway":        {ZH: "支付网关", EN: "Payment gateway"},
	"transaction_id": {ZH: "支付平台流水号", EN: "The gateway's transaction id"},
	"node":           {ZH: "节点名称", EN: "Name of the node"},
	"seen_at":        {ZH: "最后上报时间", EN: "When it was heard of last"},
	"began_at":       {ZH: "中断开始时间", EN: "When the silence began"},
	"ended_at":       {ZH: "中断结束时间", EN: "When the silence ended"},
	"link_mbps":      {ZH: "设置的带宽（Mbit/s）", EN: "Speed of the link as it is set, in Mbit/s"},
	"anomalies":      {ZH: "异常列表", EN: "List of what is unusual"},
	"more_note":      {ZH: "未列出的数量；可能为空", EN: "How many more there are; may be empty"},
	"webhook":        {ZH: "Webhook 名称", EN: "Name of the webhook"},
	"host":           {ZH: "服务器名称", EN: "Name of the server"},
	"clock":          {ZH: "该机器显示的时间", EN: "What its clock shows"},
	"noticed_at":     {ZH: "发现时间", EN: "When it was noticed"},
}
