package setting

import (
	"net/url"
	"regexp"
)

// bucketName is what S3 calls a bucket.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// ticket checks where the files of tickets are kept.
func (p *problems) ticket(s *Site) {
	p.When(s.AttachmentS3Bucket != "" && !bucketName.MatchString(s.AttachmentS3Bucket), "attachment_s3_bucket",
		"format", "存储桶名称为 3 到 63 个小写字母、数字、点或连字符",
		"The name of a bucket has 3 to 63 small letters, digits, dots or hyphens")
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
