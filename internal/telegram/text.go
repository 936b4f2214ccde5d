package telegram

import (
	"fmt"
	"strings"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/fault"
	"airstrip/internal/geo"
	"airstrip/internal/service"
)

// What the bot says, all of it plain text.
var (
	textStale = fault.Text{
		ZH: "这个链接无效、已使用或已过期，请在网站上重新获取。",
		EN: "This link is not valid, was used or is too old. Please get another one on the site.",
	}
	textConfirmed = fault.Text{ZH: "✅ 已确认，网页即将登录。", EN: "✅ Confirmed. The page is signing in."}
	textDenied    = fault.Text{
		ZH: "已拒绝。如果不是你本人打开的页面，有人可能想登录你的账号。",
		EN: "Refused. If it was not you who opened the page, somebody may be trying to get into your account.",
	}
	textUnlinked = fault.Text{
		ZH: "已解除绑定，今后不能再用此 Telegram 登录。",
		EN: "Unlinked. This Telegram account no longer signs you in.",
	}
	textKept = fault.Text{ZH: "好的，绑定保持不变。", EN: "All right, the link stays."}

	buttonConfirm = fault.Text{ZH: "数字是 %d，确认登录", EN: "The number is %d, sign in"}
	buttonDeny    = fault.Text{ZH: "不是我，拒绝", EN: "It is not me, refuse"}
	buttonUnlink  = fault.Text{ZH: "解除绑定", EN: "Unlink"}
	buttonMe      = fault.Text{ZH: "套餐和流量", EN: "Plan and traffic"}
	buttonSub     = fault.Text{ZH: "订阅链接", EN: "Subscription link"}
	buttonCheckIn = fault.Text{ZH: "签到", EN: "Check in"}
	buttonSite    = fault.Text{ZH: "打开网站", EN: "Open the site"}
	buttonPrivate = fault.Text{ZH: "私聊机器人", EN: "Write to the bot"}
	buttonKeep    = fault.Text{ZH: "保留", EN: "Keep"}

	textAskUnlink = fault.Text{
		ZH: "要解除与账号 %s 的绑定吗？之后不能再用此 Telegram 登录。",
		EN: "Unlink this Telegram account from %s? It will no longer sign you in.",
	}
	textLinked = fault.Text{
		ZH: "✅ 已绑定账号 %s，今后可以用 Telegram 扫码登录。\n\n不是你的账号？发送 /unlink 解除绑定。",
		EN: "✅ Linked to %s. From now on you can sign in with Telegram.\n\nNot your account? Send /unlink.",
	}
	textLinkedTo  = fault.Text{ZH: "已绑定账号 %s。", EN: "Linked to %s."}
	textNotLinked = fault.Text{
		ZH: "这个 Telegram 账号还没有绑定用户。请登录网站，在「账号安全」页面绑定：\n%s/user/account/security",
		EN: "This Telegram account is not linked to a user. Please sign in on the site and link it on the page " +
			"Security:\n%s/user/account/security",
	}
	textAskSignIn = fault.Text{
		ZH: "有人要登录 %s 的账号 %s：\n\n数字：%d\n设备：%s\n位置：%s\n\n只有当你刚刚打开的页面显示同一个数字时才确认。客服绝不会请你确认登录。",
		EN: "Somebody wants to sign in to %s as %s:\n\nNumber: %d\nDevice: %s\nPlace: %s\n\nConfirm only if the " +
			"page that you opened just now shows the same number. Support never asks you to confirm a sign-in.",
	}
	textPrivate = fault.Text{
		ZH: "账号相关的内容只在私聊中提供。",
		EN: "What is about your account I tell in private only.",
	}
	textSub = fault.Text{
		ZH: "你的订阅链接：\n%s\n\n任何人拿到它都能使用你的流量，请勿转发。如已泄露，请在网站上重置：\n%s/user/connection-reset",
		EN: "Your subscription link:\n%s\n\nWhoever has it can use your traffic, so please do not pass it on. If it got " +
			"out, reset it on the site:\n%s/user/connection-reset",
	}
	textNoLink = fault.Text{
		ZH: "没有使用中的套餐，因此没有订阅链接。可在网站购买：\n%s/user/services/buy",
		EN: "No plan is running, so there is no subscription link. You can buy one on the site:\n%s/user/services/buy",
	}
	textHelp = fault.Text{
		ZH: "%s 机器人：\n/me 查看套餐、剩余流量和到期时间\n/sub 订阅链接\n/checkin 每日签到\n/tickets 我的工单\n" +
			"/unlink 解除绑定\n/help 帮助\n\n要用 Telegram 登录，请在网站的登录页扫码。",
		EN: "The bot of %s:\n/me your plan, remaining traffic and expiry\n/sub your subscription link\n" +
			"/checkin daily check-in\n/tickets your tickets\n/unlink unlink this Telegram account\n/help this help\n\n" +
			"To sign in with Telegram, scan the code on the site's sign-in page.",
	}

	textCheckInOnSite = fault.Text{
		ZH: "本站签到需要人机验证，请在网站上签到：\n%s/user/dashboard",
		EN: "Checking in takes a captcha here; please do it on the site:\n%s/user/dashboard",
	}

	textAccount  = fault.Text{ZH: "账号：%s", EN: "Account: %s"}
	textPlan     = fault.Text{ZH: "套餐：%s", EN: "Plan: %s"}
	textLeft     = fault.Text{ZH: "剩余流量：%s / %s", EN: "Traffic left: %s of %s"}
	textUsed     = fault.Text{ZH: "已用流量：%s（不限量）", EN: "Traffic used: %s (no limit)"}
	textEnds     = fault.Text{ZH: "到期时间：%s", EN: "Expires: %s"}
	textNoPlan   = fault.Text{ZH: "没有使用中的套餐", EN: "no plan is running"}
	textIsBanned = fault.Text{
		ZH: "⚠️ 账号已被封禁，请登录网站查看原因。",
		EN: "⚠️ The account is suspended; sign in on the site to see why.",
	}
	textExhausted = fault.Text{ZH: "⚠️ 流量已用完。", EN: "⚠️ The traffic is used up."}
	textUnknown   = fault.Text{ZH: "未知", EN: "unknown"}

	commandMe      = fault.Text{ZH: "套餐、剩余流量和到期时间", EN: "Plan, remaining traffic and expiry"}
	commandCheckIn = fault.Text{ZH: "每日签到", EN: "Daily check-in"}
	commandSub     = fault.Text{ZH: "订阅链接", EN: "Subscription link"}
	commandUnlink  = fault.Text{ZH: "解除绑定", EN: "Unlink this Telegram account"}
	commandHelp    = fault.Text{ZH: "帮助", EN: "Help"}
)

