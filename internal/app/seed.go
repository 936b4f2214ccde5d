package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	mathrand "math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/checkin"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/node"
	"airstrip/internal/notify"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/service"
	"airstrip/internal/shareaccount"
	"airstrip/internal/shop"
	"airstrip/internal/traffic"
)

// Seed is the size of a demonstration.
type Seed struct {
	Users int // in addition to the demo's own, each with a running service
	Nodes int // in addition to the demo's own
	Days  int // that a shop has lived with customers of its own, more than the demo's own; 0: there is none
}

// Seeded is what a person or a test needs to use a demonstration.
type Seeded struct {
	SiteURL string       `json:"site_url"`
	Admin   seededUser   `json:"admin"`
	User    seededUser   `json:"user"`
	Nodes   []seededNode `json:"nodes"`
	APIKey  string       `json:"api_key"`
}

type seededUser struct {
	ID        int64  `json:"id"`
	Email     string `json:"email"`
	Password  string `json:"password"`
	LinkToken string `json:"link_token,omitempty"`
}

type seededNode struct {
	ID       int64  `json:"id"`
	Secret   string `json:"secret"`
	Protocol string `json:"protocol"`
	Port     int    `json:"port"`
}

const (
	gigabyte = int64(1) << 30
	history  = 45 // days, so that the present quota month is half over

	byHour    = 8 // days that the log has hour by hour; before them every sixth hour
	checkedIn = 6 // days in a row that the demo's user has checked in
)

// ErrNotEmpty is the error of Seed on a database that has users.
var ErrNotEmpty = errors.New("the database has users already; a demo is only put into an empty one")

// Seed fills an empty database with a demonstration: plans, nodes, users and a month of history. Everything is created
// by the functions that the running server uses, with the clock set back.
func (a *App) Seed(ctx context.Context, want Seed) (Seeded, error) {
	users, err := a.Accounts.List(ctx)
	if err != nil {
		return Seeded{}, err
	}
	if len(users) > 0 {
		return Seeded{}, ErrNotEmpty
	}
	s := &seeder{App: a, now: a.DB.Now(), isSmall: want.Users == 0, random: mathrand.New(mathrand.NewPCG(20, 25))}
	since := history
	steps := []func(context.Context) error{s.settings, s.plans, s.demoNodes, s.people, s.month, s.tickets}
	if want.Days > history {
		since = want.Days + 1
		steps = slices.Insert(steps, 3, func(ctx context.Context) error { return s.simulateShop(ctx, want.Days) })
	}
	s.at(s.now.AddDate(0, 0, -since))
	defer a.DB.SetClock(time.Now)
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return Seeded{}, err
		}
	}
	for _, step := range []func(context.Context) error{s.payouts, s.shareAccounts, s.announcements} {
		s.at(s.now)
		if err := step(ctx); err != nil {
			return Seeded{}, err
		}
	}
	s.at(s.now)
	if err := s.extraNodes(ctx, want.Nodes); err != nil {
		return Seeded{}, err
	}
	if err := s.extraUsers(ctx, want.Users); err != nil {
		return Seeded{}, err
	}
	key, _, err := a.Accounts.APITokens.Create(ctx, s.out.Admin.ID, account.APITokenDraft{
		Name:   "demo",
		Scopes: []account.Scope{account.ScopeJobs},
	})
	if err != nil {
		return Seeded{}, err
	}
	s.out.APIKey = key.String()
	token, err := a.Links.Token(ctx, s.out.User.ID)
	s.out.User.LinkToken, s.out.SiteURL = token.Token, a.cfg.site
	return s.out, err
}

type seeder struct {
	*App
	now        time.Time
	isSmall    bool           // has nobody but the demo's own users and customers
	random     *mathrand.Rand // the same history each time
	out        Seeded
	prices     map[string]int64 // by plan and months
	simulation *simulation      // nil: no past is simulated
	// what each of the prices is
	amounts map[string]money.Amount
	nodes   []node.Node
	users   []int64 // those with traffic, the demo's user first
}

