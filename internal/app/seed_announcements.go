package app

import (
	"context"
	"time"

	"airstrip/internal/announcement"
	"airstrip/internal/fault"
)

// announcements shows each type of announcement, in both languages. One is sent by mail once the server runs, unless
// the demo is a large one; without a mail server the mails are kept, and nobody gets any.
func (s *seeder) announcements(ctx context.Context) error {
	const day = 24 * time.Hour
	const sentByMail = 1
	for i, one := range []announcement.Announcement{
		{
			Type: announcement.Index, Title: "欢迎使用", Titles: fault.ByLang{fault.EN: "Welcome"}, Pinned: true,
			StartsAt: s.now.Add(-30 * day),
			Body: "三步即可连接：\n\n1. 在[购买](/user/services/buy)页选择套餐\n2. 安装适合你设备的客户端\n" +
				"3. 在[仪表盘](/user/dashboard)点击 **导入**",
			Bodies: fault.ByLang{fault.EN: "Three steps to connect:\n\n1. Choose a plan on the page " +
				"[Buy](/user/services/buy)\n2. Install the client for your device\n" +
				"3. Press **Import** on the [dashboard](/user/dashboard)"},
		},
		{
			Type: announcement.Index, Title: "新增节点：新加坡与德国",
			Titles: fault.ByLang{fault.EN: "New nodes: Singapore and Germany"}, StartsAt: s.now.Add(-5 * day),
			Body: "| 节点 | 协议 | 倍率 |\n| --- | --- | ---: |\n| 新加坡 01 | Shadowsocks 2022 | 1 |\n" +
				"| 德国 01 | Hysteria2 | 1.5 |\n\n更新订阅后即可使用。",
			Bodies: fault.ByLang{fault.EN: "| Node | Protocol | Rate |\n| --- | --- | ---: |\n" +
				"| Singapore 01 | Shadowsocks 2022 | 1 |\n| Germany 01 | Hysteria2 | 1.5 |\n\n" +
				"Update your subscription to use them."},
		},
		{
			Type: announcement.PopUp, Title: "演示站点", Titles: fault.ByLang{fault.EN: "This is a demonstration"},
			StartsAt: s.now.Add(-day),
			Body:     "这里的余额和付款都是**模拟**的，可以放心尝试每个功能。",
			Bodies:   fault.ByLang{fault.EN: "Money here is **play money**: feel free to try everything."},
		},
		{
			Type: announcement.Maintenance, Title: "今晚 02:00 至 03:00 维护日本节点",
			Titles:   fault.ByLang{fault.EN: "The nodes in Japan are maintained tonight from 02:00 to 03:00"},
			StartsAt: s.now.Add(-time.Hour), EndsAt: new(s.now.Add(14 * day)),
			Body:   "期间请使用香港或新加坡节点，流量照常计算。",
			Bodies: fault.ByLang{fault.EN: "Please use the nodes in Hong Kong or Singapore meanwhile."},
		},
	} {
		one.Audience = announcement.ForAll
		made, err := s.Announcements.Add(ctx, one)
		if err != nil {
			return err
		}
		if i == sentByMail && s.isSmall {
			if _, err := s.Broadcasts.Start(ctx, made.ID, announcement.ByMail, "demo"); err != nil {
				return err
			}
		}
	}
	return nil
}
