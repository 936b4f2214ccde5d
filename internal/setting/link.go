package setting

import (
	"slices"
	"strings"
	"unicode/utf8"

	"airstrip/internal/text"
)

const (
	maxNotices = 5
	maxNotice  = 64 // characters, as many as names of entries have
)

// link checks the settings of links and of the services besides the site.
func (p *problems) link(s *Site) {
	p.When(slices.ContainsFunc(s.LinkURLs, func(address string) bool { return !isBase(address) }), "link_urls", "url",
		"请填写完整的网址，末尾不带斜杠", "Please give whole addresses without a closing slash")
	unusable := func(text string) bool {
		return strings.TrimSpace(text) == "" || utf8.RuneCountInString(text) > maxNotice
	}
	p.When(len(s.LinkNotices) > maxNotices || slices.ContainsFunc(s.LinkNotices, unusable), "link_notices", "length",
		"最多 5 条提示，每条不超过 64 个字符", "At most 5 notices, each with at most 64 characters")
	p.When(s.EmbyURL != "" && !isBase(s.EmbyURL), "emby_url", "url", "请填写完整的网址，末尾不带斜杠",
		"Please give a whole address without a closing slash")
	p.When(s.LokiPushURL != "" && !isWebPage(s.LokiPushURL), "loki_push_url", "url", "请填写完整的网址",
		"Please give a whole address")
}

// isBase reports whether address is one of a web server that paths can be added to.
func isBase(address string) bool {
	u, ok := text.WebAddress(address)
	return ok && u.RawQuery == "" && u.Fragment == "" && u.User == nil && !strings.HasSuffix(address, "/")
}