// at sets the clock of everything to t.
func (s *seeder) at(t time.Time) { s.DB.SetClock(func() time.Time { return t }) }

func (s *seeder) settings(ctx context.Context) error {
	return s.Settings.Set(ctx, map[string]json.RawMessage{
		// The demo's node runs on this machine, and so may what a visitor browses to.
		"node_allow_private": json.RawMessage("true"),
		"test_pages":         json.RawMessage("true"),
		"class_names": json.RawMessage(`[{"class": 1, "name": "基础", "names": {"en": "Basic"}},
			{"class": 2, "name": "高级", "names": {"en": "Plus"}}, {"class": 3, "name": "尊享", "names": {"en": "Premium"}}]`),
		"contact_email": json.RawMessage(`"help@example.com"`),
		"payout_min":    json.RawMessage(`"1.00"`),
	})
}

func (s *seeder) plans(ctx context.Context) error {
	s.prices, s.amounts = map[string]int64{}, map[string]money.Amount{}
	plans := []shop.Plan{
		{
			Name: "轻量", Names: fault.ByLang{fault.EN: "Light"},
			Info: "日常浏览与聊天", Infos: fault.ByLang{fault.EN: "Browsing and chats, every day"},
			Kind: shop.KindPlan, Reset: service.Anniversary, TrafficBytes: new(100 * gigabyte), Class: 1,
			Devices:   new(3),
			SpeedMbps: new(100), Visible: true, Renewable: true, Sort: 1,
			Prices: []shop.Price{{Months: 1, Amount: 1200}, {Months: 3, Amount: 3300}, {Months: 12, Amount: 12000}},
		},
		{
			Name: "标准", Names: fault.ByLang{fault.EN: "Standard"},
			Info: "高清视频与多台设备", Infos: fault.ByLang{fault.EN: "HD video on several devices"},
			Kind: shop.KindPlan, Reset: service.Anniversary, TrafficBytes: new(300 * gigabyte), Class: 2,
			Devices:   new(5),
			SpeedMbps: new(300), Visible: true, Renewable: true, Sort: 2,
			Prices: []shop.Price{{Months: 1, Amount: 2500}, {Months: 3, Amount: 6900}, {Months: 12, Amount: 24000}},
		},
		{
			Name: "专业", Names: fault.ByLang{fault.EN: "Pro"},
			Info: "不限设备与速度，适合整个家庭", Infos: fault.ByLang{fault.EN: "No limit of devices or speed, for the whole family"},
			Kind: shop.KindPlan, Reset: service.Anniversary, TrafficBytes: new(1024 * gigabyte), Class: 3,
			Visible: true, Renewable: true, Sort: 3, Prices: []shop.Price{
				{Months: 1, Amount: 5800},
				{Months: 3, Amount: 15900},
				{Months: 12, Amount: 56800},
			},
		},
		{
			Name: "流量包 50 GB", Names: fault.ByLang{fault.EN: "50 GB of traffic"},
			Info: "用完为止", Infos: fault.ByLang{fault.EN: "Until it is used up"},
			Kind: shop.KindPackage, Reset: service.Never, TrafficBytes: new(50 * gigabyte),
			Visible: true, Sort: 10, Prices: []shop.Price{{Amount: 900}},
		},
		{
			Name: "流量包 200 GB", Names: fault.ByLang{fault.EN: "200 GB of traffic"},
			Info: "90 天内有效", Infos: fault.ByLang{fault.EN: "Good for 90 days"},
			Kind: shop.KindPackage, Reset: service.Never, TrafficBytes: new(200 * gigabyte), ValidDays: new(90),
			Visible: true, Sort: 11, Prices: []shop.Price{{Amount: 2800}},
		},
	}
	for _, p := range plans {
		made, err := s.Shop.AddPlan(ctx, p)
		if err != nil {
			return err
		}
		for _, price := range made.Prices {
			key := fmt.Sprintf("%d/%d", made.Sort, price.Months)
			s.prices[key], s.amounts[key] = price.ID, price.Amount
		}
	}
	return nil
}

