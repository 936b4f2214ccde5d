package setting

import "airstrip/internal/fault"

// Areas are all areas, in the order in which they are shown.
var Areas = []AreaWords{
	{AreaSite, fault.Text{ZH: "网站", EN: "Site"}},
	{AreaLook, fault.Text{ZH: "外观", EN: "Look"}},
	{AreaLegal, fault.Text{ZH: "条款和隐私", EN: "Terms and privacy"}},
	{AreaSignUp, fault.Text{ZH: "注册和登录", EN: "Sign-up and sign-in"}},
	{AreaMail, fault.Text{ZH: "邮件", EN: "Mail"}},
	{AreaCaptcha, fault.Text{ZH: "人机验证", EN: "Captcha"}},
	{AreaTelegram, fault.Text{ZH: "Telegram 机器人", EN: "Telegram bot"}},
	{AreaTickets, fault.Text{ZH: "工单", EN: "Tickets"}},
	{AreaAttachments, fault.Text{ZH: "附件", EN: "Attachments"}},
	{AreaMoney, fault.Text{ZH: "充值和订单", EN: "Recharges and orders"}},
	{AreaInvites, fault.Text{ZH: "邀请和返佣", EN: "Invites and commission"}},
	{AreaCheckIn, fault.Text{ZH: "签到", EN: "Check-in"}},
	{AreaLinks, fault.Text{ZH: "订阅链接", EN: "Subscription links"}},
	{AreaNodes, fault.Text{ZH: "节点", EN: "Nodes"}},
	{AreaTraffic, fault.Text{ZH: "流量", EN: "Traffic"}},
	{AreaServices, fault.Text{ZH: "外部服务", EN: "Other services"}},
}

// wording is what is said of a setting, and what neither its type nor its bounds tell.
type wording struct {
	area           Area
	zh, en         string
	hintZH, hintEN string
	unit           string // in units
	everyday       bool   // see Description.Sensitive: all others are sensitive
	long           bool   // a text of several lines
	kind           Kind   // where it does not follow from the type or from long
}

var units = map[string]fault.Text{
	"days": {ZH: "天", EN: "days"}, "hours": {ZH: "小时", EN: "hours"}, "minutes": {ZH: "分钟", EN: "minutes"},
	"seconds": {ZH: "秒", EN: "seconds"}, "mb": {ZH: "MB", EN: "MB"}, "gb": {ZH: "GB", EN: "GB"},
	"permille": {ZH: "‰", EN: "‰"}, "per_minute": {ZH: "人/分钟", EN: "users a minute"},
	"characters": {ZH: "个字符", EN: "characters"},
}

// choiceWords are the words of values that say too little themselves.
var choiceWords = map[string]fault.Text{
	"zh-CN": {ZH: "简体中文", EN: "Chinese"}, "en": {ZH: "英文", EN: "English"},
	"open": {ZH: "开放注册", EN: "Everybody"}, "invite": {ZH: "仅限受邀", EN: "Who was invited"},
	"closed": {ZH: "关闭注册", EN: "Nobody"},
	"poll":   {ZH: "轮询", EN: "Poll"}, "webhook": {ZH: "Webhook", EN: "Webhook"},
	AsTime: {ZH: "折算为时长", EN: "Stays as time"}, ToWallet: {ZH: "退回钱包", EN: "Goes to the wallet"},
	"starttls": {ZH: "STARTTLS", EN: "STARTTLS"}, "tls": {ZH: "TLS", EN: "TLS"}, "none": {ZH: "不加密", EN: "None"},
	"pow": {ZH: "内置（工作量证明）", EN: "Built in (proof of work)"}, "turnstile": {ZH: "Turnstile", EN: "Turnstile"},
	"hcaptcha": {ZH: "hCaptcha", EN: "hCaptcha"}, "recaptcha": {ZH: "reCAPTCHA", EN: "reCAPTCHA"},
	"never": {ZH: "从不", EN: "Never"}, "risk": {ZH: "有风险时", EN: "At a risk"},
	"always": {ZH: "总是", EN: "Always"},
}

