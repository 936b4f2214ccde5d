package mailbox

import (
	"context"
	"errors"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"airstrip/internal/setting"
)

// Try opens the mailbox, and changes nothing in it.
func (b *Mailbox) Try(ctx context.Context, t *setting.Trial) {
	site := b.settings.Get()
	var client *imapclient.Client
	t.Do("检查设置", "Check the settings", func() error {
		if site.IMAPHost == "" || site.TicketMailAddress == "" {
			return errors.New("imap_host or ticket_mail_address is empty: the mailbox is not read")
		}
		return nil
	})
	t.Do("连接并登录", "Connect and sign in", func() (err error) {
		client, err = b.connect(ctx, site)
		return err
	})
	if client == nil {
		return
	}
	defer client.Close()
	defer context.AfterFunc(ctx, func() { client.Close() })()
	t.Do("打开文件夹", "Open the folder", func() error {
		_, err := client.Select(site.IMAPFolder, &imap.SelectOptions{ReadOnly: true}).Wait()
		return err
	})
}
