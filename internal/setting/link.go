package setting

import (
	"net/url"
	"strings"

	"airstrip/internal/fault"
)

func (s Site) checkLink() error {
	for _, address := range s.LinkURLs {
		if u, err := url.Parse(address); err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil || strings.HasSuffix(address, "/") {
			return fault.Invalid("link_urls", "url", "请填写完整的网址，末尾不带斜杠", "Please give whole addresses without a closing slash")
		}
	}
	if s.LinkPerMinute < 1 || s.LinkPerDay < 1 || s.LinkPerIPMinute < 1 || s.LinkUpdateHours < 1 || s.LinkNoticeNetworks < 0 {
		return fault.Invalid("link_per_minute", "range", "订阅链接的限制必须大于零", "The limits of links must be above zero")
	}
	return nil
}
