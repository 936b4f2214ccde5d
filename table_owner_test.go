package main_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// tableOwners names for each package of internal the tables that it owns: nobody else reads or writes them with SQL of
// its own. Others call a function of the owner. A new table gets its owner here.
var tableOwners = map[string]string{
	"account": `account activity api_token ban_task email_code email_code_count first_owner guess_count passkey
		passkey_challenge password_cost recovery_code session session_cookie setup_code sign_in sign_in_token sign_in_url
		sign_up_count staff_visit terms_acceptance token_pair totp totp_enrolment`,
	"announcement": `announcement announcement_broadcast announcement_read`,
	"guide":        `guide guide_seed`,
	"sitepicture":  `site_picture`,
	"approval":     `staff_grant staff_grant_day`,
	"audit":        `audit_entry audit_head audit_seal`,
	"bulk":         `bulk_job bulk_job_row`,
	"captcha":      `captcha_challenge`,
	"cdkey":        `cd_key cd_key_batch cd_key_redemption cd_key_try`,
	"checkin":      `checkin`,
	"console":      `console_layout console_view overview_hour staff_label user_facts user_note`,
	// chosen_password belongs to a migration that is written in Go
	"db":          `chosen_password revision write_probe`,
	"clickhouse":  `clickhouse_day clickhouse_event clickhouse_forgotten clickhouse_state`,
	"emby":        `emby_account`,
	"idempotency": `idempotency`,
	"invite": `commission commission_payout commission_rate commission_withdrawal invite_code invite_purchase invite_use
		commission_reversal order_money paid_money`,
	"ipban":   `ip_ban`,
	"job":     `job job_failure job_timetable`,
	"link":    `link_app link_fetch link_notice link_template link_token`,
	"loki":    `loki_cursor loki_pause`,
	"mail":    `mail mail_template mail_text`,
	"mailbox": `mailbox_cursor`,
	"merge":   `account_merge`,
	"node": `blocked_ip node node_alarm node_history node_outage node_secret node_silence node_state node_watch online_ip rule
		rule_exemption rule_hit speed_test user_link_group`,
	"notify":       `notice_choice`,
	"payment":      `payment_case payment_gateway payment_notify sandbox_payment sandbox_refund staff_order`,
	"renewal":      `auto_renewal service_notice`,
	"role":         `staff_role`,
	"secret":       `secret`,
	"service":      `access fulfilment holding_change package service service_cycle service_period`,
	"setting":      `setting`,
	"shareaccount": `share_account share_account_view`,
	"shop": `coupon order_refund plan price price_history refund refund_request service_gift shop_order
		traffic_grant`,
	"storage": `storage_day`,
	"telegram": `telegram_group telegram_link_code telegram_poller telegram_sign_in telegram_topic telegram_topic_answer
		telegram_update`,
	"ticket": `ticket ticket_attachment ticket_canned_answer ticket_message ticket_notice ticket_removed_file
		ticket_word ticket_writer`,
	"token": `jwt_key`,
	"traffic": `foreign_agent kept_batch node_day node_link_use traffic_anomaly traffic_hour_change traffic_lease
		traffic_report traffic_unbilled`,
	"trafficlog": `traffic_day_chunk traffic_day_row traffic_forget traffic_hour_row traffic_month_chunk traffic_move
		traffic_now traffic_pack`,
	"reconciliation": `gateway_statement gateway_statement_line`,
	"wallet": `external_payment gateway_refund gateway_settlement invoice invoice_line ledger_account ledger_hold ledger_seal
		ledger_transaction posting recharge wallet_adjustment`,
	"webhook": `webhook_attempt webhook_delivery webhook_endpoint webhook_event webhook_subscription`,
	"webpush": `push_key push_message push_subscription`,
}

// A foreignUse is SQL of a package that names another package's tables.
type foreignUse struct {
	by, table string
}

