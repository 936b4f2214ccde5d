package merge

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/approval"
	"airstrip/internal/fault"
)

// ErrBlocked is the fault of a merge that something stands in the way of. Its text and its details name all of it.
var ErrBlocked = fault.Conflict("merge_blocked", "这两个账号现在不能合并", "These accounts cannot be merged now")

// A hindrance is what stands in the way of a merge: things of one kind, by their numbers, or a fact about the account.
type hindrance struct {
	word string // for programs
	says fault.Text
	ids  []int64
}

func (h hindrance) in(lang fault.Lang) string {
	if h.ids == nil {
		return h.says.In(lang)
	}
	numbers := make([]string, len(h.ids))
	for i, id := range h.ids {
		numbers[i] = "#" + strconv.FormatInt(id, 10)
	}
	return h.says.In(lang) + " " + strings.Join(numbers, " ")
}

// blocked returns ErrBlocked with what hinders each of the users, or nil.
func blocked(users []int64, hinders [][]hindrance) error {
	texts, details := map[fault.Lang][]string{}, map[string]string{}
	for i, found := range hinders {
		if len(found) == 0 {
			continue
		}
		for lang, format := range map[fault.Lang]string{fault.ZH: "用户 #%d：%s", fault.EN: "User #%d: %s"} {
			parts := make([]string, len(found))
			for n, h := range found {
				parts[n] = h.in(lang)
			}
			separator := map[fault.Lang]string{fault.ZH: "、", fault.EN: ", "}[lang]
			texts[lang] = append(texts[lang], fmt.Sprintf(format, users[i], strings.Join(parts, separator)))
		}
		words := make([]string, len(found))
		for n, h := range found {
			words[n] = h.word
		}
		details[strconv.FormatInt(users[i], 10)] = strings.Join(words, " ")
	}
	if len(details) == 0 {
		return nil
	}
	f := *ErrBlocked
	f.Text = fault.Text{
		ZH: ErrBlocked.Text.ZH + "。" + strings.Join(texts[fault.ZH], "；"),
		EN: ErrBlocked.Text.EN + ". " + strings.Join(texts[fault.EN], "; "),
	}
	return f.With(details)
}

// admit locks both accounts with their wallets, and returns the one that ends, or what stands in the way. It notes in
// made what the account that ends has. Purchases, refunds and payouts lock the wallet too, so whatever they do is seen
// here or finds an account that was closed.
func (m *Merges) admit(ctx context.Context, tx bun.Tx, made *Merge) (from account.User, err error) {
	ids := []int64{made.FromID, made.IntoID}
	if made.FromID == made.IntoID {
		return from, blocked(ids[:1], [][]hindrance{{
			{word: "same", says: fault.Text{ZH: "与保留的账号是同一个", EN: "it is the account that stays"}},
		}})
	}
	known, err := m.p.Accounts.Users(ctx, tx, ids)
	if err != nil {
		return from, err
	}
	if _, has := known[made.FromID]; !has {
		return from, account.ErrNoUser
	}
	if _, has := known[made.IntoID]; !has {
		return from, fault.Invalid("into_id", "unknown", "没有这个用户", "There is no such user")
	}
	// The wallets come first: a purchase that the user does not make themselves locks the wallet before the account of
	// whoever invited them.
	if err := m.p.Wallets.LockBoth(ctx, tx, made.FromID, made.IntoID); err != nil {
		return from, err
	}
	if err := account.LockToClose(ctx, tx, ids...); err != nil {
		return from, err
	}
	if known, err = m.p.Accounts.Users(ctx, tx, ids); err != nil {
		return from, err
	}
	from = known[made.FromID]
	var hinders [][]hindrance
	for _, id := range ids {
		found, err := m.hindering(ctx, tx, made, known[id])
		if err != nil {
			return from, err
		}
		hinders = append(hinders, found)
	}
	if err := blocked(ids, hinders); err != nil {
		return from, err
	}
	b, err := m.p.Wallets.BalanceIn(ctx, tx, made.FromID)
	made.Balance, made.Commission = b.Posted, b.Commission
	return from, err
}

// hindering returns what of one of the users stands in the way.
func (m *Merges) hindering(ctx context.Context, tx bun.Tx, made *Merge, u account.User) (found []hindrance, err error) {
	if u.ClosedAt != nil {
		return []hindrance{{word: "closed", says: fault.Text{ZH: "账号已注销", EN: "the account is closed"}}}, nil
	}
	if u.Role != "" {
		found = append(found, hindrance{word: "staff", says: fault.Text{ZH: "是工作人员", EN: "a member of staff"}})
	}
	banned, err := m.p.Accounts.Bans.Banned(ctx, tx, u.ID)
	if err != nil {
		return nil, err
	}
	if banned {
		found = append(found, hindrance{word: "banned", says: fault.Text{ZH: "有未结束的封禁", EN: "a ban"}})
	}
	add := func(ids []int64, word, zh, en string) {
		if len(ids) > 0 {
			found = append(found, hindrance{word, fault.Text{ZH: zh, EN: en}, ids})
		}
	}
	orders, requests, err := m.p.Shop.Unsettled(ctx, tx, u.ID)
	if err != nil {
		return nil, err
	}
	add(orders, "order", "待支付的订单", "unpaid orders")
	add(requests, "refund_request", "未答复的退款申请", "unanswered refund requests")
	recharges, refunds, err := m.p.Wallets.Unsettled(ctx, tx, u.ID)
	if err != nil {
		return nil, err
	}
	add(recharges, "recharge", "待支付的充值", "unpaid recharges")
	add(refunds, "recharge_refund", "处理中的充值退款", "refunds of recharges under way")
	cases, err := m.p.Payments.Unsettled(ctx, tx, u.ID)
	if err != nil {
		return nil, err
	}
	add(cases, "payment_case", "未处理的异常付款", "open payment cases")
	commission, err := m.p.Invites.Unsettled(ctx, tx, u.ID)
	if err != nil {
		return nil, err
	}
	add(commission.Payouts, "payout", "未处理的返佣提现", "open payouts")
	add(commission.Owed, "owed_commission", "应退回的返佣", "commissions to give back")
	acts, err := m.p.Approvals.WaitingFor(ctx, tx, u.ID, approval.AccountMerge)
	if err != nil {
		return nil, err
	}
	add(acts, "approval", "待审批的操作：审批", "acts that wait for approval: approval")
	var merges []int64
	if err := tx.NewSelect().Model((*Merge)(nil)).Column("id").
		Where("(from_id = ?0 OR into_id = ?0) AND state = ?1 AND id <> ?2", u.ID, Waiting, made.ID).OrderExpr("id").
		Scan(ctx, &merges); err != nil {
		return nil, err
	}
	if len(merges) > 0 {
		numbers, err := m.p.Approvals.Numbers(ctx, tx, approval.AccountMerge, merges)
		if err != nil {
			return nil, err
		}
		found = append(found, hindrance{"merge", fault.Text{
			ZH: "待审批的合并：审批", EN: "merges that wait for approval: approval",
		}, numbers})
	}
	if u.ID == made.IntoID {
		return found, nil
	}
	add(commission.Pending, "pending_commission", "未到账的返佣", "commissions that are not released")
	services, packages, err := m.p.Services.Unmoved(ctx, tx, u.ID)
	if err != nil {
		return nil, err
	}
	add(services, "service", "运行中的服务", "running services")
	add(packages, "package", "未用完的流量包", "packages with traffic remaining")
	return found, nil
}
