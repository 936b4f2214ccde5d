package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/invite"
	"airstrip/internal/sitepicture"
)

// TestEnums_SchemaAndGo_AllowTheSameWords compares what the schema allows in each column with the constants of the Go
// type that is written there, so that a word which is added to one of them only fails here and not at a customer's.
func TestEnums_SchemaAndGo_AllowTheSameWords(t *testing.T) {
	declared := constants(t)
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		allowed := allowedWords(t, d)
		for column, words := range allowed {
			e, listed := enums[column]
			if !listed {
				t.Errorf("%s allows %q: name the Go type of its words in enums", column, words)
				continue
			}
			want := slices.Concat(declared[e.typ], e.words)
			want = slices.DeleteFunc(want, func(word string) bool { return slices.Contains(e.not, word) })
			if slices.Sort(want); words[0] == "" && want[0] != "" {
				words = words[1:] // of nothing; no constant says so
			}
			if !slices.Equal(want, words) {
				t.Errorf("%s allows %q, Go says %q", column, words, want)
			}
		}
		for column, e := range enums {
			if allowed[column] == nil {
				t.Errorf("%s is listed, and the schema has no list of words for it", column)
			}
			if e.typ != "" && declared[e.typ] == nil {
				t.Errorf("%s is listed with %s, which has no constants", column, e.typ)
			}
		}
	})
}