// foreignUses are the places that are left, by package and table, with their number. The list may only become shorter.
var foreignUses = map[foreignUse]struct {
	places int
	reason string
}{
	{"approval", "account"}: {
		1,
		"approval stands below account and asks whether the maker still has the permission",
	},
	{"approval", "audit_entry"}: {2, "an act is refused where its transaction wrote no entry"},
	{"audit", "secret"}: {
		2,
		"secret records its changes with audit, so audit stands below it; the mark that a log began is a sealed row",
	},
	{"cdkey", "plan"}:            {2, "lists of keys name their plan in the same query"},
	{"emby", "access"}:           {2, "one query finds the accounts whose right changed"},
	{"eventlog", "link_fetch"}:   {1, "reads other packages' logs as they are, for what copies them"},
	{"eventlog", "node"}:         {1, "reads other packages' logs as they are, for what copies them"},
	{"eventlog", "rule"}:         {1, "reads other packages' logs as they are, for what copies them"},
	{"eventlog", "rule_hit"}:     {1, "reads other packages' logs as they are, for what copies them"},
	{"eventlog", "sign_in"}:      {1, "reads other packages' logs as they are, for what copies them"},
	{"invite", "account"}:        {10, "who invited whom is a column of account, which stands above invite"},
	{"invite", "shop_order"}:     {2, "counts the orders of invited people in the query that lists them"},
	{"invite", "user_facts"}:     {2, "finds those who were invited in some days by the index of sign-ups"},
	{"link", "access"}:           {1, "one query gives each user's token, also where none was made yet"},
	{"link", "account"}:          {1, "a request for a link is one planned query"},
	{"link", "user_link_group"}:  {1, "a request for a link is one planned query"},
	{"node", "access"}:           {2, "link groups cover all users who have a row of rights"},
	{"node", "account"}:          {1, "the list of hits shows each user's email in the same query"},
	{"node", "node_day"}:         {1, "traffic stands above node and writes what a node moved per day"},
	{"renewal", "access"}:        {1, "one query finds the services that are due"},
	{"renewal", "account"}:       {1, "one query finds the services that are due"},
	{"renewal", "service"}:       {5, "one query finds the services that are due"},
	{"renewal", "service_cycle"}: {1, "one query finds the services that are due"},
	{"shop", "account"}:          {1, "an order without a language takes that of its account"},
	{"shop", "fulfilment"}:       {2, "lists of orders show what each led to in the same query"},
	{"shop", "invoice"}:          {1, "lists of orders show what each led to in the same query"},
	{"shop", "package"}:          {1, "lists of orders show what each led to in the same query"},
	{"shop", "recharge"}:         {1, "lists of orders show what each led to in the same query"},
	{"shop", "service"}:          {1, "lists of orders show what each led to in the same query"},
	{"telegram", "account"}:      {1, "ends the sign-ins of the Telegram account that the user linked"},
	{"traffic", "account"}:       {1, "the heaviest users are shown with their emails"},
	{"traffic", "node"}:          {2, "leases of disabled nodes do not count"},
	{"traffic", "setting"}:       {1, "doctor compares the days since the time zone last changed"},
	{"wallet", "account"}:        {1, "account stands above wallet and says whether a ban runs"},
	{"wallet", "secret"}: {
		2,
		"the signed end of the ledger is a sealed row, written in the transaction that seals",
	},
	{"wallet", "shop_order"}: {1, "lists of recharges show the order that each pays"},
}

// A tableUse is one place that names a table.
type tableUse struct {
	table, place string
	forDoctor    bool // part of a db.Rule, which may read whatever it compares
}

func TestTables_AreUsedByTheirOwnersAlone(t *testing.T) {
	owner := map[string]string{}
	for by, tables := range tableOwners {
		for table := range strings.FieldsSeq(tables) {
			if other, twice := owner[table]; twice {
				t.Errorf("%s has two owners, %s and %s", table, other, by)
			}
			owner[table] = by
		}
	}
	inSchema := schemaTables(t)
	for table := range inSchema {
		if owner[table] == "" {
			t.Errorf("the table %s has no owner; give it one in tableOwners", table)
		}
	}
	for table := range owner {
		if !inSchema[table] {
			t.Errorf("tableOwners has %s, which the schema does not have", table)
		}
	}

	found := map[foreignUse][]string{}
	models := tableModels(t)
	eachSourceFile(t, func(path, by string, files *token.FileSet, file *ast.File) {
		for _, use := range tableUses(files, file, inSchema, models) {
			// db holds the migrations, which may touch all tables
			if owner[use.table] != by && by != "db" && !use.forDoctor {
				key := foreignUse{by, use.table}
				found[key] = append(found[key], use.place)
			}
		}
	})
	for use, places := range found {
		if known := foreignUses[use].places; len(places) > known {
			t.Errorf("%s has SQL on %s, which belongs to %s (%d places, %d are known); call a function of %s:\n\t%s",
				use.by, use.table, owner[use.table], len(places), known, owner[use.table], strings.Join(places, "\n\t"))
		}
	}
	for use, known := range foreignUses {
		if len(found[use]) < known.places {
			t.Errorf("%s has %d places with SQL on %s; write that number, or take the line out of foreignUses",
				use.by, len(found[use]), use.table)
		}
		if known.reason == "" {
			t.Errorf("foreignUses does not say why %s has SQL on %s", use.by, use.table)
		}
	}
}

