package setting

import (
	"airstrip/internal/fault"
	"airstrip/internal/money"
)

const (
	manyDays  = 3660
	unlimited = 1_000_000_000 // of what limits calls, where an operator wants no limit

	// maxPendingMinutes bounds how long a recharge or order may wait that no member of staff confirms or assigns, and
	// with it balance, stock and coupons that it holds. A Checkout session of Stripe lives for a day at most, and ours
	// ends half an hour after the recharge.
	maxPendingMinutes = 22 * 60
)

// bound is what a number may be.
type bound struct{ least, most int }

// bounds are those of all numbers.
var bounds = map[string]bound{
	"sign_up_per_ip_daily":     {1, unlimited},
	"staff_session_hours":      {1, 30 * 24},
	"staff_idle_minutes":       {30, 30 * 24 * 60}, // a page that is open refreshes its sign-in each 20 minutes
	"smtp_port":                {1, 65535},
	"broadcast_per_minute":     {1, unlimited},
	"captcha_puzzles":          {1, 1000},
	"captcha_zeros":            {1, 8},
	"ticket_max_open":          {1, unlimited},
	"ticket_messages_per_hour": {1, unlimited},
	"imap_port":                {1, 65535},
	"attachment_quota_mb":      {0, 1_000_000},
	"recharge_minutes":         {1, maxPendingMinutes},
	"commission_permille":      {0, 1000},
	"commission_days":          {0, 365},
	"invite_quota":             {-1, 1_000_000},
	"invite_codes":             {0, 1000},
	"invite_code_min":          {3, 32},
	"checkin_min_mb":           {1, 1_000_000},
	"checkin_max_mb":           {1, 1_000_000},
	"link_per_minute":          {1, unlimited},
	"link_per_day":             {1, unlimited},
	"link_per_ip_minute":       {1, unlimited},
	"link_update_hours":        {1, 24 * 365},
	"link_log_days":            {1, manyDays},
	"link_notice_networks":     {0, 1_000_000},
	"emby_class":               {0, 1_000_000},
	"traffic_log_days":         {1, manyDays},
	"traffic_daily_days":       {31, 10 * manyDays},
	"traffic_anomaly_factor":   {0, 1000},
	"traffic_anomaly_user_gb":  {1, 1_000_000},
	"traffic_anomaly_node_gb":  {1, 1_000_000},
	"traffic_anomaly_users":    {1, 1_000_000},
	"node_report_seconds":      {1, 3600},
	"node_offline_minutes":     {1, 1440},
}

// minAmounts are what amounts must be at least; none is above money.Max.
var minAmounts = map[string]money.Amount{
	"recharge_min":       1,
	"recharge_max":       1,
	"staff_credit_limit": 0,
	"invite_price":       0,
	"payout_min":         0,
}

// choicesOf are the words that settings are chosen from.
var choicesOf = map[string][]string{
	"language":                {string(fault.ZH), string(fault.EN)},
	"sign_up_mode":            {"open", "invite", "closed"},
	"telegram_updates":        {"poll", "webhook"},
	"change_credit":           {AsTime, ToWallet},
	"smtp_tls":                {"starttls", "tls", "none"},
	"captcha_provider":        {"pow", "turnstile", "hcaptcha", "recaptcha"},
	"captcha_register":        {"never", "risk", "always"},
	"captcha_login":           {"never", "risk", "always"},
	"captcha_forgot_password": {"never", "risk", "always"},
	"captcha_checkin":         {"never", "risk", "always"},
	"captcha_ticket":          {"never", "risk", "always"},
	"imap_tls":                {"tls", "starttls", "none"},
}