// allowedWords returns the words of each column whose check is a list of words, sorted, as the migrated schema has it.
func allowedWords(t *testing.T, d *db.DB) map[string][]string {
	t.Helper()
	query := `SELECT name, sql FROM sqlite_master WHERE type = 'table'`
	check := regexp.MustCompile(`CHECK \((\w+) IN \(((?:\s*'[^']+',?|\s*'',?)+)\s*\)\)`)
	if !d.SQLite() {
		query = `SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
			WHERE contype = 'c' AND connamespace = 'public'::regnamespace`
		check = regexp.MustCompile(`^CHECK \(\((\w+) = ANY \(ARRAY\[('.*)\]\)\)\)$`)
	}
	rows, err := d.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	allowed := map[string][]string{}
	for rows.Next() {
		var table, text string
		if err := rows.Scan(&table, &text); err != nil {
			t.Fatal(err)
		}
		for _, found := range check.FindAllStringSubmatch(text, -1) {
			var words []string
			for _, word := range regexp.MustCompile(`'([^']*)'`).FindAllStringSubmatch(found[2], -1) {
				words = append(words, word[1])
			}
			slices.Sort(words)
			allowed[table+"."+found[1]] = words
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return allowed
}

// constants returns the values of all typed string constants of the server, by package and name of their type, sorted.
func constants(t *testing.T) map[string][]string {
	t.Helper()
	of := map[string][]string{}
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			typ, ok := spec.Type.(*ast.Ident)
			for _, v := range spec.Values {
				if text, is := v.(*ast.BasicLit); ok && is && text.Kind == token.STRING {
					word, err := strconv.Unquote(text.Value)
					if err != nil {
						t.Fatal(err)
					}
					name := file.Name.Name + "." + typ.Name
					of[name] = append(of[name], word)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range of {
		slices.Sort(words)
	}
	return of
}

// enum says which words a column may hold: the constants of a Go type and those that only SQL and single statements
// name, without those constants of the type that this column never holds.
type enum struct {
	typ        string
	words, not []string
}

var enums = map[string]enum{
	"access.state":                    {typ: "service.State"},
	"account.lang":                    {typ: "fault.Lang"},
	"mail_template.lang":              {typ: "fault.Lang"},
	"announcement.audience":           {typ: "announcement.Audience"},
	"announcement.type":               {typ: "announcement.Type"},
	"announcement_broadcast.channel":  {typ: "announcement.Channel"},
	"announcement_broadcast.state":    {typ: "announcement.State"},
	"audit_entry.actor":               {typ: "audit.Kind"},
	"bulk_job.kind":                   {typ: "bulk.Kind"},
	"bulk_job.state":                  {typ: "bulk.State"},
	"bulk_job_row.state":              {typ: "bulk.RowState"},
	"cd_key_batch.kind":               {typ: "cdkey.Kind"},
	"commission.state":                {typ: "invite.State"},
	"commission_payout.method":        {words: invite.PayoutMethods},
	"commission_payout.state":         {typ: "invite.PayoutState"},
	"email_code.purpose":              {typ: "account.Purpose"},
	"emby_account.state":              {typ: "emby.State"},
	"emby_account.wanted":             {typ: "emby.State"},
	"external_payment.reference_kind": {words: []string{"payment_case", "recharge"}},
	"gateway_refund.state":            {typ: "wallet.GatewayRefundState"},
	"gateway_statement_line.kind":     {typ: "reconciliation.Kind"},
	"invoice_line.kind":               {typ: "wallet.LineKind"},
	"kept_batch.reason":               {typ: "traffic.HoldReason"},
	"kept_batch.state":                {words: []string{"waiting", "counted", "dismissed"}},
	"ledger_account.kind":             {typ: "wallet.Kind", words: []string{"rounding"}},
	"link_template.scope":             {typ: "link.Scope"},
	"mail.state":                      {typ: "mail.State"},
	"node.protocol":                   {typ: "node.Protocol"},
	"notice_choice.channel":           {typ: "notify.Channel"},
	"online_ip.place":                 {typ: "node.slotState"},
	"order_refund.state":              {words: []string{"declined", "done", "waiting"}},
	"overview_hour.figure":            {words: []string{"gifts", "orders", "received", "returned", "revenue"}},
	"package.kind":                    {typ: "service.Kind"},
	"payment_case.kind": {
		typ: "payment.Reason", not: []string{"bad_signature", "second_member", "unreadable", "wrong_merchant"},
	},
	"payment_case.state":      {typ: "payment.CaseState"},
	"payment_notify.outcome":  {typ: "payment.Outcome"},
	"plan.kind":               {typ: "shop.Kind", not: []string{"renewal"}},
	"plan.reset":              {typ: "service.Reset"},
	"recharge.state":          {typ: "wallet.RechargeState"},
	"refund_request.state":    {typ: "shop.RequestState"},
	"sandbox_payment.state":   {words: []string{"failed", "open", "paid"}},
	"service.reset":           {typ: "service.Reset"},
	"service_gift.kind":       {typ: "shop.GiftKind"},
	"service_gift.state":      {words: []string{"declined", "given", "waiting"}},
	"session_cookie.name":     {words: []string{"__Host-key", "key"}},
	"share_account_view.kind": {typ: "shareaccount.Kind"},
	"shop_order.kind":         {typ: "shop.Kind"},
	"shop_order.state":        {typ: "shop.State"},
	"sign_in.wrong":           {typ: "account.Wrong"},
	"site_picture.media_type": {words: []string{"image/jpeg", "image/png", "image/webp"}},
	"site_picture.name":       {words: sitepicture.Names},
	"staff_grant.kind":        {typ: "approval.Kind", not: []string{"decision"}},
	"staff_grant.state":       {typ: "approval.State"},
	"account_merge.state":     {typ: "merge.State"},
	"staff_order.state":       {words: []string{"declined", "made", "waiting"}},
	"staff_label.object":      {words: []string{"order", "recharge", "user"}},
	"ticket.awaiting":         {typ: "ticket.Side"},
	"ticket.category":         {typ: "ticket.Category"},
	"ticket.priority":         {typ: "ticket.Priority"},
	"ticket.state":            {typ: "ticket.State"},
	"ticket_attachment.media_type": {
		words: []string{"image/gif", "image/jpeg", "image/png", "image/webp", "text/plain"},
	},
	"ticket_attachment.place":          {typ: "attachment.Place"},
	"ticket_notice.channel":            {typ: "notify.Channel"},
	"ticket_removed_file.place":        {typ: "attachment.Place"},
	"traffic_anomaly.kind":             {typ: "traffic.AnomalyOf"},
	"traffic_grant.state":              {words: []string{"declined", "given", "waiting"}},
	"user_facts.state":                 {typ: "console.UserState"},
	"wallet_adjustment.state":          {typ: "wallet.AdjustmentState"},
	"webhook_delivery.state":           {typ: "webhook.State"},
	"webhook_endpoint.disabled_reason": {typ: "webhook.Reason"},
}
