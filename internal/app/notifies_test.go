package app

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/wallet"
)

func notice(r *wallet.Recharge) url.Values {
	return url.Values{
		"trade_no": {r.TradeNo}, "transaction_id": {"SB" + r.TradeNo}, "amount": {r.Amount.String()},
		"currency": {r.Currency}, "state": {"paid"},
	}
}

// signed signs a notify as the sandbox does, whatever it says.
func (f *testServer) signed(form url.Values) url.Values {
	form = maps.Clone(form)
	h := hmac.New(sha256.New, f.cfg.key.For("sandbox gateway notify"))
	for _, name := range slices.Sorted(maps.Keys(form)) {
		fmt.Fprintf(h, "%s=%s\n", name, form.Get(name))
	}
	form.Set("sign", hex.EncodeToString(h.Sum(nil)))
	return form
}

// over64 sends n notifies over 64 connections.
func over64(n int, send func(i int)) {
	var left atomic.Int64
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for i := left.Add(1) - 1; i < int64(n); i = left.Add(1) - 1 {
				send(int(i))
			}
		})
	}
	wg.Wait()
}

func TestNotify_Storm_IsPostedOnce(t *testing.T) {
	eachCluster(t, func(t *testing.T, fronts []*testServer) {
		f := fronts[0]
		user := f.addUser(t, "payer", 0).id
		r := f.recharge(t, user, 1234)
		if err := f.sandbox.Close(t.Context(), r.TradeNo, true); err != nil {
			t.Fatal(err)
		}
		form := f.signed(notice(r))
		over64(size(150, 10_000), func(i int) {
			if w := fronts[i%len(fronts)].notify(t.Context(), sandbox.Name, form); w.Code != http.StatusOK ||
				w.Body.String() != "success" {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
		if b := f.balance(t, user); b.Posted != 1234 || b.Movements != 1 {
			t.Fatalf("%+v", b)
		}
		f.sound(t)
	})
}

// scripts are the digits of other scripts, and what else a lenient reader takes for a number.
var scripts = []string{"０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹", "०१२३४५६७८९", "๐๑๒๓๔๕๖๗๘๙", "〇一二三四五六七八九", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗"}

// variant changes a notify that is true of r in one thing that must not pass. other is another recharge that was paid
// too.
func variant(random *rand.Rand, i int, r, other *wallet.Recharge) (gateway string, form url.Values) {
	form, gateway = notice(r), sandbox.Name
	minor := int64(r.Amount)
	set := func(name, value string) { form.Set(name, value) }
	switch i % 12 {
	case 0: // any other amount
		set("amount", money.Amount(minor+1+random.Int64N(1_000_000)).String())
	case 1:
		set("amount", money.Amount(random.Int64N(minor)).String())
	case 2:
		set("amount", "-"+r.Amount.String())
	case 3: // another unit: the number of cents, of thousands, of tenths
		set("amount", []string{
			fmt.Sprint(minor), fmt.Sprint(minor * 100), money.Amount(minor / 100).String(),
			money.Amount(minor * 10).String(), money.Amount(minor / 10).String(),
		}[random.IntN(5)])
	case 4: // digits of another script, all of them or one
		digits := []rune(scripts[random.IntN(len(scripts))])
		text := []rune(r.Amount.String())
		at := random.IntN(len(text))
		for j, c := range text {
			if c >= '0' && c <= '9' && (j == at || at%2 == 0 || text[at] == '.') {
				text[j] = digits[c-'0']
			}
		}
		set("amount", string(text))
	case 5: // what a lenient reader takes for the same number
		set("amount", fmt.Sprintf([]string{
			" %s", "%s ", "+%s", "%s\x00", "%se0", "%s0", "0x%s", "%s,00", "%s\n", "1%s",
			"%s/1", "'%s'",
		}[random.IntN(12)], r.Amount))
	case 6: // another currency
		set("currency", append(slices.DeleteFunc(slices.Clone(money.Currencies),
			func(c string) bool { return c == r.Currency }), "", "cny", "CNY ", "ＣＮＹ", "RMB",
			"¥")[random.IntN(len(money.Currencies)+5)])
	case 7: // another number
		number := []byte(r.TradeNo)
		at := random.IntN(len(number))
		number[at] = "0123456789ABCDEFGHJK"[(int(number[at])+1+random.IntN(18))%20]
		if string(number) == r.TradeNo {
			number = number[:len(number)-1]
		}
		set("trade_no", string(number))
	case 8:
		set("trade_no", []string{
			other.TradeNo, "", fmt.Sprint(r.ID), r.UUID.String(), strings.ToLower(r.TradeNo) + " ",
			r.TradeNo + "%", "%", "' OR '1'='1",
		}[random.IntN(8)])
	case 9: // another payment
		set("transaction_id", []string{
			"", "SB" + other.TradeNo, "SB", fmt.Sprintf("SB%d", random.Int64()),
			strings.ToLower("SB"+r.TradeNo) + "x",
		}[random.IntN(5)])
	case 10: // the path of another gateway
		gateway = []string{"alipay", "manual", "SANDBOX", "sandbox%20", "sandbox/..", "stripe", "epay"}[random.IntN(7)]
	case 11: // not paid
		set("state", []string{
			"waiting", "", "PAID", "Paid", "paid ", "success", "TRADE_SUCCESS", "refunded", "closed",
			"true", "1",
		}[random.IntN(11)])
	}
	return gateway, form
}

func TestNotify_Variant_IsNotCredited(t *testing.T) {
	eachCluster(t, func(t *testing.T, fronts []*testServer) {
		f := fronts[0]
		user := f.addUser(t, "payer", 0).id
		r, other := f.recharge(t, user, 1234), f.recharge(t, user, 5678)
		if err := f.sandbox.Close(t.Context(), r.TradeNo, true); err != nil {
			t.Fatal(err)
		}
		var random [64]*rand.Rand
		for i := range random {
			random[i] = rand.New(rand.NewPCG(1, uint64(i)))
		}
		n := size(150, 2_000)
		forms, gateways := make([]url.Values, n), make([]string, n)
		for i := range n {
			gateways[i], forms[i] = variant(random[i%64], i, r, other)
		}
		over64(n, func(i int) { fronts[i%len(fronts)].notify(t.Context(), gateways[i], f.signed(forms[i])) })
		if b := f.balance(t, user); b.Posted != 0 || b.Movements != 0 {
			t.Fatalf("%+v", b)
		}
		if w := f.notify(t.Context(), sandbox.Name, f.signed(notice(r))); w.Code != http.StatusOK ||
			f.balance(t, user).Posted != 1234 {
			t.Fatalf("the true notify after all: %d %s, %+v", w.Code, w.Body, f.balance(t, user))
		}
		f.sound(t)
	})
}

// attack is a notify of a payment that was made, but whose signature must not hold.
func (f *testServer) attack(random *rand.Rand, i int, r, other *wallet.Recharge) url.Values {
	form := f.signed(notice(r))
	sign := form.Get("sign")
	switch i % 10 {
	case 0:
		form.Del("sign")
	case 1: // another key
		key := make([]byte, 32)
		for j := range key {
			key[j] = byte(random.Uint32())
		}
		h := hmac.New(sha256.New, [][]byte{key, nil, []byte("sandbox"), f.cfg.key[:]}[random.IntN(4)])
		form.Del("sign")
		for _, name := range slices.Sorted(maps.Keys(form)) {
			fmt.Fprintf(h, "%s=%s\n", name, form.Get(name))
		}
		form.Set("sign", hex.EncodeToString(h.Sum(nil)))
	case 2: // the fields in another order
		names := slices.Collect(maps.Keys(notice(r)))
		slices.Sort(names)
		for slices.IsSorted(names) {
			random.Shuffle(len(names), func(a, b int) { names[a], names[b] = names[b], names[a] })
		}
		h := hmac.New(sha256.New, f.cfg.key.For("sandbox gateway notify"))
		for _, name := range names {
			fmt.Fprintf(h, "%s=%s\n", name, form.Get(name))
		}
		form.Set("sign", hex.EncodeToString(h.Sum(nil)))
	case 3: // a field doubled
		name := slices.Sorted(maps.Keys(form))[random.IntN(len(form))]
		form.Add(name, form.Get(name))
	case 4: // a bit turned
		raw, _ := hex.DecodeString(sign)
		raw[random.IntN(len(raw))] ^= 1 << random.IntN(8)
		form.Set("sign", hex.EncodeToString(raw))
	case 5: // cut, or prolonged
		form.Set("sign", []string{
			sign[:2*random.IntN(32)], sign + "00", sign + sign, strings.Repeat("0", 64), "null",
			"0",
		}[random.IntN(6)])
	case 6: // of another notify
		form.Set("sign", f.signed(notice(other)).Get("sign"))
	case 7: // a field more, or fewer
		if name := slices.Sorted(maps.Keys(notice(r)))[random.IntN(5)]; random.IntN(2) == 0 {
			form.Del(name)
		} else {
			form.Set(name+"[]", form.Get(name))
		}
	case 8: // two fields run into one line
		form.Del("amount")
		form.Set("amount", r.Amount.String()+"\ncurrency="+r.Currency)
		form.Del("currency")
	case 9: // what the browser brings back, as a notify
		form = url.Values{"id": {fmt.Sprint(r.ID)}, "trade_no": {r.TradeNo}, "status": {"success"}, "sign": {sign}}
	}
	return form
}

func TestNotify_AttackOnSignature_IsRefused(t *testing.T) {
	eachCluster(t, func(t *testing.T, fronts []*testServer) {
		f := fronts[0]
		user := f.addUser(t, "payer", 0).id
		r, other := f.recharge(t, user, 1234), f.recharge(t, user, 5678)
		if err := f.sandbox.Close(t.Context(), r.TradeNo, true); err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(2, 3))
		attacks := make([]url.Values, size(150, 5_000))
		for i := range attacks {
			attacks[i] = f.attack(random, i, r, other)
		}
		over64(len(attacks), func(i int) {
			if w := fronts[i%len(fronts)].notify(t.Context(), sandbox.Name,
				attacks[i]); w.Code != http.StatusBadRequest {
				t.Errorf("%v: %d %s", attacks[i], w.Code, w.Body)
			}
		})
		if b := f.balance(t, user); b.Posted != 0 || b.Movements != 0 {
			t.Fatalf("%+v", b)
		}
		kept, total, err := f.Payments.Refusals(t.Context(), 1, 0)
		if err != nil || total != int64(len(attacks)) || kept[0].Reason == payment.Reason("") {
			t.Fatalf("%d of %d are kept, %v", total, len(attacks), err)
		}
		f.sound(t)
	})
}
