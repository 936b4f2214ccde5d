package setting

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"airstrip/internal/fault"
)

const (
	maxNotices = 5
	maxNotice  = 64 // characters, as many as names of entries have
)

func (s Site) checkLink() error {
	for _, address := range s.LinkURLs {
		if !isBase(address) {
			return fault.Invalid("link_urls", "url", "请填写完整的网址，末尾不带斜杠", "Please give whole addresses without a closing slash")
		}
	}
	if len(s.LinkNotices) > maxNotices || slices.ContainsFunc(s.LinkNotices, func(text string) bool {
		return strings.TrimSpace(text) == "" || utf8.RuneCountInString(text) > maxNotice || strings.ContainsFunc(text, unicode.IsControl)
	}) {
		return fault.Invalid("link_notices", "length", "最多 5 条提示，每条为一行，不超过 64 个字符", "At most 5 notices, each of one line with at most 64 characters")
	}
	if s.LinkPerMinute < 1 || s.LinkPerDay < 1 || s.LinkPerIPMinute < 1 || s.LinkUpdateHours < 1 || s.LinkNoticeNetworks < 0 {
		return fault.Invalid("link_per_minute", "range", "订阅链接的限制必须大于零", "The limits of links must be above zero")
	}
	if s.EmbyURL != "" && !isBase(s.EmbyURL) {
		return fault.Invalid("emby_url", "url", "请填写完整的网址，末尾不带斜杠", "Please give a whole address without a closing slash")
	}
	if s.LokiPushURL != "" && !isWebPage(s.LokiPushURL) {
		return fault.Invalid("loki_push_url", "url", "请填写完整的网址", "Please give a whole address")
	}
	if s.EmbyClass < 0 {
		return fault.Invalid("emby_class", "range", "等级不能为负", "The class must not be negative")
	}
	return nil
}

// isBase tells whether address is one of a web server that paths can be added to.
func isBase(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.RawQuery == "" && u.Fragment == "" && u.User == nil && !strings.HasSuffix(address, "/")
}