// words are those of all settings by name.
var words = map[string]wording{
	"site_name": {
		area: AreaSite, zh: "网站名称", en: "Name of the site", everyday: true,
		hintZH: "显示在页面、邮件和机器人消息中", hintEN: "Shown on pages, in mails and by the bot",
	},
	"language": {
		area: AreaSite, zh: "默认语言", en: "Default language", everyday: true,
		hintZH: "用于没有选择语言的访客", hintEN: "For visitors who ask for no language that the site speaks",
	},
	"class_names": {
		area: AreaSite, zh: "等级名称", en: "Names of classes", everyday: true,
		hintZH: "用户看到的名称；没有名称的等级显示数字", hintEN: "What users read instead of a class's number",
	},
	"time_zone": {
		area: AreaSite, zh: "时区", en: "Time zone",
		hintZH: "IANA 名称，如 Asia/Shanghai；日期、月份和签到按它计算",
		hintEN: "IANA name such as Asia/Shanghai; days, months and check-ins are counted in it",
	},
	"about_zh": {
		area: AreaSite, zh: "网站介绍（中文）", en: "About the site, in Chinese", everyday: true, long: true,
		hintZH: "显示在“关于”页；留空则使用内置的一句话", hintEN: "For the page “About”; empty: a sentence of ours",
	},
	"about_en": {
		area: AreaSite, zh: "网站介绍（英文）", en: "About the site, in English", everyday: true, long: true,
		hintZH: "显示在“关于”页；留空则使用内置的一句话", hintEN: "For the page “About”; empty: a sentence of ours",
	},
	"contact_email": {
		area: AreaSite, zh: "联系邮箱", en: "Contact e-mail", everyday: true,
		hintZH: "留空则不显示", hintEN: "Empty: none is named",
	},
	"contact_url": {
		area: AreaSite, zh: "联系网址", en: "Contact address", everyday: true,
		hintZH: "如 https://t.me/名称；留空则不显示", hintEN: "Such as https://t.me/name; empty: no link",
	},
	"terms_url": {
		area: AreaLegal, zh: "服务条款网址", en: "Address of the terms of service", everyday: true,
		hintZH: "条款在其他网站时填写；注册时不要求同意",
		hintEN: "For terms on another site; sign-up does not ask to accept those",
	},
	"privacy_url": {
		area: AreaLegal, zh: "隐私政策网址", en: "Address of the privacy notice", everyday: true,
		hintZH: "政策在其他网站时填写；注册时不要求同意",
		hintEN: "For a notice on another site; sign-up does not ask to accept that",
	},
	"accent": {
		area: AreaLook, zh: "主题色", en: "Accent colour", everyday: true, kind: KindColour,
		hintZH: "如 #146f87；明暗会自动调整，确保文字清晰。留空则使用内置颜色",
		hintEN: "Such as #146f87; shades are adjusted so that all text is easy to read. Empty: the built-in one",
	},
	"footer_zh": {
		area: AreaLook, zh: "页脚文字（中文）", en: "Text of the footer, in Chinese", everyday: true, long: true,
		hintZH: "纯文字，显示在每个页面的页脚", hintEN: "Plain text in the footer of all pages",
	},
	"footer_en": {
		area: AreaLook, zh: "页脚文字（英文）", en: "Text of the footer, in English", everyday: true, long: true,
		hintZH: "纯文字，显示在每个页面的页脚", hintEN: "Plain text in the footer of all pages",
	},
	"terms_zh": {
		area: AreaLegal, zh: "服务条款（中文）", en: "Terms of service, in Chinese", everyday: true,
		long: true, kind: KindMarkdown,
		hintZH: "Markdown，显示在 /terms；填写后，注册时须同意",
		hintEN: "Markdown, shown at /terms; whoever signs up must accept it",
	},
	"terms_en": {
		area: AreaLegal, zh: "服务条款（英文）", en: "Terms of service, in English", everyday: true,
		long: true, kind: KindMarkdown,
		hintZH: "Markdown，显示在 /terms；填写后，注册时须同意",
		hintEN: "Markdown, shown at /terms; whoever signs up must accept it",
	},
	"privacy_zh": {
		area: AreaLegal, zh: "隐私政策（中文）", en: "Privacy notice, in Chinese", everyday: true,
		long: true, kind: KindMarkdown,
		hintZH: "Markdown，显示在 /privacy；填写后，注册时须同意",
		hintEN: "Markdown, shown at /privacy; whoever signs up must accept it",
	},
	"privacy_en": {
		area: AreaLegal, zh: "隐私政策（英文）", en: "Privacy notice, in English", everyday: true,
		long: true, kind: KindMarkdown,
		hintZH: "Markdown，显示在 /privacy；填写后，注册时须同意",
		hintEN: "Markdown, shown at /privacy; whoever signs up must accept it",
	},
	"security_contact": {
		area: AreaSite, zh: "安全联系方式", en: "Security contact",
		hintZH: "mailto: 或 https:// 开头；写入 security.txt，留空则用上面的联系方式",
		hintEN: "mailto: or https://, for security.txt; empty: the contact above",
	},
	"source_url": {
		area: AreaSite, zh: "源代码网址", en: "Address of the source code", everyday: true,
		hintZH: "修改过的版本需按 AGPL 向用户提供源代码",
		hintEN: "Of what runs here; the AGPL asks for it where the code was changed",
	},
	"test_pages": {
		area: AreaSite, zh: "开放测试页面", en: "Test pages", everyday: true,
		hintZH: "/test-page 下的组件演示页", hintEN: "The pages of parts under /test-page",
	},
	"crisp_website_id": {
		area: AreaSite, zh: "Crisp 网站编号", en: "Website id at Crisp",
		hintZH: "在线客服的 UUID；留空则不启用", hintEN: "UUID of the live chat; empty: no chat",
	},
	"sign_up_mode": {area: AreaSignUp, zh: "注册方式", en: "Who may sign up", everyday: true},
	"sign_up_domains": {
		area: AreaSignUp, zh: "允许的邮箱域名", en: "Allowed e-mail domains", everyday: true,
		hintZH: "每行一个；留空则全部允许", hintEN: "One per line; empty allows all",
	},
	"sign_up_per_ip_daily": {area: AreaSignUp, zh: "每个 IP 每天的注册数", en: "Accounts per IP a day", everyday: true},
	"sign_up_email_code":   {area: AreaSignUp, zh: "注册时验证邮箱", en: "Prove the address with a code", everyday: true},
	"staff_two_factor":     {area: AreaSignUp, zh: "工作人员必须使用两步验证", en: "Staff need a second factor"},
	"staff_networks": {
		area: AreaSignUp, zh: "工作人员可用的网络", en: "Networks that staff may act from",
		hintZH: "每行一个，如 203.0.113.0/24 或 2001:db8::/48；留空则不限制。设置后在 Telegram 群组中也不能执行操作",
		hintEN: "One per line, as 203.0.113.0/24 or 2001:db8::/48; empty: from anywhere. " +
			"Where it is set, staff cannot act in the Telegram group either",
	},
	"staff_session_hours": {
		area: AreaSignUp, zh: "工作人员登录时长（小时）", en: "Hours that staff stays signed in",
		hintZH: "到时须重新登录，“记住我”也不例外", hintEN: "Then they sign in again, also where the sign-in was remembered",
	},
	"staff_idle_minutes": {
		area: AreaSignUp, zh: "工作人员离开后的登录时长（分钟）", en: "Minutes that staff stays signed in after leaving",
		hintZH: "从最近一次刷新登录算起，打开的页面每 20 分钟刷新一次",
		hintEN: "Counted from the last refresh of the sign-in; an open page refreshes each 20 minutes",
	},
	"smtp_host": {
		area: AreaMail, zh: "SMTP 服务器", en: "SMTP server",
		hintZH: "留空则邮件只保留、不发送", hintEN: "Empty: mails are kept and not sent",
	},
	"smtp_port": {area: AreaMail, zh: "SMTP 端口", en: "SMTP port"},
	"smtp_tls":  {area: AreaMail, zh: "加密方式", en: "Encryption"},
	"smtp_username": {
		area: AreaMail, zh: "SMTP 用户名", en: "SMTP user name",
		hintZH: "留空则不登录", hintEN: "Empty: without authentication",
	},
	"smtp_from": {
		area: AreaMail, zh: "发件地址", en: "Address that mails come from",
		hintZH: "如 a@example.com 或 名称 <a@example.com>", hintEN: "As a@example.com or Name <a@example.com>",
	},
	"mail_footer_zh": {
		area: AreaMail, zh: "邮件页脚（中文）", en: "Footer of mails, in Chinese", long: true,
		hintZH: "显示在每封邮件的末尾；留空则不显示", hintEN: "Below the text of each mail; empty: nothing",
	},
	"mail_footer_en": {
		area: AreaMail, zh: "邮件页脚（英文）", en: "Footer of mails, in English", long: true,
		hintZH: "显示在每封邮件的末尾；留空则不显示", hintEN: "Below the text of each mail; empty: nothing",
	},
	"broadcast_per_minute": {
		area: AreaMail, zh: "群发速度", en: "Speed of broadcasts", everyday: true, unit: "per_minute",
		hintZH: "公告通过邮件发送时，每分钟的用户数", hintEN: "Users whom an announcement is sent to in a minute",
	},
	"captcha_provider": {area: AreaCaptcha, zh: "验证服务", en: "Provider"},
	"captcha_site_key": {
		area: AreaCaptcha, zh: "公钥", en: "Public key",
		hintZH: "在验证服务处获得", hintEN: "As the provider gave it",
	},
	"captcha_verify_url": {
		area: AreaCaptcha, zh: "验证地址", en: "Address for verification",
		hintZH: "留空则使用该服务的默认地址", hintEN: "Empty: the provider's usual one",
	},
	"captcha_register": {area: AreaCaptcha, zh: "注册时", en: "At sign-up"},
	"captcha_login":    {area: AreaCaptcha, zh: "登录时", en: "At sign-in"},
	"captcha_forgot_password": {
		area: AreaCaptcha, zh: "找回密码时", en: "When a password was forgotten",
	},
	"captcha_checkin": {area: AreaCaptcha, zh: "签到时", en: "At a check-in"},
	"captcha_ticket":  {area: AreaCaptcha, zh: "提交工单时", en: "When a ticket is opened"},
	"captcha_puzzles": {
		area: AreaCaptcha, zh: "内置验证的题数", en: "Puzzles of the built-in captcha",
		hintZH: "越多，浏览器计算越久", hintEN: "More take the browser longer",
	},
	"captcha_zeros": {
		area: AreaCaptcha, zh: "每题的前导零位数", en: "Zeros that each puzzle wants",
		hintZH: "每加 1，计算时间约增至 16 倍", hintEN: "Each one more takes about 16 times as long",
	},
	"telegram_updates": {
		area: AreaTelegram, zh: "接收消息的方式", en: "How the bot hears of messages", everyday: true,
		hintZH: "Webhook 要求 Telegram 能通过 HTTPS 访问本站",
		hintEN: "A webhook needs a site that Telegram reaches by HTTPS",
	},
	"telegram_groups": {
		area: AreaTelegram, zh: "机器人应答的群组", en: "Groups that the bot answers in", everyday: true,
		hintZH: "每行一个群组编号（负数）", hintEN: "One id per line, each negative",
	},
	"telegram_staff_group": {
		area: AreaTelegram, zh: "工作人员群组", en: "Group of staff",
		hintZH: "工单在其中各占一个话题；0 表示没有", hintEN: "Each ticket is a topic of it; 0: none",
	},
	"ticket_max_open":          {area: AreaTickets, zh: "每个用户可同时打开的工单数", en: "Open tickets of one user", everyday: true},
	"ticket_messages_per_hour": {area: AreaTickets, zh: "每个用户每小时的消息数", en: "Messages of one user in an hour", everyday: true},
	"ticket_mail_address": {
		area: AreaTickets, zh: "回信邮箱", en: "Address for answers by mail",
		hintZH: "该邮箱须接收 名称+任意内容@…；留空则用户在网站上回复",
		hintEN: "Takes mails to NAME+anything@…; empty: users answer on the site",
	},
	"imap_host": {
		area: AreaTickets, zh: "IMAP 服务器", en: "IMAP server",
		hintZH: "留空则不读取邮箱", hintEN: "Empty: the mailbox is not read",
	},
	"imap_port":     {area: AreaTickets, zh: "IMAP 端口", en: "IMAP port"},
	"imap_tls":      {area: AreaTickets, zh: "加密方式", en: "Encryption"},
	"imap_username": {area: AreaTickets, zh: "IMAP 用户名", en: "IMAP user name"},
	"imap_folder":   {area: AreaTickets, zh: "邮箱文件夹", en: "Folder"},
	"attachment_quota_mb": {
		area: AreaAttachments, zh: "每个用户的附件总量", en: "Files of one user", everyday: true, unit: "mb",
		hintZH: "0 表示不能发送文件", hintEN: "0: no files can be sent",
	},
	"attachment_s3_bucket": {
		area: AreaAttachments, zh: "S3 存储桶", en: "S3 bucket",
		hintZH: "留空则保存在数据目录中", hintEN: "Empty: files are kept in the data folder",
	},
	"attachment_s3_url": {
		area: AreaAttachments, zh: "S3 服务地址", en: "Address of the S3 service",
		hintZH: "如 https://s3.example.com", hintEN: "As https://s3.example.com",
	},
	"attachment_s3_region":     {area: AreaAttachments, zh: "S3 区域", en: "S3 region"},
	"attachment_s3_access_key": {area: AreaAttachments, zh: "S3 访问密钥编号", en: "S3 access key"},
	"currency": {
		area: AreaMoney, zh: "货币", en: "Currency",
		hintZH: "有资金往来后不能再更改", hintEN: "Fixed once money has moved",
	},
	"recharge_presets": {
		area: AreaMoney, zh: "充值金额选项", en: "Amounts to recharge",
		hintZH: "每行一个", hintEN: "One per line",
	},
	"recharge_min": {area: AreaMoney, zh: "最低充值金额", en: "Least recharge"},
	"recharge_max": {area: AreaMoney, zh: "最高充值金额", en: "Most of a recharge"},
	"recharge_minutes": {
		area: AreaMoney, zh: "待支付的保留时间", en: "How long a payment may wait", unit: "minutes",
		hintZH: "充值和订单超过它就会取消；人工确认的付款有 72 小时",
		hintEN: "A recharge or order ends after it; payments that staff confirms have 72 hours",
	},
	"change_credit": {
		area: AreaMoney, zh: "更换套餐的余额", en: "Credit left by a change of plan",
		hintZH: "旧套餐抵扣后多出的部分", hintEN: "What the new plan does not use up",
	},
	"staff_credit_limit": {
		area: AreaMoney, zh: "工作人员每日限额", en: "Daily limit of a member of staff",
		hintZH: "每个成员每天可独自给出的价值，超出须由另一成员批准",
		hintEN: "Worth that one member gives alone in a day; more waits for a second member",
	},
	"commission_permille": {
		area: AreaInvites, zh: "返佣比例", en: "Commission", unit: "permille",
		hintZH: "0 表示没有返佣", hintEN: "0: none",
	},
	"commission_first_only": {
		area: AreaInvites, zh: "仅首单返佣", en: "First order only",
		hintZH: "已全额退回的订单不算首单", hintEN: "An order whose money went back whole is not the first one",
	},
	"commission_days": {
		area: AreaInvites, zh: "返佣冻结期", en: "Until a commission is released", unit: "days",
		hintZH: "退款会按退回的金额收回返佣，发放之后也是",
		hintEN: "A refund takes back the share of what it gives back, also after the release",
	},
	"payout_min": {
		area: AreaInvites, zh: "最低提现金额", en: "Least payout",
		hintZH: "0 表示不提现，只能转入钱包", hintEN: "0: none, users move it into their wallets",
	},
	"invite_quota": {
		area: AreaInvites, zh: "每个用户的邀请名额", en: "People that one user may bring in",
		hintZH: "-1 表示不限", hintEN: "-1: no limit",
	},
	"invite_price": {
		area: AreaInvites, zh: "增加一个名额的价格", en: "Price of one more invite",
		hintZH: "0 表示不出售", hintEN: "0: not for sale",
	},
	"invite_codes":    {area: AreaInvites, zh: "每个用户的自定义邀请码数", en: "Codes that one user may make", everyday: true},
	"invite_code_min": {area: AreaInvites, zh: "邀请码最短长度", en: "Least length of a code", everyday: true, unit: "characters"},
	"invite_reserved": {
		area: AreaInvites, zh: "保留的邀请码", en: "Words that no code may be", everyday: true,
		hintZH: "每行一个", hintEN: "One per line",
	},
	"checkin": {
		area: AreaCheckIn, zh: "每日签到", en: "Daily check-in",
		hintZH: "用户签到得到流量", hintEN: "Gives traffic to users",
	},
	"checkin_min_mb": {area: AreaCheckIn, zh: "签到最少得到", en: "Least of a check-in", unit: "mb"},
	"checkin_max_mb": {area: AreaCheckIn, zh: "签到最多得到", en: "Most of a check-in", unit: "mb"},
	"link_urls": {
		area: AreaLinks, zh: "订阅地址", en: "Addresses for links",
		hintZH: "每行一个，末尾不带斜杠；留空则用本站地址", hintEN: "One per line, without closing slash; empty: the site's own",
	},
	"link_per_minute":    {area: AreaLinks, zh: "每条链接每分钟拉取次数", en: "Fetches of a link in a minute", everyday: true},
	"link_per_day":       {area: AreaLinks, zh: "每条链接每天拉取次数", en: "Fetches of a link in a day", everyday: true},
	"link_per_ip_minute": {area: AreaLinks, zh: "每个 IP 每分钟拉取次数", en: "Fetches of an IP in a minute", everyday: true},
	"link_update_hours":  {area: AreaLinks, zh: "客户端更新间隔", en: "How often clients update", everyday: true, unit: "hours"},
	"link_log_days":      {area: AreaLinks, zh: "拉取记录保留时间", en: "How long fetches are kept", unit: "days"},
	"link_notice_networks": {
		area: AreaLinks, zh: "异常拉取提醒", en: "Notice of a shared link", everyday: true,
		hintZH: "一天内被这么多网络拉取时提醒用户；0 表示不提醒",
		hintEN: "Fetched from so many networks in a day, its user is told; 0: never",
	},
	"link_notices": {
		area: AreaLinks, zh: "订阅中的提示", en: "Notices in links", everyday: true,
		hintZH: "每行一条，最多 5 条", hintEN: "One per line, at most 5",
	},
	"node_report_seconds": {area: AreaNodes, zh: "节点上报周期", en: "How often nodes report", everyday: true, unit: "seconds"},
	"node_offline_minutes": {
		area: AreaNodes, zh: "离线判定时间", en: "Until a node counts as offline", everyday: true, unit: "minutes",
	},
	"node_allow_private": {
		area: AreaNodes, zh: "允许节点访问内网地址", en: "Nodes may reach private addresses",
		hintZH: "仅用于演示和测试", hintEN: "For the demo and tests",
	},
	"traffic_log_days": {area: AreaTraffic, zh: "每小时流量保留时间", en: "How long hours are kept", unit: "days"},
	"traffic_daily_days": {
		area: AreaTraffic, zh: "每日流量保留时间", en: "How long days are kept", unit: "days",
		hintZH: "更早的按月汇总", hintEN: "Older months are kept as sums",
	},
	"traffic_anomaly_factor": {
		area: AreaTraffic, zh: "流量异常倍数", en: "Days that staff is told of", everyday: true,
		hintZH: "达到平时多少倍时通知；0 表示不通知", hintEN: "How many times the usual; 0: never",
	},
	"traffic_anomaly_user_gb": {area: AreaTraffic, zh: "用户异常的最低流量", en: "Least of a user's such day", everyday: true, unit: "gb"},
	"traffic_anomaly_node_gb": {area: AreaTraffic, zh: "节点异常的最低流量", en: "Least of a node's such day", everyday: true, unit: "gb"},
	"traffic_anomaly_users": {
		area: AreaTraffic, zh: "最少活跃用户数", en: "Least users of such a day", everyday: true,
		hintZH: "当天用户更少时，不通知用户的异常", hintEN: "With fewer that day no user's is told",
	},
	"emby_url": {
		area: AreaServices, zh: "Emby 服务器地址", en: "Address of the Emby server",
		hintZH: "末尾不带斜杠；留空则不启用", hintEN: "Without closing slash; empty: none",
	},
	"emby_class": {area: AreaServices, zh: "可用 Emby 的等级", en: "Class that Emby needs"},
	"loki_push_url": {
		area: AreaServices, zh: "Loki 推送地址", en: "Push address of Loki",
		hintZH: "登录、审计和订阅拉取会发到那里；留空则不启用", hintEN: "Sign-ins, audit hits and fetches are sent there; empty: none",
	},
	"loki_username": {
		area: AreaServices, zh: "Loki 用户名", en: "User name at Loki",
		hintZH: "留空则不登录", hintEN: "Empty: without authentication",
	},
	"loki_tenant": {
		area: AreaServices, zh: "Loki 租户", en: "Tenant of Loki",
		hintZH: "X-Scope-OrgID；留空则不发送", hintEN: "X-Scope-OrgID; empty: none",
	},
	"webhook_allow_private": {
		area: AreaServices, zh: "允许 Webhook 发往内网", en: "Webhooks may reach private addresses",
		hintZH: "也允许不加密的 HTTP", hintEN: "And plain HTTP",
	},
}

