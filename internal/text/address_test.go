package text_test

import (
	"testing"

	"airstrip/internal/text"
)

func TestWebAddress(t *testing.T) {
	for _, s := range []string{
		"https://example.com", "http://localhost:8080/", "https://a.example:65535/b?c#d", "https://192.0.2.1/",
		"https://[2001:db8::1]:443/", "https://xn--fsqu00a.xn--0zwm56d/", "https://例子.测试/", "http://my_service:3000",
		"https://example.com./", "https://name:word@example.com/",
	} {
		if _, ok := text.WebAddress(s); !ok {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range []string{
		"", "example.com", "//example.com", "ftp://example.com", "https://", "https:///path", "https://:443/",
		"https://example.com:99999/", "https://example.com:0/", "https://example.com:/", "https://xn--/",
		"https://xn--a-ecp.ru-\x00/", "https://xn--zzzzzzzzzz99999/", "https://a..b/", "https://-a.example/", "https://a b/",
		"https://1.2.3/", "https://256.256.256.256/", "https://2001:db8::1/",
	} {
		if _, ok := text.WebAddress(s); ok {
			t.Errorf("%q is taken", s)
		}
	}
}