// demoNodes creates one node of each kind on this machine. The REALITY node uses the Trojan node as its destination,
// which answers TLS 1.3 like any site.
func (s *seeder) demoNodes(ctx context.Context) error {
	ports, err := freePorts(5)
	if err != nil {
		return err
	}
	english := map[string]string{
		"HK": "Hong Kong 01", "JP": "Japan 01", "SG": "Singapore 01", "US": "United States 01",
		"DE": "Germany 01",
	}
	local := func(name string, protocol node.Protocol, country string, port, sort int, rate int64,
		set node.Settings,
	) node.Node {
		n := node.Draft(name, protocol, "127.0.0.1", port)
		n.Listen, n.Country, n.Sort, n.RatePermille, n.Settings, n.Class = "127.0.0.1", country, sort, rate, set, 1
		n.Names = fault.ByLang{fault.EN: english[country]}
		return n
	}
	return s.addNodes(ctx,
		local("香港 01", node.VLESS, "HK", ports[0], 1, 1000, node.Settings{
			Transport: "tcp", Security: "reality", Flow: "xtls-rprx-vision",
			Reality: &node.Reality{
				Dest:        fmt.Sprintf("127.0.0.1:%d", ports[3]),
				ServerNames: []string{"www.example.com"},
			},
		}),
		local("日本 01", node.VMess, "JP", ports[1], 2, 1000, node.Settings{
			Transport: "ws", Security: "none",
			Path: "/stream",
		}),
		local("新加坡 01", node.Shadowsocks, "SG", ports[2], 3, 1000, node.Settings{Method: "2022-blake3-aes-128-gcm"}),
		local("美国 01", node.Trojan, "US", ports[3], 4, 500, node.Settings{
			Transport: "tcp", Security: "tls",
			TLS: &node.TLS{ServerName: "www.example.com"},
		}),
		local("德国 01", node.Hysteria2, "DE", ports[4], 5, 1500, node.Settings{
			Security: "tls",
			TLS:      &node.TLS{ServerName: "www.example.com"}, Obfs: "salamander",
		}),
	)
}

func (s *seeder) addNodes(ctx context.Context, nodes ...node.Node) error {
	for _, n := range nodes {
		made, secret, err := s.Nodes.Add(ctx, n)
		if err != nil {
			return err
		}
		s.nodes = append(s.nodes, made)
		s.out.Nodes = append(s.out.Nodes, seededNode{made.ID, secret, string(made.Protocol), made.Port})
	}
	return nil
}

// freePorts returns ports that are free for TCP and UDP.
func freePorts(n int) ([]int, error) {
	var ports []int
	for len(ports) < n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		port := l.Addr().(*net.TCPAddr).Port
		u, err := net.ListenPacket("udp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		defer u.Close()
		ports = append(ports, port)
	}
	return ports, nil
}

func (s *seeder) people(ctx context.Context) (err error) {
	s.at(s.now.AddDate(0, 0, -history))
	if s.out.Admin.ID == 0 {
		if s.out.Admin, _, err = s.person(ctx, "admin@example.com", "站长", account.Owner); err != nil {
			return err
		}
	}
	var id int64
	if s.out.User, id, err = s.person(ctx, "user@example.com", "林小舟", ""); err != nil {
		return err
	}
	if err := s.buys(ctx, id, 20000, "2/3"); err != nil {
		return err
	}
	if err := s.Users.Choose(ctx, id,
		notify.Choice{Event: notify.Announcement, Channel: notify.ByMail},
		notify.Choice{Event: notify.Payment, Channel: notify.ByMail, Wanted: true}); err != nil {
		return err
	}
	code, err := s.Invites.AddCode(ctx, id, "zhou-forum", "论坛")
	if err != nil {
		return err
	}
	for i, name := range []string{"陈晨", "Alice", "王一", "Bob", "赵北", "Carol"} {
		id, err := s.guest(ctx, fmt.Sprintf("guest%d@example.com", i+1), name, []string{code.Code, ""}[i%2])
		if err != nil {
			return err
		}
		if err := s.buys(ctx, id, 10000, []string{"1/3", "2/3"}[i%2]); err != nil {
			return err
		}
	}
	return nil
}

