package mail

import (
	"context"
	"errors"

	netmail "net/mail"

	gomail "github.com/wneessen/go-mail"

	"airstrip/internal/setting"
)

// Try sends a test mail to an address by the SMTP server of the settings, past the outbox.
func (m *Mails) Try(ctx context.Context, t *setting.Trial, to string) {
	site := m.settings.Get()
	var client *gomail.Client
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	t.Do("检查设置", "Check the settings", func() (err error) {
		if site.SMTPHost == "" {
			return errors.New("smtp_host is empty: mails are kept and not sent")
		}
		from, err := netmail.ParseAddress(site.SMTPFrom)
		if err != nil {
			return err
		}
		if client, err = m.client(ctx, site); err != nil {
			return err
		}
		return errors.Join(msg.FromFormat(site.SiteName, from.Address), msg.To(to))
	})
	t.Do("连接并登录", "Connect and sign in", func() error { return client.DialWithContext(ctx) })
	if client == nil || !t.OK() {
		return
	}
	defer client.Close()
	t.Do("发送测试邮件", "Hand over a test mail", func() error {
		msg.Subject(site.SiteName + ": test")
		msg.SetMessageID()
		msg.SetDate()
		msg.SetGenHeader("Auto-Submitted", "auto-generated")
		msg.SetBodyString(gomail.TypeTextPlain, "这是一封测试邮件。\n\nThis is a test mail.\n")
		return client.Send(msg)
	})
}
