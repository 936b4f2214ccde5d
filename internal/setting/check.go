package setting

import (
	"fmt"
	"net/mail"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/text"
)

// fields are the kinds of all settings by name.
var fields = func() map[string]reflect.Kind {
	names := map[string]reflect.Kind{}
	for i := range reflect.TypeFor[Site]().NumField() {
		field := reflect.TypeFor[Site]().Field(i)
		names[field.Tag.Get("json")] = field.Type.Kind()
	}
	return names
}()

// check names everything that is wrong with a site after the settings in touched were changed. What was wrong
// before and was not touched keeps nobody from changing others.
func (s Site) check(before *Site, touched map[string]bool) error {
	var wrong fault.Problems
	present := before.problems()
	for _, field := range s.problems() {
		if touched[field.Name] || !slices.ContainsFunc(present,
			func(f fault.Field) bool { return f.Name == field.Name && f.Code == field.Code }) {
			wrong = append(wrong, field)
		}
	}
	return wrong.Err()
}

// problems returns everything that is wrong.
func (s Site) problems() fault.Problems {
	var p problems
	p.numbers(&s)
	p.money(&s)
	p.texts(&s)
	p.choices(&s)
	p.staff(&s)
	p.about(&s)
	p.classNames(&s)
	p.mail(&s)
	p.ticket(&s)
	p.captcha(&s)
	p.link(&s)
	return p.Problems
}

type problems struct{ fault.Problems }

// numbers checks that every integer is within its bounds.
func (p *problems) numbers(s *Site) {
	p.eachField(s, func(name string, value any) {
		n, isNumber := value.(int)
		b := bounds[name]
		p.When(isNumber && (n < b.least || n > b.most), name, "range",
			fmt.Sprintf("须为 %d 到 %d 的整数", b.least, b.most),
			fmt.Sprintf("This is a whole number from %d to %d", b.least, b.most))
	})
	for _, name := range []string{"checkin_min_mb", "checkin_max_mb"} {
		p.When(s.CheckInMaxMB < s.CheckInMinMB, name, "order", "签到流量的下限不能超过上限",
			"The least of a check-in must not be above the most")
	}
	// Third-party agents show a sign of life with each report only: one that was lost is no outage yet.
	for _, name := range []string{"node_report_seconds", "node_offline_minutes"} {
		p.When(s.NodeOfflineMinutes*60 < 2*s.NodeReportSeconds, name, "order", "节点离线判定时间不能短于两个上报周期",
			"A node must not count as offline before two reports are due")
	}
}

// money checks the amounts.
func (p *problems) money(s *Site) {
	p.eachField(s, func(name string, value any) {
		amount, isAmount := value.(money.Amount)
		least := minAmounts[name]
		p.When(isAmount && (amount < least || amount > money.Max), name, "range",
			fmt.Sprintf("金额须在 %s 到 %s 之间", least, money.Max),
			fmt.Sprintf("The amount is from %s to %s", least, money.Max))
	})
	for _, name := range []string{"recharge_min", "recharge_max"} {
		p.When(s.RechargeMax < s.RechargeMin, name, "order", "充值下限不能超过上限",
			"The recharge minimum must not be above the maximum")
	}
	unusable := func(a money.Amount) bool { return a <= 0 || a > money.Max }
	p.When(len(s.RechargePresets) > 20 || slices.ContainsFunc(s.RechargePresets, unusable), "recharge_presets", "range",
		"最多 20 个大于零的金额", "There are at most 20 amounts, all above zero")
}

// texts checks that people can read every text, and that none is longer than anything has a use for.
func (p *problems) texts(s *Site) {
	v := reflect.ValueOf(*s)
	for i := range v.NumField() {
		all, isList := v.Field(i).Interface().([]string)
		if one, ok := v.Field(i).Interface().(string); ok {
			all = []string{one}
		} else if !isList {
			continue
		}
		name := v.Type().Field(i).Tag.Get("json")
		unreadable := func(s string) bool { return !text.IsStorable(s) || !text.IsVisible(s) }
		p.When(slices.ContainsFunc(all, unreadable), name, "characters", "包含无法保存、不可见或改变文字方向的字符",
			"This has characters that cannot be kept, cannot be seen or change the direction of writing")
		p.When(!words[name].long && slices.ContainsFunc(all, func(s string) bool {
			return strings.ContainsFunc(s, unicode.IsControl)
		}), name, "line", "须为一行文字", "This is a text of one line")
		tooLong := func(s string) bool { return utf8.RuneCountInString(s) > most(name) }
		p.When(len(all) > 1000 || slices.ContainsFunc(all, tooLong), name, "length", "内容过长", "This is too long")
	}
}