// guest signs a person up, whom the demo's user brought in where there is a code.
func (s *seeder) guest(ctx context.Context, email, name, code string) (int64, error) {
	if code == "" {
		_, id, err := s.person(ctx, email, name, "")
		return id, err
	}
	password := rand.Text()
	made, err := s.Accounts.SignUps.SignUp(ctx, account.SignUp{
		Email: email, Name: name, Password: password, Repeated: password, InviteCode: code,
	}, account.Client{})
	return made.User.ID, err
}

// payouts has the demo's user ask for commission twice: the operator has paid the first one.
func (s *seeder) payouts(ctx context.Context) error {
	if err := s.Invites.Release(ctx); err != nil {
		return err
	}
	for i, amount := range []money.Amount{500, 200} {
		s.at(s.now.AddDate(0, 0, 4*(i-2)))
		p, err := s.Invites.AskPayout(ctx, s.out.User.ID, amount, "alipay", "zhou@example.com")
		if err != nil {
			return err
		}
		if i > 0 {
			break
		}
		if err := s.Invites.PayPayout(ctx, p.ID, "已转账，请查收。", nil); err != nil {
			return err
		}
	}
	return nil
}

// shareAccounts adds one account for everybody with a plan, and one with codes for the better plans.
func (s *seeder) shareAccounts(ctx context.Context) error {
	for _, one := range []struct {
		draft  shareaccount.Draft
		secret shareaccount.NewSecret
	}{
		{shareaccount.Draft{
			Name: "影视会员", Names: fault.ByLang{fault.EN: "Films and series"},
			URL: "https://films.example/login", Login: "family@example.com",
			Note:  "请使用 2 号资料，不要修改密码。",
			Notes: fault.ByLang{fault.EN: "Please use profile 2 and leave the password as it is."},
			Class: 1, Sort: 1, Enabled: true,
		}, shareaccount.NewSecret{Password: "demo-films-2026"}},
		{shareaccount.Draft{
			Name: "AI 助手", Names: fault.ByLang{fault.EN: "AI assistant"},
			URL: "https://assistant.example/", Login: "team@example.com",
			Note:  "登录时需要动态验证码。",
			Notes: fault.ByLang{fault.EN: "Signing in takes a verification code."},
			Class: 2, MaxUsers: new(int64(5)), Sort: 2, Enabled: true,
		}, shareaccount.NewSecret{Password: "demo-assistant-2026", TOTP: new("JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")}},
	} {
		if _, err := s.Shares.Add(ctx, one.draft, one.secret); err != nil {
			return err
		}
	}
	return nil
}

func (s *seeder) person(ctx context.Context, email, name string, role account.Role) (seededUser, int64, error) {
	password := rand.Text()[:16]
	u, err := s.Accounts.Create(ctx, email, name, password, role)
	return seededUser{ID: u.ID, Email: u.Email, Password: password}, u.ID, err
}

// buys pays amount into the user's wallet and buys from it.
func (s *seeder) buys(ctx context.Context, userID int64, amount money.Amount, price string) error {
	s.users = append(s.users, userID)
	err := s.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		charge, err := s.Payments.Charge(sandbox.Name, amount)
		if err != nil {
			return err
		}
		r, err := s.Wallets.StartRecharge(ctx, tx, userID, charge)
		if err != nil {
			return err
		}
		_, err = s.Wallets.Credit(ctx, tx, r, "demo-"+r.TradeNo)
		return err
	})
	if err != nil {
		return err
	}
	_, err = s.Shop.Confirm(ctx, userID, shop.Purchase{PriceID: s.prices[price], AutoRenew: true})
	return err
}

