package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/money"
	"airstrip/internal/node"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/shop"
	"airstrip/internal/ticket"
	"airstrip/internal/traffic"
)

// shopUsers is how many customers the simulated shop has in the end.
const shopUsers = 300

// A customer is a user of the simulated shop.
type customer struct {
	id      int64
	price   string    // of what they buy
	months  int       // that they pay for at once
	ends    time.Time // of what they hold; zero: nothing
	loyal   bool      // whether they renew
	traffic float64   // how much they move, 1 being usual
	idle    int       // days that they move nothing, since they have used all up
}

// simulation is a shop with its customers, in which the past is simulated day by day.
type simulation struct {
	*seeder
	hash      string // of a password that nobody knows
	customers []*customer
	rules     []node.Rule
	days, day int // how many there are, and which one it is
}

// simulateShop begins in the past with a shop without customers.
func (s *seeder) simulateShop(ctx context.Context, days int) error {
	hash, err := s.Accounts.Hash(ctx, rand.Text())
	if err != nil {
		return err
	}
	if s.out.Admin, _, err = s.person(ctx, "admin@example.com", "站长", account.Owner); err != nil {
		return err
	}
	s.simulation = &simulation{seeder: s, hash: hash, days: days}
	for _, r := range [][3]string{
		{"BitTorrent", "为避免版权投诉，禁止下载种子", `(?i)(torrent|tracker)`},
		{"邮件群发", "禁止经由节点群发邮件", `:25$`},
	} {
		made, err := s.Nodes.Rules.Add(ctx, r[0], r[1], r[2])
		if err != nil {
			return err
		}
		s.simulation.rules = append(s.simulation.rules, made)
	}
	return s.simulation.until(ctx, days-history)
}

// until simulates the days before one.
func (c *simulation) until(ctx context.Context, day int) error {
	for ; c.day < day; c.day++ {
		at := c.now.AddDate(0, 0, c.day-c.days)
		c.at(at)
		if err := c.simulateDay(ctx, at); err != nil {
			return fmt.Errorf("day %d of the shop: %w", c.day, err)
		}
	}
	return nil
}

