package telegram

import (
	"airstrip/internal/fault"
	"airstrip/internal/ticket"
)

// What the bot says about tickets, all of it plain text.
var (
	buttonTickets    = fault.Text{ZH: "工单", EN: "Tickets"}
	buttonNewTicket  = fault.Text{ZH: "新工单", EN: "New ticket"}
	buttonAnswer     = fault.Text{ZH: "回复", EN: "Reply"}
	buttonClose      = fault.Text{ZH: "关闭工单", EN: "Close"}
	buttonReopen     = fault.Text{ZH: "重新打开", EN: "Open again"}
	buttonOpenTicket = fault.Text{ZH: "在网站上查看", EN: "Read on the site"}

	textYourTickets = fault.Text{ZH: "你的工单（最近更新的在前）：", EN: "Your tickets, newest first:"}
	textNoTickets   = fault.Text{ZH: "你还没有工单。", EN: "You have no tickets yet."}
	textYou         = fault.Text{ZH: "你", EN: "You"}
	textSupport     = fault.Text{ZH: "客服", EN: "Support"}
	textOlderOnSite = fault.Text{ZH: "更早的消息：%s", EN: "Earlier messages: %s"}
	textWriteAnswer = fault.Text{ZH: "请回复这条消息，写下要说的内容。", EN: "Reply to this message with what you want to write."}
	textWriteTicket = fault.Text{
		ZH: "新工单\n请回复这条消息：第一行是标题，其余是问题的描述。",
		EN: "New ticket\nReply to this message: the first line is the title, the rest says what the matter is.",
	}
	hintAnswer       = fault.Text{ZH: "你的回复", EN: "Your reply"}
	hintTicket       = fault.Text{ZH: "标题和描述", EN: "Title and description"}
	textAnswerSent   = fault.Text{ZH: "✅ 已发送。", EN: "✅ Sent."}
	textTicketOpened = fault.Text{
		ZH: "✅ 工单已提交：%s\n有回复时会在这里通知你。",
		EN: "✅ Your ticket is open: %s\nYou will hear here of the answer.",
	}
	textTicketOnSite = fault.Text{
		ZH: "提交工单需要人机验证，请在网站上提交：\n%s/user/tickets/new",
		EN: "Opening a ticket takes a captcha now; please do it on the site:\n%s/user/tickets/new",
	}
	textPicturesOnSite = fault.Text{
		ZH: "这里只能发送文字；图片和文件请在网站上添加：\n%s",
		EN: "Only text can be sent here; please add pictures and files on the site:\n%s",
	}

	commandTickets = fault.Text{ZH: "我的工单", EN: "Your tickets"}

	stateTexts = map[ticket.State]fault.Text{
		ticket.Pending:    {ZH: "等待客服回复", EN: "waits for support"},
		ticket.Processing: {ZH: "处理中", EN: "being handled"},
		ticket.Resolved:   {ZH: "已解决", EN: "resolved"},
		ticket.Closed:     {ZH: "已关闭", EN: "closed"},
	}
)

// What the bot says in the group of staff.
var (
	textTopicHead = fault.Text{
		ZH: "🎫 #%d %s\n用户：%s <%s>\n分类：%s · 优先级：%s\n\n在此话题中发送的文字会作为回复发给用户。\n" +
			"/note 备注（用户看不到）\n/close 关闭工单\n/reopen 重新打开\n/assign 分配给自己，或 /assign 邮箱",
		EN: "🎫 #%d %s\nUser: %s <%s>\nCategory: %s · priority: %s\n\nWhat is written in this topic is sent to the " +
			"user as an answer.\n/note a note that the user does not see\n/close close the ticket\n/reopen open it " +
			"again\n/assign take it, or /assign address",
	}
	textStaffOnly = fault.Text{
		ZH: "未发送：你的 Telegram 没有绑定可以回复工单的账号。",
		EN: "Not sent: your Telegram account is not linked to a member of staff who may answer tickets.",
	}
	textNotAllowed = fault.Text{ZH: "你的角色没有这项权限。", EN: "Your role does not allow this."}
	textOnlyText   = fault.Text{
		ZH: "未发送：这里只转发文字，图片和文件请在网站上发送。",
		EN: "Not sent: only text is passed on from here; please send pictures and files on the site.",
	}
	textStaffCommands = fault.Text{
		ZH: "没有这个命令。可用：/note 内容、/close、/reopen、/assign [邮箱]",
		EN: "There is no such command. There are /note text, /close, /reopen, /assign [address]",
	}
	textNoSuchMember = fault.Text{ZH: "没有这个成员。", EN: "There is no such member."}
	textAssigned     = fault.Text{ZH: "已分配给 %s。", EN: "Assigned to %s."}
)
