package job

import "airstrip/internal/fault"

// Purpose says what an entry of the Timetable does; empty for an entry that is not in it.
func Purpose(name string) fault.Text { return purposes[name] }

var purposes = map[string]fault.Text{
	"account.bans": {
		ZH: "开始和结束到时间的封禁与工作人员的代登录",
		EN: "Begins and ends bans and visits of staff that are due",
	},
	"account.challenges": {ZH: "删除没有完成的通行密钥验证", EN: "Deletes passkey challenges that nobody answered"},
	"account.forget": {
		ZH: "删除过期的登录、验证码和超过保留期的登录记录",
		EN: "Deletes expired sessions and codes, and sign-in history past its retention",
	},
	"announcement.resume": {ZH: "继续中断的公告发送", EN: "Resumes broadcasts of announcements that stopped"},
	"audit.seal":          {ZH: "把新的审计记录加入哈希链", EN: "Adds new audit entries to the chain of hashes"},
	"bulk.run":            {ZH: "执行批量任务", EN: "Works on bulk jobs"},
	"bulk.forget":         {ZH: "删除没有确认的批量任务", EN: "Removes bulk jobs that nobody confirmed"},
	"captcha.forget":      {ZH: "删除一天前的验证题", EN: "Deletes captchas after a day"},
	"cdkey.forget":        {ZH: "清除旧的卡密错误次数", EN: "Forgets old failed attempts to redeem cd-keys"},
	"clickhouse.copy":     {ZH: "把流量记录复制到 ClickHouse", EN: "Copies the traffic log to ClickHouse"},
	"console.correct": {
		ZH: "重新核对概览里已保存的小时数据",
		EN: "Adds up stored hours of the overview again where they are wrong",
	},
	"console.hours":      {ZH: "汇总概览的小时数据", EN: "Adds up the hours of the overview"},
	"doctor":             {ZH: "核对资金、流量和审计的全部规则", EN: "Checks all rules of money, traffic and audit"},
	"emby.follow":        {ZH: "随套餐启用和停用 Emby 账户", EN: "Turns Emby accounts on and off with services"},
	"idempotency.forget": {ZH: "删除 72 小时前的请求标识", EN: "Deletes idempotency keys that are older than 72 hours"},
	"invite.release":     {ZH: "发放到期的邀请佣金", EN: "Releases commissions whose waiting time is over"},
	"job.forget":         {ZH: "删除已完成的旧任务", EN: "Deletes old jobs that are done"},
	"job.repair":         {ZH: "修正因时钟错误推迟的任务", EN: "Makes jobs run soon that a wrong clock put off"},
	"link.forget":        {ZH: "删除旧的订阅拉取记录", EN: "Deletes old fetches of links"},
	"link.watch": {
		ZH: "链接被过多网络拉取时通知用户",
		EN: "Notifies users whose link is fetched from too many networks",
	},
	"loki.export": {
		ZH: "把登录、审计命中和订阅拉取日志发送到 Loki",
		EN: "Sends logs of sign-ins, rule hits and link fetches to Loki",
	},
	"mail.forget":   {ZH: "删除旧邮件", EN: "Deletes old mails"},
	"mailbox.fetch": {ZH: "从邮箱收取工单回复", EN: "Fetches answers to tickets from the mailbox"},
	"node.follow": {
		ZH: "停用流量用完的节点，到重置日恢复",
		EN: "Stops nodes whose traffic is used up and starts them again on their day",
	},
	"node.forget": {
		ZH: "删除超过保留期的节点故障、审计命中和在线地址",
		EN: "Deletes outages, rule hits and online addresses past their retention",
	},
	"node.link_groups": {ZH: "更新随时间变化的链接分组", EN: "Updates link groups that change with time"},
	"node.unblock":     {ZH: "解除到期的 IP 封锁", EN: "Unblocks addresses whose time is over"},
	"node.watch":       {ZH: "发现离线的节点并记录故障", EN: "Finds nodes that are away and records outages"},
	"payment.check":    {ZH: "向支付平台查询未到账的充值", EN: "Asks payment gateways about recharges that are not paid"},
	"payment.expire":   {ZH: "结束超时未付的充值和订单", EN: "Ends recharges and orders whose time is over"},
	"payment.forget": {
		ZH: "删除与本站无关的旧支付通知",
		EN: "Removes old payment notices that speak of nothing of this site",
	},
	"payment.refund": {ZH: "向支付平台重试未完成的退款", EN: "Asks payment platforms again for pending refunds"},
	"push.forget":    {ZH: "删除过期的推送消息", EN: "Deletes expired push messages"},
	"renewal.remind": {
		ZH: "提醒用户套餐即将到期或流量将用完",
		EN: "Reminds users of services that end and of traffic that runs out",
	},
	"renewal.renew":  {ZH: "自动续费到期的套餐", EN: "Renews services that renew themselves"},
	"service.forget": {ZH: "清理流量计数的临时记录", EN: "Clears notes of the counting of traffic"},
	"service.expire": {ZH: "结束到期的套餐和流量包", EN: "Ends services and packages whose time is over"},
	"service.reset":  {ZH: "按周期重置套餐流量", EN: "Begins the next quota of services"},
	"service.restore": {
		ZH: "恢复因时钟错误而结束或重置的套餐",
		EN: "Restores services that a wrong clock ended or reset",
	},
	"shareaccount.forget": {ZH: "删除旧的共享账号查看记录", EN: "Deletes old views of share accounts"},
	"storage.measure":     {ZH: "记录数据库的大小", EN: "Records how large the database is"},
	"telegram.forget":     {ZH: "删除旧的 Telegram 消息标识", EN: "Deletes old updates of Telegram"},
	"ticket.forget": {
		ZH: "删除没有发送的附件和已删除工单的文件",
		EN: "Removes uploads that were never sent and files of removed tickets",
	},
	"traffic.anomalies": {ZH: "查找流量异常的用户", EN: "Looks for users with unusual traffic"},
	"traffic.forget":    {ZH: "删除超过保留期的流量记录", EN: "Removes traffic hours past their retention"},
	"traffic.move": {
		ZH: "把旧版本的流量记录转入新格式",
		EN: "Moves traffic of earlier versions into the present format",
	},
	"traffic.seal":   {ZH: "整理并压缩流量记录", EN: "Packs the traffic log"},
	"wallet.seal":    {ZH: "把新的账目加入哈希链", EN: "Adds new transactions of the ledger to the chain of hashes"},
	"checkin.forget": {ZH: "清除旧签到记录里的网络信息", EN: "Forgets the networks of old check-ins"},
	"webhook.forget": {ZH: "删除旧的 Webhook 发送记录", EN: "Deletes old webhook deliveries"},
}
