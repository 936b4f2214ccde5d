package captcha

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

// Try sends the provider an answer that nobody gave: it must refuse that, and not our keys.
func (c *Captchas) Try(ctx context.Context, t *setting.Trial) {
	site := c.settings.Get()
	if site.CaptchaProvider == ProofOfWork {
		t.Do("内置验证，无需连接", "Built in, nothing to connect to", func() error { return nil })
		return
	}
	v := vendor{c, site.CaptchaProvider}
	var key string
	t.Do("读取私钥", "Read the secret key", func() (err error) {
		if key, err = c.secrets.Get(ctx, secret.CaptchaKey); err == nil && key == "" {
			err = fmt.Errorf("captcha_key is not set")
		}
		return err
	})
	var said verdict
	t.Do("连接验证服务", "Reach the provider", func() (err error) {
		endpoint := site.CaptchaVerifyURL
		if endpoint == "" {
			endpoint = endpoints[v.provider]
		}
		said, err = v.ask(ctx, endpoint, url.Values{"secret": {key}, "response": {"test"}})
		return err
	})
	t.Do("验证密钥", "Have the key accepted", func() error {
		if slices.ContainsFunc(said.Codes, ours) {
			return fmt.Errorf("%s: %v", v.provider, said.Codes)
		}
		return nil
	})
}
