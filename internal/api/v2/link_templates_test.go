package v2_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/account/accounttest"
	"airstrip/internal/api"
	apilink "airstrip/internal/api/link"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/api/v2/staff"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/link"
	"airstrip/internal/node"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
)

// templateServer is the staff's operations on templates, with user 1, in group 5, who has a link and one node.
type templateServer struct {
	*testing.T
	handler http.Handler
	link    string
}

func newTemplateServer(t *testing.T, d *db.DB) *templateServer {
	t.Helper()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	services := service.New(d, seal.Key{1}, settings)
	nodes := node.New(d, seal.Key{1}, settings, services)
	links := link.New(d, seal.Key{1}, settings, "https://site.example", nil, services, nodes, nil)
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		if err := services.Open(ctx, tx, 1); err != nil {
			return err
		}
		_, err := services.Start(ctx, tx, service.Terms{
			UserID: 1, PlanID: 1, Name: "P", Groups: []int{5},
			Reset: service.Never, Months: 1,
		})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	n := node.Draft("东京 01", node.Shadowsocks, "jp.example.com", 8388)
	n.Settings.Method = "aes-256-gcm"
	if _, _, err := nodes.Add(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	made, err := links.Token(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	accounttest.Add(t, d, account.Owner, 9)
	accounts := account.New(account.Config{DB: d, Key: seal.Key{1}, Settings: settings, Services: services})
	mux := http.NewServeMux()
	v2.New(mux, "1", func(_ context.Context, bearer string) (account.Identity, error) {
		return account.Identity{UserID: 9, Proved: true, Role: account.Role(bearer)}, nil
	}, staff.LinkTemplates(links, accounts))
	apilink.Register(mux, links)
	return &templateServer{
		t, api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler(),
		"/link2/" + made.Token + "?client_type=ClashMeta",
	}
}

// ask returns the status and the answer's body.
func (d *templateServer) ask(role account.Role, method, path, body string) (int, string) {
	d.Helper()
	r := httptest.NewRequest(method, "/api/v2/staff/link-templates"+path, strings.NewReader(body))
	r.Header.Set("If-Match", "*")
	r.Header.Set("Authorization", "Bearer "+string(role))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept-Language", "en")
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func (d *templateServer) must(method, path, body string) string {
	d.Helper()
	status, got := d.ask(account.Admin, method, path, body)
	if status != 200 {
		d.Fatalf("%s %s: %d %s", method, path, status, got)
	}
	return got
}

func (d *templateServer) fetch() string {
	d.Helper()
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, httptest.NewRequest("GET", d.link, nil))
	if w.Code != 200 {
		d.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func TestTemplatesOfSiteGroupAndUserAreLaidOverEachOther(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *db.DB) {
		d := newTemplateServer(t, db)
		if got := d.fetch(); !strings.Contains(got, "DOMAIN-SUFFIX,cn,DIRECT") {
			t.Fatal(got)
		}
		d.must("PUT", "/user/1", `{"document":{"clash":{"mixed-port":3333}}}`)
		d.must("PUT", "/group/5", `{"document":{"clash":{"mixed-port":2222,"mode":"global"}}}`)
		d.must("PUT", "/group/6", `{"document":{"rules":"full"}}`)
		d.must("PUT", "/site/0", `{"document":{"rules":"none","clash":{"mixed-port":1111}}}`)
		got := d.fetch()
		if strings.Contains(got, "DOMAIN-SUFFIX") || !strings.Contains(got, "mixed-port: 3333\n") ||
			!strings.Contains(got, `mode: "global"`) {
			t.Fatal(got)
		}
		d.must("DELETE", "/user/1", "")
		if got := d.fetch(); !strings.Contains(got, "mixed-port: 2222\n") {
			t.Fatal(got)
		}
		var listed struct {
			Result struct {
				Builtin   map[string]any
				Templates []struct {
					Scope     string
					ScopeID   int64 `json:"scope_id"`
					Document  map[string]any
					UpdatedBy int64 `json:"updated_by"`
				}
			}
		}
		if err := json.Unmarshal([]byte(d.must("GET", "", "")), &listed); err != nil {
			t.Fatal(err)
		}
		all := listed.Result.Templates
		if len(all) != 3 || all[0].Scope != "site" || all[1].ScopeID != 5 || all[2].Document["rules"] != "full" ||
			all[0].UpdatedBy != 9 || listed.Result.Builtin["rules"] != "basic" {
			t.Fatalf("%+v", listed)
		}
	})
}

func TestATemplateIsTriedBeforeItIsKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *db.DB) {
		d := newTemplateServer(t, db)
		for body, field := range map[string]string{
			`{"document":{"clash":{"rules":["MATCH,Nowhere"]}}}`: `"document.clash"`,
			`{"document":{"clash":{"dns":{"enable":"yes"}}}}`:    `"document.clash.dns.enable"`,
			`{"document":{"nonsense":1}}`:                        `"document"`,
			`{"document":[1]}`:                                   `"document"`,
			`{"document":{"dns":{"near":[]}}}`:                   `"document.dns.near"`,
			`{}`:                                                 `document`,
		} {
			if status, got := d.ask(account.Admin, "PUT", "/site/0", body); status != 422 ||
				!strings.Contains(got, field) {
				t.Errorf("%s: %d %s", body, status, got)
			}
		}
		for _, path := range []string{"/site/1", "/user/0", "/planet/1"} {
			if status, got := d.ask(account.Admin, "PUT", path, `{"document":{}}`); status != 422 {
				t.Errorf("%s: %d %s", path, status, got)
			}
		}
		if status, got := d.ask(account.Admin, "PUT", "/user/404", `{"document":{}}`); status != 404 ||
			!strings.Contains(got, "user_not_found") {
			t.Errorf("nobody's template: %d %s", status, got)
		}
		if status, got := d.ask(account.Admin, "DELETE", "/group/5", ""); status != 404 {
			t.Errorf("%d %s", status, got)
		}
		for _, role := range []account.Role{account.Support, account.Viewer, ""} {
			if status, _ := d.ask(role, "PUT", "/site/0", `{"document":{}}`); status != 403 && status != 401 {
				t.Errorf("%q may change the template: %d", role, status)
			}
		}
		if got := d.must("GET", "", ""); !strings.Contains(got, `"templates":[]`) {
			t.Error(got)
		}
	})
}

func TestAPreviewShowsTheFileAndNobodysSecrets(t *testing.T) {
	d := newTemplateServer(t, dbtest.SQLite(t))
	var got struct {
		Result struct {
			Body    string
			Nodes   int
			LeftOut int `json:"left_out"`
		}
	}
	if err := json.Unmarshal([]byte(d.must("POST", "/preview",
		`{"client_type":"SingBox","document":{"rules":"none","sing_box":{"log":{"level":"error"}}}}`)),
		&got); err != nil {
		t.Fatal(err)
	}
	if got.Result.Nodes != 7 || !strings.Contains(got.Result.Body, `"level": "error"`) ||
		strings.Contains(got.Result.Body, "jp.example.com") {
		t.Errorf("%+v", got)
	}
	if status, answer := d.ask(account.Viewer, "POST", "/preview", `{"client_type":"Html"}`); status != 422 {
		t.Errorf("%d %s", status, answer)
	}
}