// simulateDay is a day: people join, pay, renew, move bytes, break a rule and ask for help.
func (c *simulation) simulateDay(ctx context.Context, at time.Time) error {
	// More people join each month than the month before.
	joined := 3 + int((shopUsers-3)*math.Pow(float64(c.day+1)/float64(c.days), 1.6))
	err := c.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		for len(c.customers) < joined {
			if err := c.join(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := c.Queue.Trigger(ctx, "service.reset"); err != nil {
		return err
	}
	renewing := map[*customer]*int64{}
	for _, u := range c.customers {
		if u.loyal && !u.ends.IsZero() && u.ends.Sub(at) <= 24*time.Hour && u.ends.After(at) {
			if renewing[u], err = c.Services.ToRenew(ctx, u.id); err != nil {
				return err
			}
		}
	}
	orders := map[*customer]int64{}
	err = c.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		for _, u := range c.customers {
			service, renews := renewing[u]
			begins := u.ends.IsZero() && u.loyal && c.random.IntN(3) == 0
			switch {
			case renews && service != nil, begins:
				id, err := c.pays(ctx, tx, u.id, c.amounts[u.price], shop.Purchase{
					PriceID: c.prices[u.price], RenewServiceID: service,
				})
				if err != nil {
					return err
				}
				from := at
				if renews {
					from = u.ends
				}
				u.ends, u.idle, orders[u] = c.Services.EndOfNew(from, u.months), 0, id
			case u.ends.After(at) && c.random.IntN(300) == 0:
				if _, err := c.pays(ctx, tx, u.id, c.amounts["10/0"], shop.Purchase{PriceID: c.prices["10/0"]}); err != nil {
					return err
				}
			case c.random.IntN(700) == 0: // gives the payment up
				charge, err := c.Payments.Charge(sandbox.Name, 2000)
				if err != nil {
					return err
				}
				r, err := c.Wallets.StartRecharge(ctx, tx, u.id, charge)
				if err != nil {
					return err
				}
				if c.random.IntN(2) == 0 {
					err = c.Wallets.FailRecharge(ctx, tx, r.ID)
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := c.refunds(ctx, orders); err != nil {
		return err
	}
	for _, entry := range []string{"payment.expire", "service.expire"} {
		if err := c.Queue.Trigger(ctx, entry); err != nil {
			return err
		}
	}
	if err := c.moves(ctx, at); err != nil {
		return err
	}
	return c.asks(ctx)
}

func (c *simulation) join(ctx context.Context, tx bun.Tx) error {
	n := len(c.customers) + 1
	family := []rune("陈林王李张刘黄吴周徐孙胡朱高马罗梁宋郑谢")
	given := []rune("晨舟宁越然萱泽岚川禾青遥帆溪原")
	name := string([]rune{family[c.random.IntN(len(family))], given[c.random.IntN(len(given))]})
	u, err := c.Accounts.Import(ctx, tx, fmt.Sprintf("customer%d@example.com", n), name, c.hash)
	kinds := []struct {
		price  string
		months int
	}{{"1/1", 1}, {"1/1", 1}, {"1/3", 3}, {"2/1", 1}, {"2/1", 1}, {"2/3", 3}, {"2/12", 12}, {"3/1", 1}}
	kind := kinds[c.random.IntN(len(kinds))]
	c.customers = append(c.customers, &customer{
		id: u.ID, price: kind.price, months: kind.months, loyal: c.random.IntN(20) > 0,
		traffic: min(3, 0.2+c.random.ExpFloat64()),
	})
	return err
}

// pays has a customer pay what something costs and buy it.
func (c *simulation) pays(
	ctx context.Context, tx bun.Tx, userID int64, amount money.Amount, p shop.Purchase,
) (order int64, err error) {
	charge, err := c.Payments.Charge(sandbox.Name, amount)
	if err != nil {
		return 0, err
	}
	r, err := c.Wallets.StartRecharge(ctx, tx, userID, charge)
	if err != nil {
		return 0, err
	}
	if _, err := c.Wallets.Credit(ctx, tx, r, "demo-"+r.TradeNo); err != nil {
		return 0, err
	}
	return c.Shop.Place(ctx, tx, userID, p, nil)
}

// moves has the nodes report what the customers moved on a day: each of them used one node.
func (c *simulation) moves(ctx context.Context, at time.Time) error {
	weekend := 1.0
	if day := at.Weekday(); day == time.Saturday || day == time.Sunday {
		weekend = 1.5
	}
	var wait sync.WaitGroup
	failed, receipts := make([]error, len(c.nodes)), make([]traffic.Receipt, len(c.nodes))
	of := map[int64]*customer{}
	for i, n := range c.nodes {
		if c.day%97 == 40+i { // it was away
			continue
		}
		r := traffic.Report{Node: n, ID: fmt.Sprintf("shop/%d", c.day), From: at.Add(-12 * time.Hour), To: at}
		for k, u := range c.customers {
			if (k+c.day)%len(c.nodes) != i || !u.ends.After(at) {
				continue
			}
			if u.idle--; u.idle > 0 {
				continue
			}
			of[u.id] = u
			down := int64(u.traffic * weekend * (0.4 + c.random.ExpFloat64()) * 0.6 * float64(gigabyte))
			r.Rows = append(r.Rows, traffic.Row{UserID: u.id, Up: down / 12, Down: down})
		}
		if len(r.Rows) > 0 {
			wait.Go(func() { receipts[i], failed[i] = c.Traffic.Record(ctx, r) })
		}
	}
	wait.Wait()
	for _, receipt := range receipts {
		for _, refused := range receipt.Refused {
			of[refused.UserID].idle = 12 // has used all up
		}
	}
	if err := errors.Join(failed...); err != nil || c.random.IntN(4) > 0 {
		return err
	}
	u := c.customers[c.random.IntN(len(c.customers))]
	_, err := c.Nodes.Rules.RecordHits(ctx, c.nodes[c.day%len(c.nodes)], []node.Hit{{
		UserID: u.id, RuleID: c.rules[c.day%len(c.rules)].ID, Count: 1 + c.random.Int64N(20),
	}})
	return err
}

// asks has a customer open a ticket now and then, which waits in the last days.
func (c *simulation) asks(ctx context.Context) error {
	if c.random.IntN(6) > 0 {
		return nil
	}
	questions := []struct {
		title, content string
		category       ticket.Category
	}{
		{"更新订阅后节点变少了", "昨天还有五个节点，今天只剩三个，是维护吗？", ticket.Connection},
		{"付款成功但没有到账", "支付宝显示已付款，钱包里没有增加。", ticket.Billing},
		{"可以更换套餐吗", "想从轻量换成标准，剩下的天数怎么算？", ticket.Billing},
		{"路由器上怎么使用", "请问支持 OpenWrt 吗，有没有教程？", ticket.General},
		{"晚上速度有点慢", "八点以后视频会卡，白天正常。", ticket.Connection},
	}
	q := questions[c.random.IntN(len(questions))]
	u := c.customers[c.random.IntN(len(c.customers))]
	made, err := c.Tickets.Open(ctx, u.id, ticket.Draft{Title: q.title, Category: q.category, Content: q.content})
	if err != nil || c.day > c.days-3 {
		return err
	}
	_, err = c.Tickets.Answer(ctx, c.out.Admin.ID, made.UUID.String(), ticket.Answer{
		Content: "你好，问题已经处理，请再试一次。", State: ticket.Resolved,
	})
	return err
}

// refunds pays a few of the day's orders back.
func (c *simulation) refunds(ctx context.Context, orders map[*customer]int64) error {
	for _, u := range c.customers {
		id, bought := orders[u]
		if !bought || c.random.IntN(60) > 0 {
			continue
		}
		if _, err := c.Shop.Refund(ctx, id, "用户不再使用", nil); err != nil {
			return err
		}
		u.ends, u.loyal = time.Time{}, false
	}
	return nil
}
