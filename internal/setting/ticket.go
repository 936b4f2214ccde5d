package setting

import (
	"net/url"
	"regexp"
)

// bucketName is what S3 calls a bucket.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

var mailAddress = regexp.MustCompile(`^[A-Za-z0-9._-]{1,30}@[A-Za-z0-9.-]+$`)

// ticket checks where users answer by mail, and where the files of tickets are kept.
func (p *problems) ticket(s *Site) {
	p.When(s.AttachmentS3Bucket != "" && !bucketName.MatchString(s.AttachmentS3Bucket), "attachment_s3_bucket",
		"format", "存储桶名称为 3 到 63 个小写字母、数字、点或连字符",
		"The name of a bucket has 3 to 63 small letters, digits, dots or hyphens")
	// 30 characters before the @ leave room for the rest of a reply address, of which mail servers take 64.
	p.When(s.TicketMailAddress != "" && !mailAddress.MatchString(s.TicketMailAddress), "ticket_mail_address", "email",
		"请填写邮箱地址，@ 前最多 30 个字母、数字、点、连字符或下划线",
		"This must be an address with at most 30 letters, digits, dots, hyphens or underscores before the @")
	p.When(s.IMAPHost != "" && (s.IMAPUsername == "" || s.IMAPFolder == ""), "imap_host", "incomplete",
		"使用 IMAP 时需填写 imap_username 和 imap_folder", "With it imap_username and imap_folder are needed")
	p.When(s.IMAPHost != "" && s.TicketMailAddress == "", "ticket_mail_address", "required", "读取邮箱时必填",
		"A mailbox that is read needs its address")
	at, err := url.Parse(s.AttachmentS3URL)
	p.When(s.AttachmentS3URL != "" && (err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Host == "" ||
		at.Path != "" || at.RawQuery != "" || at.User != nil), "attachment_s3_url", "url",
		"请填写服务地址，如 https://s3.example.com，不含路径",
		"This must be an address such as https://s3.example.com, without a path")
	if s.AttachmentS3Bucket == "" {
		return
	}
	for name, value := range map[string]string{
		"attachment_s3_url": s.AttachmentS3URL, "attachment_s3_region": s.AttachmentS3Region,
		"attachment_s3_access_key": s.AttachmentS3AccessKey,
	} {
		p.When(value == "", name, "required", "使用存储桶时必填", "A bucket needs this")
	}
}