func (p *problems) choices(s *Site) {
	p.When(strings.TrimSpace(s.SiteName) == "", "site_name", "required", "网站名称不能为空", "The site needs a name")
	_, err := time.LoadLocation(s.TimeZone)
	// Local is another zone on each machine.
	p.When(err != nil || s.TimeZone == "" || s.TimeZone == "Local", "time_zone", "unknown", "没有这个时区",
		"There is no such time zone")
	p.When(!slices.Contains(money.Currencies, s.Currency), "currency", "unknown", "不支持该货币",
		"This currency is not supported")
	p.When(s.CrispWebsiteID != "" && !isUUID(s.CrispWebsiteID), "crisp_website_id", "uuid", "请填写 Crisp 的网站编号（UUID）",
		"Please give the website id of Crisp, a UUID")
	p.When(slices.ContainsFunc(s.SignUpDomains,
		func(d string) bool { return strings.TrimSpace(d) == "" || strings.ContainsAny(d, " @/") }),
		"sign_up_domains", "format", "请填写邮箱域名，如 example.com",
		"Please give domains of e-mail addresses, such as example.com")
	p.When(len(s.TelegramGroups) > 20 || slices.ContainsFunc(s.TelegramGroups, func(id int64) bool { return id >= 0 }),
		"telegram_groups", "format", "请填写至多 20 个群组编号（负数）", "Please give the ids of 20 groups at most, which are negative")
	p.When(s.TelegramStaffGroup > 0, "telegram_staff_group", "format", "请填写群组编号（负数），或填 0",
		"Please give the id of a group, which is negative, or 0")
	p.When(slices.Contains(s.TelegramGroups, s.TelegramStaffGroup), "telegram_staff_group", "doubled",
		"工作人员的群组不能同时是机器人回答用户的群组",
		"The group of staff must not be one in which the bot answers users")
	p.eachField(s, func(name string, value any) {
		of, isChoice := choicesOf[name]
		p.When(isChoice && !slices.Contains(of, fmt.Sprint(value)), name, "choice", "只能是 "+strings.Join(of, "、"),
			"This is one of "+strings.Join(of, ", "))
	})
}

// eachField calls fn with the name and value of each setting.
func (p *problems) eachField(s *Site, fn func(name string, value any)) {
	v := reflect.ValueOf(*s)
	for i := range v.NumField() {
		fn(v.Type().Field(i).Tag.Get("json"), v.Field(i).Interface())
	}
}

// isUUID reports whether s is a UUID in its usual form.
func isUUID(s string) bool {
	_, err := uuid.Parse(s)
	return err == nil && len(s) == 36
}

// classNames checks that each class has one name, which people can read.
func (p *problems) classNames(s *Site) {
	const longest = 40
	seen := map[int]bool{}
	for _, c := range s.ClassNames {
		p.When(c.Class < 0 || c.Class > 1_000_000 || seen[c.Class], "class_names", "class",
			"每个等级须为 0 到 1000000 的整数，且只出现一次", "A class is a whole number from 0 to 1000000 and is named once")
		seen[c.Class] = true
		all := []string{c.Name}
		for lang, name := range c.Names {
			p.When(lang != fault.ZH && lang != fault.EN, "class_names", "language", "语言只能是 zh-CN、en",
				"The languages are zh-CN and en")
			all = append(all, name)
		}
		for _, name := range all {
			p.When(strings.TrimSpace(name) == "" || utf8.RuneCountInString(name) > longest || !text.IsStorable(name) ||
				!text.IsVisible(name) || strings.ContainsFunc(name, unicode.IsControl), "class_names", "name", "名称须为 1 到 40 个可见字符",
				"A name has 1 to 40 visible characters")
		}
	}
	p.When(len(s.ClassNames) > 100, "class_names", "length", "最多 100 个等级", "At most 100 classes have a name")
}

func (p *problems) mail(s *Site) {
	_, err := mail.ParseAddress(s.SMTPFrom)
	p.When(s.SMTPFrom != "" && err != nil, "smtp_from", "email", "请填写发件邮箱地址",
		"Please give the e-mail address that mails come from")
	p.When(s.SMTPFrom == "" && s.SMTPHost != "", "smtp_from", "required", "请填写发件邮箱地址",
		"Please give the e-mail address that mails come from")
	p.When(s.SMTPHost != "" && strings.ContainsAny(s.SMTPHost, " /\r\n"), "smtp_host", "format", "请填写邮件服务器的域名或 IP",
		"Please give the host name or address of the mail server")
}

// maxCaptchaHashes is the most work of the built-in captcha, half a minute on a phone.
const maxCaptchaHashes = 100_000_000

func (p *problems) captcha(s *Site) {
	p.When(slices.Contains([]string{"turnstile", "hcaptcha", "recaptcha"}, s.CaptchaProvider) &&
		s.CaptchaSiteKey == "", "captcha_site_key",
		"required", "请填写验证服务的公钥", "Please give the public key at the captcha's provider")
	inBounds := s.CaptchaZeros > 0 && s.CaptchaZeros <= bounds["captcha_zeros"].most &&
		s.CaptchaPuzzles <= bounds["captcha_puzzles"].most
	p.When(inBounds && s.CaptchaPuzzles<<(4*s.CaptchaZeros) > maxCaptchaHashes, "captcha_zeros", "work",
		"计算量过大：没有浏览器能完成，谁也无法登录", "No browser could do so much work, so that nobody could sign in")
	p.When(s.CaptchaVerifyURL != "" && !isWebPage(s.CaptchaVerifyURL), "captcha_verify_url", "url", "请填写完整的网址", "Please give a whole address")
}