func TestTableUses_FindsEachWayToNameATable(t *testing.T) {
	const text = `package p
import (
	"airstrip/internal/wallet"
	"airstrip/internal/db"
)
var rules = []db.Rule{{Name: "r", Query: "SELECT 1 FROM posting"}, {Name: "w", Query: "DELETE FROM posting"}}
func f(q bun.IDB, all []wallet.Posting) {
	q.NewRaw("SELECT 1 FROM posting p JOIN account a ON a.id = p.id")
	q.NewRaw("SELECT 1 FROM (SELECT 1 FROM posting)")
	q.NewRaw(` + "`" + `INSERT
		INTO posting VALUES (1)` + "`" + `)
	q.NewRaw("UPDATE \"posting\" SET a = 1")
	q.NewRaw("SELECT 1 FROM account AS b, posting")
	q.NewRaw("SELECT 1 " + "FROM posting")
	q.NewSelect().Table("posting")
	q.NewSelect().TableExpr("posting AS p")
	q.NewSelect().Model((*wallet.Posting)(nil))
	q.NewSelect().Model(&all)
	var one wallet.Posting
	q.NewSelect().Model(&one)
	made := wallet.Posting{}
	q.NewInsert().Model(&made)
	q.NewRaw("SELECT 1 FROM postings, revision")
	errors.New("taken from posting")
}`
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, use := range tableUses(files, file, map[string]bool{"posting": true},
		map[string]string{"wallet.Posting": "posting"}) {
		count[fmt.Sprint(use.table, " ", use.forDoctor)]++
	}
	want := map[string]int{"posting true": 1, "posting false": 13}
	if !maps.Equal(count, want) {
		t.Errorf("%v, want %v", count, want)
	}
}

// eachSourceFile reads the Go files of the server that are not for tests alone.
func eachSourceFile(t *testing.T, read func(path, by string, files *token.FileSet, file *ast.File)) {
	t.Helper()
	files, count := token.NewFileSet(), 0
	err := filepath.WalkDir("internal", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") ||
			strings.HasSuffix(filepath.Dir(path), "test") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		count++
		by, _, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(path), "internal/"), "/")
		read(path, by, files, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 200 {
		t.Fatalf("only %d files were read", count)
	}
}

var schemaChange = regexp.MustCompile(`(?m)^(?:CREATE TABLE (\w+)|DROP TABLE (\w+)|ALTER TABLE (\w+) RENAME TO (\w+))`)

// schemaTables gives the tables that the migrations make.
func schemaTables(t *testing.T) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob("internal/db/migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]bool{}
	for _, path := range paths { // in the order in which they run
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		up, _, _ := strings.Cut(string(text), "-- +goose Down")
		for _, m := range schemaChange.FindAllStringSubmatch(up, -1) {
			delete(tables, m[2])
			delete(tables, m[3])
			tables[m[1]], tables[m[4]] = true, true
		}
	}
	delete(tables, "")
	return tables
}

// tableModels gives the table of each type that bun stores, as package.Type.
func tableModels(t *testing.T) map[string]string {
	t.Helper()
	models := map[string]string{}
	eachSourceFile(t, func(_, _ string, _ *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			fields, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, f := range fields.Fields.List {
				if table := taggedTable(f); table != "" {
					models[file.Name.Name+"."+spec.Name.Name] = table
				}
			}
			return true
		})
	})
	return models
}

func taggedTable(f *ast.Field) string {
	if f.Tag == nil {
		return ""
	}
	text, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return ""
	}
	named, ok := strings.CutPrefix(reflect.StructTag(text).Get("bun"), "table:")
	if !ok {
		return ""
	}
	table, _, _ := strings.Cut(named, ",")
	return table
}