// SecretWords are those of the secrets that belong to settings, by their names in package secret.
var SecretWords = map[string]struct {
	Area  Area
	Title fault.Text
	// SentTo are the settings that say to whom the secret is sent: none where that is no setting.
	SentTo []string
}{
	"smtp_password":     {AreaMail, fault.Text{ZH: "SMTP 密码", EN: "SMTP password"}, []string{"smtp_host"}},
	"captcha_key":       {AreaCaptcha, fault.Text{ZH: "验证服务的私钥", EN: "Secret key at the provider"}, []string{"captcha_provider", "captcha_verify_url"}},
	"telegram_token":    {AreaTelegram, fault.Text{ZH: "机器人令牌", EN: "Token of the bot"}, nil},
	"imap_password":     {AreaTickets, fault.Text{ZH: "IMAP 密码", EN: "IMAP password"}, []string{"imap_host"}},
	"attachment_s3_key": {AreaAttachments, fault.Text{ZH: "S3 私有密钥", EN: "S3 secret key"}, []string{"attachment_s3_url"}},
	"emby_key":          {AreaServices, fault.Text{ZH: "Emby API 密钥", EN: "API key of Emby"}, []string{"emby_url"}},
	"loki_password":     {AreaServices, fault.Text{ZH: "Loki 密码", EN: "Password at Loki"}, []string{"loki_push_url"}},
}