// month has the nodes report four times a day, with more traffic in the evening and at weekends.
func (s *seeder) month(ctx context.Context) error {
	step := 6 * time.Hour
	begin := s.now.Add(-history * 24 * time.Hour).Truncate(step).Add(step)
	for t := begin; t.Before(s.now.Add(-time.Minute)); t = t.Add(step) {
		if s.now.Sub(t) < byHour*24*time.Hour {
			step = time.Hour
		}
		if s.simulation != nil {
			if err := s.simulation.until(ctx, s.simulation.days-int(s.now.Sub(t)/(24*time.Hour))); err != nil {
				return err
			}
		}
		s.at(t)
		if err := s.Queue.Trigger(ctx, "service.reset"); err != nil {
			return err
		}
		if s.now.Sub(t) < checkedIn*24*time.Hour && s.now.Sub(t) > 24*time.Hour {
			_, err := s.CheckIns.CheckIn(ctx, s.out.User.ID, "", netip.MustParseAddr("192.0.2.7"))
			if err != nil && !errors.Is(err, checkin.ErrDone) {
				return err
			}
		}
		for i, n := range s.nodes {
			r := traffic.Report{Node: n, ID: fmt.Sprintf("demo/%d", t.Unix()), From: t.Add(-step), To: t}
			for j, id := range s.users {
				if (i+j)%3 != 2 { // nobody uses every node
					down := int64(float64(s.moved(t, j == 0)) * step.Hours() / 6)
					r.Rows = append(r.Rows, traffic.Row{UserID: id, Up: down / 14, Down: down})
				}
			}
			if _, err := s.Traffic.Record(ctx, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// moved returns the bytes that a user moves on one node in six hours around t.
func (s *seeder) moved(t time.Time, often bool) int64 {
	local := t.In(s.Settings.Get().Zone())
	evening := 0.4 + 0.6*math.Pow(math.Sin(float64(local.Hour())/24*math.Pi), 2)
	if local.Weekday() == time.Saturday || local.Weekday() == time.Sunday {
		evening *= 1.6
	}
	if !often {
		evening *= 0.3
	}
	return int64(evening * (0.3 + s.random.ExpFloat64()) * 0.45 * float64(gigabyte))
}

func (s *seeder) extraNodes(ctx context.Context, n int) error {
	countries := []string{"HK", "JP", "SG", "US", "DE", "GB", "KR", "TW", "FR", "AU"}
	for i := range n {
		country := countries[i%len(countries)]
		d := node.Draft(fmt.Sprintf("%s %02d", country, i/len(countries)+2), node.Trojan, fmt.Sprintf("n%d.example.net",
			i+1), 443)
		d.Country, d.Sort, d.Class = country, 100+i, 1
		d.Settings = node.Settings{Transport: "tcp", Security: "tls", TLS: &node.TLS{
			ServerName:      d.Address,
			CertificateFile: "/etc/ssl/node.pem", KeyFile: "/etc/ssl/node.key",
		}}
		if _, _, err := s.Nodes.Add(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// extraUsers creates users with one password that nobody knows, because hashing one for each would take minutes.
func (s *seeder) extraUsers(ctx context.Context, n int) error {
	phc, err := s.Accounts.Hash(ctx, rand.Text())
	if err != nil {
		return err
	}
	const together = 100 // more take too long for one transaction where the machine is busy
	for from := 0; from < n; from += together {
		err := s.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			for i := from; i < min(from+together, n); i++ {
				u, err := s.Accounts.Import(ctx, tx, fmt.Sprintf("bulk%d@example.com", i+1), fmt.Sprintf("用户 %d", i+1),
					phc)
				if err != nil {
					return err
				}
				if _, err := s.Services.Start(ctx, tx, service.Terms{
					UserID: u.ID, PlanID: 1, Name: "轻量", Names: fault.ByLang{fault.EN: "Light"}, Class: 1,
					QuotaBytes: new(100 * gigabyte), Reset: service.Anniversary, Months: 3,
				}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