var (
	afterKeyword = regexp.MustCompile(`\b(?:FROM|JOIN|INTO|UPDATE|USING|TABLE)\s+(?:ONLY\s+)?"?(\w+)`)
	// afterComma finds the tables of a list after FROM; a subquery in the list ends it.
	afterComma = regexp.MustCompile(`\bFROM\s+((?:"?\w+"?(?:\s+(?:AS\s+)?[a-z]\w*)?\s*,\s*)+"?\w+)`)
	listed     = regexp.MustCompile(`,\s*"?(\w+)`)
	written    = regexp.MustCompile(`\b(?:INSERT|UPDATE|DELETE)\b`)
)

// tableUses gives the places of a file that name a table: in the text of SQL, or as the model of a query.
func tableUses(files *token.FileSet, file *ast.File, tables map[string]bool,
	models map[string]string,
) (uses []tableUse) {
	inRule := false
	note := func(at token.Pos, table string, read bool) {
		if tables[table] {
			p := files.Position(at)
			uses = append(uses, tableUse{table, fmt.Sprintf("%s:%d", p.Filename, p.Line), inRule && read})
		}
	}
	types := map[string]string{} // of the variables of the function that is read
	var inspect func(n ast.Node) bool
	inspect = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			types = variableTypes(n)
		case *ast.CompositeLit:
			if !inRule && modelType(n.Type) == "db.Rule" {
				inRule = true
				for _, e := range n.Elts {
					ast.Inspect(e, inspect)
				}
				inRule = false
				return false
			}
		case *ast.CallExpr:
			called, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || len(n.Args) == 0 {
				break
			}
			switch called.Sel.Name {
			case "Model":
				name := modelType(n.Args[0])
				if v, ok := types[name]; ok {
					name = v
				}
				if strings.Contains(name, ".") {
					note(n.Pos(), models[name], false)
				}
			case "Table", "TableExpr", "ModelTableExpr":
				if text := literal(n.Args[0]); text != "" {
					table, _, _ := strings.Cut(text, " ")
					note(n.Pos(), table, false)
				}
			}
		case *ast.BasicLit:
			text := literal(n)
			read := !written.MatchString(text)
			for _, m := range afterKeyword.FindAllStringSubmatch(text, -1) {
				note(n.Pos(), m[1], read)
			}
			for _, m := range afterComma.FindAllStringSubmatch(text, -1) {
				for _, other := range listed.FindAllStringSubmatch(m[1], -1) {
					note(n.Pos(), other[1], read)
				}
			}
		}
		return true
	}
	ast.Inspect(file, inspect)
	return uses
}

func literal(expr ast.Expr) string {
	if l, ok := expr.(*ast.BasicLit); ok && l.Kind == token.STRING {
		text, _ := strconv.Unquote(l.Value)
		return text
	}
	return ""
}

// variableTypes gives the types of other packages that the parameters and variables of a function have.
func variableTypes(f *ast.FuncDecl) map[string]string {
	types := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, name := range n.Names {
				types[name.Name] = modelType(n.Type)
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				if n.Type != nil {
					types[name.Name] = modelType(n.Type)
				}
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				name, ok := left.(*ast.Ident)
				if !ok || n.Tok != token.DEFINE || len(n.Rhs) != len(n.Lhs) {
					continue
				}
				if made, ok := n.Rhs[i].(*ast.CompositeLit); ok {
					types[name.Name] = modelType(made)
				}
			}
		}
		return true
	})
	return types
}

// modelType gives the name of a type or of a variable as it is written, without pointers, slices and conversions.
func modelType(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if p, ok := e.X.(*ast.Ident); ok {
			return p.Name + "." + e.Sel.Name
		}
	case *ast.StarExpr:
		return modelType(e.X)
	case *ast.ParenExpr:
		return modelType(e.X)
	case *ast.UnaryExpr:
		return modelType(e.X)
	case *ast.ArrayType:
		return modelType(e.Elt)
	case *ast.CompositeLit:
		return modelType(e.Type)
	case *ast.CallExpr: // (*T)(nil), new(T), make([]T, n)
		if f, ok := e.Fun.(*ast.Ident); ok && (f.Name == "new" || f.Name == "make") {
			return modelType(e.Args[0])
		}
		return modelType(e.Fun)
	}
	return ""
}