func say(lang fault.Lang, text fault.Text, values ...any) string {
	return fmt.Sprintf(text.In(lang), values...)
}

// commands is the menu that Telegram shows beside the bot.
func commands(lang fault.Lang) []map[string]string {
	return []map[string]string{
		{"command": "me", "description": commandMe.In(lang)},
		{"command": "sub", "description": commandSub.In(lang)},
		{"command": "checkin", "description": commandCheckIn.In(lang)},
		{"command": "tickets", "description": commandTickets.In(lang)},
		{"command": "unlink", "description": commandUnlink.In(lang)},
		{"command": "help", "description": commandHelp.In(lang)},
	}
}

// sayStanding tells what a user has, in the site's time zone.
func sayStanding(lang fault.Lang, email string, plans []string, a service.Access, zone *time.Location) string {
	plan := strings.Join(plans, ", ")
	if plan == "" {
		plan = textNoPlan.In(lang)
	}
	lines := []string{say(lang, textAccount, email), say(lang, textPlan, plan)}
	if a.RemainingBytes != nil && a.QuotaBytes != nil {
		lines = append(lines, say(lang, textLeft, gigabytes(*a.RemainingBytes), gigabytes(*a.QuotaBytes)))
	} else {
		lines = append(lines, say(lang, textUsed, gigabytes(a.UsedBytes)))
	}
	if a.ExpiresAt != nil {
		lines = append(lines, say(lang, textEnds, a.ExpiresAt.In(zone).Format("2006-01-02 15:04")))
	}
	switch a.State {
	case service.Banned:
		lines = append(lines, textIsBanned.In(lang))
	case service.Exhausted:
		lines = append(lines, textExhausted.In(lang))
	}
	return strings.Join(lines, "\n")
}

func gigabytes(bytes int64) string { return fmt.Sprintf("%.2f GB", float64(bytes)/(1<<30)) }

func sayDevice(lang fault.Lang, d account.Device) string {
	if d == (account.Device{}) {
		return textUnknown.In(lang)
	}
	return strings.Trim(d.Browser+" · "+d.System, " ·")
}

func sayArea(lang fault.Lang, p account.Origin) string {
	if p.Area == geo.Unknown {
		return strings.TrimSpace(textUnknown.In(lang) + " " + p.IP)
	}
	return p.Area + " " + p.IP
}
