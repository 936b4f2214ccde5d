package user

import (
	"context"
	"slices"
	"strconv"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/notify"
)

type noticeEvent struct {
	Event    notify.Event    `json:"event" enum:"security,sign_in,link,service,traffic,renewal,payment,ticket,payout,announcement"`
	Channels []noticeChannel `json:"channels"`
}

type noticeChannel struct {
	Channel     notify.Channel `json:"channel" enum:"mail,telegram,push"`
	IsWanted    bool           `json:"is_wanted"`
	IsMandatory bool           `json:"is_mandatory" doc:"Cannot be turned off"`
}

type noticesResult struct {
	Events   []noticeEvent `json:"events"`
	Email    string        `json:"email" doc:"Where notices by mail go"`
	Telegram string        `json:"telegram" enum:"off,unlinked,linked" doc:"Whether Telegram reaches the user; off: the site has no bot"`
}

type noticeChoice struct {
	Event    notify.Event   `json:"event" enum:"security,sign_in,link,service,traffic,renewal,payment,ticket,payout,announcement"`
	Channel  notify.Channel `json:"channel" enum:"mail,telegram,push"`
	IsWanted bool           `json:"is_wanted"`
}

type noticesBody struct {
	Choices []noticeChoice `json:"choices" minItems:"1" maxItems:"30" doc:"What is not named stays"`
}

type noticeTestBody struct {
	Channel notify.Channel `json:"channel" enum:"mail,telegram,push"`
}

// Notices adds by which channels the user hears of which events.
func Notices(n *notify.Notices, accounts *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.UserOp("GET /user/notices").OpenToVisits().
			Named("notices_get", "Which events the user is notified of, and how"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) (noticesResult, error) {
				return notices(ctx, n, accounts, who)
			})
		v2.Handle(r, v2.StepUpWhere(v2.UserOp("PUT /user/notices"), silencesWarnings).
			Named("notices_set", "Choose how the user is notified; 409 notice_mandatory for what cannot be turned off").
			Answering(fault.Text{ZH: "通知设置已保存", EN: "Your choice was saved"}),
			func(ctx context.Context, who account.Identity, in *v2.Body[noticesBody]) (noticesResult, error) {
				choices := make([]notify.Choice, len(in.Body.Choices))
				for i, c := range in.Body.Choices {
					choices[i] = notify.Choice{Event: c.Event, Channel: c.Channel, Wanted: c.IsWanted}
				}
				if err := n.Choose(ctx, who.UserID, choices...); err != nil {
					return noticesResult{}, err
				}
				return notices(ctx, n, accounts, who)
			})
		v2.Handle(r, v2.UserOp("POST /user/notices/test").
			Named("notices_test", "Send a test notice; 409 notice_channel_unavailable where the channel reaches nobody").
			Answering(fault.Text{ZH: "测试通知已发送", EN: "The test notice is on its way"}),
			func(ctx context.Context, who account.Identity, in *v2.Body[noticeTestBody]) (v2.Empty, error) {
				to, err := accounts.NoticeUser(ctx, who.UserID)
				if err != nil {
					return v2.Empty{}, err
				}
				return v2.Empty{}, n.Test(ctx, to, in.Body.Channel, strconv.FormatInt(who.UserID, 10))
			})
	}
}

// silencesWarnings tells whether the user would no longer hear by a channel of what somebody else may do with the
// account.
func silencesWarnings(in *v2.Body[noticesBody]) bool {
	return slices.ContainsFunc(in.Body.Choices, func(c noticeChoice) bool { return !c.IsWanted && c.Event.Warns() })
}

func notices(ctx context.Context, n *notify.Notices, accounts *account.Accounts, who account.Identity) (
	out noticesResult, err error,
) {
	to, err := accounts.NoticeUser(ctx, who.UserID)
	if err != nil {
		return out, err
	}
	bot, err := n.ReachedByBot(ctx, to)
	if err != nil {
		return out, err
	}
	chosen, err := n.Choices(ctx, who.UserID)
	if err != nil {
		return out, err
	}
	out = noticesResult{Email: to.Email, Telegram: telegramState(bot), Events: []noticeEvent{}}
	for _, rule := range notify.Rules {
		event := noticeEvent{Event: rule.Event, Channels: []noticeChannel{}}
		for _, c := range chosen {
			if c.Event == rule.Event {
				event.Channels = append(event.Channels,
					noticeChannel{c.Channel, c.Wanted, slices.Contains(rule.Mandatory, c.Channel)})
			}
		}
		out.Events = append(out.Events, event)
	}
	return out, nil
}

func telegramState(bot notify.ByBot) string {
	switch {
	case bot.Linked:
		return "linked"
	case bot.Exists:
		return "unlinked"
	}
	return "off"
}
